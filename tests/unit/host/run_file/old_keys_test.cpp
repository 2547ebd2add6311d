// Keys by their old names: they are read, by files and by overrides, and a remark has the new one.
#include "device_runtime/error.hpp"
#include "host/run_file/run_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::old_keys_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const run_file::Layer defaults{"[agents.ant]\ncapacity = \"unlimited\"\nroom = 30\n", "ants.cu", "", std::nullopt, true};
const std::string life = "model = \"ants\"\nrun.steps = 1\n";
const std::string of_file = "mine.toml:4:1: the key `room` is called `reserve` now (the old name is still read) write `reserve`";

run_file::RunFile read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return parse_layers({defaults, {life + text, "mine.toml", ""}}, overrides);
}

TEST(OldKeys, AreReadWithARemark) {
    const auto run = read("[agents.ant]\nroom = 50\n");
    EXPECT_EQ(**run.agents.at(0)->reserve, 50u);
    EXPECT_THAT(run.remarks.lines, ElementsAre(of_file));
}

TEST(OldKeys, OfAModelsDefaultsAreReadWithoutOne) {
    const auto run = read("");
    EXPECT_EQ(**run.agents.at(0)->reserve, 30u);
    EXPECT_THAT(run.remarks.lines, IsEmpty());
}

TEST(OldKeys, AndNewOnesTakeEachOthersPlace) {
    EXPECT_EQ(**read("[agents.ant]\nreserve = 60\n").agents.at(0)->reserve, 60u);
    EXPECT_EQ(**read("[agents.ant]\nreserve = 60\n", {"agents.ant.room=70"}).agents.at(0)->reserve, 70u);
    EXPECT_EQ(**read("[agents.ant]\nroom = 60\n", {"agents.ant.reserve=80"}).agents.at(0)->reserve, 80u);
}

TEST(OldKeys, OfOverridesAreReadInWhateverWayTheyAreWritten) {
    for (const auto* text : {"agents.ant.room=90", "agents.ant={room=90}", "agents={ant={room=90}}"}) {
        const auto run = read("", {text});
        EXPECT_EQ(**run.agents.at(0)->reserve, 90u) << text;
        EXPECT_THAT(run.remarks.lines, ElementsAre(HasSubstr("--set " + std::string(text) + ": the key `room`"))) << text;
    }
}

TEST(OldKeys, AreRefusedBesideTheNewOne) {
    try {
        (void)read("[agents.ant]\nreserve = 60\nroom = 70\n");
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "mine.toml:5:1: `reserve` is there twice (`room` is its old name) remove `room`");
    }
}

TEST(OldKeys, AreWrittenByTheirNewNames) {
    const auto text = resolved_toml(read("[agents.ant]\nroom = 50\n"));
    EXPECT_THAT(text, HasSubstr("reserve = 50"));
    EXPECT_EQ(text.find("room"), std::string::npos) << text;
}

TEST(OldKeys, AreStillNoKeysOfOtherTables) { EXPECT_THROW((void)read("[places.cell]\nsize = [4, 4]\nroom = 5\n"), Error); }

} // namespace
} // namespace tessera::test::old_keys_test
