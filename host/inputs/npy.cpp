#include "host/inputs/npy.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/input_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace tessera {
namespace {

struct NpyHeader {
    Scalar type = Scalar::u8; // as stored: halves are u16
    bool is_half = false;
    bool big_endian = false;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
    std::uint64_t data_offset = 0;
};

// The header is a Python dictionary literal: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
    HeaderParser(std::string_view text, const std::string& name, std::uint64_t file_offset)
        : text_(text), name_(name), file_offset_(file_offset) {}

    NpyHeader parse() {
        bool have_type = false, have_order = false, have_shape = false;
        NpyHeader header;
        expect('{');
        while (!accept('}')) {
            const std::string_view key = string();
            expect(':');
            if (key == "descr")
                have_type = true, read_type(header);
            else if (key == "fortran_order")
                have_order = true, header.fortran_order = boolean();
            else if (key == "shape")
                have_shape = true, header.shape = tuple();
            else
                throw error(fmt::format("unknown header key {}", in_quotes(key)));
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!have_type || !have_order || !have_shape) throw error("the header has not all of descr, fortran_order and shape");
        return header;
    }

private:
    [[nodiscard]] Error error(const std::string& problem, const std::string& why = {}) const {
        return Error(Failure::input, fmt::format("{}: byte {}: {}", name_, file_offset_ + at_, problem), why);
    }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    bool accept(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!accept(c)) throw error(fmt::format("expected '{}' in the NPY header, found {}", c, in_quotes(text_.substr(at_, 10))));
    }
    std::string_view string() {
        const char quote = accept('\'') ? '\'' : '"';
        if (quote == '"') expect('"');
        const std::size_t end = text_.find(quote, at_);
        if (end == std::string_view::npos) throw error("a string in the NPY header does not end");
        const std::string_view result = text_.substr(at_, end - at_);
        at_ = end + 1;
        return result;
    }
    bool boolean() {
        skip_blanks();
        for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
            if (text_.substr(at_, word.size()) != word) continue;
            at_ += word.size();
            return word == "True";
        }
        throw error(fmt::format("expected True or False in the NPY header, found {}", in_quotes(text_.substr(at_, 10))));
    }
    std::vector<std::int64_t> tuple() {
        constexpr std::size_t most_axes = 32; // NumPy's own limit of many years
        std::vector<std::int64_t> values;
        expect('(');
        while (!accept(')')) {
            skip_blanks();
            std::int64_t value = 0;
            const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (failed != std::errc{} || value < 0 || values.size() == most_axes)
                throw error(fmt::format("expected an extent in the shape, found {}", in_quotes(text_.substr(at_, 10))));
            at_ = static_cast<std::size_t>(end - text_.data());
            accept('L'); // written by Python 2
            values.push_back(value);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return values;
    }
    void read_type(NpyHeader& header) {
        constexpr const char* known = "bool, int8 to int64, uint8 to uint64, float16 to float64 can be read";
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '[') throw error("the NPY file holds records of several fields", known);
        const std::string_view descr = string();
        const std::string_view kind = descr.size() == 3 ? descr.substr(1) : std::string_view();
        const auto type = scalar_type(kind);
        if (!type || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
            throw error(fmt::format("the NPY file is of type {}", in_quotes(descr)), known);
        header.type = *type;
        header.is_half = kind == "f2";
        header.big_endian = descr[0] == '>';
    }
    static std::optional<Scalar> scalar_type(std::string_view kind) {
        constexpr std::pair<std::string_view, Scalar> kinds[] = {{"b1", Scalar::boolean}, {"i1", Scalar::i8},  {"u1", Scalar::u8},
                                                                 {"i2", Scalar::i16},     {"u2", Scalar::u16}, {"i4", Scalar::i32},
                                                                 {"u4", Scalar::u32},     {"i8", Scalar::i64}, {"u8", Scalar::u64},
                                                                 {"f2", Scalar::u16},     {"f4", Scalar::f32}, {"f8", Scalar::f64}};
        for (const auto& [name, type] : kinds)
            if (name == kind) return type;
        return std::nullopt;
    }

    std::string_view text_;
    const std::string& name_;
    std::uint64_t file_offset_;
    std::size_t at_ = 0;
};

