// The scalar types that a member or a parameter can have.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

static_assert(std::endian::native == std::endian::little, "columns are stored little-endian");

// The values are part of the model description in a compiled image (sdk/include/tessera/detail/records.hpp).
enum class Scalar : std::uint8_t { boolean = 1, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

[[nodiscard]] constexpr std::size_t size_of(Scalar type) noexcept {
    switch (type) {
    case Scalar::boolean:
    case Scalar::i8:
    case Scalar::u8: return 1;
    case Scalar::i16:
    case Scalar::u16: return 2;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32: return 4;
    case Scalar::i64:
    case Scalar::u64:
    case Scalar::f64: return 8;
    }
    return 0;
}

[[nodiscard]] constexpr std::string_view name_of(Scalar type) noexcept {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::i8: return "int8";
    case Scalar::u8: return "uint8";
    case Scalar::i16: return "int16";
    case Scalar::u16: return "uint16";
    case Scalar::i32: return "int32";
    case Scalar::u32: return "uint32";
    case Scalar::i64: return "int64";
    case Scalar::u64: return "uint64";
    case Scalar::f32: return "float";
    case Scalar::f64: return "double";
    }
    return "?";
}

// Calls `visit(T{})` with the C++ type that `type` stands for, and returns what it returns.
template<class Visitor> decltype(auto) with_type(Scalar type, Visitor&& visit) {
    switch (type) {
    case Scalar::boolean: return visit(bool{});
    case Scalar::i8: return visit(std::int8_t{});
    case Scalar::u8: return visit(std::uint8_t{});
    case Scalar::i16: return visit(std::int16_t{});
    case Scalar::u16: return visit(std::uint16_t{});
    case Scalar::i32: return visit(std::int32_t{});
    case Scalar::u32: return visit(std::uint32_t{});
    case Scalar::i64: return visit(std::int64_t{});
    case Scalar::u64: return visit(std::uint64_t{});
    case Scalar::f32: return visit(float{});
    case Scalar::f64: break;
    }
    return visit(double{});
}

} // namespace tessera
