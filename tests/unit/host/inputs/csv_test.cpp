#include "host/inputs/csv.hpp"
#include "host/outputs/csv_table.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <sys/resource.h>

namespace tessera::test::csv_test {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

Array parsed(const std::string& text) { return parse_csv(text, "a.csv"); }
std::string refused(const std::string& text) {
    return error_of([&] { (void)parsed(text); });
}

} // namespace

TEST(Csv, ReadsRowsAsY) {
    const Array array = parsed("1,2,3\n4,5,6\n");
    EXPECT_EQ(array.type, Scalar::i64);
    EXPECT_EQ(array.dimensions, 2);
    EXPECT_THAT(array.size, ElementsAre(3, 2, 1));
    EXPECT_THAT(values_of<std::int64_t>(array), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(parsed("1 2 3").dimensions, 1);
    EXPECT_THAT(parsed("1\n2\n3\n").size, ElementsAre(1, 3, 1));
}

TEST(Csv, ReadsEverySeparatorHeadingAndLineEnd) {
    for (const char* text : {"1.5,2\n3,4\n", "1.5;2\n3;4", "1.5\t2\r\n3\t4\r\n", "  1.5   2 \n\t3 4", "1.5 , 2\n3 ,\t4\n",
                             "\xef\xbb\xbf"
                             "a,b\n1.5,2\n3,4",
                             "# note\n\n1.5,2 # half\n#\n3,4\n", "\"left\";\"right\"\n1.5;2\n3;4", "1.5,2\r3,4\r", "+1.5,+2\n3e0,.4e1"}) {
        const Array array = parsed(text);
        EXPECT_EQ(array.type, Scalar::f64) << text;
        EXPECT_THAT(values_of<double>(array), ElementsAre(1.5, 2, 3, 4)) << text;
        EXPECT_THAT(array.size, ElementsAre(2, 2, 1)) << text;
    }
}

TEST(Csv, KeepsIntegersWhole) {
    EXPECT_THAT(values_of<std::int64_t>(parsed("9007199254740993,-9223372036854775808")),
                ElementsAre(9007199254740993, std::numeric_limits<std::int64_t>::min()));
    const Array large = parsed("1,18446744073709551615");
    EXPECT_EQ(large.type, Scalar::u64);
    EXPECT_THAT(values_of<std::uint64_t>(large), ElementsAre(1u, ~std::uint64_t{0}));
    EXPECT_THAT(values_of<double>(parsed("-1,18446744073709551615")), ElementsAre(-1, 0x1p64));
    EXPECT_THAT(values_of<double>(parsed("18446744073709551615,-1")), ElementsAre(0x1p64, -1));
    EXPECT_THAT(values_of<double>(parsed("18446744073709551615,0.5")), ElementsAre(0x1p64, 0.5));
    EXPECT_THAT(values_of<double>(parsed("18446744073709551616")), ElementsAre(0x1p64));
    EXPECT_TRUE(std::signbit(parsed("-0").as_double(0)));
}

TEST(Csv, ReadsExtremeNumbers) {
    const auto values = values_of<double>(parsed("1e-400,4.9e-324,1.7976931348623157e308,inf,-inf,nan,-1e-999999"));
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(values[1], 4.9406564584124654e-324);
    EXPECT_EQ(values[2], 1.7976931348623157e308);
    EXPECT_TRUE(std::isinf(values[3]) && values[3] > 0 && std::isinf(values[4]) && values[4] < 0 && std::isnan(values[5]));
    EXPECT_TRUE(values[6] == 0 && std::signbit(values[6]));
    EXPECT_THAT(refused("0\n1e400"), HasSubstr("a.csv:2:1: '1e400' is no number"));
}

TEST(Csv, RefusesMalformedFiles) {
    EXPECT_EQ(refused("1,2\n\n3,4,5\n"), "3: a.csv:3: 3 numbers in this row (line 1 has 2)");
    EXPECT_THAT(refused("1,2\n3,x4\n"), HasSubstr("3: a.csv:2:3: 'x4' is no number"));
    EXPECT_THAT(refused("1,2\n3,\n"), HasSubstr("a.csv:2:3: a number is missing"));
    EXPECT_THAT(refused("name,2\n3,4\n"), HasSubstr("a.csv:1:1: 'name' is no number")); // half a heading is none
    EXPECT_THAT(refused("a,b\nc,d\n1,2"), HasSubstr("a.csv:2:1: 'c' is no number"));    // one heading, not two
    EXPECT_THAT(refused("1,5;2\n"),
                HasSubstr("'1,5' is no number (every field of a row must be a number a double can hold) write decimals with a point"));
    EXPECT_THAT(refused(""), HasSubstr("a.csv: no row of numbers"));
    EXPECT_THAT(refused("a,b\n"), HasSubstr("a.csv: no row of numbers"));
    for (const char* text : {"0\n0x10", "0\n1e", "0\n--1", "0\n+-1", "0\n1_000", "0\n1.2.3", "0\n+", "0\n\x01"})
        EXPECT_THAT(refused(text), HasSubstr("a.csv:2:1: ")) << text;
}

TEST(Csv, AFirstRowWithoutNumbersIsNoHeading) {
    for (const char* row : {"NA,NA", "na,NA", "null,nan?", ",", "\"\",\"\"", "-,-", "?,?", "1e400,-1e400", "0x10,0x20", "1.#INF,2.#INF",
                            "#N/A,#N/A", "#DIV/0!,#NUM!", "x,x", "a,NA", "a,", "N/A,n.a.", "None,None", "(null),<NA>", "1st,2nd"})
        EXPECT_THAT(refused(std::string(row) + "\n1,2\n3,4\n"), HasSubstr("3: a.csv:1:")) << row;
    EXPECT_THAT(refused("1,5;2,5\n1;2\n"), HasSubstr("a.csv:1:1: '1,5' is no number")); // decimals with commas
    EXPECT_THAT(refused("NA\n1\n2\n"), HasSubstr("a.csv:1:1: 'NA' is no number"));
    EXPECT_THAT(refused("NA NA\n1 2\n"), HasSubstr("a.csv:1:1: 'NA' is no number"));
    EXPECT_THAT(values_of<std::int64_t>(parsed("east,\"west side\"\n1,2\n")), ElementsAre(1, 2));
    EXPECT_THAT(values_of<std::int64_t>(parsed("\xc3\xb6st,(m)\n1,2\n")), ElementsAre(1, 2));
}

TEST(Csv, AHeadingNamesEachColumn) {
    EXPECT_EQ(refused("x,y\n1,2,3\n"), "3: a.csv:2: 3 numbers in this row (the heading in line 1 has 2 names) give each column a name, or "
                                       "begin the line with '#' if it is a comment");
    EXPECT_THAT(refused("a b\n1 0.5 2\n"), HasSubstr("the heading in line 1 has 2 names")); // as R writes rows with numbers
    EXPECT_THAT(values_of<std::int64_t>(parsed("# a title\n1,2\n")), ElementsAre(1, 2));
}

TEST(Csv, ACommentBeginsAWord) {
    EXPECT_THAT(refused("1,2,3,1.#INF\n"), HasSubstr("3: a.csv:1:7: '1.#INF' is no number"));
    EXPECT_THAT(refused("1\n-1.#IND\n"), HasSubstr("a.csv:2:1: '-1.#IND' is no number"));
    EXPECT_THAT(refused("1 2\n3 4#5\n"), HasSubstr("a.csv:2:3: '4#5' is no number"));
    EXPECT_THAT(refused("1,2\n3,#4\n"), HasSubstr("a.csv:2:3: '#4' is no number"));
    EXPECT_THAT(refused("1,2\n3, #N/A\n"), HasSubstr("a.csv:2:4: '#N/A' is no number"));
    EXPECT_THAT(refused("1\n#NUM!\n2\n"), HasSubstr("a.csv:2:1: '#NUM!' is no number"));
    EXPECT_THAT(values_of<std::int64_t>(parsed("1,2 # half\n3,4\t# \"rest\"\n  # all, of it\n#\n")), ElementsAre(1, 2, 3, 4));
}

TEST(Csv, DoesNotDependOnTheLocale) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* locale : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
        if (std::setlocale(LC_ALL, locale) != nullptr) break;
    const auto values = values_of<double>(parsed("0.5,1e-400"));
    std::setlocale(LC_ALL, before.c_str());
    EXPECT_THAT(values, ElementsAre(0.5, 0.0));
}

