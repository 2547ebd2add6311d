// A dense array of one scalar type in host memory: what inputs are read into and outputs are written from.
#pragma once

#include "device_runtime/scalar.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera {

// Element k of the place (x, y, z) is value ((k*nz + z)*ny + y)*nx + x: x runs fastest, and an array member is one
// plane per element. Owns its bytes; a value type; not synchronised.
struct Array {
    Scalar type = Scalar::u8;
    std::array<std::int64_t, 3> size{1, 1, 1}; // nx, ny, nz
    int elements = 1;                          // elements of an array member, 1 for a scalar one
    int dimensions = 1;                        // 1 to 3: as found in the file, or as the collection has them
    std::vector<std::byte> bytes;

    // How many values there are, all elements included.
    [[nodiscard]] std::int64_t count() const noexcept { return size[0] * size[1] * size[2] * elements; }

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

    // "(x 3, y 4)", with "[2]" behind it in an array member.
    [[nodiscard]] std::string position(std::int64_t index) const;

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

// An array of zeros. `name` says in errors what the memory is for. Throws Failure::input for an extent below 1 or more than
// 2^62 bytes, Failure::memory (before allocating) for more than the machine's memory.
[[nodiscard]] Array make_array(Scalar type, std::array<std::int64_t, 3> size, int dimensions, int elements, std::string_view name);

} // namespace tessera
