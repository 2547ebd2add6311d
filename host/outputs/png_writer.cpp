#include "host/outputs/png_writer.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

#include <zlib.h>

namespace tessera {
namespace {

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

// The colours that occur, and the number of each entry's among them.
struct UsedColours {
    std::vector<png_color> colours;
    std::vector<png_byte> numbers;
    std::array<png_byte, 256> of_bytes{}; // likewise, of each value of a byte
    int bits = 8;
    bool are_too_many = false; // for a palette: then `colours` are those of all entries

    explicit UsedColours(const PngPicture& picture) : numbers(picture.colours.size()) {
        std::vector<char> is_used(picture.colours.size());
        for (const auto entry : picture.entries) is_used[entry] = 1;
        if (const auto& bytes = picture.bytes) {
            std::array<char, 256> is_there{};
            for (std::size_t i = 0; i < picture.width * picture.height; ++i) is_there[bytes->values[i]] = 1;
            for (std::size_t v = 0; v < is_there.size(); ++v)
                if (is_there[v] != 0) is_used[bytes->entries[v]] = 1;
        }
        for (const auto& dot : picture.dots) is_used[dot.entry] = 1;
        const auto count = std::count(is_used.begin(), is_used.end(), 1);
        are_too_many = count > 256;
        bits = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
        for (std::size_t entry = 0; entry < is_used.size(); ++entry) {
            if (!are_too_many && is_used[entry] == 0) continue;
            const auto& colour = picture.colours[entry];
            numbers[entry] = static_cast<png_byte>(colours.size());
            colours.push_back({colour.red, colour.green, colour.blue});
        }
        if (const auto& bytes = picture.bytes)
            for (std::size_t v = 0; v < of_bytes.size(); ++v) of_bytes[v] = numbers[bytes->entries[v]];
    }
};

// Pixels of a byte each, of so many bits, as PNG has them: the first in the highest bits. Beyond the last there are 8 zeros.
void pack(const png_byte* pixels, std::size_t count, int bits, png_byte* packed) {
    if (bits == 1) { // eight at a time: the product has in its highest byte a bit of each
        for (std::size_t i = 0; i < count; i += 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, pixels + i, sizeof eight);
            packed[i / 8] = static_cast<png_byte>(eight * 0x8040201008040201U >> 56);
        }
        return;
    }
    const auto a_byte = static_cast<std::size_t>(8 / bits);
    for (std::size_t i = 0; i < count; i += a_byte) {
        unsigned byte = 0;
        for (std::size_t k = 0; k < a_byte; ++k) byte = byte << bits | pixels[i + k];
        packed[i / a_byte] = static_cast<png_byte>(byte);
    }
}

constexpr int level = 1;

// To how many bytes zlib packs them.
std::size_t packed_size(const std::vector<png_byte>& bytes, int strategy) {
    constexpr int largest_window = 15, usual_memory = 8;
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, largest_window, usual_memory, strategy) != Z_OK) return SIZE_MAX;
    std::vector<png_byte> packed(deflateBound(&stream, static_cast<uLong>(bytes.size())));
    stream.next_in = const_cast<png_byte*>(bytes.data()); // which it only reads
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool is_all = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    const auto size = is_all ? static_cast<std::size_t>(stream.total_out) : SIZE_MAX;
    (void)deflateEnd(&stream);
    return size;
}

class PngWriter {
public:
    PngWriter(OutputFile& file, PngPicture picture) : sink_{file, {}, {}}, picture_(std::move(picture)), used_(picture_) {
        auto& dots = picture_.dots;
        std::stable_sort(dots.begin(), dots.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
        const auto pixels = picture_.width * picture_.scale;
        row_.resize(pixels * (used_.are_too_many ? 3 : 1) + 8);
        if (used_.bits < 8) packed_.resize(pixels * static_cast<std::size_t>(used_.bits) / 8 + 1);
        png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink_, on_error, on_warning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) std::strncpy(sink_.complaint, "libpng could not start", sizeof sink_.complaint - 1);
    }
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    void write() {
        strategy_ = packs_better_by_runs() ? Z_RLE : Z_DEFAULT_STRATEGY;
        if (info_ != nullptr && try_write()) return;
        if (sink_.failure) std::rethrow_exception(sink_.failure);
        throw Error(Failure::output, "could not make a PNG picture", fmt::format("libpng: {}", sink_.complaint));
    }

private:
    // Whether some of the lines are packed to no more bytes where each is compared with the one before it alone, which takes half of the
    // time. So it is with what has no pattern, such as Life; smooth colours, and lines that are like others, are packed better by all
    // matches.
    bool packs_better_by_runs() {
        constexpr std::size_t bands = 8, together = 8; // lines that may be like each other
        const auto lines = picture_.height * picture_.scale;
        std::vector<png_byte> sample;
        for (std::size_t band = 0; band < bands; ++band) {
            const auto first = band * lines / bands, end = std::min(first + together, (band + 1) * lines / bands);
            for (auto line = first; line < end; ++line) {
                fill_row(line / picture_.scale);
                const auto* const bytes = finished_row().data();
                sample.insert(sample.end(), bytes, bytes + row_bytes());
            }
        }
        return packed_size(sample, Z_RLE) <= packed_size(sample, Z_DEFAULT_STRATEGY);
    }