NpyHeader read_header(const InputFile& file) {
    unsigned char start[12] = {};
    const auto is_npy = [&] { return std::memcmp(start, "\x93NUMPY", 6) == 0; };
    if (file.size() >= 10) file.read(0, std::as_writable_bytes(std::span(start, 10)));
    if (!is_npy()) throw Error(Failure::input, fmt::format("{}: not an NPY file", file.name()), "it does not begin with '\\x93NUMPY'");
    const int version = start[6];
    if (version < 1 || version > 3)
        throw Error(Failure::input, fmt::format("{}: byte 6: NPY version {}", file.name(), version), "1, 2 and 3 can be read");
    const std::uint64_t prefix = version == 1 ? 10 : 12;
    if (prefix == 12) file.read(0, std::as_writable_bytes(std::span(start, 12)));
    std::uint64_t length = start[8] | start[9] << 8;
    if (prefix == 12) length |= static_cast<std::uint64_t>(start[10]) << 16 | static_cast<std::uint64_t>(start[11]) << 24;
    if (length > file.size() - prefix)
        throw Error(Failure::input, fmt::format("{}: byte 8: the header is {} bytes long", file.name(), length),
                    fmt::format("the file is {} bytes long", file.size()));
    std::string text(length, '\0');
    file.read(prefix, std::as_writable_bytes(std::span(text)));
    NpyHeader header = HeaderParser(text, file.name(), prefix).parse();
    header.data_offset = prefix + length;
    return header;
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

// Extents and strides (in values) of x, y, z and the element in the file.
struct Layout {
    std::array<std::int64_t, 4> extent{1, 1, 1, 1};
    std::array<std::int64_t, 4> stride{0, 0, 0, 0};
    int dimensions = 0;
};

Layout layout_of(const NpyHeader& header, int elements, const InputFile& file) {
    const auto& shape = header.shape;
    const int axes = static_cast<int>(shape.size()), place_axes = elements > 1 ? axes - 1 : axes;
    if (place_axes < 1 || place_axes > 3 || (elements > 1 && shape.back() != elements))
        throw Error(Failure::input, fmt::format("{}: the array has the shape {}", file.name(), shape_text(shape)),
                    elements > 1 ? fmt::format("(nx, {0}), (ny, nx, {0}) or (nz, ny, nx, {0}) was expected", elements)
                                 : "(nx), (ny, nx) or (nz, ny, nx) was expected");
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        throw Error(Failure::input, fmt::format("{}: the array is empty", file.name()), fmt::format("its shape is {}", shape_text(shape)));
    Layout layout;
    layout.dimensions = place_axes;
    const auto subject = [&](int axis) { return axis == place_axes ? 3 : place_axes - 1 - axis; }; // of Layout's arrays
    std::int64_t stride = 1;
    for (int i = 0; i < axes; ++i) {
        const int axis = header.fortran_order ? i : axes - 1 - i;
        layout.extent[subject(axis)] = shape[axis];
        layout.stride[subject(axis)] = stride;
        if (__builtin_mul_overflow(stride, shape[axis], &stride))
            throw Error(Failure::input, fmt::format("{}: the array is too large", file.name()),
                        fmt::format("its shape is {}", shape_text(shape)));
    }
    std::uint64_t bytes = 0;
    const std::uint64_t there = file.size() - header.data_offset;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(stride), std::uint64_t{size_of(header.type)}, &bytes) || bytes != there)
        throw Error(Failure::input, fmt::format("{}: byte {}: {} bytes of data", file.name(), header.data_offset, there),
                    fmt::format("{} values of {} were expected by the shape {}", stride, name_of(header.type), shape_text(shape)));
    return layout;
}

template<std::size_t Size> void reverse_bytes(std::byte* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) std::reverse(bytes + i * Size, bytes + (i + 1) * Size);
}

void to_little_endian(std::byte* bytes, std::size_t count, std::size_t size) {
    if (size == 2) reverse_bytes<2>(bytes, count);
    if (size == 4) reverse_bytes<4>(bytes, count);
    if (size == 8) reverse_bytes<8>(bytes, count);
}

