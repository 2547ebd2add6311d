// The program among files that are not what they seem, with names that nobody would give, and models that lie about themselves.
#include "device_runtime/devices.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

namespace tessera::hostile_files_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

class HostileFiles : public ::testing::Test {
protected:
    void SetUp() override {
        const bool compiler = std::system("(c++ --version || g++ --version || clang++ --version) > /dev/null 2>&1") == 0;
        if (!compiler && !cuda_status().available) GTEST_SKIP() << "there is neither a C++ compiler nor a GPU";
    }
    static void SetUpTestSuite() { shared_cache = std::make_unique<TemporaryFolder>(); }
    static void TearDownTestSuite() { shared_cache.reset(); }

    [[nodiscard]] const fs::path& here() const { return scratch_.path(); }

    [[nodiscard]] Outcome tessera(const std::vector<std::string>& arguments, const fs::path& folder = {}) const {
        testing::Command command{test_program(), arguments, folder.empty() ? here() : folder, {}, std::nullopt};
        command.environment["TESSERA_CACHE"] = shared_cache->path().string();
        command.environment["TESSERA_PLUGIN_PATH"] = std::nullopt;
        return testing::run(command);
    }

    // A model that runs by itself, with `more` in its source.
    static std::string counter(const std::string& name, const std::string& more = {}) {
        return "#include <tessera/model.hpp>\n" + more +
               "\nstruct Cell { int count = 0; };\nTESSERA_PLACE(Cell, count);\n"
               "TESSERA_CALL(Cell, tick, writes<&Cell::count>) { self.count += 1; }\n"
               "TESSERA_MODEL(" +
               name +
               ", \"counts\");\n"
               "TESSERA_DEFAULTS(R\"toml(places.cell.size = [4, 3]\nrun.steps = 2\nrun.devices = \"cpu\")toml\");\n";
    }
    void write_counter(const fs::path& path, const std::string& more = {}) const {
        write_text(here() / path, counter(path.stem().string(), more));
    }
    void write_run_file(const std::string& name, const std::string& text) const { write_text(here() / name, text); }
    [[nodiscard]] nlohmann::json manifest(const fs::path& folder) const {
        return nlohmann::json::parse(text_of(here() / folder / "manifest.json"));
    }

    static std::unique_ptr<TemporaryFolder> shared_cache;

private:
    TemporaryFolder scratch_;
};
std::unique_ptr<TemporaryFolder> HostileFiles::shared_cache;

// ---- models

