// A run that is looked at and steered: the same bits as one that nobody sees, frames of what is there, changes that can be replayed.
// sanitizers: address, thread
#include "host/edits/changes.hpp"
#include "host/run/run_to_end.hpp"
#include "host/viewer/viewer_pause.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/web_socket.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <future>
#include <numeric>

namespace tessera::test {
namespace {

using Json = nlohmann::json;

// A page that knows the token, and keeps the newest of what it is told.
class TestPage {
public:
    explicit TestPage(const std::string& url) : socket_(Address(url).port) { socket_.say("{\"token\":\"" + Address(url).token + "\"}"); }

    void say(const Json& message) { socket_.say(message.dump()); }
    // Hears until something of the kind came for which that holds.
    Json until(
        const char* kind, const std::function<bool(const Json&)>& holds = [](const Json&) { return true; }) {
        for (;;) {
            const auto message = socket_.hear();
            if (message.kind == 8) throw std::runtime_error(std::string("the run ended before there was a message on ") + kind);
            if (message.kind == 2) {
                frame = message.payload;
                std::uint32_t number = 0;
                std::memcpy(&number, frame.data() + 4, 4);
                say({{"do", "shown"}, {"frame", number}});
                if (std::string(kind) == "frame") return {};
                continue;
            }
            const auto json = Json::parse(message.payload);
            if (json.contains(kind) && holds(json[kind])) return json[kind];
        }
    }
    std::string frame;

private:
    WebSocket socket_;
};

template<class T> T number_at(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

class ViewedRun : public ::testing::Test {
protected:
    void TearDown() override { // a run that nobody ends waits
        inbox_.put({1, viewer::Letter::Kind::said, "{\"do\":\"end\"}"});
        if (finished_.valid()) finished_.wait();
    }
    // Begins the run in a thread of its own.
    void begin(const RunRequest& request) {
        finished_ = std::async(std::launch::async, [this, request] {
            const auto prepared = prepare(request, compiler());
            const auto changes = watch(request, prepared, compiler(), &steering_);
            std::vector<std::unique_ptr<Device>> devices;
            devices.push_back(open_device("cpu", 1));
            Session session(std::move(devices), 1, compiler());
            RunOptions options;
            options.out = folder_.path() / "out";
            options.overwrite = options.quiet = true;
            options.changes = changes.get();
            options.pauses = {&pause_};
            pause_.begin_run();
            return tessera::run(prepared, session, options);
        });
    }
    static RunRequest request(std::vector<std::string> more = {}) {
        std::vector<std::string> keys{"output=[]",
                                      "run.steps=60",
                                      "run.devices=\"cpu\"",
                                      "run.bake=false",
                                      "places.grass.size=[40,30]",
                                      "agents.sheep.count=200",
                                      "agents.wolf.count=50"};
        keys.insert(keys.end(), more.begin(), more.end());
        return {plugin("wolf_sheep"), keys, {}};
    }
    static Json look() {
        return {{"do", "look"},  {"layer", "grass.countdown"}, {"x", 3},    {"y", 2},         {"across", 2}, {"width", 15},
                {"height", 100}, {"agents", {"sheep"}},        {"look", 7}, {"by", "nearest"}};
    }

    TemporaryFolder folder_;
    viewer::Inbox inbox_;
    viewer::Server server_{{}, inbox_};
    viewer::Steering steering_;
    viewer::ViewerPause pause_{inbox_, server_, steering_, "wolves", true};
    std::future<RunResult> finished_;
};

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
    ASSERT_EQ(page.frame.size(), 80U + 2 * width * height);
    EXPECT_EQ(number_at<std::uint32_t>(page.frame, 64), 7U) << "the look that is answered";
    EXPECT_EQ(number_at<std::uint32_t>(page.frame, 44), 7U) << "places, agents, a range that was given";
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
    auto again = replay(result.folder / "manifest.json", RunRequest{{}, {"run.devices=[\"cpu\",\"cpu\"]"}, {}}, compiler());
    std::vector<std::unique_ptr<Device>> devices;
    for (int i = 0; i < 2; ++i) devices.push_back(open_device("cpu", 1));
    Session session(std::move(devices), 1, compiler());
    RunOptions options;
    options.out = folder_.path() / "again";
    options.quiet = true;
    options.changes = again.changes.get();
    EXPECT_EQ(tessera::run(prepare(again.request, compiler()), session, options).report.state_hash, result.report.state_hash);
}

TEST_F(ViewedRun, IsNotHurtByWhatMakesNoSense) {
    begin(request());
    TestPage page(server_.address());
    page.until("about");
    for (const char* const said :
         {"{", "[]", "5", "{\"do\":5}", "{\"do\":\"step\",\"steps\":-5}", "{\"do\":\"look\",\"layer\":\"no.such\"}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"x\":-1e300,\"y\":1e18,\"across\":0,\"width\":1e9,\"height\":-3}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"element\":99}", "{\"do\":\"inspect\",\"places\":\"sheep\",\"x\":1}",
          "{\"do\":\"inspect\",\"places\":\"grass\",\"x\":1000}",
          "{\"do\":\"range\",\"layer\":\"grass.countdown\",\"low\":\"nan\",\"high\":\"1\"}", "{\"do\":\"shown\",\"frame\":4000000000}",
          "{\"do\":\"speed\",\"steps_per_second\":\"fast\"}", "{\"do\":\"show\",\"every\":-1e15}",
          "{\"do\":\"look\",\"layer\":\"grass.countdown\",\"axis\":\"w\",\"by\":7,\"through\":\"yes\",\"fine\":1e9,\"width\":4096,\"look\":"
          "-1}"})
        inbox_.put({1, viewer::Letter::Kind::said, said});
    page.say({{"do", "play"}});
    page.until("state", [](const Json& state) { return state["status"] == "finished"; });
    page.say({{"do", "end"}});
    EXPECT_EQ(finished_.get().report.steps, 60U);
}

} // namespace
} // namespace tessera::test
