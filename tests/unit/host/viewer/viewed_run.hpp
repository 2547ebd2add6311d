// A run in a thread of its own, and a page that steers it.
#pragma once

#include "host/edits/changes.hpp"
#include "host/run/run_to_end.hpp"
#include "host/viewer/viewer_pause.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/web_socket.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <string>
#include <vector>

namespace tessera::test {

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

template<class T> [[nodiscard]] inline T number_at(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

inline std::string contents_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class ViewedRun : public ::testing::Test {
protected:
    void TearDown() override { // a run that nobody ends waits
        put("{\"do\":\"end\"}");
        if (finished_.valid()) finished_.wait();
    }
    // As a page says it that the server let in.
    void put(const std::string& said) {
        constexpr viewer::PageId page = 1000;
        if (!std::exchange(has_come_, true)) (void)inbox_.put({page, viewer::Letter::Kind::came, {}, true});
        EXPECT_TRUE(inbox_.put({page, viewer::Letter::Kind::said, said, true}));
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
    // The hash of a run that was made again from what it kept, by these devices: by so many CPUs.
    std::optional<std::uint64_t> replayed(const RunResult& result, std::size_t many) {
        return replayed(result, std::vector<std::string>(many, "cpu"));
    }
    std::optional<std::uint64_t> replayed(const RunResult& result, const std::vector<std::string>& names) {
        std::string list;
        std::vector<std::unique_ptr<Device>> devices;
        for (const auto& name : names) {
            list += (list.empty() ? "\"" : ",\"") + name + "\"";
            devices.push_back(open_device(name, 1));
        }
        auto again = replay(result.folder / "manifest.json", RunRequest{{}, {"run.devices=[" + list + "]"}, {}}, compiler());
        Session session(std::move(devices), 1, compiler());
        RunOptions options;
        options.out = folder_.path() / ("again" + std::to_string(names.size()));
        options.overwrite = options.quiet = true;
        options.changes = again.changes.get();
        return tessera::run(prepare(again.request, compiler()), session, options).report.state_hash;
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
    bool has_come_ = false;
};

} // namespace tessera::test
