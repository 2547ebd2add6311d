// What functions send along links: what of a run file, and of a model, is refused, in which words.
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace tessera::test::sends_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// tests/models/couriers with other text in some places, and with a run file of these keys.
class SendsOfARunFile : public ::testing::Test {
protected:
    std::string refused(const std::string& keys, const std::string& old = {}, const std::string& text = {}) {
        std::ifstream file(test_model("couriers"));
        std::string model{std::istreambuf_iterator<char>(file), {}};
        if (!old.empty()) {
            const auto at = model.find(old);
            EXPECT_NE(at, std::string::npos) << old;
            model.replace(at, old.size(), text);
        }
        const auto source = folder_.write("couriers.cu", model).string();
        const auto path = folder_.write("run.toml", fmt::format("model = \"{}\"\nrun.steps = 2\n{}", source, keys)).string();
        try {
            (void)prepare({path, {}, {}}, compiler());
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input) << error.what();
            return error.what();
        }
        return "it was not refused";
    }
    TemporaryFolder folder_;
};

TEST_F(SendsOfARunFile, AreAllThatAMemberIs) {
    EXPECT_THAT(refused("places.house.init.letters = 3\n"),
                AllOf(HasSubstr("run.toml:3:"), HasSubstr("house.letters has first values"), HasSubstr("nothing was sent")));
    EXPECT_THAT(refused("", "std::int32_t letters = 0", "std::int32_t letters = 5"),
                AllOf(HasSubstr("couriers.cu:"), HasSubstr("House::letters has a default that is not 0"),
                      HasSubstr("declare it as `letters = 0`")));
    EXPECT_THAT(refused("", "writes<&House::seen>, sets<&House::beside>", "writes<&House::seen, &House::letters>, sets<&House::beside>"),
                AllOf(HasSubstr("couriers.cu:"), HasSubstr("look changes House::letters, to which functions send along links"),
                      HasSubstr("write another member")));
    EXPECT_THAT(refused("", "adds<links<Fence>, &House::weight>) {\n    self.send(links<Fence>, [&](const auto& there) { there.weight +=",
                        "adds<links<Fence>, &House::best>) {\n    self.send(links<Fence>, [&](const auto& there) { there.best +="),
                AllOf(HasSubstr("couriers.cu:"), HasSubstr("sends to House::best by"), HasSubstr("send to another member")));
    EXPECT_THAT(refused("phase = [{ callAll = \"depot.dispatch\" }, { rotate = [\"house.weight\", \"house.beside\"] }]\n"),
                AllOf(HasSubstr("cannot rotate house.weight"), HasSubstr("functions send to it along links")));
}

TEST_F(SendsOfARunFile, AreThereOnceAStep) {
    EXPECT_THAT(refused("phase = [{ repeat = { times = 2, phases = [{ callAll = \"depot.dispatch\" }] } }]\n"),
                AllOf(HasSubstr("run.toml:3:"), HasSubstr("callAll depot.dispatch stands in a repeat")));
    EXPECT_THAT(refused("", "TESSERA_CALL(House, gossip", "TESSERA_INIT(House, gossip"),
                AllOf(HasSubstr("couriers.cu:"), HasSubstr("house.gossip sends along links before the first step"),
                      HasSubstr("send in a TESSERA_CALL function")));
}

TEST_F(SendsOfARunFile, HaveRoomForDelays) {
    EXPECT_THAT(refused("links.route.delays = 0\n"), AllOf(HasSubstr("run.toml:3:"), HasSubstr("an integer from 1 to 65536")));
    WorldUnderTest world(test_model("couriers"), {"links.route.delays=9"});
    const auto& house = world.setup().collections[require_collection(world.setup(), "house", {})];
    for (const auto& sent : house.sent) {
        const auto& name = world.setup().row_of(house).members[sent.member].name;
        // Along two types of links: the room of that which has more. The least and the most are there at once.
        EXPECT_EQ(house.columns[sent.column].planes, sent.as != model::SentAs::sum ? 1 : name == "weight" ? 64 : 9) << name;
    }
    EXPECT_EQ(house.sent.size(), 6u);
}

// Ranges of places with their own probabilities, or numbers of links.
TEST_F(SendsOfARunFile, GoAlongBlocks) {
    const auto blocks = [&](const std::string& rule) {
        return refused("places.depot.count = 30\nplaces.house.size = [5, 4]\nlinks.route.generate = { rule = \"blocks\", " + rule + " }\n");
    };
    EXPECT_THAT(blocks("sizes = [10, 20], to_sizes = [5, 5, 5], chances = [[0, 1, 0], [1, 0, 1]]"),
                AllOf(HasSubstr("the to_sizes of `links.route` are 15 places together"), HasSubstr("there are 20")));
    EXPECT_THAT(blocks("sizes = [10, 20], to_sizes = [20], chances = [[0]]"), HasSubstr("2 lists of 1 numbers"));
    EXPECT_THAT(blocks("sizes = [30], to_sizes = [20], chances = [[1.5]]"), HasSubstr("a number from 0 to 1"));
    EXPECT_THAT(blocks("sizes = [30], to_sizes = [20]"), HasSubstr("no `chances`"));
    EXPECT_THAT(blocks("sizes = [30], to_sizes = [20], chances = [[1]], counts = [[7]]"), HasSubstr("together with `chances`"));
    EXPECT_THAT(refused("links.fence.generate = { rule = \"blocks\", sizes = [8, 100], chances = [[0, 0.5], [0.2, 0]] }\n"),
                AllOf(HasSubstr("`links.fence` has two numbers for ranges 0 and 1"), HasSubstr("no direction")));
}

} // namespace
} // namespace tessera::test::sends_test
