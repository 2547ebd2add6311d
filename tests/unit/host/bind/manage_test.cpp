// Of which kernels a manageAll is made: what functions may ask for and agents are stored as, and nothing else.
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::manage_test {
namespace {

using ::testing::ElementsAre;

Setup setup_of(const std::string& model, std::vector<std::string> keys = {}, bool on_one_cpu = false) {
    keys.insert(keys.begin(), {"output=[]", "run.steps=1"});
    static std::vector<Prepared> kept; // a setup is of a model that lives
    RunRequest request{model, std::move(keys), {}};
    request.on_one_cpu = on_one_cpu;
    return kept.emplace_back(prepare(request, compiler())).setup;
}

// "hare move requests", of each manageAll in turn.
std::vector<std::string> kernels_of(const Setup& setup) {
    std::vector<std::string> names;
    for (const auto& phase : setup.phases)
        if (const auto* manage = std::get_if<ManagePhase>(&phase.action))
            for (const auto kernel : manage->kernels)
                names.push_back(setup.collections[setup.kernels[kernel].collection].name + " " + setup.kernels[kernel].kind->name());
    return names;
}

TEST(ManageAll, OfSlotsGrantsMoveRequestsMakesBirthsAndThenGoesOverSlots) {
    EXPECT_THAT(kernels_of(setup_of(test_model("dunes"), {R"(phase=[{callAll="beetle.crawl"},{manageAll="beetle"}])"})),
                ElementsAre("beetle move_requests", "beetle births", "beetle slots_and_birth_requests"));
}

TEST(ManageAll, OfAListMakesItAnew) {
    EXPECT_THAT(kernels_of(setup_of(test_model("dunes"), {R"(phase=[{callAll="ant.carry"},{manageAll="ant"}])"})),
                ElementsAre("ant find_targets", "ant find_starts", "ant enter_agents", "ant settle_list"));
}

TEST(ManageAll, OfAListInWhichNobodyMovesIsARunningSum) {
    const auto setup = setup_of(plugin("wolf_sheep"), {"agents.sheep.capacity=\"unlimited\"", "agents.wolf.capacity=\"unlimited\""});
    const auto all = kernels_of(setup);
    EXPECT_THAT(all, ElementsAre("sheep find_targets", "sheep find_starts", "sheep enter_agents", "sheep settle_list", "wolf find_targets",
                                 "wolf find_starts", "wolf enter_agents", "wolf settle_list", "sheep sum_staying", "sheep settle_staying",
                                 "sheep move_starts", "sheep sum_staying", "sheep settle_staying", "sheep move_starts", "wolf sum_staying",
                                 "wolf settle_staying", "wolf move_starts"));
}

// Whether one device that makes the run finds where agents will be while it calls functions.
bool finds_targets(const std::string& phases, std::vector<std::string> keys = {}) {
    keys.push_back("phase=" + phases);
    const auto setup = setup_of(test_model("dunes"), std::move(keys));
    bool finds = false;
    for (const auto& phase : setup.phases)
        if (const auto* manage = std::get_if<ManagePhase>(&phase.action)) {
            finds |= setup.launched_for(*manage).size() < manage->kernels.size();
            EXPECT_EQ(manage->with.empty(), manage->made_by_functions.empty());
        }
    return finds;
}

TEST(ManageAll, OfAListHasTargetsFoundByTheLastFunctionThatMoves) {
    EXPECT_TRUE(finds_targets(R"([{callAll="ant.carry"},{manageAll="ant"}])"));
    EXPECT_TRUE(finds_targets(R"([{callAll="ant.carry"},{callAll="sand.seep"},{manageAll="ant"}])"));
    EXPECT_FALSE(finds_targets(R"([{callAll="ant.carry",every=2},{manageAll="ant"}])")) << "not in each step";
    EXPECT_FALSE(finds_targets(R"([{callAll="ant.carry"},{callAll="ant.carry"},{manageAll="ant"}])")) << "twice in a step";
    EXPECT_FALSE(finds_targets(R"([{callAll="beetle.crawl"},{manageAll="beetle"}])")) << "in slots";
    EXPECT_FALSE(finds_targets(R"([{callAll="gnat.dance"},{manageAll="gnat"}])")) << "in space";
}

TEST(ManageAll, OfAListInTheOrderOfIdsHasThreePartsAtMost) {
    const auto phases = [](const std::string& function) { return R"(phase=[{callAll=")" + function + R"("},{manageAll="*"}])"; };
    EXPECT_THAT(kernels_of(setup_of(test_model("dunes"), {phases("beetle.crawl")}, true)),
                ElementsAre("beetle list_moves", "beetle list_births", "beetle list_settles"));
    EXPECT_THAT(kernels_of(setup_of(test_model("dunes"), {phases("ant.carry")}, true)), ElementsAre("ant list_moves", "ant list_settles"));
}

TEST(ManageAll, OfAgentsOfWhomNothingIsAskedIsNone) {
    EXPECT_THAT(
        kernels_of(setup_of(test_model("dunes"), {R"(phase=[{callAll="sand.seep"},{manageAll="beetle"}])", R"(schedule.exchange="auto")"})),
        ElementsAre());
}

TEST(ManageAll, OfThoseWhoGoAnywhereBidsForEachSlotOfAPlace) {
    EXPECT_THAT(kernels_of(setup_of(test_model("nomads"), {"agents.nomad={count=70,capacity=2,on_edge=\"refuse\"}",
                                                           R"(phase=[{callAll="nomad.roam"},{manageAll="nomad"}])"})),
                ElementsAre("nomad bid_for_places", "nomad grant_bids", "nomad bid_for_places", "nomad grant_bids", "nomad births",
                            "nomad slots_and_birth_requests"));
}

// The parents of other types before what they want is forgotten.
TEST(ManageAll, TellsParentsOfRefusedBirthsBeforeAnySlotIsSettled) {
    const auto setup = setup_of(test_model("nurseries"), {R"(phase=[{callAll="bird.live"},{manageAll="*"}])"});
    EXPECT_THAT(kernels_of(setup), ElementsAre("bird forget_refused_births", "bird move_requests", "egg births", "bird marked_slots",
                                               "egg slots_and_birth_requests"));
}

TEST(Roles, OfAllColumnsSayWhatTheyHold) {
    const auto setup = setup_of(test_model("nurseries"));
    const auto birds = *setup.find_collection("bird");
    EXPECT_EQ(setup.member_of(setup.column_of(birds, Role::refused_births)).name, "(refused births)");
    EXPECT_EQ(setup.find_column(birds, Role::goal), std::nullopt);
    std::vector<std::string> state;
    for (const auto column : setup.columns.ids())
        if (setup.columns[column].collection == birds && is_state(setup[column].role)) state.push_back(setup.member_of(column).name);
    EXPECT_THAT(state, ElementsAre("bereft", "(code)", "(id)", "(refused births)"));
}

} // namespace
} // namespace tessera::test::manage_test
