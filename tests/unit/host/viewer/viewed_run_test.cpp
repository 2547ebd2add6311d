// A run that is looked at and steered: the same bits as one that nobody sees, frames of what is there, changes that can be replayed.
// sanitizers: address, thread
#include "tests/unit/host/viewer/viewed_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tessera::test::viewed_run_test {
namespace {

TEST_F(ViewedRun, HasTheStateOfOneThatNobodySees) {
    begin(request());
    TestPage page(server_.address());
    EXPECT_EQ(page.until("about")["parameters"].size(), 5U);
    page.say({{"do", "step"}, {"steps", 7}});
    page.until("state", [](const Json& state) { return state["step"] == "7" && state["status"] == "paused"; });
    page.say({{"do", "speed"}, {"steps_per_second", 400}});
    page.say({{"do", "play"}});
    for (int i = 0; i < 5; ++i) {
        auto next = look();
        next["x"] = i;
        page.say(next);
        page.until("frame");
    }
    page.say({{"do", "inspect"}, {"places", "grass"}, {"x", 1}, {"y", 1}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    const auto result = finished_.get();
    WorldUnderTest straight(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    straight.step_to(60);
    EXPECT_EQ(result.report.state_hash, straight.hash());
}

TEST_F(ViewedRun, ShowsWhatIsThere) {
    begin(request());
    TestPage page(server_.address());
    page.say({{"do", "step"}, {"steps", 9}});
    page.until("state", [](const Json& state) { return state["step"] == "9" && state["status"] == "paused"; });
    page.say({{"do", "range"}, {"layer", "grass.countdown"}, {"low", "0"}, {"high", "10"}});
    page.say(look());
    page.until("frame");
    page.say({{"do", "end"}});
    (void)finished_.get();

    WorldUnderTest straight(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    straight.step_to(9);
    const auto grass = straight.values<std::uint8_t>("grass", "countdown");
    constexpr std::int64_t width = 15, height = 14; // of 40 x 30 places from (3, 2) on, two a pixel
    ASSERT_EQ(number_at<std::uint32_t>(page.frame, 32), width);
    ASSERT_EQ(number_at<std::uint32_t>(page.frame, 36), height);
    EXPECT_EQ(number_at<std::uint64_t>(page.frame, 8), 9U);
    EXPECT_EQ(number_at<std::uint32_t>(page.frame, 64), 7U) << "the look that is answered";
    EXPECT_EQ(number_at<std::uint32_t>(page.frame, 44), 21U) << "places, a range that was given, points";
    const auto sheep = straight.agents("sheep");
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < sheep.size(); ++i)
        if (sheep.places[i] % 40 >= 3 && sheep.places[i] % 40 < 33 && sheep.places[i] / 40 >= 2) expected.push_back(sheep.ids[i]);
    const auto count = number_at<std::uint32_t>(page.frame, 76);
    ASSERT_EQ(page.frame.size(), 80U + width * height + 8 + 22 * count);
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(number_at<std::uint64_t>(page.frame, 80 + width * height + 8 + 8 * i));
    EXPECT_EQ(ids, expected) << "few agents come one by one, with their ids";
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const auto value = grass[static_cast<std::size_t>((2 + 2 * y) * 40 + 3 + 2 * x)];
            const auto byte = static_cast<unsigned char>(page.frame[static_cast<std::size_t>(80 + y * width + x)]);
            EXPECT_EQ(byte, static_cast<unsigned>(value * 25.4 + 0.5)) << x << ", " << y;
        }
}

TEST_F(ViewedRun, ShowsTheMeanOfManyPlacesInColoursFittedToAll) {
    begin(request());
    TestPage page(server_.address());
    page.say({{"do", "range"}, {"layer", "grass.countdown"}, {"low", "5"}, {"high", "3"}});
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("the lower one first"));
    page.say({{"do", "step"}, {"steps", 9}});
    page.until("state", [](const Json& state) { return state["step"] == "9" && state["status"] == "paused"; });
    page.say({{"do", "look"}, {"layer", "grass.countdown"}, {"across", 50}, {"width", 1}, {"height", 1}, {"look", 8}});
    do page.until("frame");
    while (number_at<std::uint32_t>(page.frame, 64) != 8);
    page.say({{"do", "end"}});
    (void)finished_.get();

    WorldUnderTest straight(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    straight.step_to(9);
    const auto grass = straight.values<std::uint8_t>("grass", "countdown");
    const double low = *std::min_element(grass.begin(), grass.end()), high = *std::max_element(grass.begin(), grass.end());
    const double mean = std::accumulate(grass.begin(), grass.end(), 0.0) / static_cast<double>(grass.size());
    ASSERT_EQ(page.frame.size(), 81U) << "one pixel, and nobody is to be seen";
    EXPECT_EQ(number_at<double>(page.frame, 48), low);
    EXPECT_EQ(number_at<double>(page.frame, 56), high);
    EXPECT_EQ(static_cast<unsigned char>(page.frame[80]), static_cast<unsigned>((mean - low) / (high - low) * 254 + 0.5));
}

TEST_F(ViewedRun, ColoursAgentsByAMember) {
    begin(request());
    TestPage page(server_.address());
    auto asked = look();
    asked["across"] = 1, asked["x"] = 0, asked["y"] = 0, asked["width"] = 40;
    asked["shades"] = {{{"collection", "sheep"}, {"member", "energy"}, {"colours", "viridis"}},
                       {{"collection", "wolf"}, {"member", "no_such"}, {"colours", "no_such"}}};
    page.say(asked);
    const auto told = page.until("shades", [](const Json& shades) { return !shades.empty(); });
    page.until("frame");
    WorldUnderTest straight(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    const auto sheep = straight.agents("sheep");
    const auto energy = straight.agent_values<float>("sheep", "energy");
    const auto [least, most] = std::minmax_element(energy.begin(), energy.end());
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]["low"], *least);
    EXPECT_EQ(told[0]["high"], *most);
    const auto begin_of_shades = 80 + 40 * 30 + 8 + 21 * sheep.size();
    ASSERT_EQ(page.frame.size(), begin_of_shades + sheep.size());
    for (std::size_t i = 0; i < sheep.size(); ++i)
        EXPECT_NEAR(static_cast<unsigned char>(page.frame[begin_of_shades + i]), (energy[i] - *least) / (*most - *least) * 254, 0.51) << i;
    page.say({{"do", "end"}});
    (void)finished_.get();
}

// Each request that steers, of a page that may look alone.
TEST_F(ViewedRun, IsSteeredByNobodyWhoMayLookAlone) {
    begin(request());
    TestPage guest(server_.look_address()), owner(server_.address());
    EXPECT_EQ(guest.until("rights")["steers"], false);
    EXPECT_EQ(owner.until("rights")["steers"], true);
    const Json steers[] = {
        {{"do", "play"}},
        {{"do", "pause"}},
        {{"do", "step"}, {"steps", 3}},
        {{"do", "speed"}, {"steps_per_second", 5}},
        {{"do", "until"}, {"condition", "step > 5"}},
        {{"do", "set"}, {"name", "sheep_births"}, {"value", "0.5"}},
        {{"do", "paint"}, {"layer", "grass.countdown"}, {"shape", "brush"}, {"size", 5}, {"path", {{3, 4}}}, {"value", "3"}},
        {{"do", "undo"}},
        {{"do", "range"}, {"layer", "grass.countdown"}, {"low", "0"}, {"high", "3"}},
        {{"do", "again"}, {"seed", "7"}},
        {{"do", "end"}},
        {{"do", "what is thought of later"}}};
    for (const auto& each : steers) {
        guest.say(each);
        EXPECT_EQ(guest.until("message")["text"], "this page may look, and steers nothing") << each;
    }
    guest.say(look());
    guest.until("frame");
    EXPECT_EQ(number_at<std::uint64_t>(guest.frame, 8), 0U);
    EXPECT_EQ(number_at<std::uint32_t>(guest.frame, 44) & 4, 0U) << "nobody gave the ends of the colours";
    guest.say({{"do", "inspect"}, {"places", "grass"}, {"x", 3}, {"y", 4}});
    EXPECT_EQ(guest.until("place")["x"], 3);
    EXPECT_EQ(owner.until("state")["status"], "paused");
    owner.say({{"do", "play"}});
    owner.until("state", [](const Json& state) { return state["status"] == "finished"; });
    owner.say({{"do", "end"}});
    const auto report = finished_.get().report;
    EXPECT_EQ(report.edits.size(), 1U) << "the sources that it began with";
    WorldUnderTest straight(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    straight.step_to(60);
    EXPECT_EQ(report.state_hash, straight.hash());
}

TEST_F(ViewedRun, ShowsNothingToAPageThatWantsNothing) {
    begin(request());
    TestPage page(server_.address());
    page.say(look());
    page.until("frame");
    page.say({{"do", "show"}, {"every", 0}});
    page.say({{"do", "play"}});
    page.frame.clear();
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    EXPECT_TRUE(page.frame.empty());
    page.say(look());
    page.until("frame");
    EXPECT_EQ(number_at<std::uint64_t>(page.frame, 8), 60U) << "what is looked at anew is shown in any case";
    page.say({{"do", "end"}});
    (void)finished_.get();
}

TEST_F(ViewedRun, KeepsWhatIsChangedAndIsReplayed) {
    begin(request());
    TestPage page(server_.address());
    page.say({{"do", "step"}, {"steps", 20}});
    page.until("state", [](const Json& state) { return state["step"] == "20" && state["status"] == "paused"; });
    page.say({{"do", "set"}, {"name", "sheep_births"}, {"value", "0.9"}});
    page.until("parameters", [](const Json& values) { return values.dump().find("0.9") != std::string::npos; });
    TestPage later(server_.address());
    const auto edits = later.until("edits");
    ASSERT_EQ(edits.size(), 1U) << "a page that comes later is told of it";
    EXPECT_EQ(edits[0], (Json{{"name", "sheep_births"}, {"value", "0.9"}, {"step", "20"}}));
    page.say({{"do", "set"}, {"name", "sheep_births"}, {"value", "7"}});
    const auto refusal = page.until("message");
    EXPECT_THAT(refusal["text"].get<std::string>(), ::testing::HasSubstr("sheep_births"));
    page.say({{"do", "set"}, {"name", "no_such"}, {"value", "1"}});
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("no_such"));
    for (const auto& [name, value] : {std::pair("sheep_births", "0.1\nrun.out = \"elsewhere\""), std::pair("x\nrun.seed", "5"),
                                      std::pair("sheep_births", "{}"), std::pair("", "1")}) {
        page.say({{"do", "set"}, {"name", name}, {"value", value}});
        EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("other characters")) << name << value;
    }
    page.say({{"do", "play"}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    const auto result = finished_.get();
    ASSERT_EQ(result.report.edits.size(), 2U);
    EXPECT_EQ(result.report.edits[1].step, 20U);

    WorldUnderTest unchanged(plugin("wolf_sheep"), {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=50"});
    unchanged.step_to(60);
    EXPECT_NE(result.report.state_hash, unchanged.hash());
    EXPECT_EQ(replayed(result, 2), result.report.state_hash);
}

// The bytes of a frame of all places, with values from 0 to 254 as they are.
std::vector<unsigned char> places_of(const std::string& frame) {
    if (frame.size() < 80 + 40 * 30) return {};
    return {frame.begin() + 80, frame.begin() + 80 + 40 * 30};
}

TEST_F(ViewedRun, IsPaintedWithUndoAndReplayed) {
    begin(request({R"~(output=[{every=1000,csv="sums.csv",columns={grass="sum(grass.countdown)"}}])~"}));
    TestPage page(server_.address());
    const auto paint = [&](const char* shape, const Json& path, const char* value, int size = 1) {
        page.say({{"do", "paint"}, {"layer", "grass.countdown"}, {"shape", shape}, {"path", path}, {"value", value}, {"size", size}});
    };
    const auto expect_shown = [&](const std::vector<unsigned char>& expected) { // states come ten times a second
        for (int i = 0; i < 50 && places_of(page.frame) != expected; ++i) page.until("state");
        EXPECT_EQ(places_of(page.frame), expected);
    };
    page.say({{"do", "range"}, {"layer", "grass.countdown"}, {"low", "0"}, {"high", "254"}});
    page.say({{"do", "look"}, {"layer", "grass.countdown"}, {"x", 0}, {"y", 0}, {"across", 1}, {"width", 40}, {"height", 30}});
    page.until("frame");

    // The whole grid before the first step, which belongs to state 0; a disc, and a box.
    std::vector<unsigned char> expected(40 * 30, 10);
    paint("box", {{0, 29}, {39, 0}}, "10");
    page.until("painted");
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) {
            if (4 * ((x - 38) * (x - 38) + y * y) <= 7 * 7) expected[static_cast<std::size_t>(y * 40 + x)] = 99;
            if (x >= 3 && x <= 6 && y >= 20 && y <= 22) expected[static_cast<std::size_t>(y * 40 + x)] = 50;
        }
    paint("brush", {{38, 0}}, "99", 7);
    paint("box", {{6, 22}, {3, 20}}, "50");
    EXPECT_EQ(page.until("painted")["step"], "0");
    page.until("painted");
    page.until("state", [](const Json& state) { return state["undo"] == 3; });
    expect_shown(expected);
    // A fill of the box, undone again.
    paint("fill", {{4, 21}}, "7");
    page.until("painted");
    page.say({{"do", "undo"}});
    EXPECT_EQ(page.until("painted")["undone"], true);
    page.until("state", [](const Json& state) { return state["undo"] == 3; });
    expect_shown(expected);

    page.say({{"do", "step"}, {"steps", 5}});
    page.until("state", [](const Json& state) { return state["step"] == "5" && state["status"] == "paused"; });
    page.say({{"do", "undo"}});
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("nothing was painted at this state"));
    paint("brush", {{0, 15}, {39, 29}}, "120", 3);
    page.until("painted");
    page.say({{"do", "play"}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    const auto result = finished_.get();
    ASSERT_EQ(result.report.edits.size(), 7U);
    EXPECT_EQ(result.report.edits[6].step, 5U);
    const auto first_row = "\n0," + std::to_string(std::accumulate(expected.begin(), expected.end(), 0)) + "\n";
    EXPECT_THAT(contents_of(result.folder / "sums.csv"), ::testing::HasSubstr(first_row)) << "outputs see what was painted";
    EXPECT_EQ(replayed(result, 2), result.report.state_hash);
    EXPECT_EQ(replayed(result, 3), result.report.state_hash);
    EXPECT_THAT(contents_of(folder_.path() / "again3/sums.csv"), ::testing::HasSubstr(first_row));
}

TEST_F(ViewedRun, RefusesWhatCannotBePainted) {
    begin(request());
    TestPage page(server_.address());
    page.until("about");
    const Json fine{{"do", "paint"}, {"layer", "grass.countdown"}, {"path", Json::parse("[[3,4]]")}, {"value", "3"}};
    for (const auto& [key, value, why] :
         std::vector<std::tuple<const char*, Json, const char*>>{{"layer", "grass.height", "countdown"},
                                                                 {"layer", "sheep.energy", "sheep are agents"},
                                                                 {"layer", "meadow.countdown", "no collection"},
                                                                 {"value", "300", "grass.countdown cannot be 300"},
                                                                 {"value", "2.5", "cannot be 2.5"},
                                                                 {"value", "inf", "not finite"},
                                                                 {"value", "many", "no number"},
                                                                 {"path", Json::parse("[[40,4]]"), "there is no place (40, 4)"},
                                                                 {"path", Json::parse("[[-1,4]]"), "there is no place"},
                                                                 {"path", Json::array(), "places"},
                                                                 {"plane", 1, "there is no plane 1"},
                                                                 {"element", 1, "no element 1"},
                                                                 {"element", 4294967296, "no element -1"},
                                                                 {"element", "1", "its element is no whole number"},
                                                                 {"path", Json::parse("[[3,4],[3.5,4]]"), "no whole number"},
                                                                 {"path", Json::parse("[[3,18446744073709551615]]"), "no whole number"},
                                                                 {"path", Json::parse("[[3,4,5]]"), "not two numbers"},
                                                                 {"plane", 0.5, "its plane is no whole number"},
                                                                 {"size", 2.5, "its size is no whole number"},
                                                                 {"size", 5000, "a brush has a size"},
                                                                 {"shape", "box", "a box has two corners"}}) {
        auto wrong = fine;
        wrong[key] = value;
        page.say(wrong);
        EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr(why)) << wrong;
    }
    page.say({{"do", "end"}});
    EXPECT_EQ(finished_.get().report.edits.size(), 1U);
}

TEST_F(ViewedRun, GoesOnUntilAConditionHolds) {
    begin(request());
    TestPage page(server_.address());
    page.until("about");
    const auto until = [&](const char* condition, int every = 1) {
        page.say({{"do", "until"}, {"condition", condition}, {"every", every}});
    };
    for (const auto& [condition, why] :
         {std::pair("count(shep) < 10", "no collection `shep`"), std::pair("count(sheep)", "is not a condition"),
          std::pair("count(sheep) <", "count(sheep) <"), std::pair("", "expected")}) {
        until(condition);
        EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr(why)) << condition;
    }
    until("step >= 7");
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("at step 7"));
    page.until("state", [](const Json& state) { return state["step"] == "7" && state["status"] == "paused"; });
    until("step > 10 and count(sheep) >= 0", 5); // asked at 10, 15
    page.until("state", [](const Json& state) { return state["step"] == "15" && state["status"] == "paused"; });
    until("step > 3"); // it holds already
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("at step 15"));
    until("step < 0"); // never
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    EXPECT_EQ(finished_.get().report.edits.size(), 1U) << "it changes nothing";
}

TEST_F(ViewedRun, FollowsAnAgentUntilItDies) {
    begin(request({"params.wolf_births=0", "agents.wolf.count=1"}));
    TestPage page(server_.address());
    page.until("about");
    page.say({{"do", "follow"}, {"collection", "grass"}, {"id", "1"}});
    EXPECT_THAT(page.until("message")["text"].get<std::string>(), ::testing::HasSubstr("no agents `grass`"));
    page.say(look());
    page.until("frame");
    WorldUnderTest straight(plugin("wolf_sheep"),
                            {"places.grass.size=[40,30]", "agents.sheep.count=200", "agents.wolf.count=1", "params.wolf_births=0"});
    const auto id = straight.agents("wolf").ids.at(0);
    page.say({{"do", "follow"}, {"collection", "wolf"}, {"id", std::to_string(id)}});
    for (std::uint64_t step = 0;; ++step) {
        straight.step_to(step);
        const auto told = page.until("followed");
        const auto wolves = straight.agents("wolf");
        EXPECT_EQ(told.contains("gone"), wolves.size() == 0) << step;
        if (told.contains("gone") || step == 59) break;
        const auto place = wolves.places.at(0);
        EXPECT_EQ(told["x"], static_cast<double>(place % 40) + 0.5);
        EXPECT_EQ(told["y"], static_cast<double>(place / 40) + 0.5);
        EXPECT_EQ(told["id"], std::to_string(id));
        page.say({{"do", "step"}, {"steps", 1}});
    }
    page.say({{"do", "end"}});
    (void)finished_.get();
}

// Of a uniform, of functions, and of a run whose parameters are constants of its code.
class ViewedSums : public ViewedRun, public ::testing::WithParamInterface<const char*> {};

TEST_P(ViewedSums, HaveANewParameterEverywhere) {
    const auto model = folder_.write("sums.cu", R"~(#include <tessera/model.hpp>
struct Cell {
    std::int32_t total = 0;
};
TESSERA_PLACE(Cell, total);
TESSERA_PARAM(int, rate, 1, range(0, 1000), "a step");
TESSERA_UNIFORM(std::int32_t, tenfold) { return 10 * rate; }
TESSERA_CALL(Cell, add, writes<&Cell::total>, reads<tenfold>) { self.total += self.get(tenfold) + rate; }
TESSERA_MODEL(sums, "adds");
TESSERA_DEFAULTS(R"toml(run.steps = 30
places.cell.size = [40, 30]
phase = [{ callAll = "cell.add" }])toml");
)~");
    begin({model.string(), {"run.devices=\"cpu\"", GetParam()}, {}});
    TestPage page(server_.address());
    page.say({{"do", "step"}, {"steps", 4}});
    page.until("state", [](const Json& state) { return state["step"] == "4" && state["status"] == "paused"; });
    page.say({{"do", "set"}, {"name", "rate"}, {"value", "3"}});
    page.until("parameters", [](const Json& values) { return values[0]["value"] == "3"; });
    page.say({{"do", "inspect"}, {"places", "cell"}, {"x", 1}, {"y", 1}});
    page.say({{"do", "look"}, {"layer", "cell.total"}, {"x", 0}, {"y", 0}, {"across", 1}, {"width", 40}, {"height", 30}});
    page.say({{"do", "step"}, {"steps", 20}});
    page.until("place", [](const Json& place) { return place["members"][0][1] == std::to_string(4 * 11 + 20 * 33); });
    page.say({{"do", "play"}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    const auto result = finished_.get();
    ASSERT_EQ(result.report.edits.size(), 2U);
    EXPECT_EQ(replayed(result, 2), result.report.state_hash);
}
INSTANTIATE_TEST_SUITE_P(All, ViewedSums, ::testing::Values("run.bake=false", "run.bake=true"));

TEST_F(ViewedRun, IsNotHurtByWhatMakesNoSense) {
    begin(request());
    TestPage page(server_.address());
    page.until("about");
    for (const char* const said :
         {"{", "[]", "5", "{\"do\":[[[[[[[[[[]]]]]]]]]]}", "{\"do\":\"range\",\"layer\":\"no.such\"}", "{\"do\":5}",
          "{\"do\":\"step\",\"steps\":-5}", "{\"do\":\"look\",\"layer\":\"no.such\"}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"x\":-1e300,\"y\":1e18,\"across\":0,\"width\":1e9,\"height\":-3}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"element\":99}", "{\"do\":\"inspect\",\"places\":\"sheep\",\"x\":1}",
          "{\"do\":\"inspect\",\"places\":\"grass\",\"x\":1000}",
          "{\"do\":\"range\",\"layer\":\"grass.countdown\",\"low\":\"nan\",\"high\":\"1\"}", "{\"do\":\"shown\",\"frame\":4000000000}",
          "{\"do\":\"speed\",\"steps_per_second\":\"fast\"}", "{\"do\":\"show\",\"every\":-1e15}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"axis\":\"w\",\"by\":7,\"through\":\"yes\",\"fine\":1e9,\"width\":4096,\"look\":"
          "-1}"})
        put(said);
    page.say({{"do", "play"}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    EXPECT_EQ(finished_.get().report.steps, 60U);
}

} // namespace
} // namespace tessera::test::viewed_run_test
