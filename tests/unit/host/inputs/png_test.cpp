#include "host/inputs/png.hpp"
#include "host/inputs/read_array.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/picture.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <png.h>

#include <cmath>
#include <csignal>
#include <limits>
#include <random>

#include <sys/resource.h>

namespace tessera::test::png_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

// What tests/data/arrays/make.py puts into a channel of a pixel.
unsigned made(int x, int y, int channel, int depth) { return static_cast<unsigned>(x * 37 + y * 1001 + channel * 77) % (1u << depth); }

unsigned luminance(unsigned red, unsigned green, unsigned blue) {
    return static_cast<unsigned>(std::floor(0.299 * red + 0.587 * green + 0.114 * blue + 0.5));
}

unsigned expected_grey(const std::string& kind, int depth, int x, int y) {
    const unsigned v = made(x, y, 0, depth);
    if (kind == "palette") return luminance(v * 5 % 256, v * 11 % 256, 255 - v * 3 % 256);
    if (kind == "rgb" || kind == "rgba") return luminance(v, made(x, y, 1, depth), made(x, y, 2, depth));
    return depth < 8 ? v * 255 / ((1u << depth) - 1) : v;
}

struct Pixels {
    unsigned width = 0, height = 0;
    std::vector<Colour> colours;
};

// Through libpng's simplified interface, which the reader under test does not use.
Pixels pixels_of(const std::filesystem::path& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
    image.format = PNG_FORMAT_RGB;
    Pixels pixels{image.width, image.height, std::vector<Colour>(std::size_t{image.width} * image.height)};
    EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.colours.data(), 0, nullptr), 0) << image.message;
    return pixels;
}

Pixels drawn(const Array& plane, const PictureStyle& style = {}) {
    const TemporaryFolder folder;
    write_png(folder / "a.png", plane, style);
    EXPECT_EQ(folder.files(), 1);
    return pixels_of(folder / "a.png");
}

PictureStyle in(const std::string& colours) {
    PictureStyle style;
    style.colours = colours;
    return style;
}

Colour grey(int v) { return {static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(v)}; }

} // namespace

TEST(Png, ReadsEveryKindAndDepthAsGrey) {
    const auto check = [](const std::string& kind, int depth, const std::string& suffix) {
        const std::string file = kind + std::to_string(depth) + suffix + ".png";
        const Array array = read_png(data_file(file));
        ASSERT_THAT(array.size, ElementsAre(13, 7, 1)) << file;
        EXPECT_EQ(array.type, depth == 16 ? Scalar::u16 : Scalar::u8) << file;
        EXPECT_EQ(array.dimensions, 2) << file;
        for (int y = 0; y < 7; ++y)
            for (int x = 0; x < 13; ++x)
                ASSERT_EQ(array.as_double(y * 13 + x), expected_grey(kind, depth, x, y)) << file << " x " << x << " y " << y;
    };
    for (const int depth : {1, 2, 4, 8, 16}) {
        check("grey", depth, "");
        check("grey", depth, "_interlaced");
        if (depth < 16) check("palette", depth, "");
        if (depth < 8) continue;
        check("rgb", depth, "");
        check("rgba", depth, "");
        check("grey_alpha", depth, "");
    }
    check("rgb", 16, "_interlaced");
}

