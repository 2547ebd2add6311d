// One broken model or run file for each message: tests/golden/README.md says what the folders hold.
// sanitizers: none
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "jit/nvrtc.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/random_draw.hpp"
#include "tests/support/thorough.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <regex>
#include <sstream>

namespace tessera::golden_test {
namespace {

namespace fs = std::filesystem;
using testing::Command;
using testing::Environment;
using testing::TemporaryFolder;

struct Case {
    std::string name;
    fs::path folder;
    bool is_model = false;
    std::vector<std::string> arguments;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        if (!line.empty()) lines.push_back(line);
    return lines;
}

Case case_at(const fs::path& folder) {
    Case result{folder.filename().string(), folder, false, {"check", "run.toml"}};
    result.is_model = fs::exists(folder / (result.name + ".cu"));
    if (result.is_model) result.arguments = {"check", result.name + ".cu"};
    if (fs::exists(folder / "args.txt")) result.arguments = lines_of(testing::text_of(folder / "args.txt"));
    return result;
}

std::vector<Case> cases(bool models) {
    std::vector<Case> found;
    for (const auto& entry : fs::directory_iterator(test_data("golden")))
        if (entry.is_directory() && entry.path().filename() != "plugins")
            if (auto one = case_at(entry.path()); one.is_model == models) found.push_back(std::move(one));
    std::sort(found.begin(), found.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
    return found;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
}

// Takes out what is different from machine to machine.
std::string normalised(std::string text, const fs::path& here) {
    // Whether models are installed too depends on the build.
    const auto installed = (test_program().parent_path().parent_path() / "share" / "tessera" / "plugins").lexically_normal().string();
    replace_all(text, here.string() + "/", "");
    replace_all(text, ", " + installed, "");
    replace_all(text, fs::weakly_canonical(test_data("golden/plugins")).string(), "<plugins>");
    text = std::regex_replace(text, std::regex(R"([0-9.]+ GiB free)"), "<some> GiB free");
    // What NVRTC's back end writes to stderr by itself, past every log.
    if (const auto begin = text.find("error: "); text.find("Incorrect number of arguments passed") < begin) text.erase(0, begin);
    return text;
}

class Golden : public ::testing::Test {
protected:
    void demand(const std::vector<Case>& all, const Environment& compiler) {
        ASSERT_GT(all.size(), 40u) << "the folder " << test_data("golden") << " is not whole";
        std::atomic<std::size_t> next{0};
        const auto work = [&] {
            for (auto i = next++; i < all.size(); i = next++) demand(all[i], compiler);
        };
        auto other = std::async(std::launch::async, work);
        work();
        other.get();
    }

    void demand(const Case& one, const Environment& compiler) {
        const auto found = told(one, compiler);
        const auto expected = one.folder / "expected.txt";
        if (std::getenv("TESSERA_UPDATE_GOLDEN") != nullptr)
            testing::write_text(expected, found);
        else
            EXPECT_EQ(found, testing::text_of(expected)) << "case " << one.name;
    }

    // The exit status and what is written to stderr, by a copy of the case's folder.
    std::string told(const Case& one, const Environment& compiler) {
        const TemporaryFolder scratch;
        const auto here = scratch.path() / one.name;
        fs::copy(one.folder, here, fs::copy_options::recursive);
        Command command{test_program(), {"--log-level", "warning"}, here, compiler, std::nullopt};
        command.arguments.insert(command.arguments.end(), one.arguments.begin(), one.arguments.end());
        command.environment["TESSERA_CACHE"] = cache_.path().string();
        command.environment["TESSERA_PLUGIN_PATH"] = fs::weakly_canonical(test_data("golden/plugins")).string();
        const auto outcome = testing::run(command);
        return "status " + std::to_string(outcome.status) + "\n" + normalised(outcome.err, here);
    }

    void demand_of(const char* compiler, const std::vector<Case>& all) {
        if (std::system((std::string(compiler) + " --version > /dev/null 2>&1").c_str()) != 0)
            GTEST_SKIP() << compiler << " is not on $PATH";
        demand(all, {{"CXX", compiler}});
    }

    // A fourth of the models, or all in a thorough run: a compiler takes minutes for them, and most messages are not the compiler's.
    static std::vector<Case> drawn_models() {
        auto all = cases(true);
        if (test::thorough()) return all;
        std::shuffle(all.begin(), all.end(), std::mt19937(test::seed_of_this_run()));
        all.resize(all.size() / 4);
        return all;
    }

    TemporaryFolder cache_;
};

TEST_F(Golden, RunFilesAndCommandLines) {
    const bool compiler = std::system("(c++ --version || g++ --version || clang++ --version) > /dev/null 2>&1") == 0;
    if (!compiler && !cuda_status().available) GTEST_SKIP() << "there is neither a C++ compiler nor a GPU";
    demand(cases(false), {});
}

TEST_F(Golden, ModelsByGcc) { demand_of("g++", cases(true)); }

TEST_F(Golden, ModelsByClang) { demand_of("clang++", drawn_models()); }

// Without a compiler for the CPU, a model is checked by NVRTC.
TEST_F(Golden, ModelsByNvrtc) {
    try {
        (void)jit::Nvrtc::find();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    demand(drawn_models(), {{"CXX", std::nullopt}, {"PATH", cache_.path().string()}});
}

} // namespace
} // namespace tessera::golden_test
