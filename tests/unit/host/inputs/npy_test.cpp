#include "host/inputs/npy.hpp"
#include "host/outputs/npy.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace tessera::test::npy_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string refused(const std::string& bytes, int elements = 1) {
    const TemporaryFolder folder;
    put(folder / "a.npy", bytes);
    const std::string text = error_of([&] { (void)read_npy(folder / "a.npy", elements); });
    const std::string path = (folder / "a.npy").string();
    const std::size_t at = text.find(path);
    return at == std::string::npos ? text : text.substr(0, at) + "a.npy" + text.substr(at + path.size());
}

std::string npy(const std::string& header, const std::string& data, char version = 1) {
    std::string length{static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    if (version > 1) length += std::string(2, '\0');
    return "\x93NUMPY" + std::string{version, '\0'} + length + header + data;
}

// The value that tests/data/arrays/make.py gives to a place.
double made(Scalar type, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t k) {
    const double value = static_cast<double>(x + 10 * y + 100 * z + 1000 * k);
    const double sign = x % 2 == 1 ? -1 : 1;
    switch (type) {
    case Scalar::boolean: return std::fmod(value, 2);
    case Scalar::u8:
    case Scalar::u16:
    case Scalar::u32:
    case Scalar::u64: return value;
    case Scalar::f32:
    case Scalar::f64: return sign * value / 4;
    default: return sign * value;
    }
}

void expect_made(const Array& array, const std::string& name) {
    const auto [nx, ny, nz] = array.size;
    for (std::int64_t i = 0; i < array.count(); ++i)
        ASSERT_EQ(array.as_double(i), made(array.type, i % nx, i / nx % ny, i / (nx * ny) % nz, i / (nx * ny * nz)))
            << name << " " << array.position(i);
}

} // namespace

TEST(Npy, ReadsEveryTypeAndByteOrderThatNumPyWrote) {
    const std::pair<std::string, Scalar> files[] = {{"b1_one", Scalar::boolean}, {"i1_one", Scalar::i8}, {"u1_one", Scalar::u8},
                                                    {"i2_", Scalar::i16},        {"u2_", Scalar::u16},   {"i4_", Scalar::i32},
                                                    {"u4_", Scalar::u32},        {"i8_", Scalar::i64},   {"u8_", Scalar::u64},
                                                    {"f4_", Scalar::f32},        {"f8_", Scalar::f64}};
    for (const auto& [name, type] : files)
        for (const char* order : {"little", "big"}) {
            const std::string file = name.back() == '_' ? name + order + ".npy" : name + ".npy";
            const Array array = read_npy(data_file(file));
            EXPECT_EQ(array.type, type) << file;
            EXPECT_THAT(array.size, ElementsAre(5, 3, 1)) << file;
            EXPECT_EQ(array.dimensions, 2) << file;
            expect_made(array, file);
        }
}

TEST(Npy, ReadsShapesOrdersAndVersions) {
    const auto check = [](const std::string& file, std::array<std::int64_t, 3> size, int dimensions, int elements) {
        const Array array = read_npy(data_file(file), elements);
        EXPECT_EQ(array.size, size) << file;
        EXPECT_EQ(array.dimensions, dimensions) << file;
        EXPECT_EQ(array.elements, elements) << file;
        expect_made(array, file);
    };
    check("nx.npy", {6, 1, 1}, 1, 1);
    check("nz_ny_nx.npy", {4, 3, 2}, 3, 1);
    check("nz_ny_nx_fortran.npy", {4, 3, 2}, 3, 1);
    check("ny_nx_n.npy", {4, 3, 1}, 2, 2);
    check("ny_nx_n_fortran.npy", {4, 3, 1}, 2, 2);
    check("nz_ny_nx_n.npy", {4, 3, 2}, 3, 5);
    check("version2.npy", {5, 3, 1}, 2, 1);
    check("version3.npy", {5, 3, 1}, 2, 1);
}