TEST(Png, RefusesOtherFiles) {
    const auto refused = [](const std::string& bytes) { return error_of([&] { (void)parse_png(bytes, "a.png"); }); };
    EXPECT_THAT(refused(""), HasSubstr("3: a.png: byte 0: not a PNG that can be read (libpng: the file ends too early)"));
    EXPECT_THAT(refused("GIF89a and so on and on"), HasSubstr("(libpng: Not a PNG file)"));
    const std::string intact = contents(data_file("grey8.png"));
    EXPECT_EQ(refused(intact), "no error");
    EXPECT_THAT(refused(intact.substr(0, intact.size() - 30)), HasSubstr("not a PNG that can be read"));
    std::string flipped = intact;
    flipped[flipped.size() - 20] ^= 1; // in the compressed pixels
    EXPECT_THAT(refused(flipped), HasSubstr("not a PNG that can be read"));
    // 2^31 - 1 pixels a side in a file of 57 bytes; the checksum of the header is right
    const std::string huge("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\0\0\0\0", 29);
    const auto crc = static_cast<std::uint32_t>([&] {
        std::uint32_t c = 0xffffffffu;
        for (std::size_t i = 12; i < 29; ++i) {
            c ^= static_cast<unsigned char>(huge[i]);
            for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        }
        return ~c;
    }());
    std::string bytes = huge;
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(crc >> shift);
    bytes += std::string("\0\0\0\4IDAT\0\0\0\0\0\0\0\0", 16);
    EXPECT_THAT(refused(bytes),
                HasSubstr("the picture says that it is 2147483647 x 2147483647 (a file of 49 bytes cannot hold so many pixels)"));
}

TEST(Png, DamagedFilesAreRefusedOrRead) {
    for (const char* file : {"palette4.png", "rgb16_interlaced.png", "grey1.png"})
        never_breaks(contents(data_file(file)), [](const std::string& bytes) { (void)parse_png(bytes, "a.png"); });
}

TEST(Picture, YGrowsDownward) {
    const Pixels pixels = drawn(array_of<std::uint8_t>({0, 51, 102, 153, 204, 255}, {3, 2, 1}, 2), in("grey"));
    EXPECT_EQ(pixels.width, 3u);
    EXPECT_EQ(pixels.height, 2u);
    EXPECT_THAT(pixels.colours, ElementsAre(grey(0), grey(51), grey(102), grey(153), grey(204), grey(255)));
}

TEST(Picture, ScalesToPixels) {
    PictureStyle style = in("grey");
    style.scale = 3;
    for (const float second : {1.0f, NAN}) { // with a palette and without
        const Pixels pixels = drawn(array_of<float>({0, second}, {2, 1, 1}, 1), style);
        EXPECT_EQ(pixels.width, 6u);
        EXPECT_EQ(pixels.height, 3u);
        for (unsigned i = 0; i < 18; ++i)
            EXPECT_EQ(pixels.colours[i], i % 6 < 3 ? grey(0) : std::isnan(second) ? not_a_number_colour : grey(255));
    }
}

TEST(Picture, NormalisesByTheDataOrTheStyle) {
    EXPECT_THAT(drawn(array_of<double>({-10, 0, 10}, {3, 1, 1}, 1), in("grey")).colours, ElementsAre(grey(0), grey(128), grey(255)));
    PictureStyle style = in("grey");
    style.low = 0;
    style.high = 20;
    EXPECT_THAT(drawn(array_of<double>({-10, 0, 10, 20, 99}, {5, 1, 1}, 1), style).colours,
                ElementsAre(grey(0), grey(0), grey(128), grey(255), grey(255)));
    style.high.reset();
    EXPECT_THAT(drawn(array_of<int>({-10, 5, 10}, {3, 1, 1}, 1), style).colours, ElementsAre(grey(0), grey(128), grey(255)));
    const double most = std::numeric_limits<double>::max();
    EXPECT_THAT(drawn(array_of<double>({-most, 0, most}, {3, 1, 1}, 1), in("grey")).colours, ElementsAre(grey(0), grey(128), grey(255)));
}

// Later ones over earlier ones, and dots over places; in colours of their own.
TEST(Picture, DrawsPlacesAndDotsOverIt) {
    const Colour red{255, 0, 0}, green{0, 128, 0}, blue{0, 0, 255};
    PictureStyle style = in("grey");
    style.low = 0, style.high = 255;
    style.overlays = {{false, {red, green}, {{1, {}, 1}, {3, {}, 0}}}, {false, {blue}, {{3, {}, 0}}}};
    const auto plane = array_of<std::uint8_t>({0, 51, 102, 153, 204, 255}, {3, 2, 1}, 2);
    EXPECT_THAT(drawn(plane, style).colours, ElementsAre(grey(0), green, grey(102), blue, grey(204), grey(255)));
}

