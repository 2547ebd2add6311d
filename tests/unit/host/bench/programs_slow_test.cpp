// The programs of bench/reference, against independent loops, bit for bit: that for one thread as it is, those for several GPUs
// carried out by the processor, and compiled by nvcc where there is one.
// optimise: yes
// sanitizers: none
#include "tests/reference/heat2d.hpp"
#include "tests/reference/wave2d.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <regex>
#include <sstream>

namespace tessera::testing::programs_slow_test {
namespace {

namespace fs = std::filesystem;

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

fs::path nvcc() {
    for (const char* place : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
        if (fs::exists(place)) return place;
    return {};
}

class SlowPrograms : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(test_source("bench/reference"))) GTEST_SKIP() << "there are no sources here";
        if (std::system("c++ --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C++ compiler";
    }

    // Builds a program for several GPUs for the processor; its launches are calls.
    [[nodiscard]] fs::path emulated(const std::string& source, const std::string& options) const {
        const std::regex launches(R"((\w+)<<<([^;]*?)>>>\(([^;]*)\);)");
        const auto text = std::regex_replace(text_of(test_source(source)), launches, "launch_later($2, [=] { $1($3); });");
        EXPECT_EQ(text.find("<<<"), std::string::npos);
        write_text(here() / "emulated.cpp", text);
        const auto root = test_source("tests").parent_path();
        build("c++ -std=c++20 -O1 -w -ffp-contract=off " + options + " -I" + quoted(root) + " -I" +
              quoted(root / "tests/unit/host/bench/emulated_runtime") + " -I" + quoted(root / "bench/reference") + " -o " +
              quoted(here() / "emulated") + " " + quoted(here() / "emulated.cpp"));
        return here() / "emulated";
    }
    static void build(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

    // What a program writes after so many steps; `line` is what it prints.
    [[nodiscard]] std::vector<float> state(const fs::path& program, std::vector<std::string> words, const Environment& environment = {}) {
        words.emplace_back("state");
        const auto outcome = run({program, std::move(words), here(), environment, std::nullopt});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        line_ = outcome.out;
        const auto bytes = text_of(here() / "state");
        std::vector<float> values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    [[nodiscard]] const fs::path& here() const { return folder_.path(); }
    [[nodiscard]] std::string checksum() const { // the last word printed
        std::istringstream words(line_);
        std::string last;
        while (words >> last) {}
        return last;
    }

private:
    TemporaryFolder folder_;
    std::string line_;
};

std::vector<float> wave_after(int steps, std::int64_t nx, std::int64_t ny) {
    return reference::wave2d(reference::wave2d_at_rest(reference::wave2d_lifted<float>(nx, ny), nx, ny, 0.0025f), steps).now;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST_F(SlowPrograms, OneThreadMakesWaves) {
    build("c++ -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -Werror -o " + quoted(here() / "sequential") + " " +
          quoted(test_source("bench/reference/wave2d/sequential.cpp")));
    EXPECT_TRUE(same_bits(state(here() / "sequential", {"211", "130", "90"}), wave_after(90, 211, 130)));
    EXPECT_NE(run({here() / "sequential", {"2", "8", "5"}, here(), {}, std::nullopt}).status, 0);
}

TEST_F(SlowPrograms, SeveralGpusMakeWaves) {
    const auto program = emulated("bench/reference/wave2d/several_gpus.cu", "");
    const auto expected = wave_after(11 * 50, 133, 120); // all that is timed counts
    std::string checksum_of_one;
    for (const char* gpus : {"1", "2", "5"}) {
        EXPECT_TRUE(same_bits(state(program, {gpus, "133", "120", "50"}, {{"EMULATED_GPUS", "3"}}), expected)) << gpus;
        if (checksum_of_one.empty()) checksum_of_one = checksum();
        EXPECT_EQ(checksum(), checksum_of_one);
    }
    EXPECT_TRUE(same_bits(state(program, {"4", "128", "12", "50"}, {{"EMULATED_GPUS", "4"}}), wave_after(11 * 50, 128, 12)));
    EXPECT_EQ(run({program, {"4", "128", "11", "50"}, here(), {{"EMULATED_GPUS", "4"}}, std::nullopt}).status, 2); // too few rows
}

TEST_F(SlowPrograms, SeveralGpusMakeEightStepsOfWavesALaunch) {
    const auto program = emulated("bench/reference/fused_several_gpus.cu", "-DWAVE2D -DLAUNCHES=2");
    const auto expected = wave_after(11 * 16, 133, 110);
    for (const char* gpus : {"2", "3"})
        EXPECT_TRUE(same_bits(state(program, {gpus, "133", "110", "16"}, {{"EMULATED_GPUS", "3"}}), expected)) << gpus;
}

TEST_F(SlowPrograms, SeveralGpusMakeEightStepsOfHeatALaunch) {
    const auto program = emulated("bench/reference/fused_several_gpus.cu", "-DLAUNCHES=2");
    const std::int64_t nx = 130, ny = 55;
    std::vector<float> start;
    for (unsigned y = 0; y < ny; ++y)
        for (unsigned x = 0; x < nx; ++x) start.push_back(static_cast<float>((x * 7919 + y * 104729) % 1000) * 0.019f);
    const auto expected = reference::heat2d(start, reference::plane(nx, ny, reference::Boundary::torus), {0.2f}, 11 * 16);
    for (const char* gpus : {"2", "3"})
        EXPECT_TRUE(same_bits(state(program, {gpus, "130", "55", "16"}, {{"EMULATED_GPUS", "3"}}), expected)) << gpus;
}

TEST_F(SlowPrograms, CompileForAGpu) {
    if (nvcc().empty()) GTEST_SKIP() << "there is no nvcc";
    const auto compile = [&](const std::string& source, const std::string& options) {
        build(quoted(nvcc()) + " -std=c++17 -O3 -fmad=false -arch=sm_90 --Werror all-warnings " + options + " -o " +
              quoted(here() / "program") + " " + quoted(test_source("bench/reference/" + source)));
    };
    compile("wave2d/several_gpus.cu", "");
    compile("fused_several_gpus.cu", "");
    compile("fused_several_gpus.cu", "-DWAVE2D");
    compile("wolf_sheep/lists.cu", "");
}

} // namespace
} // namespace tessera::testing::programs_slow_test
