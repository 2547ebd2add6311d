// A dense array of one scalar type in host memory: what inputs are read into and outputs are written from.
#pragma once

#include "device_runtime/scalar.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera {

// What an array is of.
struct ArrayShape {
    Scalar type = Scalar::u8;
    std::array<std::int64_t, 3> size{1, 1, 1}; // nx, ny, nz
    int elements = 1;                          // elements of an array member, 1 for a scalar one
    int dimensions = 1;                        // 1 to 3: as found in the file, or as the collection has them

    [[nodiscard]] std::int64_t places() const noexcept { return size[0] * size[1] * size[2]; }
    // How many values there are, all elements included.
    [[nodiscard]] std::int64_t count() const noexcept { return places() * elements; }

    // "(x 3, y 4)", with "[2]" behind it in an array member: where the value of a linear index is.
    [[nodiscard]] std::string position(std::int64_t index) const;
};

// Places [first, end) of a grid or an array: x runs fastest, then y, then z.
struct PlaceRange {
    std::int64_t first = 0, end = 0;

    [[nodiscard]] std::int64_t count() const noexcept { return end - first; }
    friend bool operator==(const PlaceRange&, const PlaceRange&) = default;
};

// Calls `body` with the places [0, places) in turn, `at_a_time` of them (one at least) or what is left.
template<class Body> void for_each_piece(std::int64_t places, std::int64_t at_a_time, const Body& body) {
    const auto step = at_a_time < 1 ? 1 : at_a_time;
    for (std::int64_t first = 0; first < places; first += step) body(PlaceRange{first, places - first < step ? places : first + step});
}

// Gives an array in pieces, in any order and as often as it is asked: puts the values of the places where it is told, an array member's as
// a plane of `places.count()` for each element. What it throws ends what asked.
using ArraySource = std::function<void(const PlaceRange& places, std::byte* into)>;

// Element k of the place (x, y, z) is value ((k*nz + z)*ny + y)*nx + x: x runs fastest, and an array member is one
// plane per element. Owns its bytes; a value type; not synchronised.
struct Array : ArrayShape {
    std::vector<std::byte> bytes;

    // The values. Throws Failure::internal if T is not the array's type, or if size and bytes disagree.
    template<class T> [[nodiscard]] std::span<T> data() {
        check_type(scalar_of<T>());
        return {reinterpret_cast<T*>(bytes.data()), static_cast<std::size_t>(count())};
    }
    template<class T> [[nodiscard]] std::span<const T> data() const {
        check_type(scalar_of<T>());
        return {reinterpret_cast<const T*>(bytes.data()), static_cast<std::size_t>(count())};
    }

    // The value at a linear index, rounded to a double.
    [[nodiscard]] double as_double(std::int64_t index) const;

    // The same values as another type. A floating type takes the nearest value; `bool` takes 0 and 1; an integer takes
    // whole numbers in its range. Throws Failure::input that begins with `name` (a file, say) and names the first value
    // that does not fit, and where it is.
    [[nodiscard]] Array converted(Scalar to, std::string_view name) const;

    template<class T> [[nodiscard]] static constexpr Scalar scalar_of() noexcept {
        if constexpr (std::is_same_v<T, bool>)
            return Scalar::boolean;
        else if constexpr (std::is_same_v<T, float>)
            return Scalar::f32;
        else if constexpr (std::is_same_v<T, double>)
            return Scalar::f64;
        else {
            static_assert(std::is_integral_v<T>, "not one of the scalar types");
            if constexpr (sizeof(T) == 1)
                return std::is_signed_v<T> ? Scalar::i8 : Scalar::u8;
            else if constexpr (sizeof(T) == 2)
                return std::is_signed_v<T> ? Scalar::i16 : Scalar::u16;
            else if constexpr (sizeof(T) == 4)
                return std::is_signed_v<T> ? Scalar::i32 : Scalar::u32;
            else
                return std::is_signed_v<T> ? Scalar::i64 : Scalar::u64;
        }
    }

private:
    void check_type(Scalar wanted) const;
};

// `count` values as another type, as Array::converted makes and refuses them; `position_of(i)` says where value i is.
void convert_values(Scalar from, const std::byte* values, Scalar to, std::byte* results, std::int64_t count, std::string_view name,
                    const std::function<std::string(std::int64_t)>& position_of);

// An array of zeros. `name` says in errors what the memory is for. Throws Failure::input for an extent below 1 or more than
// 2^62 bytes, Failure::memory (before allocating) for more than the machine's memory.
[[nodiscard]] Array make_array(Scalar type, std::array<std::int64_t, 3> size, int dimensions, int elements, std::string_view name);

// The same of what may have no places, as links of which there are none: then it has no values, and nothing is thrown.
[[nodiscard]] Array make_array_of_any(Scalar type, std::array<std::int64_t, 3> size, int dimensions, int elements, std::string_view name);

} // namespace tessera