    bool try_write() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        write_start();
        std::size_t next_dot = 0;
        for (std::size_t line = 0; line < picture_.height; ++line) {
            fill_row(line);
            for (std::size_t i = 0; i < picture_.scale; ++i) {
                const bool is_dotted = draw_dots(line * picture_.scale + i, next_dot);
                write_row();
                if (is_dotted) fill_row(line);
            }
        }
        png_write_end(png_, info_);
        return true;
    }

    void write_start() {
        png_set_write_fn(png_, &sink_, on_write, on_flush);
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
        png_set_compression_level(png_, level);
        png_set_compression_strategy(png_, strategy_);
        png_set_compression_buffer_size(png_, std::size_t{1} << 16);
        png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
        png_set_IHDR(png_, info_, static_cast<png_uint_32>(picture_.width * picture_.scale),
                     static_cast<png_uint_32>(picture_.height * picture_.scale), used_.bits,
                     used_.are_too_many ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        if (!used_.are_too_many) png_set_PLTE(png_, info_, used_.colours.data(), static_cast<int>(used_.colours.size()));
        png_write_info(png_, info_);
    }
    void write_row() { png_write_row(png_, finished_row().data()); }
    // As the file has it.
    const std::vector<png_byte>& finished_row() {
        if (used_.bits == 8) return row_;
        pack(row_.data(), picture_.width * picture_.scale, used_.bits, packed_.data());
        return packed_;
    }
    [[nodiscard]] std::size_t row_bytes() const {
        const auto pixels = picture_.width * picture_.scale;
        return used_.are_too_many ? 3 * pixels : (pixels * static_cast<std::size_t>(used_.bits) + 7) / 8;
    }

    void put(std::size_t x, std::uint16_t entry) {
        if (!used_.are_too_many) {
            row_[x] = used_.numbers[entry];
            return;
        }
        const auto& colour = used_.colours[entry];
        row_[3 * x] = colour.red, row_[3 * x + 1] = colour.green, row_[3 * x + 2] = colour.blue;
    }
    // Those of a line of pixels; whether there are any.
    bool draw_dots(std::size_t line, std::size_t& next) {
        const auto first = next;
        for (; next < picture_.dots.size() && picture_.dots[next].y == line; ++next) put(picture_.dots[next].x, picture_.dots[next].entry);
        return next != first;
    }
    void fill_row(std::size_t line) {
        const auto first = line * picture_.width;
        const auto* const values = picture_.bytes ? picture_.bytes->values + first : nullptr;
        auto* const row = row_.data();
        if (picture_.scale != 1 || used_.are_too_many) {
            for (std::size_t x = 0; x < picture_.width; ++x) {
                const auto entry = values != nullptr ? picture_.bytes->entries[values[x]] : picture_.entries[first + x];
                for (std::size_t i = 0; i < picture_.scale; ++i) put(x * picture_.scale + i, entry);
            }
        } else if (values != nullptr)
            for (std::size_t x = 0; x < picture_.width; ++x) row[x] = used_.of_bytes[values[x]];
        else
            for (std::size_t x = 0; x < picture_.width; ++x) row[x] = used_.numbers[picture_.entries[first + x]];
    }

    Sink sink_;
    PngPicture picture_;
    UsedColours used_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int strategy_ = Z_DEFAULT_STRATEGY;
    std::vector<png_byte> row_, packed_; // a byte a pixel, or three; and where these are to be of fewer bits
};

} // namespace

void write_png(OutputFile& file, PngPicture picture) { PngWriter(file, std::move(picture)).write(); }

} // namespace tessera
