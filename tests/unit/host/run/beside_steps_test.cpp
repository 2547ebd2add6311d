// Files and checkpoints that are written while steps go on are those of a run that waits for them, whatever the disk does.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace tessera::beside_steps_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::text_of;
using testing::write_text;

class RunBesideItsFiles : public testing::ResumedRuns {
protected:
    // Wolves with files of every kind.
    void write_wolves(const std::string& more = {}) const {
        write_text(
            here() / "wolves.toml",
            "model = \"wolf_sheep\"\n[run]\ndevices = \"cpu\"\nsteps = 40\n" + more +
                "\n[schedule]\ntune = \"off\"\nexchange = \"auto\"\n[places.grass]\nsize = [40, 32]\n"
                "[agents.sheep]\ncount = 200\ncapacity = 8\n[agents.wolf]\ncount = 40\ncapacity = 8\n"
                "[[output]]\nevery = 1\nnpy = \"grass/{step:03}.npy\"\nattribute = \"grass.countdown\"\n"
                "[[output]]\nevery = 2\ncsv = \"counts.csv\"\ncolumns = { sheep = \"count(sheep)\", energy = \"sum(wolf.energy)\" }\n"
                "[[output]]\nevery = 4\nagents = \"sheep/{step:03}.csv\"\nattribute = \"sheep\"\n"
                "[[output]]\nevery = 5\nagents = \"wolves/{step:03}.npy\"\nattribute = \"wolf\"\n"
                "[[output]]\nevery = 3\npng = \"picture/{step:03}.png\"\nattribute = \"grass.countdown\"\nscale = 2\n"
                "overlay.sheep = \"white\"\noverlay.wolf = { attribute = \"energy\" }\n");
    }
    [[nodiscard]] testing::Environment disk(const testing::Environment& more) const {
        testing::Environment all{{"TESSERA_PLUGIN_PATH", std::nullopt},
                                 {"LD_PRELOAD", test_library("failing_files").string()},
                                 {"FAILING_FILES_BELOW", (here() / "disk").string()}};
        all.insert(more.begin(), more.end());
        return all;
    }
    void expect_failed_at(const std::string& file, const Outcome& ended) const {
        EXPECT_EQ(ended.status, 8);
        EXPECT_THAT(ended.err, HasSubstr("could not write 'disk/out/" + file + "' (Input/output error)"));
        const auto manifest_now = manifest("disk/out");
        EXPECT_EQ(manifest_now["status"], "failed");
        const auto files = files_of("disk/out"), whole = files_of("whole");
        std::set<std::string> listed;
        for (const auto& name : manifest_now["files"]) listed.insert(name.get<std::string>());
        for (const auto& [name, text] : files) {
            EXPECT_TRUE(listed.contains(name)) << name;
            const auto& expected = whole.at(name); // of the table the rows up to there
            EXPECT_TRUE(text == (name == "counts.csv" ? expected.substr(0, text.size()) : expected)) << name;
        }
        EXPECT_EQ(listed.size(), files.size());
        EXPECT_FALSE(files.contains(file));
    }
};

TEST_F(RunBesideItsFiles, HasThemByteForByte) {
    write_wolves();
    ASSERT_EQ(run("wolves.toml", "whole", {"--set", "run.output_memory=\"0 MiB\""}).status, 0);
    EXPECT_GT(files_of("whole").size(), 60u);
    EXPECT_FALSE(manifest("whole")["timing"].contains("writing_seconds"));
    // All that is due at a state at once; a file alone; only those of places.
    for (const auto* memory : {"256 MiB", "24 KiB", "2 KiB"}) {
        SCOPED_TRACE(memory);
        const auto out = "out " + std::string(memory);
        ASSERT_EQ(run("wolves.toml", out, {"--set", "run.output_memory=\"" + std::string(memory) + "\""}).status, 0);
        EXPECT_GT(manifest(out)["timing"]["writing_seconds"], 0);
        expect_same(out, "whole");
    }
}

