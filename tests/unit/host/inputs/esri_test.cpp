#include "host/inputs/esri_grid.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <cmath>

namespace tessera::test::esri_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

const std::string header = "ncols 3\nnrows 2\nxllcorner 100.5\nyllcorner -20\ncellsize 30\n";

Array parsed(const std::string& text, std::optional<double> nodata = {}) { return parse_esri_grid(text, "a.asc", nodata); }
std::string refused(const std::string& text) {
    return error_of([&] { (void)parsed(text); });
}

} // namespace

TEST(Esri, TheFirstRowIsNorth) {
    const Array array = parsed(header + "1 2 3\n4 5.5 6\n");
    EXPECT_EQ(array.type, Scalar::f64);
    EXPECT_EQ(array.dimensions, 2);
    EXPECT_THAT(array.size, ElementsAre(3, 2, 1));
    EXPECT_THAT(values_of<double>(array), ElementsAre(1, 2, 3, 4, 5.5, 6));
}

TEST(Esri, ReadsEverySpelling) {
    for (const char* text : {"NCOLS 2\r\nNROWS 2\r\nXLLCENTER 0\r\nYLLCENTER 0\r\nCELLSIZE 1\r\nNODATA_value -1\r\n1 2\r\n3 4\r\n",
                             "cellsize 1e1 nrows 2 ncols 2\n\n1\n2 3\n4\n\n", "  ncols   2\n\tnrows\t2\ncellsize 0.5\n 1  2\t3 4"})
        EXPECT_THAT(values_of<double>(parsed(text)), ElementsAre(1, 2, 3, 4)) << text;
}

TEST(Esri, CellsWithoutData) {
    EXPECT_THAT(values_of<double>(parsed(header + "NODATA_value -1\n1 -1 3 -9999 -1.0 6", 0.5)), ElementsAre(1, 0.5, 3, -9999, 0.5, 6));
    EXPECT_THAT(values_of<double>(parsed(header + "1 -9999 3 4 5 6", 0.0)), ElementsAre(1, 0, 3, 4, 5, 6)); // the format's default
    EXPECT_THAT(values_of<double>(parsed(header + "nodata_value nan\n1 nan 3 4 5 6", 7.0)), ElementsAre(1, 7, 3, 4, 5, 6));
    EXPECT_EQ(
        refused(header + "NODATA_value -1\n1 2 3\n4 -1 -1"),
        "3: a.asc:8: the cell at (x 1, y 1) has no data (NODATA_value is -1) say in the run file what such cells become, as in nodata = 0");
}

TEST(Esri, NaNIsACellWithoutData) {
    EXPECT_THAT(values_of<double>(parsed(header + "NODATA_value -9999\nnan 2 NaN\n-nan -9999 6", 0.0)), ElementsAre(0, 2, 0, 0, 0, 6));
    EXPECT_EQ(refused(header + "NODATA_value -9999\n1 2 3\n4 nan 6"),
              "3: a.asc:8: the cell at (x 1, y 1) has no data (it is nan) say in the "
              "run file what such cells become, as in nodata = 0");
    EXPECT_THAT(refused(header + "1 2 3\n4 nan 6"), HasSubstr("the cell at (x 1, y 1) has no data (it is nan)"));
}

TEST(Esri, MayHaveAByteOrderMark) {
    EXPECT_THAT(values_of<double>(parsed("\xef\xbb\xbf" + header + "1 2 3 4 5 6", 0.0)), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Esri, NoDataIsTheSameFloatInAnyDigits) {
    const auto second_is_missing = [](const std::string& nodata, const std::string& cell) {
        return values_of<double>(parsed(header + "NODATA_value " + nodata + "\n1 " + cell + " 3 4 5 6", 0.5))[1] == 0.5;
    };
    EXPECT_TRUE(second_is_missing("-3.4028234663852886e+38", "-3.40282346638529e+38"));
    EXPECT_TRUE(second_is_missing("-3.40282346638529e+38", "-3.4028234663852886e+38"));
    EXPECT_TRUE(second_is_missing("-3.402823e+38", "-3.402823e38"));
    EXPECT_TRUE(second_is_missing("1.70141e+38", "1.70141e+38"));
    EXPECT_TRUE(second_is_missing("-99999.9", "-99999.8984375")); // as a program writes that had it as a float
    EXPECT_TRUE(second_is_missing("-1.7976931348623157e+308", "-1.7976931348623157e308"));
    EXPECT_FALSE(second_is_missing("-1e300", "-2e300")); // both are beyond floats
    EXPECT_FALSE(second_is_missing("0", "1e-60"));
    EXPECT_FALSE(second_is_missing("1e-60", "0"));
    EXPECT_FALSE(second_is_missing("16777216", "16777217")); // numbers of places that floats do not hold
    EXPECT_FALSE(second_is_missing("16777217", "16777216"));
    EXPECT_FALSE(second_is_missing("-2147483648", "-2147483647"));
    // A float holds -9999 and 0.5: a cell beside them is a value, whatever float it would round to.
    EXPECT_TRUE(second_is_missing("-9999", "-9999.000"));
    EXPECT_TRUE(second_is_missing("0.5", "5e-1"));
    EXPECT_FALSE(second_is_missing("-9999", "-9999.0001"));
    EXPECT_FALSE(second_is_missing("0.5", "0.50000001"));
}

TEST(Esri, RefusesMalformedFiles) {
    EXPECT_THAT(refused(""), HasSubstr("a.asc:1: the header is not complete"));
    EXPECT_THAT(refused("ncols 3\n1 2 3\n"), HasSubstr("a.asc:2: the header has no nrows"));
    EXPECT_THAT(refused("ncols 3\nnrows 1\n1 2 3\n"), HasSubstr("the header has no cellsize"));
    EXPECT_THAT(refused("ncols 3\nheight 1\n"), HasSubstr("a.asc:2: unknown header key 'height'"));
    EXPECT_EQ(refused("ncols three\n"), "3: a.asc:1: ncols is followed by 'three' (a number was expected)");
    EXPECT_THAT(refused("ncols"), HasSubstr("ncols is followed by nothing"));
    for (const char* extent : {"0", "-3", "2.5", "nan", "inf", "1e30"})
        EXPECT_THAT(refused("ncols " + std::string(extent) + "\n"), HasSubstr("a whole number from 1 on was expected"));
    EXPECT_THAT(refused("cellsize 0\n"), HasSubstr("the cellsize is 0 (it must be above 0)"));
    EXPECT_EQ(refused(header + "1 2 3\n4 5\n"),
              "3: a.asc:7: the grid ends before the cell at (x 2, y 1) (the header says 3 x 2 cells, 5 are there)");
    EXPECT_EQ(refused(header + "1 2 3\n4 5 6\n7\n"), "3: a.asc:8: '7' follows the last cell (the header says 3 x 2 cells)");
    EXPECT_EQ(refused(header + "1 2 3\n4 five 6"), "3: a.asc:7: 'five' is no number (it stands for the cell at (x 1, y 1))");
    EXPECT_THAT(refused("ncols 1000000\nnrows 1000000\ncellsize 1\n1 2 3"),
                HasSubstr("the header says 1000000 x 1000000 cells (the file is too short for so many)"));
    EXPECT_THAT(error_of([] { (void)read_esri_grid("no/such.asc"); }), HasSubstr("No such file or directory"));
}

TEST(Esri, DamagedFilesAreRefusedOrRead) {
    never_breaks(header + "NODATA_value -1\n1 2 3\n4 5e3 6\n", [](const std::string& bytes) { (void)parsed(bytes, 0); });
}

} // namespace tessera::test::esri_test
