#include "host/inputs/png.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/input_file.hpp"

#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <vector>

namespace tessera {
namespace {

// What libpng's callbacks see. libpng leaves a function by longjmp, so nothing with a destructor lives in a frame that it may cut off.
struct Source {
    std::string_view bytes;
    std::size_t at = 0;
    char complaint[200] = {};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto& source = *static_cast<Source*>(png_get_error_ptr(png));
    std::strncpy(source.complaint, message, sizeof source.complaint - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {} // what libpng can live with, a model can

void on_read(png_structp png, png_bytep into, std::size_t count) {
    auto& source = *static_cast<Source*>(png_get_io_ptr(png));
    if (count > source.bytes.size() - source.at) png_error(png, "the file ends too early");
    std::memcpy(into, source.bytes.data() + source.at, count);
    source.at += count;
}

class Reader {
public:
    explicit Reader(std::string_view bytes) {
        source_.bytes = bytes;
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source_, on_error, on_warning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
    }
    ~Reader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    // All three give false with a complaint. After the first the size and stored_bits() are known, after the second channels() and bits().
    bool read_header() {
        if (info_ == nullptr) {
            std::strncpy(source_.complaint, "libpng could not start", sizeof source_.complaint - 1);
            return false;
        }
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_read_fn(png_, &source_, on_read);
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff); // the file's size is the limit, see check_size
        png_read_info(png_, info_);
        stored_bits_ = png_get_bit_depth(png_, info_) * png_get_channels(png_, info_);
        return true;
    }

    // Has the rows come as grey or RGB of 8 or 16 bits. Allocates rows.
    bool set_up() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
        if (png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png_, info_) < 8)
            png_set_expand_gray_1_2_4_to_8(png_);
        png_set_strip_alpha(png_);
        png_set_swap(png_); // 16-bit samples to little-endian
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        return true;
    }

    bool read(std::vector<png_bytep>& rows) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_image(png_, rows.data());
        png_read_end(png_, nullptr);
        return true;
    }

    [[nodiscard]] std::int64_t width() const { return png_get_image_width(png_, info_); }
    [[nodiscard]] std::int64_t height() const { return png_get_image_height(png_, info_); }
    [[nodiscard]] int channels() const { return png_get_channels(png_, info_); }
    [[nodiscard]] int bits() const { return png_get_bit_depth(png_, info_); }
    [[nodiscard]] int stored_bits() const { return stored_bits_; } // a pixel, in the file
    [[nodiscard]] Error error(const std::string& name) const {
        return Error(Failure::input, fmt::format("{}: byte {}: not a PNG that can be read", name, source_.at),
                     fmt::format("libpng: {}", source_.complaint));
    }

private:
    Source source_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int stored_bits_ = 0;
};

// zlib packs at most 1032 bytes into one.
void check_size(const Reader& reader, std::size_t file_bytes, const std::string& name) {
    const auto most = static_cast<std::int64_t>(file_bytes) * 1032 * 8 / reader.stored_bits();
    if (reader.width() > most / reader.height())
        throw Error(Failure::input, fmt::format("{}: the picture says that it is {} x {}", name, reader.width(), reader.height()),
                    fmt::format("a file of {} bytes cannot hold so many pixels", file_bytes));
}

template<class Sample> void to_grey(const std::vector<Sample>& samples, int channels, std::span<Sample> grey) {
    for (std::size_t i = 0; i < grey.size(); ++i) {
        const Sample* pixel = samples.data() + i * static_cast<std::size_t>(channels);
        grey[i] = channels == 1 ? pixel[0] : static_cast<Sample>((299u * pixel[0] + 587u * pixel[1] + 114u * pixel[2] + 500u) / 1000u);
    }
}

template<class Sample> Array read_samples(Reader& reader, const std::string& name) {
    const std::int64_t width = reader.width(), height = reader.height();
    Array array = make_array(Array::scalar_of<Sample>(), {width, height, 1}, 2, 1, name);
    const std::size_t row_samples = static_cast<std::size_t>(width) * static_cast<std::size_t>(reader.channels());
    std::vector<Sample> samples(row_samples * static_cast<std::size_t>(height));
    std::vector<png_bytep> rows(static_cast<std::size_t>(height));
    for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = reinterpret_cast<png_bytep>(samples.data() + y * row_samples);
    if (!reader.read(rows)) throw reader.error(name);
    to_grey<Sample>(samples, reader.channels(), array.data<Sample>());
    return array;
}

} // namespace

Array parse_png(std::string_view bytes, const std::string& name, const SizeCheck& fits) {
    Reader reader(bytes);
    if (!reader.read_header()) throw reader.error(name);
    if (fits) fits({reader.width(), reader.height(), 1});
    check_size(reader, bytes.size(), name);
    if (!reader.set_up()) throw reader.error(name);
    return reader.bits() == 16 ? read_samples<std::uint16_t>(reader, name) : read_samples<std::uint8_t>(reader, name);
}

Array read_png(const std::filesystem::path& path, const SizeCheck& check_size, std::uint64_t most_bytes) {
    return parse_png(read_bytes(path, most_bytes), path.string(), check_size);
}

} // namespace tessera
