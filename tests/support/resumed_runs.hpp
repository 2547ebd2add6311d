// Runs that keep checkpoints and are resumed, beside one that was never stopped.
#pragma once

#include "tests/support/program_under_test.hpp"
#include "tests/support/random_draw.hpp"
#include "tests/support/thorough.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <thread>

namespace tessera::testing {

class ResumedRuns : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (IsSkipped()) return;
        generator_.seed(test::seed_of_this_run());
        RecordProperty("seed", std::to_string(test::seed_of_this_run()));
    }
    // Steps of Life with a table and arrays; `more` are lines of [run].
    void write_life(const std::string& more, int steps = 40) const {
        write_text(here() / "life.toml", "model = \"life\"\n[run]\ndevices = \"cpu\"\nthreads = 1\nsteps = " + std::to_string(steps) +
                                             "\n" + more +
                                             "\n[places.cell]\nsize = [64, 48]\ninit.alive = { random = 0.3 }\n"
                                             "[schedule]\ntune = \"off\"\n"
                                             "[[output]]\nevery = 3\ncsv = \"alive.csv\"\ncolumns = { alive = \"sum(cell.alive)\" }\n"
                                             "[[output]]\nevery = 10\nnpy = \"states/{step:03}.npy\"\nattribute = \"cell.alive\"\n");
    }
    [[nodiscard]] Outcome run(const std::string& file, const std::string& out, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"run", file, "--out", out, "--quiet"});
        return tessera_of_ours(more);
    }
    [[nodiscard]] Outcome resume(const std::string& out, std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"resume", out});
        return tessera_of_ours(more);
    }
    [[nodiscard]] Outcome tessera_of_ours(const std::vector<std::string>& arguments) const {
        return tessera(arguments, {{"TESSERA_PLUGIN_PATH", std::nullopt}});
    }
    // What stands in the outputs' files, by their names.
    [[nodiscard]] std::map<std::string, std::string> files_of(const std::string& folder) const {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(here() / folder)) {
            const auto name = std::filesystem::relative(entry.path(), here() / folder);
            const auto first = name.begin()->string();
            if (entry.is_regular_file() && first != "manifest.json" && first != "checkpoints" && first != "source")
                files[name.string()] = text_of(entry.path());
        }
        return files;
    }
    [[nodiscard]] std::vector<std::string> checkpoints_of(const std::string& folder) const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(here() / folder / "checkpoints"))
            if (const auto name = entry.path().filename().string(); name.front() != '.') names.push_back(name); // else it is not finished
        std::sort(names.begin(), names.end());
        return names;
    }
    void expect_same(const std::string& folder, const std::string& undisturbed) const {
        const auto one = manifest(folder), other = manifest(undisturbed);
        for (const auto* key : {"status", "steps", "state_hash", "files", "agents", "model", "model_path", "seed"})
            EXPECT_EQ(one.value(key, nlohmann::json()), other.value(key, nlohmann::json())) << key;
        std::vector<std::uint64_t> runs[2];
        for (const auto& phase : one["timing"]["phases"]) runs[0].push_back(phase["runs"]);
        for (const auto& phase : other["timing"]["phases"]) runs[1].push_back(phase["runs"]);
        EXPECT_EQ(runs[0], runs[1]);
        const auto files = files_of(folder), expected = files_of(undisturbed);
        std::vector<std::string> names, wanted;
        for (const auto& [name, text] : files) names.push_back(name);
        for (const auto& [name, text] : expected) wanted.push_back(name);
        EXPECT_EQ(names, wanted);
        EXPECT_TRUE(files == expected) << "a file is another one";
    }
    // Ends the child after a random time, unless it ends before: whether it was killed.
    bool is_killed_some_time(Child& child, int most_milliseconds) {
        const auto time = std::uniform_int_distribution<int>(0, most_milliseconds)(generator_);
        for (int waited = 0; waited < time && !child.has_ended(); ++waited) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!child.has_ended()) child.signal(SIGKILL);
        return child.wait().status == 128 + SIGKILL;
    }
    // Runs the file once undisturbed, and again with so many kills at random moments, each followed by a resume on some of the devices, up
    // to four a run: each run comes to the same.
    void expect_same_after_kills(const std::string& file, int kills, const std::vector<std::string>& devices) {
        ASSERT_EQ(run(file, "whole").status, 0); // compiles, which is no moment for a kill
        const auto begun = std::chrono::steady_clock::now();
        const auto whole = run(file, "whole", {"--overwrite"});
        ASSERT_EQ(whole.status, 0) << whole.err;
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count();
        for (int killed = 0, round = 0; killed < kills && !HasFailure(); ++round) {
            const auto out = "out" + std::to_string(round);
            const auto next = [&]() -> std::vector<std::string> {
                const auto& on = devices[generator_() % devices.size()];
                if (std::filesystem::exists(here() / out / "source/run.json")) return {"resume", out, "--quiet", "--devices", on};
                return {"run", file, "--out", out, "--overwrite", "--quiet", "--devices", on};
            };
            for (int i = 0; i < 4 && killed < kills; ++i, ++killed) {
                Child child(command(next(), {{"TESSERA_PLUGIN_PATH", std::nullopt}}));
                if (!is_killed_some_time(child, static_cast<int>(took))) break;
            }
            const auto last = tessera_of_ours(next());
            ASSERT_EQ(last.status, 0) << last.err;
            expect_same(out, "whole");
            std::filesystem::remove_all(here() / out);
        }
    }
    std::mt19937 generator_;
};

} // namespace tessera::testing