TEST(Picture, DotsAreAnEighthOfAPlaceWide) {
    const Colour red{255, 0, 0}, blue{0, 0, 255};
    for (const int scale : {1, 4, 8, 20}) {
        const int wide = std::max(scale / 8, 1), width = 3 * scale, height = 2 * scale;
        PictureStyle style = in("grey");
        style.low = 0, style.high = 1, style.scale = scale;
        style.overlays = {{true, {red}, {{0, {2.5, 1.5}, 0}, {0, {0.25, 0.75}, 0}, {5, {3, 2}, 0}}},
                          {true, {blue}, {{0, {0.25, 0.75}, 0}}}};
        std::vector<Colour> expected(static_cast<std::size_t>(width * height), grey(255));
        const auto dot = [&](double x, double y, Colour colour) {
            for (int j = 0; j < wide; ++j)
                for (int i = 0; i < wide; ++i) {
                    const int column = std::min(static_cast<int>(x * scale) + i, width - 1),
                              row = std::min(static_cast<int>(y * scale) + j, height - 1);
                    expected[static_cast<std::size_t>(row * width + column)] = colour;
                }
        };
        dot(2.5, 1.5, red), dot(3, 2, red), dot(0.25, 0.75, blue); // the last where space ends
        const auto pixels = drawn(array_of<float>({1, 1, 1, 1, 1, 1}, {3, 2, 1}, 2), style);
        ASSERT_EQ(pixels.width, static_cast<unsigned>(width));
        EXPECT_TRUE(pixels.colours == expected) << "scale " << scale;
    }
}

TEST(Picture, FindsTheColoursOfAnOverlayByItsMap) {
    const std::vector<double> values = {-1, 0, 1, 3, NAN, INFINITY};
    EXPECT_THAT(colours_of(colour_map("inferno"), values, std::nullopt, std::nullopt), ElementsAre(0, 64, 128, 255, 0, 0));
    EXPECT_THAT(colours_of(colour_map("inferno"), values, 0, 2), ElementsAre(0, 0, 128, 255, 0, 0));
    EXPECT_THAT(colours_of(colour_map("inferno"), {7, 7}, std::nullopt, std::nullopt), ElementsAre(0, 0));
    EXPECT_THAT(colours_of(colour_map("categories"), {0, 1, 2.9, 256, -1}, std::nullopt, std::nullopt), ElementsAre(0, 1, 2, 1, 254));
}

TEST(Picture, ConstantDataAndBools) {
    EXPECT_THAT(drawn(array_of<double>({7, 7}, {2, 1, 1}, 1), in("grey")).colours, ElementsAre(grey(0), grey(0)));
    EXPECT_THAT(drawn(array_of<bool>({true, true}, {2, 1, 1}, 1), in("grey")).colours, ElementsAre(grey(255), grey(255)));
    EXPECT_THAT(drawn(array_of<bool>({false}, {1, 1, 1}, 1), in("grey")).colours, ElementsAre(grey(0)));
}

TEST(Picture, NumbersThatAreNoneHaveAColour) {
    const Colour none = not_a_number_colour;
    EXPECT_THAT(drawn(array_of<float>({NAN, 1, INFINITY, 2, -INFINITY}, {5, 1, 1}, 1), in("grey")).colours,
                ElementsAre(none, grey(0), none, grey(255), none));
    EXPECT_THAT(drawn(array_of<float>({NAN, NAN}, {2, 1, 1}, 1)).colours, ElementsAre(none, none));
}

