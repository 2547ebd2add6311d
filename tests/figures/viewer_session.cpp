// A long session of somebody who looks at a run: pauses, zooms, parameters, strokes, saved sources and reloads, for so many minutes. It
// prints what memory server and page have, which should stay as it is but for 200 kB a saved source. Run by hand.
#include "tests/support/browser.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using tessera::testing::text_of;

// Resident, in kB.
long memory_of(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            long kilobytes = 0;
            status >> kilobytes;
            return kilobytes;
        }
    return 0;
}

// The child of this program that runs that one.
pid_t child_that_runs(const fs::path& program) {
    const auto self = std::to_string(::getpid());
    std::ifstream children("/proc/self/task/" + self + "/children");
    std::error_code ignored;
    for (pid_t child = 0; children >> child;)
        if (fs::equivalent("/proc/" + std::to_string(child) + "/exe", program, ignored)) return child;
    throw std::runtime_error("the run is no child of this program any more");
}

class Session {
public:
    // The model's source is copied into `folder`, where it is saved now and then.
    Session(const fs::path& program, const fs::path& browser, const fs::path& source, const fs::path& folder)
        : program_(program), folder_(folder), source_(folder / source.filename()), text_(text_of(source)), browser_(browser.string()) {
        write();
        run_.emplace(tessera::testing::Command{program,
                                               {"view", source_.string(), "--no-browser", "--devices", "cpu", "--out",
                                                (folder / "out").string(), "--set", "run.steps=1000000000", "--set", "output=[]"},
                                               folder,
                                               {},
                                               std::nullopt});
        while (address().empty()) {
            if (run_->has_ended()) throw std::runtime_error(run_->err_so_far());
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        browser_.resize(1200, 800);
        browser_.ask("Performance.enable"), browser_.ask("HeapProfiler.enable");
        reload();
    }
    ~Session() { run_->signal(SIGINT); }

    // One thing that somebody does.
    void act() {
        switch (dice_() % 10) {
        case 0: browser_.press(" "); break;
        case 1: browser_.press("+"); break;
        case 2: browser_.press("-"); break;
        case 3: browser_.press("0"); break;
        case 4: browser_.press("."); break;
        case 5: click(); break;
        case 6: set_parameter(); break;
        case 7: browser_.press("b"), browser_.press("j"), browser_.press("v"); break;
        case 8: browser_.press(std::string(1, static_cast<char>('1' + dice_() % 4))); break;
        default:
            if (dice_() % 4 == 0) browser_.press("z");
        }
        ++acts_;
        if (acts_ % 150 == 0) reload();
        if (acts_ % 300 == 0) ++saved_, write();
        if (browser_.value("document.body.dataset.status") == "failed")
            throw std::runtime_error("the run has failed: " + run_->err_so_far());
    }
    void tell(double minutes) {
        browser_.ask("HeapProfiler.collectGarbage");
        double heap = 0;
        const auto metrics = browser_.ask("Performance.getMetrics")["metrics"];
        for (const auto& metric : metrics)
            if (metric["name"] == "JSHeapUsedSize") heap = metric["value"].get<double>() / 1024;
        std::cout << minutes << " min: server " << memory_of(child_that_runs(program_)) << " kB, page " << static_cast<long>(heap)
                  << " kB, step " << browser_.value("document.querySelector('#count').textContent").get<std::string>() << ", " << acts_
                  << " acts, " << reloads_ << " reloads, " << saved_ << " saved sources, " << edits() << " edits" << std::endl;
    }

private:
    // That the run has kept.
    [[nodiscard]] std::ptrdiff_t edits() const {
        const auto text = text_of(folder_ / "out/edits/edits.jsonl");
        return std::count(text.begin(), text.end(), '\n');
    }
    [[nodiscard]] std::string address() const {
        const auto text = text_of(folder_ / "out/viewer.url");
        return text.substr(0, text.find('\n'));
    }
    void reload() {
        ++reloads_;
        browser_.open("about:blank"), browser_.open(address());
        for (int tries = 0; !browser_.comes("['running', 'paused'].includes(document.body.dataset.status)"); ++tries)
            if (tries == 5) throw std::runtime_error("the page does not come"); // nor in two minutes, on a machine that is busy
    }
    // Another one each time, of which other code is made.
    void write() {
        std::ofstream(source_.string() + ".new") << text_ << "namespace {\n[[maybe_unused]] constexpr int saved = " << saved_ << ";\n}\n";
        fs::rename(source_.string() + ".new", source_);
    }
    void click() {
        const auto x = 500 + static_cast<int>(dice_() % 300), y = 250 + static_cast<int>(dice_() % 300);
        for (const char* const type : {"mousePressed", "mouseReleased"})
            browser_.ask("Input.dispatchMouseEvent", {{"type", type}, {"x", x}, {"y", y}, {"button", "left"}, {"clickCount", 1}});
    }
    // A slider is pulled to somewhere.
    void set_parameter() {
        browser_.value("(() => { const all = [...document.querySelectorAll('#parameters input[type=range]')], one = all[" +
                       std::to_string(dice_()) + " % Math.max(1, all.length)]; if (one) one.value = " +
                       std::to_string(static_cast<double>(dice_() % 1000) / 1000) + ", one.dispatchEvent(new Event('input')); })()");
    }

    fs::path program_, folder_, source_;
    std::string text_;
    Browser browser_;
    std::optional<tessera::testing::Child> run_;
    std::mt19937 dice_{1};
    int acts_ = 0, reloads_ = 0, saved_ = 0;
};

int go_on_for(double minutes, const fs::path& program, const fs::path& source) {
    const auto browser = find_browser();
    if (browser.empty()) throw std::runtime_error("there is no Chromium (the package chromium-headless-shell)");
    const tessera::testing::TemporaryFolder folder;
    Session session(program, browser, source, folder.path());
    const auto begun = Clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - begun).count() / 60; };
    for (double next = 0.5; passed() < minutes;) {
        session.act();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        if (passed() < next) continue;
        session.tell(passed());
        next += 0.5;
    }
    session.tell(passed());
    return 0;
}

} // namespace
} // namespace tessera::test

int main(int argc, char** argv) try {
    if (argc != 4) {
        std::cerr << "viewer_session TESSERA MINUTES MODEL.cu\n";
        return 2;
    }
    return tessera::test::go_on_for(std::stod(argv[2]), std::filesystem::absolute(argv[1]), std::filesystem::absolute(argv[3]));
} catch (const std::exception& error) {
    std::cerr << "viewer_session: " << error.what() << "\n";
    return 1;
}
