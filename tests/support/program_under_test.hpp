// The program as its users meet it, in a folder of its own for each test.
#pragma once

#include "device_runtime/devices.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::testing {

class CommandLine : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_compiler() && !cuda_status().available) GTEST_SKIP() << "there is neither a C++ compiler nor a GPU";
    }
    static void SetUpTestSuite() { own_cache = std::make_unique<TemporaryFolder>(); }
    static void TearDownTestSuite() { own_cache.reset(); }

    [[nodiscard]] const std::filesystem::path& here() const { return scratch_.path(); }

    [[nodiscard]] Command command(std::vector<std::string> arguments, const Environment& more = {}) const {
        Command result{test_program(), std::move(arguments), here(), more, std::nullopt};
        result.environment.try_emplace("TESSERA_CACHE", cache().string());
        result.environment.try_emplace("CXX", quick_compiler());
        result.environment.try_emplace("TESSERA_PLUGIN_PATH", std::filesystem::weakly_canonical(test_data("golden/plugins")).string());
        return result;
    }
    [[nodiscard]] Outcome tessera(std::vector<std::string> arguments, const Environment& more = {}) const {
        return tessera::testing::run(command(std::move(arguments), more));
    }

    // The program in another folder, without the models that are installed beside it.
    static void copy_program(const std::filesystem::path& to) {
        std::filesystem::create_directories(to.parent_path());
        std::filesystem::copy_file(test_program(), to);
        const std::filesystem::path libraries = "../lib/tessera"; // which an archive brings
        if (const auto from = test_program().parent_path() / libraries; std::filesystem::exists(from)) {
            const auto beside = (to.parent_path() / libraries).lexically_normal();
            std::filesystem::create_directories(beside);
            std::filesystem::copy(from, beside, std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
        }
    }

    // A run of `garden` of 8 x 6 places; `more` is added to its run file.
    void write_garden(const std::string& more = {}) const {
        const std::string device = has_compiler() ? "cpu" : "auto";
        write_text(here() / "garden.toml", "model = \"garden\"\n[run]\nsteps = 4\ndevices = \"" + device +
                                               "\"\n[places.bed]\nsize = [8, 6]\ninit.water = { random = 0.3 }\n" + more);
    }
    static bool has_compiler() {
        static const bool has = std::system("(c++ --version || g++ --version || clang++ --version) > /dev/null 2>&1") == 0;
        return has;
    }
    [[nodiscard]] nlohmann::json manifest(const std::filesystem::path& folder) const {
        return nlohmann::json::parse(text_of(here() / folder / "manifest.json"));
    }

    // That of all tests, where ctest names one: each test is a process of its own there, and many want the same of the same models.
    [[nodiscard]] static std::filesystem::path cache() {
        const char* given = std::getenv("TESSERA_CACHE");
        return given != nullptr && *given != '\0' ? std::filesystem::path(given) : own_cache->path();
    }

    // What it compiles runs but shortly (support/compilers.hpp).
    [[nodiscard]] static std::string quick_compiler() {
        const char* chosen = std::getenv("CXX");
        return test_data("quick_c++").string() + " " + (chosen != nullptr && *chosen != '\0' ? chosen : "c++");
    }

private:
    static inline std::unique_ptr<TemporaryFolder> own_cache;
    TemporaryFolder scratch_;
};

inline std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

} // namespace tessera::testing
