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

template<std::size_t Size> void reverse_bytes(std::vector<std::byte>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += Size) std::reverse(bytes.begin() + i, bytes.begin() + i + Size);
}

void to_little_endian(std::vector<std::byte>& bytes, std::size_t size) {
    if (size == 2) reverse_bytes<2>(bytes);
    if (size == 4) reverse_bytes<4>(bytes);
    if (size == 8) reverse_bytes<8>(bytes);
}

template<std::size_t Size> void gather(const std::vector<std::byte>& from, const Layout& layout, std::vector<std::byte>& to) {
    const auto& [nx, ny, nz, elements] = layout.extent;
    std::size_t at = 0;
    for (std::int64_t k = 0; k < elements; ++k)
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y)
                for (std::int64_t x = 0; x < nx; ++x, at += Size) {
                    const std::int64_t source = x * layout.stride[0] + y * layout.stride[1] + z * layout.stride[2] + k * layout.stride[3];
                    std::memcpy(to.data() + at, from.data() + source * std::int64_t{Size}, Size);
                }
}

// True if the file's order is the array's.
bool is_in_order(const Layout& layout) {
    std::int64_t stride = 1;
    for (int i = 0; i < 4; ++i) {
        if (layout.extent[i] > 1 && layout.stride[i] != stride) return false;
        stride *= layout.extent[i];
    }
    return true;
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

Array from_halves(const Array& halves, const std::string& name) {
    Array floats = make_array(Scalar::f32, halves.size, halves.dimensions, halves.elements, name);
    const auto from = halves.data<std::uint16_t>();
    std::transform(from.begin(), from.end(), floats.data<float>().begin(), from_half);
    return floats;
}

} // namespace

Array read_npy(const std::filesystem::path& path, int elements, const SizeCheck& check_size) {
    const InputFile file(path);
    const NpyHeader header = read_header(file);
    const Layout layout = layout_of(header, elements, file);
    if (check_size) check_size({layout.extent[0], layout.extent[1], layout.extent[2]});
    Array array = make_array(header.type, {layout.extent[0], layout.extent[1], layout.extent[2]}, layout.dimensions,
                             static_cast<int>(layout.extent[3]), file.name());
    file.read(header.data_offset, array.bytes);
    const std::size_t size = size_of(header.type);
    if (header.big_endian) to_little_endian(array.bytes, size);
    if (!is_in_order(layout)) {
        const std::vector<std::byte> as_in_file = array.bytes;
        if (size == 1) gather<1>(as_in_file, layout, array.bytes);
        if (size == 2) gather<2>(as_in_file, layout, array.bytes);
        if (size == 4) gather<4>(as_in_file, layout, array.bytes);
        if (size == 8) gather<8>(as_in_file, layout, array.bytes);
    }
    if (header.type == Scalar::boolean) { // any byte but 0 is true to NumPy, and a C++ bool has no other values than 0 and 1
        for (std::byte& value : array.bytes) value = value == std::byte{0} ? std::byte{0} : std::byte{1};
    }
    return header.is_half ? from_halves(array, file.name()) : array;
}

} // namespace tessera