TEST(Picture, CategoriesTakeValuesAsTheyAre) {
    const ColourMap& map = colour_map("categories");
    const auto colours = drawn(array_of<std::int64_t>({0, 1, 2, 16, 17, 256, -1, 14}, {8, 1, 1}, 1), in("categories")).colours;
    EXPECT_EQ(colours[0], (Colour{0, 0, 0}));
    EXPECT_EQ(colours[1], map.entries[1]);
    EXPECT_EQ(colours[2], map.entries[2]);
    EXPECT_EQ(colours[3], colours[1]);
    EXPECT_EQ(colours[4], colours[2]);
    EXPECT_EQ(colours[5], colours[1]); // 256 = 17 * 15 + 1
    EXPECT_EQ(colours[6], colours[7]); // -1 = 14 - 15
}

TEST(Picture, TheSameBytesForTheSameInput) {
    const TemporaryFolder folder;
    Array plane = make_array(Scalar::f32, {97, 53, 1}, 2, 1, "");
    for (std::int64_t i = 0; i < plane.count(); ++i) plane.data<float>()[i] = std::sin(static_cast<float>(i) * 0.01f);
    write_png(folder / "a.png", plane);
    write_png(folder / "b.png", plane);
    EXPECT_EQ(contents(folder / "a.png"), contents(folder / "b.png"));
    EXPECT_EQ(contents(folder / "a.png").find("tIME"), std::string::npos);
}

// The bit depth and the colour type stand in the file's heading.
TEST(Picture, HasAsManyBitsAPixelAsItsColoursNeed) {
    const TemporaryFolder folder;
    PictureStyle style = in("grey");
    style.low = 0, style.high = 255;
    const Colour red{255, 0, 0};
    for (const auto& [count, bits] : {std::pair(1, 1), {2, 1}, {3, 2}, {4, 2}, {5, 4}, {16, 4}, {17, 8}, {256, 8}, {257, 8}}) {
        std::vector<std::uint8_t> values(300);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i % static_cast<std::size_t>(count));
        style.overlays.clear();
        if (count > 256) style.overlays = {{false, {red}, {{299, {}, 0}}}};
        const auto plane = array_of(values, {20, 15, 1}, 2);
        const auto colours = drawn(plane, style).colours;
        for (std::size_t i = 0; i < 299; ++i) ASSERT_EQ(colours[i], grey(values[i])) << count << ", " << i;
        EXPECT_EQ(colours[299], count > 256 ? red : grey(values[299]));
        write_png(folder / "a.png", plane, style);
        const auto file = contents(folder / "a.png");
        EXPECT_EQ(file[24], bits) << count;
        EXPECT_EQ(file[25], count > 256 ? 2 : 3) << count;
    }
}

