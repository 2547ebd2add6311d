// What looking costs a run: viewer_figures TESSERA PIXELS SECONDS ARGUMENTS... starts `tessera view ARGUMENTS`, looks at the whole of the
// first layer as PIXELS x PIXELS pixels, confirms frames as a page does, and says how long one takes and which share of the time they have.
// Figures are reported, and asserted nowhere (docs/performance.md).
#include "tests/support/child_process.hpp"
#include "tests/support/web_socket.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using tessera::test::Address;
using tessera::test::WebSocket;

double since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

// What is known of a run at a moment.
struct Count {
    double steps = 0, frames = 0, frame_seconds = 0;
    Clock::time_point at = Clock::now();
};

class Client {
public:
    explicit Client(const std::string& url) : socket_(Address(url).port) { socket_.say("{\"token\":\"" + Address(url).token + "\"}"); }

    void say(const Json& message) { socket_.say(message.dump()); }
    // The next message on something; frames before it are confirmed.
    Json hear(const std::string& kind) {
        for (;;) {
            const auto message = socket_.hear();
            if (message.kind == 8) throw std::runtime_error("the run has ended");
            if (message.kind == 2) {
                std::uint32_t number = 0;
                std::memcpy(&number, message.payload.data() + 4, 4);
                say({{"do", "shown"}, {"frame", number}});
                bytes = message.payload.size();
                if (kind == "frame") return {};
                continue;
            }
            const auto json = Json::parse(message.payload);
            if (json.contains(kind)) return json[kind];
        }
    }
    Count count_after(double seconds) {
        const auto begun = Clock::now();
        for (;;) {
            const auto state = hear("state");
            if (since(begun) < seconds && state["status"] == "running") continue;
            return {std::stod(state["step"].get<std::string>()), state["frames"], state["frame_seconds"]};
        }
    }
    std::size_t bytes = 0; // of the last frame

private:
    WebSocket socket_;
};

std::string address_in(const std::filesystem::path& folder) {
    const auto text = tessera::testing::text_of(folder / "viewer.url");
    return text.substr(0, text.find('\n'));
}

void say_rates(const std::string& what, const Count& from, const Count& to) {
    const double seconds = std::chrono::duration<double>(to.at - from.at).count(), frames = to.frames - from.frames;
    std::cout << what << ": " << (to.steps - from.steps) / seconds << " steps a second";
    if (frames > 0)
        std::cout << ", " << frames / seconds << " frames a second, " << (to.frame_seconds - from.frame_seconds) / frames * 1e6
                  << " us each, " << 100 * (to.frame_seconds - from.frame_seconds) / seconds << " % of the time";
    std::cout << "\n";
}

int measure(const std::filesystem::path& program, std::int64_t pixels, double seconds, std::vector<std::string> arguments) {
    const tessera::testing::TemporaryFolder folder;
    arguments.insert(arguments.begin(), "view");
    arguments.insert(arguments.end(), {"--no-browser", "--out", (folder.path() / "out").string()});
    tessera::testing::Child run({program, arguments, std::filesystem::current_path(), {}, std::nullopt});
    while (address_in(folder.path() / "out").empty()) {
        if (run.has_ended()) {
            std::cerr << run.err_so_far();
            return 1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const auto begun = Clock::now();
    Client client(address_in(folder.path() / "out"));
    const auto about = client.hear("about");
    const auto& layer = about["layers"][0];
    const auto places = layer["layer"].get<std::string>().substr(0, layer["layer"].get<std::string>().find('.'));
    Json size;
    for (const auto& each : about["places"])
        if (each["name"] == places) size = each["size"];
    const auto longest = std::max(size[0].get<std::int64_t>(), size[1].get<std::int64_t>());
    const auto across = std::max<std::int64_t>(1, (longest + pixels - 1) / pixels);
    client.say({{"do", "look"},
                {"look", 1},
                {"layer", layer["layer"]},
                {"across", across},
                {"width", pixels},
                {"height", pixels},
                {"agents", layer["agents"]}});
    client.hear("frame");
    std::cout << about["name"].get<std::string>() << " of " << size.dump() << " places on " << about["device"].get<std::string>()
              << "\nfirst frame, " << client.bytes << " bytes: " << since(begun) << " s after the connection\n";
    client.say({{"do", "speed"}});
    client.say({{"do", "show"}, {"every", 0}});
    client.say({{"do", "play"}});
    auto from = client.count_after(seconds / 2); // until the tuner has found its ways
    say_rates("nobody looks", from, client.count_after(seconds));
    client.say({{"do", "show"}, {"every", 1}});
    from = client.count_after(0.2);
    say_rates("looked at   ", from, client.count_after(seconds));
    client.say({{"do", "end"}});
    run.wait();
    return 0;
}

} // namespace

int main(int argc, char** argv) try {
    if (argc < 5) {
        std::cerr << "viewer_figures TESSERA PIXELS SECONDS MODEL [options of `tessera view`]\n";
        return 2;
    }
    return measure(std::filesystem::absolute(argv[1]), std::stoll(argv[2]), std::stod(argv[3]), {argv + 4, argv + argc});
} catch (const std::exception& error) {
    std::cerr << "viewer_figures: " << error.what() << "\n";
    return 1;
}
