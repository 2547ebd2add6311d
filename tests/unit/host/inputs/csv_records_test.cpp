#include "host/inputs/csv_records.hpp"
#include "host/inputs/parse_value.hpp"
#include "tests/unit/host/inputs/arrays_support.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace tessera::test::csv_records_test {

namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const std::vector<CsvField>& fields) {
    Texts texts;
    for (const auto& field : fields) texts.emplace_back(field.text);
    return texts;
}

// The names, then each record.
std::vector<Texts> all_of(const std::string& text) {
    CsvRecords records(text, "a.csv");
    std::vector<Texts> all{texts_of(records.names())};
    while (records.next()) all.push_back(texts_of(records.fields()));
    return all;
}

// The value that a text gives; what it is put beside stays.
template<class T> std::optional<T> value_of(const std::string& text) {
    T value[2] = {T(1), T(1)};
    const auto parsed = parse_value(text, Array::scalar_of<T>(), reinterpret_cast<std::byte*>(value));
    EXPECT_EQ(value[1], T(1));
    return parsed == Parsed::value ? std::optional(value[0]) : std::nullopt;
}
template<class T> Parsed refusal_of(const std::string& text) {
    T value{};
    return parse_value(text, Array::scalar_of<T>(), reinterpret_cast<std::byte*>(&value));
}

} // namespace

TEST(CsvRecords, ReadsEverySeparatorCommentAndLineEnd) {
    for (const char* text :
         {"x,y\n1,2\n3,4\n", "x;y\r\n1;2\r\n3;4\r\n", "x\ty\n1\t2\n3\t4", "x y\n 1   2\n3 4 ", "x , y\r1,2\r3,4\r",
          "\xef\xbb\xbfx,y\n1,2\n3,4\n", "# of a run\n\nx,y # places\n1,2\n  \n# half\n3,4 # end\n", "\"x\",\"y\"\n\"1\",2\n3,\" 4 \"\n"})
        EXPECT_EQ(all_of(text), (std::vector<Texts>{{"x", "y"}, {"1", "2"}, {"3", "4"}})) << text;
    EXPECT_EQ(all_of("x\n1\n"), (std::vector<Texts>{{"x"}, {"1"}}));
    EXPECT_EQ(all_of("x,y\n,\n"), (std::vector<Texts>{{"x", "y"}, {"", ""}})); // not an empty line
    EXPECT_EQ(all_of("x,y"), (std::vector<Texts>{{"x", "y"}}));
}

TEST(CsvRecords, KnowsWhereItIs) {
    const std::string text = "# note\nx, y\n\n11, 22\n";
    CsvRecords records(text, "a.csv");
    EXPECT_EQ(records.line_of_names(), 2);
    EXPECT_EQ(records.line(), 2);
    EXPECT_EQ(records.names()[1].column, 3u);
    ASSERT_TRUE(records.next());
    EXPECT_EQ(records.line(), 4);
    EXPECT_EQ(records.fields()[1].column, 4u);
    EXPECT_FALSE(records.next());
}

TEST(CsvRecords, RefusesWhatIsNoTable) {
    const auto refused = [](const std::string& text) { return error_of([&] { (void)all_of(text); }); };
    EXPECT_EQ(refused(""), "3: a.csv: no line of names (the file is empty, or has only comments) name the columns in its first line");
    EXPECT_EQ(refused("#x,y\n"), refused(""));
    EXPECT_EQ(refused("\xef\xbb\xbf"), refused(""));
    EXPECT_EQ(refused("\nx,y\n1,2\n3\n"), "3: a.csv:4: 1 field in this line (line 2 names 2)");
    EXPECT_EQ(refused("x,y\n1,2,\n"), "3: a.csv:2: 3 fields in this line (line 1 names 2)");
}

TEST(ParseValue, KeepsIntegersWhole) {
    EXPECT_EQ(value_of<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(value_of<std::uint64_t>("9007199254740993"), 9007199254740993u); // no double
    EXPECT_EQ(value_of<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(value_of<std::int8_t>("-128"), -128);
    EXPECT_EQ(value_of<std::uint8_t>("+255"), 255);
    EXPECT_EQ(value_of<std::uint8_t>("-0"), 0);
    EXPECT_EQ(value_of<std::int32_t>("3.0"), 3); // as other programs write whole numbers
    EXPECT_EQ(value_of<std::int32_t>("-2e3"), -2000);
    EXPECT_EQ(value_of<bool>("1"), true);
    EXPECT_EQ(value_of<bool>("False"), false);
}

TEST(ParseValue, RoundsFloatsOnce) {
    EXPECT_EQ(value_of<float>("0.1"), 0.1f);
    // Above the middle of 1 and the next float by less than a double shows: rounded to a double first it would become 1.
    EXPECT_EQ(value_of<float>("1.00000005960464477540"), std::nextafter(1.0f, 2.0f));
    EXPECT_EQ(value_of<float>("1e-60"), 0.0f);
    EXPECT_EQ(value_of<float>("1e-45"), std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(value_of<float>("-inf"), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(*value_of<double>("nan")));
    EXPECT_TRUE(std::signbit(*value_of<double>("-0")));
}

TEST(ParseValue, RefusesWhatATypeDoesNotHold) {
    for (const char* text : {"256", "-1", "1.5", "1e3", "nan", "inf"}) EXPECT_EQ(refusal_of<std::uint8_t>(text), Parsed::not_held) << text;
    EXPECT_EQ(refusal_of<std::uint64_t>("18446744073709551616"), Parsed::not_held);
    EXPECT_EQ(refusal_of<std::int64_t>("9223372036854775808"), Parsed::not_held);
    EXPECT_EQ(refusal_of<bool>("2"), Parsed::not_held);
    EXPECT_EQ(refusal_of<float>("1e39"), Parsed::not_held);
    for (const char* text : {"", "x", "0x10", "1 2", "--1", "+-1", "1e", "1,5", "true"})
        EXPECT_EQ(refusal_of<std::int32_t>(text), Parsed::no_number) << text;
    EXPECT_EQ(refusal_of<std::int32_t>(std::string("1\0", 2)), Parsed::no_number);
    EXPECT_EQ(refusal_of<double>("1e400"), Parsed::no_number); // as in other files
}

} // namespace tessera::test::csv_records_test
