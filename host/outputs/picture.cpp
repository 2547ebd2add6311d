#include "host/outputs/picture.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint16_t no_number = 256, first_overlay = 257; // beyond the map's entries

// Of a colour of an overlay.
std::uint16_t entry_of(std::size_t overlay, std::uint16_t colour) {
    return static_cast<std::uint16_t>(first_overlay + 256 * overlay + colour);
}

struct Range {
    double low = 0, high = 0;
};

template<class T> Range range_of(std::span<const T> values, const PictureStyle& style, bool& has_no_number) {
    Range found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const T value : values) {
        const auto v = static_cast<double>(value);
        if (!std::isfinite(v)) {
            has_no_number = true;
            continue;
        }
        found.low = std::min(found.low, v);
        found.high = std::max(found.high, v);
    }
    if (found.low > found.high || std::is_same_v<T, bool>) found = {0, 1};
    return {style.low.value_or(found.low), style.high.value_or(found.high)};
}

double share(double value, Range range) {
    const double width = range.high - range.low;
    if (!(width > 0)) return value > range.low ? 1 : 0;
    if (std::isinf(width)) return (value / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
    return (value - range.low) / width;
}

// The plane as entries of the map, and no_number.
struct Drawing {
    std::vector<std::uint16_t> entries;
    bool has_no_number = false;
};

Drawing draw(const Array& plane, const ColourMap& map, const PictureStyle& style) {
    Drawing drawing;
    drawing.entries.reserve(static_cast<std::size_t>(plane.count()));
    with_type(plane.type, [&](auto zero) {
        const auto values = plane.data<decltype(zero)>();
        const Range range = range_of(values, style, drawing.has_no_number);
        for (const auto value : values) {
            const auto v = static_cast<double>(value);
            drawing.entries.push_back(!std::isfinite(v) ? no_number : map.categorical ? category_entry(v) : colour_entry(share(v, range)));
        }
    });
    for (std::size_t i = 0; i < style.overlays.size(); ++i)
        if (!style.overlays[i].as_dots)
            for (const auto& spot : style.overlays[i].spots)
                drawing.entries[static_cast<std::size_t>(spot.place)] = entry_of(i, spot.colour);
    return drawing;
}

// A pixel of a picture that is drawn over.
struct Dot {
    std::size_t y, x;
    std::uint16_t entry;
};

// The pixels of points, line by line; those of later overlays behind others. A point is as wide as an eighth of a place.
std::vector<Dot> dots_of(const Array& plane, const PictureStyle& style) {
    const auto scale = static_cast<std::size_t>(style.scale), wide = std::max<std::size_t>(scale / 8, 1);
    const auto width = static_cast<std::size_t>(plane.size[0]) * scale, height = static_cast<std::size_t>(plane.size[1]) * scale;
    std::vector<Dot> dots;
    for (std::size_t i = 0; i < style.overlays.size(); ++i)
        for (const auto& spot : style.overlays[i].spots) {
            if (!style.overlays[i].as_dots) break;
            const auto& [at_x, at_y] = spot.at;
            const auto x = static_cast<std::size_t>(at_x * style.scale), y = static_cast<std::size_t>(at_y * style.scale);
            for (std::size_t k = 0; k < wide * wide; ++k)
                dots.push_back({std::min(y + k / wide, height - 1), std::min(x + k % wide, width - 1), entry_of(i, spot.colour)});
        }
    std::stable_sort(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) { return a.y < b.y; });
    return dots;
}

