// Run files that are very large, very deep, or made to do harm.
#include "device_runtime/error.hpp"
#include "host/run_file/run_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::run_file::hostile_run_file_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The smallest run file, with more at its end, which is line 3.
std::string with(const std::string& more) { return "model = \"m\"\nrun.steps = 1\n" + more; }

std::string dotted(int names, const std::string& end) {
    std::string text = "a";
    for (int i = 1; i < names; ++i) text += ".a";
    return text + end;
}

std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
        (void)parse_run_file(text, "r.toml", overrides);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(HostileRunFile, OfTablesNestedTooDeeplyIsRefusedWhereItIs) {
    const std::string why = "nested too deeply (more than 100 names and brackets within each other) use fewer dots and brackets";
    const int many = 200000; // which no stack holds
    EXPECT_EQ(message_of(with(dotted(many, " = 1"))), "r.toml:3:200: " + why);
    EXPECT_THAT(message_of(with("[" + dotted(many, "]"))), HasSubstr(why));
    EXPECT_THAT(message_of(with("[[" + dotted(many, "]]"))), HasSubstr(why));
    EXPECT_THAT(message_of(with("x = [{" + dotted(60, " = {") + dotted(60, " = 1}}]"))), HasSubstr(why));
    EXPECT_THAT(message_of(with("x = " + std::string(many, '['))), HasSubstr(why));
    EXPECT_THAT(message_of(with(""), {dotted(many, "=1")}), HasSubstr("more than 100 names and brackets within each other"));
    EXPECT_THAT(message_of(with(""), {"params.x=" + std::string(many, '{')}), HasSubstr("more than 100 names"));
    EXPECT_THAT(message_of(with(""), {"params.x={" + dotted(many, "=1}")}), HasSubstr("more than 100 names"));
}

TEST(HostileRunFile, DotsAndBracketsInTextsAndCommentsAreNone) {
    const auto dots = dotted(500, ""), brackets = std::string(500, '[');
    for (const std::string& value :
         {"\"" + dots + brackets + R"(\"")", "'" + dots + "'", R"(""")" + std::string("\n") + dots + "\"" + brackets + R"("""")",
          "'''" + brackets + "''" + dots + "'''", "1 # " + dots + "'" + brackets})
        EXPECT_THAT(message_of(with("x = " + value + "\n")), StartsWith("r.toml:3:1: unknown key `x`")) << value;
    std::string rows = "x = [";
    for (int i = 0; i < 5000; ++i) rows += "[1.5, 2.5], { a.b.c = 0.5 },\n";
    EXPECT_THAT(message_of(with(rows + "]")), StartsWith("r.toml:3:1: unknown key `x`"));
}

// Both took the square of their number, which was minutes.
TEST(HostileRunFile, OfVeryManyEntriesIsRead) {
    std::string outputs, parameters = "[params]\n";
    for (int i = 0; i < 20000; ++i) outputs += "[[output]]\nevery = 1\ncsv = \"" + std::to_string(i) + ".csv\"\ncolumns = {a = \"step\"}\n";
    for (int i = 0; i < 100000; ++i) parameters += "p" + std::to_string(i) + " = 1\n";
    const auto run = parse_run_file(with(outputs + parameters), "r.toml");
    EXPECT_EQ(run.outputs.size(), 20000u);
    EXPECT_EQ(run.params.size(), 100000u);
    EXPECT_EQ(message_of(with(outputs + "[[output]]\nevery = 1\ncsv = \"77.csv\"\ncolumns = {a = \"step\"}\n")),
              "r.toml:80005:7: two outputs write `77.csv` (the other is at r.toml:313:7) give each its own name");
}

TEST(HostileRunFile, IsQuotedInPartAndWithoutWhatATerminalWouldObey) {
    const auto long_key = message_of(with(std::string(1 << 20, 'k') + " = 1"));
    EXPECT_LT(long_key.size(), 2000u);
    EXPECT_THAT(long_key, StartsWith("r.toml:3:1: unknown key `kkkk"));
    EXPECT_LT(message_of(with("run.seed = \"" + std::string(1 << 20, 't') + "\"")).size(), 2000u);
    EXPECT_LT(message_of(with(""), {"run.seed=" + std::string(1 << 20, 't')}).size(), 2000u);
    EXPECT_LT(message_of(with("run.stop = \"" + std::string(1 << 20, '(') + "\"")).size(), 2000u);
    EXPECT_THAT(message_of(with(R"("a\u001b[31m" = 1)")), HasSubstr(R"(unknown key `a\x1b[31m`)"));
    for (const auto& told : {message_of(with(R"("a\u001b[31m\nerror: mine" = 1)")), message_of(with(R"(run.stop = "\u001b]0;x\u0007")")),
                             message_of(with(R"(places."\u009b\u202e" = {size = [1]})")), message_of(with(""), {"run.seed=\x1b[31m\n"})})
        for (const char* const obeyed : {"\x1b", "\n", "\x07", "\xc2\x9b", "\xe2\x80\xae"})
            EXPECT_EQ(told.find(obeyed), std::string::npos) << told;
}

} // namespace
} // namespace tessera::run_file::hostile_run_file_test