// The values are those that IEEE 754 gives to the bits of a binary16.
TEST(Npy, ReadsHalvesAsFloats) {
    const TemporaryFolder folder;
    const std::pair<std::uint16_t, float> halves[] = {{0x0000, 0.0f},     {0x8000, -0.0f},           {0x3c00, 1.0f},
                                                      {0xc000, -2.0f},    {0x3555, 0.333251953125f}, {0x7bff, 65504.0f},
                                                      {0x0400, 0x1p-14f}, {0x0001, 0x1p-24f},        {0x83ff, -1023 * 0x1p-24f},
                                                      {0x7c00, INFINITY}, {0xfc00, -INFINITY},       {0x3c01, 1 + 0x1p-10f}};
    std::string little, big;
    for (const auto& [bits, value] : halves) {
        little += {static_cast<char>(bits & 255), static_cast<char>(bits >> 8)};
        big += {static_cast<char>(bits >> 8), static_cast<char>(bits & 255)};
    }
    const auto header = [](char order, const std::string& shape) {
        return std::string("{'descr': '") + order + "f2', 'fortran_order': False, 'shape': " + shape + ", }";
    };
    for (const auto& bytes : {npy(header('<', "(12,)"), little), npy(header('>', "(12,)"), big)}) {
        put(folder / "a.npy", bytes);
        const Array array = read_npy(folder / "a.npy");
        ASSERT_EQ(array.type, Scalar::f32);
        for (std::size_t i = 0; i < std::size(halves); ++i)
            EXPECT_EQ(std::bit_cast<std::uint32_t>(array.data<float>()[i]), std::bit_cast<std::uint32_t>(halves[i].second)) << i;
    }
    put(folder / "a.npy", npy(header('<', "(2, 3, 2)"), little));
    const Array array = read_npy(folder / "a.npy", 2); // (ny, nx, n): the elements become planes
    EXPECT_THAT(array.size, ElementsAre(3, 2, 1));
    EXPECT_EQ(array.data<float>()[1], 1.0f);
    EXPECT_EQ(array.data<float>()[6 + 1], -2.0f);
    put(folder / "a.npy", npy(header('<', "(1,)"), std::string("\x00\x7e", 2)));
    EXPECT_TRUE(std::isnan(read_npy(folder / "a.npy").data<float>()[0]));
}

TEST(Npy, RefusesOtherFiles) {
    EXPECT_THAT(error_of([] { (void)read_npy(data_file("complex.npy")); }),
                HasSubstr("the NPY file is of type '<c16' (bool, int8 to int64, "));
    EXPECT_THAT(error_of([] { (void)read_npy(data_file("records.npy")); }), HasSubstr("the NPY file holds records of several fields"));
    EXPECT_THAT(error_of([] { (void)read_npy(data_file("ny_nx_n.npy"), 3); }),
                HasSubstr("the array has the shape (3, 4, 2) ((nx, 3), (ny, nx, 3) or (nz, ny, nx, 3) was expected)"));
    EXPECT_THAT(error_of([] { (void)read_npy(data_file("nz_ny_nx_n.npy")); }),
                HasSubstr("the array has the shape (2, 3, 4, 5) ((nx), (ny, nx) or (nz, ny, nx) was expected)"));
    EXPECT_THAT(error_of([] { (void)read_npy(data_file("nx.npy"), 6); }), HasSubstr("the array has the shape (6)"));
    EXPECT_EQ(refused(""), "3: a.npy: not an NPY file (it does not begin with '\\x93NUMPY')");
    EXPECT_THAT(refused("PK\3\4 not at all"), HasSubstr("not an NPY file"));
    const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }";
    EXPECT_EQ(refused(npy(header, "12345678")), "no error");
    EXPECT_EQ(refused(npy(header, "1234567")), "3: a.npy: byte 67: 7 bytes of data (2 values of int32 were expected by the shape (2))");
    EXPECT_THAT(refused(npy(header, "123456789")), HasSubstr("9 bytes of data"));
    EXPECT_EQ(refused(npy(header, "12345678", 4)), "3: a.npy: byte 6: NPY version 4 (1, 2 and 3 can be read)");
    EXPECT_EQ(refused(npy(header, "12345678").substr(0, 40)), "3: a.npy: byte 8: the header is 57 bytes long (the file is 40 bytes long)");
    EXPECT_EQ(refused(npy("{'descr': '<i4', 'fortran_order': 0, 'shape': (2,), }", "")),
              "3: a.npy: byte 44: expected True or False in the NPY header, found '0, 'shape''");
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-2,), }", "")),
                HasSubstr("expected an extent in the shape, found '-2,), }'"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, }", "")),
                HasSubstr("the header has not all of descr, fortran_order and shape"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }", "")),
                HasSubstr("the array is empty (its shape is (0, 3))"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (), }", "1234")), HasSubstr("the array has the shape ()"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "1234")),
                HasSubstr("the array is too large"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1099511627776,), }", "1234")),
                HasSubstr("4 bytes of data (1099511627776 values"));
    EXPECT_THAT(refused(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "1234")),
                HasSubstr("expected an extent"));
    EXPECT_THAT(error_of([] { (void)read_npy("no/such.npy"); }), HasSubstr("No such file or directory"));
}