TEST(Csv, ReadsEveryDoubleExactly) {
    EXPECT_TRUE(rc::check("17 digits", [](std::uint64_t bits) {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        RC_PRE(std::isfinite(value));
        char text[40];
        std::snprintf(text, sizeof text, "%.17g,0.5", value);
        const double read = parsed(text).as_double(0);
        RC_ASSERT(std::memcmp(&read, &value, sizeof value) == 0);
    }));
}

TEST(Csv, DamagedFilesAreRefusedOrRead) {
    never_breaks("x;y\n1;2.5\n-3e7;18446744073709551615\n# end\n7;8\n", [](const std::string& bytes) { (void)parsed(bytes); });
}

TEST(CsvTable, WritesRowsAsTheyCome) {
    const TemporaryFolder folder;
    const std::vector<std::string> columns{"step", "alive, all", "a \"b\"", "heat"};
    CsvTable table(folder / "a.csv", columns);
    EXPECT_EQ(contents(folder / "a.csv"), "step,\"alive, all\",\"a \"\"b\"\"\",heat\n");
    table.row(std::vector<TableValue>{std::int64_t{-1}, ~std::uint64_t{0}, 0.1, 1e300});
    EXPECT_EQ(contents(folder / "a.csv"),
              "step,\"alive, all\",\"a \"\"b\"\"\",heat\n-1,18446744073709551615,0.1,1e+300\n"); // before it is closed
    table.row(std::vector<TableValue>{-0.0, -NAN, INFINITY, -INFINITY});
    table.close();
    EXPECT_THAT(contents(folder / "a.csv"), ::testing::EndsWith("1e+300\n-0,nan,inf,-inf\n"));
    EXPECT_THAT(error_of([&] { table.row(std::vector<TableValue>{1.0, 1.0, 1.0, 1.0}); }), HasSubstr("1: a row was added to"));
}