// libpng leaves a function by longjmp and knows no exceptions: its callbacks note what happened, and nothing with a destructor lives in
// a frame that it may cut off.
struct Sink {
    OutputFile& file;
    std::exception_ptr failure;
    char complaint[200] = {};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto& sink = *static_cast<Sink*>(png_get_error_ptr(png));
    std::strncpy(sink.complaint, message, sizeof sink.complaint - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

bool passed_on(Sink& sink, const void* bytes, std::size_t count) noexcept {
    try {
        sink.file.write(bytes, count);
        return true;
    } catch (...) {
        sink.failure = std::current_exception();
        return false;
    }
}

void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    if (!passed_on(*static_cast<Sink*>(png_get_io_ptr(png)), bytes, count)) png_error(png, "the file could not be written");
}

void on_flush(png_structp) {}

// The colours of all entries.
std::vector<png_color> colours_of_entries(const ColourMap& map, const std::vector<PictureStyle::Overlay>& overlays) {
    std::vector<png_color> colours(entry_of(overlays.size(), 0));
    for (std::size_t i = 0; i < overlays.size(); ++i)
        for (std::size_t c = 0; c < overlays[i].colours.size(); ++c) {
            const auto& colour = overlays[i].colours[c];
            colours[entry_of(i, static_cast<std::uint16_t>(c))] = {colour.red, colour.green, colour.blue};
        }
    for (std::size_t i = 0; i < 256; ++i) colours[i] = {map.entries[i].red, map.entries[i].green, map.entries[i].blue};
    colours[no_number] = {not_a_number_colour.red, not_a_number_colour.green, not_a_number_colour.blue};
    return colours;
}

// The entries that a picture shows, in their order, with as few bits for each pixel as they need. Too many for a palette: 24 bits.
class Palette {
public:
    Palette(const Drawing& drawing, const std::vector<Dot>& dots, std::vector<png_color> colours)
        : colours_(std::move(colours)), index_of_(colours_.size()) {
        std::vector<char> is_shown(colours_.size());
        for (const auto entry : drawing.entries) is_shown[entry] = 1;
        for (const auto& dot : dots) is_shown[dot.entry] = 1;
        for (std::size_t entry = 0; entry < colours_.size(); ++entry) {
            index_of_[entry] = static_cast<png_byte>(shown_.size());
            if (is_shown[entry] != 0) shown_.push_back(colours_[entry]);
        }
    }
    [[nodiscard]] bool is_rgb() const noexcept { return shown_.size() > 256; }
    [[nodiscard]] int bits() const noexcept {
        return shown_.size() <= 2 ? 1 : shown_.size() <= 4 ? 2 : shown_.size() <= 16 ? 4 : 8;
    } // or each of three
    [[nodiscard]] const std::vector<png_color>& shown() const noexcept { return shown_; }
    [[nodiscard]] std::size_t bytes_of_pixel() const noexcept { return is_rgb() ? 3 : 1; } // before they are packed
    // Puts a pixel there; where the next one goes.
    png_bytep put(std::uint16_t entry, png_bytep to) const noexcept {
        if (!is_rgb()) {
            *to = index_of_[entry];
            return to + 1;
        }
        const png_color& colour = colours_[entry];
        to[0] = colour.red, to[1] = colour.green, to[2] = colour.blue;
        return to + 3;
    }

private:
    std::vector<png_color> colours_, shown_;
    std::vector<png_byte> index_of_; // in `shown_`
};

class PngWriter {
public:
    PngWriter(OutputFile& file, Palette palette, std::vector<Dot> dots)
        : sink_{file, {}, {}}, dots_(std::move(dots)), palette_(std::move(palette)) {
        png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink_, on_error, on_warning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) std::strncpy(sink_.complaint, "libpng could not start", sizeof sink_.complaint - 1);
    }
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    void write(const Drawing& drawing, std::size_t width, std::size_t scale) {
        row_.resize(width * scale * palette_.bytes_of_pixel());
        next_dot_ = dots_.begin();
        if (info_ != nullptr && try_write(drawing, width, scale)) return;
        if (sink_.failure) std::rethrow_exception(sink_.failure);
        throw Error(Failure::output, "could not make a PNG picture", fmt::format("libpng: {}", sink_.complaint));
    }

private:
    bool try_write(const Drawing& drawing, std::size_t width, std::size_t scale) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        write_start(width * scale, drawing.entries.size() / width * scale);
        for (std::size_t begin = 0; begin < drawing.entries.size(); begin += width) {
            fill_row(drawing.entries.data() + begin, width, scale);
            for (std::size_t i = 0; i < scale; ++i) {
                const bool is_dotted = draw_dots(begin / width * scale + i);
                png_write_row(png_, row_.data());
                if (is_dotted) fill_row(drawing.entries.data() + begin, width, scale);
            }
        }
        png_write_end(png_, info_);
        return true;
    }

    void write_start(std::size_t width, std::size_t height) {
        png_set_write_fn(png_, &sink_, on_write, on_flush);
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
        png_set_compression_level(png_, 1);
        png_set_compression_buffer_size(png_, std::size_t{1} << 16);
        png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
        png_set_IHDR(png_, info_, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), palette_.bits(),
                     palette_.is_rgb() ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        if (!palette_.is_rgb()) png_set_PLTE(png_, info_, palette_.shown().data(), static_cast<int>(palette_.shown().size()));
        png_write_info(png_, info_);
        png_set_packing(png_);
    }

    // Those of a line of pixels; whether there are any.
    bool draw_dots(std::size_t line) {
        const auto first = next_dot_;
        for (; next_dot_ != dots_.end() && next_dot_->y == line; ++next_dot_)
            palette_.put(next_dot_->entry, row_.data() + palette_.bytes_of_pixel() * next_dot_->x);
        return next_dot_ != first;
    }

    void fill_row(const std::uint16_t* entries, std::size_t width, std::size_t scale) {
        png_bytep next = row_.data();
        for (std::size_t x = 0; x < width; ++x)
            for (std::size_t i = 0; i < scale; ++i) next = palette_.put(entries[x], next);
    }

    Sink sink_;
    std::vector<Dot> dots_;
    std::vector<Dot>::const_iterator next_dot_;
    Palette palette_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::vector<png_byte> row_;
};