// Links that begin and end: as many lines as there are links, by what the table counts.
TEST_F(RunBesideItsFiles, HasLinksByteForByte) {
    write_text(here() / "friends.toml",
               "model = \"opinion\"\n[run]\ndevices = \"cpu\"\nsteps = 12\n[params]\nparting = 0.5\n[places.person]\ncount = 300\n"
               "[[output]]\nevery = 1\nlinks = \"friends/{step:03}.csv\"\nattribute = \"friend\"\n"
               "[[output]]\nevery = 3\nlinks = \"friends/{step:03}.npy\"\nattribute = \"friend\"\n"
               "[[output]]\nevery = 1\ncsv = \"counts.csv\"\ncolumns = { born = \"births(friend)\", died = \"deaths(friend)\" }\n");
    ASSERT_EQ(run("friends.toml", "whole", {"--set", "run.output_memory=\"0 MiB\""}).status, 0);
    for (const auto* memory : {"256 MiB", "4 KiB"}) {
        const auto out = "out " + std::string(memory);
        ASSERT_EQ(run("friends.toml", out, {"--set", "run.output_memory=\"" + std::string(memory) + "\""}).status, 0);
        expect_same(out, "whole");
    }
    const auto files = files_of("whole");
    const auto counts = testing::lines_of(files.at("counts.csv"));
    ASSERT_EQ(counts.size(), 14U);
    const auto lines_of_state = [&](int step) {
        return static_cast<int>(testing::lines_of(files.at(fmt::format("friends/{:03}.csv", step))).size());
    };
    for (int step = 0; step <= 12; ++step) {
        int number = 0, born = 0, died = 0;
        ASSERT_EQ(std::sscanf(counts[static_cast<std::size_t>(step) + 1].c_str(), "%d,%d,%d", &number, &born, &died), 3);
        EXPECT_EQ(lines_of_state(step), lines_of_state(0) + born - died) << step;
        EXPECT_GT(died + (step == 0 ? 1 : 0), 0);
    }
}

TEST_F(RunBesideItsFiles, ThatCannotBeWrittenNamesTheFileAndWritesTheOthers) {
    write_wolves("checkpoint = { every = 6 }");
    ASSERT_EQ(run("wolves.toml", "whole", {"--set", "run.output_memory=\"0 MiB\""}).status, 0);
    struct Named {
        const char* file;
        int number; // of the files in its folder
    };
    for (const auto& named : {Named{"grass/013.npy", 14}, {"sheep/016.csv", 5}, {"picture/021.png", 8}}) {
        const auto* const file = named.file;
        const int number = named.number;
        SCOPED_TRACE(file);
        const auto begun = [&](const testing::Environment& more) {
            fs::remove_all(here() / "disk");
            fs::create_directory(here() / "disk");
            write_text(here() / "log", "");
            auto failing = disk(more);
            failing["FAILING_FILES_NAMED"] = "/" + fs::path(file).parent_path().string() + "/";
            failing["FAILING_FILES_LOG"] = (here() / "log").string();
            return tessera({"run", "wolves.toml", "--out", "disk/out", "--quiet"}, failing);
        };
        ASSERT_EQ(begun({}).status, 0);
        const auto calls = testing::lines_of(text_of(here() / "log"));
        int renamed = 0;
        const auto call = std::find_if(calls.begin(), calls.end(), [&, wanted = number](const auto& line) {
            return line.rfind("rename", 0) == 0 && ++renamed == wanted;
        });
        ASSERT_NE(call, calls.end());
        for (const int before : {0, 2}) { // it gets its name; it is synchronised
            const auto ended =
                begun({{"FAILING_FILES_HOW", "EIO"}, {"FAILING_FILES_AT", std::to_string(call - calls.begin() + 1 - before)}});
            expect_failed_at(file, ended);
            const auto last = resume("disk/out", {"--quiet"});
            ASSERT_EQ(last.status, 0) << last.err;
            expect_same("disk/out", "whole");
        }
    }
}

// The table has the rows of all states up to the one at which the failure of another file is noticed, with that one's.
TEST_F(RunBesideItsFiles, HasTheRowsOfTheStateAtWhichAFileFails) {
    write_life("");
    const auto begun = [&](const std::string& memory, const testing::Environment& more) {
        fs::remove_all(here() / "disk");
        fs::create_directory(here() / "disk");
        write_text(here() / "log", "");
        auto named = disk(more);
        named["FAILING_FILES_NAMED"] = "/states/";
        named["FAILING_FILES_LOG"] = (here() / "log").string();
        return tessera({"run", "life.toml", "--out", "disk/out", "--quiet", "--set", "run.output_memory=\"" + memory + "\"", "--set",
                        "output=[{ every = 1, npy = \"states/{step:03}.npy\", attribute = \"cell.alive\" }, "
                        "{ every = 1, csv = \"a.csv\", columns = { a = \"sum(cell.alive)\" } }]"},
                       named);
    };
    ASSERT_EQ(begun("0 MiB", {}).status, 0);
    const auto calls = testing::lines_of(text_of(here() / "log"));
    const auto rows = testing::lines_of(text_of(here() / "disk/out/a.csv")); // behind the heading, of state 0 and those after it
    ASSERT_EQ(rows.size(), 42u);
    for (const auto* memory : {"0 MiB", "256 MiB"})
        for (int i = 0; i < 2; ++i) {
            const auto at = calls.size() / 4 + generator_() % (calls.size() / 2);
            SCOPED_TRACE(std::string(memory) + ", call " + std::to_string(at));
            const auto ended = begun(memory, {{"FAILING_FILES_HOW", "EIO"}, {"FAILING_FILES_AT", std::to_string(at)}});
            EXPECT_EQ(ended.status, 8) << ended.err;
            const auto written = testing::lines_of(text_of(here() / "disk/out/a.csv"));
            EXPECT_EQ(written.size(), manifest("disk/out")["steps"].get<std::size_t>() + 2);
            EXPECT_TRUE(
                std::equal(written.begin(), written.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(written.size())));
        }
}