TEST_F(HostileFiles, OneBadCandidateDoesNotEndTheList) {
    write_counter("all/counter/counter.cu");
    write_text(here() / "all/undocumented/undocumented.cu", counter("undocumented") + "TESSERA_DOC(, \"x\");\n");
    fs::create_symlink("loop", here() / "all/loop");
    fs::create_directory(here() / "all/pipe");
    ASSERT_EQ(::mkfifo((here() / "all/pipe/pipe.cu").c_str(), 0600), 0);
    write_counter("all/piped/piped.cu", "#include \"header.hpp\"");
    ASSERT_EQ(::mkfifo((here() / "all/piped/header.hpp").c_str(), 0600), 0);
    write_text(here() / "all/a\x1b[31m\nb/README", "");
    const auto outcome = tessera({"list", "--plugins", "all"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("counter          counts  (all/counter/counter.cu)\n"));
    EXPECT_THAT(outcome.out,
                HasSubstr("undocumented     rejected: all/undocumented/undocumented.cu: TESSERA_DOC(, ...) documents nothing ("));
    EXPECT_THAT(outcome.out, HasSubstr("loop             rejected: Too many levels of symbolic links  (all/loop)\n"));
    EXPECT_THAT(outcome.out, HasSubstr("pipe             rejected: its pipe.cu cannot be read: it is a pipe"));
    EXPECT_THAT(outcome.out, HasSubstr("piped            rejected: all/piped/piped.cu:2:10: \"header.hpp\" cannot be read (it is a pipe)"));
    EXPECT_THAT(outcome.out, HasSubstr("a\\x1b[31m\\x0ab"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
    EXPECT_EQ(tessera({"run", "counter", "--plugins", "all", "--out", "out"}).status, 0);
}

TEST_F(HostileFiles, DocumentationOfNothingIsTheModelsFault) {
    write_text(here() / "counter.cu", counter("counter") + "TESSERA_DOC(, \"x\");\n");
    const auto outcome = tessera({"info", "./counter.cu"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, HasSubstr("error: counter.cu: TESSERA_DOC(, ...) documents nothing (there is no such member or function)"));
}

TEST_F(HostileFiles, AModelOrARunFileThatIsNoRegularFileIsNotWaitedFor) {
    ASSERT_EQ(::mkfifo((here() / "pipe.cu").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((here() / "pipe.toml").c_str(), 0600), 0);
    fs::create_symlink("/dev/zero", here() / "zero.toml");
    const auto model = tessera({"run", "pipe.cu"}), run_file = tessera({"check", "pipe.toml"}), endless = tessera({"run", "zero.toml"});
    EXPECT_EQ(model.status, 4);
    EXPECT_EQ(model.err, "error: pipe.cu cannot be read (it is a pipe) check the path\n");
    EXPECT_EQ(run_file.status, 3);
    EXPECT_THAT(run_file.err, StartsWith("error: cannot read the run file `pipe.toml` (it is a pipe)"));
    EXPECT_EQ(endless.status, 3);
    EXPECT_THAT(endless.err, StartsWith("error: cannot read the run file `zero.toml` (it is a device)"));
}

TEST_F(HostileFiles, AModelsPathMayHaveAnyBytes) {
    int number = 0;
    for (const std::string folder : {"o'brien", "'\nrun.steps = 7\nx = '", "\xff\xfe", "quo\"te", "\x1b[31m"}) {
        write_counter(folder + "/counter/counter.cu");
        const auto out = "out" + std::to_string(number++);
        const auto outcome = tessera({"run", folder + "/counter/counter.cu", "--out", out});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(manifest(out)["steps"], 2) << "keys came in with the path of the model";
        EXPECT_EQ(tessera({"check", folder + "/counter/counter.cu"}).status, 0);
    }
}

TEST_F(HostileFiles, AModelWithADotInItsNameIsFoundByIt) {
    write_counter("all/v1.2/v1.2.cu");
    EXPECT_THAT(tessera({"list", "--plugins", "all"}).out, HasSubstr("v1.2             counts"));
    const auto outcome = tessera({"run", "v1.2", "--plugins", "all", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(tessera({"info", "v1.2", "--plugins", "all"}).status, 0);
}

TEST_F(HostileFiles, ASourceThatLiesBesideTheRunFileIsSuggested) {
    write_counter("sub/sir.cu");
    write_run_file("sub/run.toml", "model = \"sir\"\n");
    const auto by_file = tessera({"check", "sub/run.toml"});
    EXPECT_EQ(by_file.status, 4);
    EXPECT_THAT(by_file.err, StartsWith("error: sub/run.toml:1:9: there is no model `sir` ("));
    EXPECT_THAT(by_file.err, HasSubstr(") write model = \"sir.cu\" for the source beside the run file\n"));
    for (const char* command : {"run", "info"})
        EXPECT_THAT(tessera({command, "sir"}, here() / "sub").err, HasSubstr("there is a sir.cu: name it by its path, ./sir.cu\n"));
    write_run_file("sub/run.toml", "model = \"sir.cu\"\n");
    EXPECT_EQ(tessera({"check", "sub/run.toml"}).status, 0);
}

TEST_F(HostileFiles, InfoOfARunFileSaysWhatToAskFor) {
    write_run_file("run.toml", "model = \"counter\"\n");
    const auto outcome = tessera({"info", "run.toml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "error: run.toml is a run file (a model is expected here) name the model, or see `tessera check run.toml`\n");
}

TEST_F(HostileFiles, DoctorDoesNotBlameTheDevicesForAFolder) {
    const auto outcome = tessera({"doctor", "--plugins", "nope"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_EQ(outcome.err, "error: no plugin folder nope (it is not there) check --plugins\n");
}

// ---- initial values

TEST_F(HostileFiles, AFileOfInitialValuesIsComparedWithTheGridBeforeItIsDecoded) {
    write_counter("counter.cu");
    write_text(here() / "huge.rle", "x = 65536, y = 65536, rule = B3/S23\n!");
    // 2^31 - 1 pixels a side, as far as its header goes
    write_text(here() / "huge.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x01\0\0\0\0\x9a\xfa\xd3\x2f", 33));
    write_text(here() / "huge.asc", "ncols 9\nnrows 2\ncellsize 1\n" + std::string(40, '1'));
    write_text(here() / "huge.csv", "");
    fs::resize_file(here() / "huge.csv", std::uintmax_t{1} << 40); // a hole
    for (const std::string ending : {"rle", "asc"}) {
        const auto outcome = tessera({"check", "counter.cu", "--set", "places.cell.init.count={file=\"huge." + ending + "\"}"});
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("huge." + ending + " does not fit into cell (it has ")) << outcome.err;
    }
    const auto large = tessera({"check", "counter.cu", "--set", "places.cell.init.count={file=\"huge.csv\"}"});
    EXPECT_THAT(large.err, HasSubstr("has 1099511627776 bytes (the maximum for its grid is 16777984)"));
}

TEST_F(HostileFiles, ANumberWithAPointForAnIntegerIsAnsweredInWords) {
    write_counter("counter.cu");
    const auto outcome = tessera({"check", "counter.cu", "--set", "places.cell.init.count=1.0"});
    EXPECT_THAT(outcome.err, HasSubstr("cell.count cannot be 1.0 (its type is int32) write a whole number without a point: 1\n"));
}

// ---- what a run would refuse

TEST_F(HostileFiles, CheckSaysWhatARunWouldRefuse) {
    write_counter("counter.cu");
    const auto memory = tessera({"check", "counter.cu", "--set", "places.cell.size=[1000000,1000000]"});
    EXPECT_EQ(memory.status, 7);
    EXPECT_THAT(memory.err, HasSubstr("error: counter needs 3725.29 GiB and cpu has "));
    const auto two = tessera({"check", "counter.cu", "--set", "run.devices=[\"cpu\",\"cpu\"]", "--set", "places.cell.cuts=[1,2]"});
    EXPECT_THAT(two.err, HasSubstr("`places.cell.cuts` makes 3 stripes of the grid (the run has 2 devices)"));
    const auto absent = tessera({"check", "counter.cu", "--set", "run.devices=\"cuda:77\""});
    EXPECT_EQ(absent.status, 0) << absent.err; // it may be there on another machine
    EXPECT_THAT(absent.out, HasSubstr("  the devices are not checked, since a run here would fail: there is no device \"cuda:77\""));
    write_text(here() / "full/notes.txt", "mine");
    EXPECT_THAT(tessera({"check", "counter.cu", "--set", "run.out=\"full\""}).out,
                HasSubstr("  a run would need --out or --overwrite: the result folder full is not empty\n"));
    EXPECT_THAT(tessera({"check", "counter.cu", "--set", "run.out=\"counter.cu\""}).out, HasSubstr("it is not a folder"));
    EXPECT_EQ(text_of(here() / "full/notes.txt"), "mine");
}

// ---- the run file of a manifest

TEST_F(HostileFiles, TheRunFileOfAManifestMakesTheSameRunFromAnotherFolder) {
    write_counter("models/counter/counter.cu");
    write_text(here() / "data/start.csv", "1,2,3,4\n5,6,7,8\n9,10,11,12\n");
    write_run_file("runs/mine.toml", "model = \"counter\"\nplaces.cell.init.count = { file = \"../data/start.csv\" }\n"
                                     "plugins.path = [\"../absent/../models\"]\n");
    fs::create_directory(here() / "absent");
    ASSERT_EQ(tessera({"run", "runs/mine.toml", "--out", "first"}).status, 0);
    write_run_file("elsewhere/deep/again.toml", manifest("first")["run_file"].get<std::string>());
    const auto again = tessera({"run", "again.toml", "--out", "second"}, here() / "elsewhere/deep");
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(manifest("elsewhere/deep/second")["state_hash"], manifest("first")["state_hash"]);

    ASSERT_EQ(tessera({"run", "counter", "--plugins", "models", "--out", "third", "--set", "run.seed=4"}).status, 0);
    write_run_file("elsewhere/by_name.toml", manifest("third")["run_file"].get<std::string>());
    const auto by_name = tessera({"run", "by_name.toml", "--out", "fourth"}, here() / "elsewhere");
    EXPECT_EQ(by_name.status, 0) << by_name.err;
}

} // namespace
} // namespace tessera::hostile_files_test