TEST(CsvTable, FlushesEveryFewRowsAndAtTheEnd) {
    const TemporaryFolder folder;
    {
        CsvTable table(folder / "a.csv", std::vector<std::string>{"n"}, 2);
        table.row(std::vector<TableValue>{std::int64_t{1}});
        EXPECT_EQ(contents(folder / "a.csv"), "n\n");
        table.row(std::vector<TableValue>{std::int64_t{2}});
        EXPECT_EQ(contents(folder / "a.csv"), "n\n1\n2\n");
        table.row(std::vector<TableValue>{std::int64_t{3}});
    }
    EXPECT_EQ(contents(folder / "a.csv"), "n\n1\n2\n3\n");
}

TEST(CsvTable, CountsItsColumns) {
    const TemporaryFolder folder;
    CsvTable table(folder / "a.csv", std::vector<std::string>{"a", "b"});
    EXPECT_THAT(error_of([&] { table.row(std::vector<TableValue>{1.0}); }), HasSubstr("1: a row of 1 values was added to"));
    EXPECT_EQ(contents(folder / "a.csv"), "a,b\n");
}

TEST(CsvTable, DoublesReadBackAsThemselves) {
    const TemporaryFolder folder;
    EXPECT_TRUE(rc::check("shortest decimals", [&](std::uint64_t bits) {
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        RC_PRE(std::isfinite(value));
        CsvTable table(folder / "a.csv", std::vector<std::string>{"v"});
        table.row(std::vector<TableValue>{value});
        const std::string text = contents(folder / "a.csv").substr(2);
        const double read = std::strtod(text.c_str(), nullptr);
        RC_ASSERT(std::memcmp(&read, &value, sizeof value) == 0);
        char longer[40];
        std::snprintf(longer, sizeof longer, "%.17g", value);
        RC_ASSERT(text.size() - 1 <= std::strlen(longer));
    }));
}

TEST(CsvTable, SaysWhyItCannotWrite) {
    const TemporaryFolder folder;
    const std::vector<std::string> columns{"a"};
    EXPECT_EQ(error_of([&] { CsvTable(folder / "no" / "a.csv", columns); }),
              "8: could not write '" + (folder / "no/a.csv").string() + "' (the folder '" + (folder / "no").string() + "' does not exist)");
    EXPECT_EQ(error_of([&] { CsvTable(std::filesystem::path("/dev/full"), columns); }),
              "8: could not write '/dev/full' (No space left on device) free some space, or write elsewhere");
}

TEST(CsvTable, AFullDiskLeavesWholeRows) {
    const TemporaryFolder folder;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    CsvTable table(folder / "a.csv", std::vector<std::string>{"n"});
    const rlimit small{17, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string said = error_of([&] {
        for (int i = 0; i < 10; ++i) table.row(std::vector<TableValue>{std::int64_t{10001}});
    });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(said, HasSubstr("8: could not write"));
    EXPECT_EQ(contents(folder / "a.csv"), "n\n10001\n10001\n");
}

} // namespace tessera::test::csv_test