TEST(Npy, AcceptsWhatPythonAccepts) {
    EXPECT_EQ(refused(npy("{\"shape\":(2L ,) , 'fortran_order':True,'descr':'=i4'}\n", "12345678")), "no error");
}

TEST(Npy, WritesTheBytesThatNumPyWrites) {
    const TemporaryFolder folder;
    const std::pair<const char*, int> files[] = {{"nx.npy", 1},        {"i4_little.npy", 1}, {"b1_one.npy", 1},    {"u1_one.npy", 1},
                                                 {"i1_one.npy", 1},    {"u2_little.npy", 1}, {"u8_little.npy", 1}, {"f4_little.npy", 1},
                                                 {"f8_little.npy", 1}, {"nz_ny_nx.npy", 1},  {"ny_nx_n.npy", 2},   {"nz_ny_nx_n.npy", 5}};
    for (const auto& [file, elements] : files) {
        write_npy(folder / file, read_npy(data_file(file), elements));
        EXPECT_EQ(contents(folder / file), contents(data_file(file))) << file;
    }
}

TEST(Npy, WritesCanonicalNaNs) {
    const TemporaryFolder folder;
    const auto tail = [&](const Array& array, std::size_t bytes) {
        write_npy(folder / "a.npy", array);
        const std::string all = contents(folder / "a.npy");
        return all.substr(all.size() - bytes);
    };
    EXPECT_EQ(tail(array_of<float>({std::bit_cast<float>(0xffc01234u)}, {1, 1, 1}, 1), 4), std::string("\0\0\xc0\x7f", 4));
    EXPECT_EQ(tail(array_of<double>({std::bit_cast<double>(0xfff0000000000001u)}, {1, 1, 1}, 1), 8),
              std::string("\0\0\0\0\0\0\xf8\x7f", 8));
    EXPECT_EQ(tail(array_of<float>({-0.0f, -INFINITY}, {2, 1, 1}, 1), 8), std::string("\0\0\0\x80\0\0\x80\xff", 8));
}

TEST(Npy, ReadsBackWhatItWrote) {
    const TemporaryFolder folder;
    EXPECT_TRUE(rc::check("written and read", [&] {
        const auto type = static_cast<Scalar>(*rc::gen::inRange(1, 12));
        const int dimensions = *rc::gen::inRange(1, 4), elements = *rc::gen::inRange(1, 4);
        std::array<std::int64_t, 3> size{1, 1, 1};
        for (int i = 0; i < dimensions; ++i) size[i] = *rc::gen::inRange(1, i == 0 ? 300 : 20);
        Array array = make_array(type, size, dimensions, elements, "");
        for (std::size_t i = 0; i < array.bytes.size(); ++i) // exponents that make no NaN
            array.bytes[i] = static_cast<std::byte>(type == Scalar::boolean ? i * 7 % 3 % 2 : i * 37 % 64);
        write_npy(folder / "a.npy", array);
        const Array again = read_npy(folder / "a.npy", elements);
        RC_ASSERT(again.type == type && again.size == size && again.dimensions == dimensions && again.elements == elements);
        RC_ASSERT(again.bytes == array.bytes);
    }));
    EXPECT_EQ(folder.files(), 1); // no temporary file stays
}

TEST(Npy, LargeArraysOfElementsAreWrittenInChunks) {
    const TemporaryFolder folder;
    Array array = make_array(Scalar::i32, {301, 199, 3}, 3, 3, ""); // more than one chunk, and no multiple of one
    for (std::int64_t i = 0; i < array.count(); ++i) array.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
    write_npy(folder / "a.npy", array);
    EXPECT_EQ(read_npy(folder / "a.npy", 3).bytes, array.bytes);
    const std::string file = contents(folder / "a.npy");
    std::int32_t second = 0; // element 1 of the first place comes second in the file
    std::memcpy(&second, file.data() + 128 + 4, 4);
    EXPECT_EQ(second, 301 * 199 * 3);
}

TEST(Npy, DamagedFilesAreRefusedOrRead) {
    const TemporaryFolder folder;
    for (const char* file : {"ny_nx_n_fortran.npy", "version2.npy"})
        never_breaks(contents(data_file(file)), [&](const std::string& bytes) {
            put(folder / "a.npy", bytes);
            (void)read_npy(folder / "a.npy", file[0] == 'n' ? 2 : 1);
        });
}

} // namespace tessera::test::npy_test