// A slow disk: the signal comes while files, and a checkpoint, wait to be written. All that was captured is there at the end.
TEST_F(RunBesideItsFiles, ToldToEndWritesAllThatItHas) {
    write_life("checkpoint = { every = 7 }");
    fs::create_directory(here() / "disk");
    const std::vector<std::string> more{"--steps",
                                        "100000",
                                        "--set",
                                        "run.output_memory=\"64 KiB\"",
                                        "--set",
                                        "output=[{ every = 1, npy = \"{step:06}.npy\", attribute = \"cell.alive\" }, "
                                        "{ every = 1, csv = \"a.csv\", columns = { a = \"sum(cell.alive)\" } }]"};
    auto begin = more;
    begin.insert(begin.begin(), {"run", "life.toml", "--out", "disk/out", "--quiet"});
    Child child(command(begin, disk({{"FAILING_FILES_SLOW", "5"}})));
    for (int pause = 0; pause < 12'000 && !child.has_ended() && !fs::exists(here() / "disk/out/000015.npy"); ++pause)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    child.signal(SIGTERM);
    const auto ended = child.wait();
    EXPECT_EQ(ended.status, 11) << ended.err;
    const auto steps = manifest("disk/out")["steps"].get<int>();
    ASSERT_GE(steps, 15);
    EXPECT_EQ(std::stoi(checkpoints_of("disk/out").back()), steps);
    auto rest = more;
    rest[1] = std::to_string(steps);
    ASSERT_EQ(run("life.toml", "whole", rest).status, 0);
    EXPECT_TRUE(files_of("disk/out") == files_of("whole"));
    EXPECT_EQ(manifest("disk/out")["files"], manifest("whole")["files"]);
    ASSERT_EQ(resume("disk/out", {"--quiet", "--steps", std::to_string(steps + 9)}).status, 0);
    rest[1] = std::to_string(steps + 9);
    ASSERT_EQ(run("life.toml", "longer", rest).status, 0);
    expect_same("disk/out", "longer");
}

TEST_F(RunBesideItsFiles, SaysOnceWhatItsCheckpointsTake) {
    write_life("checkpoint = { every = 1 }");
    fs::create_directory(here() / "disk");
    const std::string waits = "the run waits, since a checkpoint is due before the one before it is on the disk";
    const std::string stands_still = "the run stands still while a checkpoint is written, since a copy of its 0.00307 MB finds no room";
    const auto told = [&](const std::string& memory, const std::string& slow) {
        const auto ended = tessera(
            {"run", "life.toml", "--out", "disk/out", "--overwrite", "--steps", "12", "--set", "run.checkpoint.memory=\"" + memory + "\""},
            disk({{"FAILING_FILES_SLOW", slow}}));
        EXPECT_EQ(ended.status, 0) << ended.err;
        const auto times = [&](const std::string& what) {
            int seen = 0;
            for (auto at = ended.err.find(what); at != std::string::npos; at = ended.err.find(what, at + 1)) ++seen;
            return seen;
        };
        return std::pair{times(waits), times(stands_still)};
    };
    EXPECT_EQ(told("1 MiB", "40"), std::pair(1, 0));
    EXPECT_EQ(told("1 KiB", "0"), std::pair(0, 1));
    EXPECT_EQ(told("0 MiB", "0"), std::pair(0, 0)) << "as it was asked for";
}

// 40 states of 400 KiB, which are made faster than they come to the disk.
TEST_F(RunBesideItsFiles, HasNoMoreMemoryThanItMay) {
    write_life("");
    fs::create_directory(here() / "disk");
    const auto peak = [&](const std::string& out, const std::string& memory) {
        const auto ended = tessera({"run", "life.toml", "--out", "disk/" + out, "--quiet", "--steps", "40", "--set",
                                    "places.cell.size=[640,640]", "--set", "run.output_memory=\"" + memory + "\"", "--set",
                                    "output=[{ every = 1, npy = \"{step:06}.npy\", attribute = \"cell.alive\" }]"},
                                   disk({{"FAILING_FILES_SLOW", "5"}}));
        EXPECT_EQ(ended.status, 0) << ended.err;
        return manifest("disk/" + out)["host_peak_bytes"].get<std::int64_t>();
    };
    const auto waiting = peak("waits", "0 MiB"), bounded = peak("bounded", "1 MiB");
    EXPECT_LT(bounded, waiting + (std::int64_t{6} << 20));
    EXPECT_TRUE(files_of("disk/waits") == files_of("disk/bounded"));
}

} // namespace
} // namespace tessera::beside_steps_test