// Patterns are found, and what has none takes about as many bits as it has.
TEST(Picture, IsPackedAsItsPatternsNeed) {
    const TemporaryFolder folder;
    std::mt19937 draw(7);
    const auto size = [&](const std::vector<std::uint8_t>& values, int scale) {
        PictureStyle style = in("grey");
        style.low = 0, style.high = 255, style.scale = scale;
        write_png(folder / "a.png", array_of(values, {200, 200, 1}, 2), style);
        const auto colours = pixels_of(folder / "a.png").colours;
        for (std::size_t i = 0; i < colours.size(); ++i) {
            const auto width = 200 * static_cast<std::size_t>(scale), x = i % width / static_cast<std::size_t>(scale);
            EXPECT_EQ(colours[i], grey(values[i / width / static_cast<std::size_t>(scale) * 200 + x]));
            if (::testing::Test::HasFailure()) break;
        }
        return contents(folder / "a.png").size();
    };
    std::vector<std::uint8_t> noise(40'000), few(noise.size()), stripes(noise.size()), blank(noise.size(), 3);
    for (auto& value : noise) value = static_cast<std::uint8_t>(draw());
    for (auto& value : few) value = draw() % 8 == 0 ? 1 : 0;
    for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = noise[i % 200];
    EXPECT_LT(size(noise, 1), 42'000u);
    EXPECT_LT(size(few, 1), 40'000u / 8 * 7 / 10); // of 8 bits 0.54 are news
    EXPECT_LT(size(stripes, 1), 3'000u);
    EXPECT_LT(size(blank, 1), 400u);
    EXPECT_LT(size(noise, 4), 100'000u); // whose lines come four times each
}

TEST(Picture, GreyReadsBackAsItWas) {
    const TemporaryFolder folder;
    EXPECT_TRUE(rc::check("written and read", [&] {
        const auto nx = *rc::gen::inRange<std::int64_t>(1, 40), ny = *rc::gen::inRange<std::int64_t>(1, 40);
        const auto values =
            *rc::gen::container<std::vector<std::uint8_t>>(static_cast<std::size_t>(nx * ny), rc::gen::arbitrary<std::uint8_t>());
        PictureStyle style = in("grey");
        style.low = 0;
        style.high = 255;
        write_png(folder / "a.png", array_of(values, {nx, ny, 1}, 2), style);
        const Array again = read_png(folder / "a.png");
        RC_ASSERT(again.size[0] == nx && again.size[1] == ny);
        RC_ASSERT(values_of<std::uint8_t>(again) == values);
    }));
}

TEST(Picture, RefusesStylesAndPlanes) {
    const TemporaryFolder folder;
    const Array plane = make_array(Scalar::u8, {2, 2, 1}, 2, 1, "");
    const auto refused = [&](const Array& array, const PictureStyle& style) {
        return error_of([&] { write_png(folder / "a.png", array, style); });
    };
    PictureStyle style;
    style.scale = 0;
    EXPECT_EQ(refused(plane, style), "3: a picture has the scale 0 (it is in pixels, 1 or more)");
    style.scale = 0x7fffffff;
    EXPECT_THAT(refused(plane, style), HasSubstr("is too large"));
    style = {};
    style.low = 2, style.high = 1;
    EXPECT_THAT(refused(plane, style), HasSubstr("low must not be above high"));
    style = {};
    style.low = NAN;
    EXPECT_THAT(refused(plane, style), HasSubstr("low and high make no range"));
    EXPECT_THAT(refused(plane, in("viridsi")), HasSubstr("did you mean 'viridis'?"));
    EXPECT_THAT(refused(make_array(Scalar::u8, {2, 2, 2}, 3, 1, ""), {}), HasSubstr("1: a picture was asked for of more than one plane"));
    EXPECT_EQ(folder.files(), 0);
}

TEST(OutputFiles, AMissingFolderIsNamed) {
    const TemporaryFolder folder;
    const Array plane = make_array(Scalar::u8, {2, 2, 1}, 2, 1, "");
    const std::string expected = "' (the folder '" + (folder / "no").string() + "' does not exist)";
    EXPECT_EQ(error_of([&] { write_png(folder / "no" / "a.png", plane); }),
              "8: could not write '" + (folder / "no/a.png").string() + expected);
    EXPECT_EQ(error_of([&] { write_npy(folder / "no" / "a.npy", plane); }),
              "8: could not write '" + (folder / "no/a.npy").string() + expected);
    std::filesystem::create_directory(folder / "b.npy");
    EXPECT_THAT(error_of([&] { write_npy(folder / "b.npy", plane); }), HasSubstr("(Is a directory)"));
    EXPECT_EQ(folder.files(), 1);
}

// A limit on the size of files stands in for a full disk: write() fails in the same way.
TEST(OutputFiles, AFullDiskLeavesWhatWasThere) {
    const TemporaryFolder folder;
    Array plane = make_array(Scalar::u32, {300, 300, 1}, 2, 1, "");
    std::uint32_t random = 1;
    for (auto& value : plane.data<std::uint32_t>()) value = random = random * 1664525u + 1013904223u;
    put(folder / "a.png", "before");
    put(folder / "a.npy", "before");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{20000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string png = error_of([&] { write_png(folder / "a.png", plane); }),
                      npy = error_of([&] { write_npy(folder / "a.npy", plane); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(png, "8: could not write '" + (folder / "a.png").string() + "' (File too large)");
    EXPECT_EQ(npy, "8: could not write '" + (folder / "a.npy").string() + "' (File too large)");
    EXPECT_EQ(contents(folder / "a.png"), "before");
    EXPECT_EQ(contents(folder / "a.npy"), "before");
    EXPECT_EQ(folder.files(), 2);
}

// What there is no room for is refused by its header alone: what follows is not even there.
TEST(ReadArray, AsksWhetherTheSizeWillDoBeforeItDecodes) {
    const TemporaryFolder folder;
    put(folder / "a.rle", "x = 65536, y = 40000, rule = B3/S23\n");
    put(folder / "a.png", contents(data_file("grey8.png")).substr(0, 60)); // ends where the pixels begin
    put(folder / "a.asc", "ncols 2\nnrows 2\ncellsize 1\n1 x");
    put(folder / "a.npy", contents(data_file("ny_nx_n.npy")));
    ReadOptions options;
    options.elements = 2;
    options.check_size = [](const std::array<std::int64_t, 3>& size) {
        throw Error(Failure::input, std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]));
    };
    const std::pair<const char*, const char*> files[] = {
        {"a.rle", "3: 65536 x 40000 x 1"}, {"a.png", "3: 13 x 7 x 1"}, {"a.asc", "3: 2 x 2 x 1"}, {"a.npy", "3: 4 x 3 x 1"}};
    for (const auto& [file, told] : files) EXPECT_EQ(error_of([&, name = file] { (void)read_array(folder / name, options); }), told);
}

TEST(ReadArray, RefusesUnreadWhatHasFarMoreBytesThanItsGridCanNeed) {
    const TemporaryFolder folder;
    ReadOptions options;
    options.places = 100;
    for (const char* name : {"a.csv", "a.txt", "a.asc", "a.rle", "a.png"}) {
        put(folder / name, "");
        std::filesystem::resize_file(folder / name, std::uintmax_t{1} << 42); // a hole
        EXPECT_THAT(error_of([&] { (void)read_array(folder / name, options); }),
                    HasSubstr("has 4398046511104 bytes (the maximum for its grid is 16783616)"));
    }
}

TEST(ReadArray, ChoosesByTheEnding) {
    const TemporaryFolder folder;
    put(folder / "a.CSV", "1,2\n");
    put(folder / "a.txt", "1 2\n");
    put(folder / "a.asc", "ncols 2\nnrows 1\ncellsize 1\n1 -9999\n");
    put(folder / "a.rle", "x = 2, y = 1, rule = B36/S23\n2o!");
    EXPECT_EQ(read_array(folder / "a.CSV").count(), 2);
    EXPECT_EQ(read_array(folder / "a.txt").count(), 2);
    ReadOptions options;
    options.nodata = 8;
    EXPECT_EQ(read_array(folder / "a.asc", options).as_double(1), 8);
    EXPECT_EQ(read_array(folder / "a.rle").count(), 2);
    options.rule = "Life";
    EXPECT_THAT(error_of([&] { (void)read_array(folder / "a.rle", options); }), HasSubstr("an RLE file of another rule"));
    options.elements = 2;
    EXPECT_EQ(read_array(data_file("ny_nx_n.npy"), options).elements, 2);
    EXPECT_EQ(read_array(data_file("grey8.png")).count(), 13 * 7);
    EXPECT_EQ(error_of([] { (void)read_array("a.gif"); }),
              "3: could not tell the format of 'a.gif': its ending is '.gif' (data files end in .rle (cell pattern), .npy (NumPy array), "
              ".csv or .txt (rows of numbers), .asc (ESRI "
              "grid) or .png (picture))");
    EXPECT_THAT(error_of([] { (void)read_array("acorn"); }), HasSubstr("its name has no ending"));
}

} // namespace tessera::test::png_test