void check(const Array& plane, const PictureStyle& style) {
    if (plane.size[2] != 1 || plane.elements != 1) throw Error(Failure::internal, "a picture was asked for of more than one plane");
    if (style.scale < 1) throw Error(Failure::input, fmt::format("a picture has the scale {}", style.scale), "it is in pixels, 1 or more");
    const auto unusable = [](const std::optional<double>& end) { return end && !std::isfinite(*end); };
    if (unusable(style.low) || unusable(style.high) || (style.low && style.high && *style.low > *style.high))
        throw Error(Failure::input, "a picture's low and high make no range", "low must not be above high, and both must be finite");
    const std::int64_t longest = 0x7fffffff / 3 / style.scale;
    if (plane.size[0] > longest || plane.size[1] > longest)
        throw Error(Failure::input,
                    fmt::format("a picture of {} x {} places at scale {} is too large", plane.size[0], plane.size[1], style.scale),
                    fmt::format("the maximum is {} places along an edge", longest), "write an NPY file instead");
}

} // namespace

std::vector<std::uint16_t> colours_of(const ColourMap& map, const std::vector<double>& values, std::optional<double> low,
                                      std::optional<double> high) {
    PictureStyle style;
    style.low = low, style.high = high;
    bool has_no_number = false;
    const auto range = range_of(std::span<const double>(values), style, has_no_number);
    std::vector<std::uint16_t> colours;
    for (const double value : values)
        colours.push_back(!std::isfinite(value) ? 0 : map.categorical ? category_entry(value) : colour_entry(share(value, range)));
    return colours;
}

void write_png(const FilePlace& place, const Array& plane, const PictureStyle& style) {
    check(plane, style);
    const ColourMap& map = colour_map(style.colours);
    const Drawing drawing = draw(plane, map, style);
    OutputFile file(place);
    auto dots = dots_of(plane, style);
    Palette palette(drawing, dots, colours_of_entries(map, style.overlays));
    PngWriter(file, std::move(palette), std::move(dots))
        .write(drawing, static_cast<std::size_t>(plane.size[0]), static_cast<std::size_t>(style.scale));
    file.commit();
}

} // namespace tessera
