// Runs that keep their state and are resumed come to what one comes to that was never stopped.
// sanitizers: none
#include "tests/support/resumed_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

namespace tessera::resume_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

using ResumedRun = testing::ResumedRuns;

TEST_F(ResumedRun, ThatHadFewerStepsIsTheSameAsOneThatHadThemAll) {
    write_life("checkpoint = { every = 7 }");
    ASSERT_EQ(run("life.toml", "whole").status, 0);
    const auto part = run("life.toml", "out", {"--steps", "26"});
    ASSERT_EQ(part.status, 0) << part.err;
    EXPECT_EQ(checkpoints_of("out"), (std::vector<std::string>{"000000000014", "000000000021"}));
    EXPECT_TRUE(fs::exists(here() / "out/source/life.cu"));

    const auto done = resume("out");
    EXPECT_EQ(done.status, 0);
    EXPECT_THAT(done.err, HasSubstr("the run in out has finished after step 26"));

    const auto rest = resume("out", {"--steps", "40"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("the run goes on after step 21"));
    expect_same("out", "whole");
    EXPECT_EQ(manifest("out")["resumed"][0]["step"], 21);
    EXPECT_EQ(checkpoints_of("out"), (std::vector<std::string>{"000000000028", "000000000035"}));
}

TEST_F(ResumedRun, IntoAnotherFolderLeavesTheFirstAsItWas) {
    write_life("checkpoint = { every = 7, keep = 1 }");
    ASSERT_EQ(run("life.toml", "whole").status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--steps", "26"}).status, 0);
    const auto before = files_of("out");
    const auto rest = resume("out", {"--steps", "40", "--out", "other"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same("other", "whole");
    EXPECT_TRUE(files_of("out") == before);
    EXPECT_EQ(checkpoints_of("out"), std::vector<std::string>{"000000000021"});
}

// NumPy's format, read without anything of ours; and what the hashes are of.
TEST_F(ResumedRun, KeepsColumnsThatOthersRead) {
    write_life("checkpoint = { every = 20 }");
    ASSERT_EQ(run("life.toml", "out").status, 0);
    const auto folder = here() / "out/checkpoints/000000000020";
    const auto npy = text_of(folder / "cell.alive.npy");
    ASSERT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const auto length = static_cast<unsigned char>(npy[8]) + 256u * static_cast<unsigned char>(npy[9]);
    EXPECT_THAT(npy.substr(10, length), HasSubstr("'descr': '|u1', 'fortran_order': False, 'shape': (1, 48, 64)"));
    const auto output = text_of(here() / "out/states/020.npy");
    EXPECT_EQ(npy.substr(10 + length), output.substr(output.size() - 64 * 48));

    const auto text = text_of(folder / "checkpoint.json");
    const auto record = nlohmann::json::parse(text);
    const auto hash = [](const std::string& bytes) {
        char digits[17];
        (void)std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
        return std::string(digits);
    };
    EXPECT_EQ(record["columns"][0]["file"]["xxh3_of_16_MiB"], nlohmann::json::array({hash(npy)}));
    EXPECT_EQ(record["xxh3_of_all_before"], hash(text.substr(0, text.rfind('\n', text.size() - 2) + 1)));
    EXPECT_EQ(record["step"], 20);
}

TEST_F(ResumedRun, KilledAtAnyMomentComesToTheSame) {
    write_life("checkpoint = { every = 50 }", 1500);
    expect_same_after_kills("life.toml", test::thorough() ? 1000 : 8, {"cpu", "cpu,cpu"});
}

TEST_F(ResumedRun, PassesOverWhatIsDamagedAndSaysSo) {
    write_life("checkpoint = { every = 7 }");
    ASSERT_EQ(run("life.toml", "whole").status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--steps", "26"}).status, 0);
    const auto column = here() / "out/checkpoints/000000000021/cell.alive.npy";
    auto bytes = text_of(column);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_text(column, bytes);
    const auto verified = resume("out", {"--check"});
    EXPECT_EQ(verified.status, 3);
    EXPECT_EQ(verified.err,
              "error: the checkpoint out/checkpoints/000000000021 cannot be used (its file cell.alive.npy is damaged: bytes 0 "
              "to 3199 are not those that were written) `tessera resume out` goes on from 000000000014\n");
    const auto rest = resume("out", {"--steps", "40"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.err,
                HasSubstr("warning: the checkpoint out/checkpoints/000000000021 cannot be used: its file cell.alive.npy is damaged"));
    EXPECT_THAT(rest.err, HasSubstr("the run goes on after step 14"));
    expect_same("out", "whole");
    EXPECT_EQ(resume("out", {"--check"}).status, 0);
}

TEST_F(ResumedRun, WithoutACheckpointYetBeginsAgain) {
    write_life("checkpoint = { every = 30 }");
    const std::string first = "x = 3, y = 3\nbo$2bo$3o!\n", file = "places.cell.init.alive={ file = \"glider.rle\" }";
    write_text(here() / "glider.rle", first);
    ASSERT_EQ(run("life.toml", "whole", {"--steps", "12", "--set", file}).status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--steps", "5", "--set", file}).status, 0);
    write_text(here() / "glider.rle", "x = 3, y = 3\nbo$2bo$2o!\n");
    const auto other = resume("out", {"--steps", "12"});
    EXPECT_EQ(other.status, 3);
    EXPECT_THAT(other.err,
                HasSubstr("error: the run cannot begin again: " + (here() / "glider.rle").string() +
                          " is another file by now (bytes 0 to 23 are not those that were written) put it back, or begin another run"));
    write_text(here() / "glider.rle", first);
    const auto again = resume("out", {"--steps", "12"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.err, HasSubstr("there is no checkpoint in out: the run begins again"));
    expect_same("out", "whole");
}

TEST_F(ResumedRun, WithNothingToGoOnFromIsRefused) {
    write_life("");
    EXPECT_EQ(resume("nowhere").err, "error: there is no result folder nowhere (No such file or directory) name the folder of a run\n");
    ASSERT_EQ(run("life.toml", "out").status, 0);
    const auto none = resume("out");
    EXPECT_EQ(none.status, 3);
    EXPECT_EQ(none.err,
              "error: there is nothing to resume in out (its run kept no checkpoints) set run.checkpoint = { every = 10000 } in a "
              "run file, and run it\n");
}

// Killed between its sources and its manifest, and without a checkpoint; what a killed resume had not finished goes.
TEST_F(ResumedRun, WithoutAManifestBeginsAgain) {
    write_life("checkpoint = { every = 30 }");
    ASSERT_EQ(run("life.toml", "whole", {"--steps", "12"}).status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--steps", "5"}).status, 0);
    for (const auto* file : {"out/manifest.json", "out/alive.csv"}) fs::remove(here() / file);
    fs::remove_all(here() / "out/states");
    write_text(here() / "out/.tessera-1-1.partial/run.toml", "x");
    write_text(here() / "out/checkpoints/.tessera-1-2.partial/cell.alive.npy", "x");
    const auto again = resume("out", {"--steps", "12"});
    ASSERT_EQ(again.status, 0) << again.err;
    expect_same("out", "whole");
    EXPECT_FALSE(fs::exists(here() / "out/.tessera-1-1.partial"));
    EXPECT_FALSE(fs::exists(here() / "out/checkpoints/.tessera-1-2.partial"));
    fs::remove(here() / "out/manifest.json");
    for (const auto* file : {"out/alive.csv", "out/states/000.npy", "out/states/010.npy", "out/states/012.npy"}) fs::remove(here() / file);
    EXPECT_EQ(run("life.toml", "out", {"--steps", "12", "--overwrite"}).status, 0) << "it had only begun";
}

TEST_F(ResumedRun, WhoseSourcesAreGoneSaysSo) {
    write_life("checkpoint = { every = 30 }");
    ASSERT_EQ(run("life.toml", "out", {"--steps", "5"}).status, 0);
    fs::remove_all(here() / "out/source");
    EXPECT_EQ(resume("out").err,
              "error: there is nothing to resume in out (its folder `source`, which has what the run is made of, was removed) "
              "put that folder back; or save what `run_file` in its manifest.json says as a run file, and run it again\n");
    fs::create_directory(here() / "empty");
    EXPECT_EQ(resume("empty").err, "error: there is nothing to resume in empty (its run ended before it began, or never was) begin it with "
                                   "`tessera run`\n");
}

// What was edited is of a run that is not made again: it is set aside, and a replay of the manifest comes to what the run came to.
TEST_F(ResumedRun, WithoutACheckpointSetsAsideWhatWasEdited) {
    write_life("checkpoint = { every = 30 }");
    ASSERT_EQ(run("life.toml", "whole", {"--steps", "12"}).status, 0);
    ASSERT_EQ(run("life.toml", "out", {"--steps", "5", "--watch"}).status, 0);
    // All places of a box are alive, in the form of a page's edit.
    std::string heading = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 4, 5), }";
    heading.resize(117, ' ');
    write_text(here() / "out/edits/001/values.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(118) + std::string(1, '\0') +
                                                        heading + "\n" + std::string(20, '\1'));
    const auto list = here() / "out/edits/edits.jsonl";
    const auto beginning = text_of(list);
    const std::string painted = R"({"step":0,"folder":"edits/001","values":"cell.alive","element":0,"corner":[3,2,0]})";
    write_text(list, beginning + painted + "\n");
    const auto edited = tessera_of_ours({"run", "--replay", "out/manifest.json", "--out", "edited", "--quiet"});
    ASSERT_EQ(edited.status, 0) << edited.err;

    const auto again = resume("out", {"--steps", "12"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(again.err,
                HasSubstr("warning: the run begins again without the edit that was made of it (there is no checkpoint that has it) "
                          "`tessera run --replay out/set-aside/001/manifest.json` makes the earlier run with it\n"));
    EXPECT_EQ(manifest("out")["state_hash"], manifest("whole")["state_hash"]);
    EXPECT_EQ(text_of(list), beginning);
    EXPECT_FALSE(fs::exists(here() / "out/edits/001"));
    const auto replayed = tessera_of_ours({"run", "--replay", "out/manifest.json", "--out", "replayed", "--quiet"});
    ASSERT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_EQ(manifest("replayed")["state_hash"], manifest("out")["state_hash"]);
    const auto aside = tessera_of_ours({"run", "--replay", "out/set-aside/001/manifest.json", "--out", "aside", "--quiet"});
    ASSERT_EQ(aside.status, 0) << aside.err;
    EXPECT_EQ(manifest("aside")["steps"], 5);
    EXPECT_EQ(manifest("aside")["state_hash"], manifest("edited")["state_hash"]);
}

TEST_F(ResumedRun, WhoseTableSomebodyChangedIsRefused) {
    write_life("checkpoint = { every = 7 }");
    ASSERT_EQ(run("life.toml", "out", {"--steps", "26"}).status, 0);
    const auto table = here() / "out/alive.csv";
    auto text = text_of(table);
    text[8] = text[8] == '1' ? '2' : '1';
    write_text(table, text);
    const auto edited = resume("out", {"--steps", "40"});
    EXPECT_EQ(edited.status, 8);
    EXPECT_THAT(edited.err, HasSubstr("error: the run in out cannot go on (its file alive.csv has other rows in its first "));
    EXPECT_EQ(text_of(table), text) << "nothing is changed";
    fs::remove(here() / "out/states/010.npy");
    write_text(table, "");
    EXPECT_THAT(resume("out", {"--steps", "40"}).err, HasSubstr("(its file alive.csv has 0 bytes, and had "));
}

TEST_F(ResumedRun, OverwrittenHasNoCheckpointOfAnother) {
    write_life("checkpoint = { every = 7 }");
    ASSERT_EQ(run("life.toml", "out", {"--steps", "26"}).status, 0);
    const auto again = run("life.toml", "out");
    EXPECT_EQ(again.status, 8);
    EXPECT_THAT(again.err, HasSubstr("`tessera resume out` goes on with the run in it; else give another with --out, or --overwrite"));
    write_life("");
    ASSERT_EQ(run("life.toml", "out", {"--overwrite"}).status, 0);
    EXPECT_FALSE(fs::exists(here() / "out/checkpoints"));
    EXPECT_FALSE(fs::exists(here() / "out/source"));
}

} // namespace
} // namespace tessera::resume_test