// Values of places from where `value_at(x, y, z, element)` says, counted in values.
template<std::size_t Size, class ValueAt>
void gather(const std::byte* from, const ArrayShape& shape, const PlaceRange& places, std::byte* to, const ValueAt& value_at) {
    const auto nx = shape.size[0], ny = shape.size[1];
    for (std::int64_t k = 0; k < shape.elements; ++k) {
        auto x = places.first % nx, y = places.first / nx % ny, z = places.first / nx / ny;
        for (auto place = places.first; place < places.end; ++place, to += Size) {
            std::memcpy(to, from + value_at(x, y, z, k) * std::int64_t{Size}, Size);
            if (++x == nx) x = 0, ++y;
            if (y == ny) y = 0, ++z;
        }
    }
}

template<class ValueAt>
void gather(std::size_t size, const std::byte* from, const ArrayShape& shape, const PlaceRange& places, std::byte* to,
            const ValueAt& value_at) {
    if (size == 1) gather<1>(from, shape, places, to, value_at);
    if (size == 2) gather<2>(from, shape, places, to, value_at);
    if (size == 4) gather<4>(from, shape, places, to, value_at);
    if (size == 8) gather<8>(from, shape, places, to, value_at);
}

// IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. Every half is a float.
float from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = 0;
    if (exponent == 31)
        value = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), -24);
    else
        value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

} // namespace

NpyFile::NpyFile(const std::filesystem::path& path, int elements, const SizeCheck& check_size) : file_(path) {
    const NpyHeader header = read_header(file_);
    const Layout layout = layout_of(header, elements, file_);
    shape_.type = header.is_half ? Scalar::f32 : header.type;
    shape_.size = {layout.extent[0], layout.extent[1], layout.extent[2]};
    shape_.elements = static_cast<int>(layout.extent[3]);
    shape_.dimensions = layout.dimensions;
    stored_ = header.type;
    big_endian_ = header.big_endian;
    data_offset_ = header.data_offset;
    stride_ = layout.stride;
    if (check_size) check_size(shape_.size);
    if (!header.fortran_order) return;
    whole_ = make_array(stored_, shape_.size, shape_.dimensions, shape_.elements, file_.name()).bytes;
    file_.read(data_offset_, whole_);
}

void NpyFile::read_as_stored(const PlaceRange& places, std::byte* into) const {
    const auto size = size_of(stored_);
    if (!in_c_order())
        return gather(size, whole_.data(), shape_, places, into, [this](std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t k) {
            return x * stride_[0] + y * stride_[1] + z * stride_[2] + k * stride_[3];
        });
    const auto offset = data_offset_ + static_cast<std::uint64_t>(places.first * shape_.elements) * size;
    const auto bytes = static_cast<std::size_t>(places.count() * shape_.elements) * size;
    if (shape_.elements == 1) return file_.read(offset, {into, bytes});
    std::vector<std::byte> in_file(bytes);
    file_.read(offset, in_file);
    const ArrayShape line{stored_, {places.count(), 1, 1}, shape_.elements, 1};
    gather(size, in_file.data(), line, {0, places.count()}, into,
           [this](std::int64_t x, std::int64_t, std::int64_t, std::int64_t k) { return x * shape_.elements + k; });
}

void NpyFile::read(const PlaceRange& places, std::byte* into) const {
    const auto count = static_cast<std::size_t>(places.count() * shape_.elements);
    const bool is_half = stored_ != shape_.type;
    std::vector<std::uint16_t> halves(is_half ? count : 0);
    auto* const stored = is_half ? reinterpret_cast<std::byte*>(halves.data()) : into;
    read_as_stored(places, stored);
    if (big_endian_) to_little_endian(stored, count, size_of(stored_));
    if (is_half) std::transform(halves.begin(), halves.end(), reinterpret_cast<float*>(into), from_half);
    if (stored_ == Scalar::boolean) // any byte but 0 is true to NumPy, and a C++ bool has no other values than 0 and 1
        std::replace_if(
            into, into + count, [](std::byte value) { return value != std::byte{0}; }, std::byte{1});
}

std::vector<std::int64_t> npy_shape(const std::filesystem::path& path) { return read_header(InputFile(path)).shape; }

Array read_npy(const std::filesystem::path& path, int elements, const SizeCheck& check_size) {
    const NpyFile file(path, elements, check_size);
    const auto& shape = file.shape();
    Array array = make_array(shape.type, shape.size, shape.dimensions, shape.elements, path.string());
    file.read({0, array.places()}, array.bytes.data());
    return array;
}

} // namespace tessera
