// Whose a result folder is, and what is removed from it and written to it.
#include "device_runtime/error.hpp"
#include "host/outputs/csv_table.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/result_folder.hpp"
#include "tests/support/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include <sys/stat.h>

namespace tessera::result_folder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

class ResultFolders : public ::testing::Test {
protected:
    [[nodiscard]] fs::path here() const { return scratch_.path(); }
    [[nodiscard]] fs::path out() const { return here() / "out"; }

    // What a run left in `out`: these files, and a manifest that lists them.
    void leave(const std::vector<std::string>& files, const std::string& more = R"("status": "finished")") const {
        std::string list;
        for (const auto& file : files) {
            write_text(out() / file, "of an earlier run");
            list += (list.empty() ? "\"" : ", \"") + file + '"';
        }
        write_text(out() / "manifest.json", R"({"tessera": "0.1.0", "files": [)" + list + "], " + more + "}");
    }
    [[nodiscard]] std::string refusal(const std::function<void()>& action) const {
        try {
            action();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::output);
            std::string text = error.what();
            for (auto at = text.find(here().string()); at != std::string::npos; at = text.find(here().string()))
                text.replace(at, here().string().size() + 1, "");
            return text;
        }
        return "";
    }
    [[nodiscard]] std::string refusal_to_overwrite(const fs::path& folder) const {
        return refusal([&] { (void)claim_result_folder(folder, true); });
    }

private:
    testing::TemporaryFolder scratch_;
};

// ---- whose it is

TEST_F(ResultFolders, OneInUseIsRefusedUntilItIsLetGo) {
    const std::string in_use =
        "the result folder out is in use (another run writes into it) wait until it ends, or give another with --out";
    {
        const auto folder = claim_result_folder(out(), false);
        const auto copy = folder;
        for (const bool overwrite : {false, true}) EXPECT_EQ(refusal([&] { (void)claim_result_folder(out(), overwrite); }), in_use);
    }
    EXPECT_EQ(refusal([&] { (void)claim_result_folder(out(), false); }), "");

    leave({"a.npy"});
    const auto folder = claim_result_folder(out(), true);
    write_text(out() / "b.npy", "of this run");
    EXPECT_EQ(refusal_to_overwrite(out()), in_use);
    EXPECT_EQ(text_of(out() / "b.npy"), "of this run");
}

// What a killed run had is let go a moment later than it ends.
TEST_F(ResultFolders, OneToGoOnInIsWaitedForAMoment) {
    leave({"a.npy"});
    auto held = std::make_optional(claim_result_folder(out(), true));
    EXPECT_THAT(refusal([&] { (void)open_result_folder(out()); }), HasSubstr("is in use"));
    std::thread ends([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        held.reset();
    });
    EXPECT_EQ(refusal([&] { (void)open_result_folder(out()); }), "");
    ends.join();
}

TEST_F(ResultFolders, ANewOneIsInUseFromItsMaking) {
    const auto first = new_result_folder(out()), second = new_result_folder(out());
    EXPECT_EQ(second.path(), fs::path(out().string() + "-2"));
    for (const auto& folder : {first, second})
        EXPECT_THAT(refusal([&] { (void)claim_result_folder(folder.path(), false); }), HasSubstr("is in use"));
}

// ---- what is removed

TEST_F(ResultFolders, OnlyWhatAManifestListsIsRemoved) {
    leave({"a.npy", "frames/1.png"});
    write_text(out() / "notes.txt", "mine");
    write_text(out() / "frames/2.png", "mine");
    (void)claim_result_folder(out(), true);
    EXPECT_FALSE(fs::exists(out() / "a.npy"));
    EXPECT_FALSE(fs::exists(out() / "frames/1.png"));
    EXPECT_TRUE(fs::exists(out() / "frames/2.png"));
    EXPECT_TRUE(fs::exists(out() / "notes.txt"));
    EXPECT_TRUE(fs::exists(out() / "manifest.json")) << "until there is another, a run that is killed would leave a folder of nobody";
}

TEST_F(ResultFolders, ListedNamesThatLeadOutAreLeftAlone) {
    write_text(here() / "victim", "mine");
    for (const auto& name : std::vector<std::string>{"../victim", "a/../../victim", (here() / "victim").string(), ".", ""}) {
        write_text(out() / "manifest.json", R"({"tessera": "0.1.0", "files": [")" + name + R"("]})");
        (void)claim_result_folder(out(), true);
        EXPECT_EQ(text_of(here() / "victim"), "mine") << name;
    }
}

TEST_F(ResultFolders, AManifestOfAnotherProgramIsNone) {
    for (const char* text : {R"({"name": "a web page", "files": ["notes.txt"]})", "[]", "no json", ""}) {
        write_text(out() / "notes.txt", "mine");
        write_text(out() / "manifest.json", text);
        EXPECT_EQ(refusal_to_overwrite(out()),
                  "the folder out holds other things than results (its manifest.json is not of Tessera) give another with --out")
            << text;
        EXPECT_EQ(text_of(out() / "notes.txt"), "mine") << text;
    }
}

TEST_F(ResultFolders, NothingIsRemovedThroughLinks) {
    write_text(here() / "elsewhere/1.png", "mine");
    write_text(here() / "victim", "mine");
    const std::string why = " is a symbolic link (results are neither written nor removed through links) remove the link, or give another "
                            "folder with --out";

    leave({"a.npy", "frames/1.png"});
    fs::remove_all(out() / "frames");
    fs::create_directory_symlink(here() / "elsewhere", out() / "frames");
    EXPECT_EQ(refusal_to_overwrite(out()), "out/frames" + why);

    fs::remove(out() / "frames");
    leave({"a.npy", "b.npy"});
    fs::remove(out() / "b.npy");
    fs::create_symlink("../victim", out() / "b.npy");
    EXPECT_EQ(refusal_to_overwrite(out()), "out/b.npy" + why);

    fs::rename(out() / "manifest.json", here() / "manifest.json");
    fs::create_symlink("../manifest.json", out() / "manifest.json");
    EXPECT_EQ(refusal_to_overwrite(out()), "out/manifest.json" + why);

    EXPECT_EQ(text_of(here() / "elsewhere/1.png"), "mine");
    EXPECT_EQ(text_of(here() / "victim"), "mine");
    EXPECT_TRUE(fs::exists(out() / "a.npy")) << "removed before the folder was refused";
}

TEST_F(ResultFolders, ALinkToAFolderIsNotOverwritten) {
    leave({"a.npy"});
    fs::create_directory_symlink("out", here() / "latest");
    for (const char* name : {"latest", "latest/"})
        EXPECT_EQ(refusal_to_overwrite(here() / name),
                  std::string("the result folder ") + name +
                      " is a symbolic link (nothing is overwritten through links) name the folder that it leads to");
    EXPECT_TRUE(fs::exists(out() / "a.npy"));
}

// ---- of a run that was killed

TEST_F(ResultFolders, OfAKilledRunWhatItWroteSinceItsManifestIsRemovedToo) {
    const std::vector<std::string> its_own{"table.csv",         "0004.npy",
                                           "123456.npy",        "frames/70.png",
                                           "9/at/9.npy",        "frames/.tessera-77-4.partial",
                                           "edits/000/life.cu", "edits/1234/parts/a.hpp",
                                           "edits/edits.jsonl"},
        others{"notes.csv",  "4.npy",    "00004.npy",       "0004.npy.old",  "frames/70.jpg",  "frames/7.png",     "9/at/8.npy",
               "x/0004.npy", ".partial", "edits/notes.txt", "edits/12/a.cu", "edits/0a0/a.cu", "my/edits/000/a.cu"};
    for (const char* status : {"finished", "running"}) {
        const bool killed = status == std::string("running");
        leave({}, std::string(R"("status": ")") + status +
                      R"(", "writing": ["table.csv", "{step:04}.npy", "./frames//{step}0.png", "{step}/at/{step}.npy", "{", 3])");
        for (const auto& name : its_own) write_text(out() / name, "of an earlier run");
        for (const auto& name : others) write_text(out() / name, "mine");
        write_text(out() / ".tessera-77-3.partial", "half"); // or of a checkpoint: they are nobody's in any case
        (void)claim_result_folder(out(), true);
        EXPECT_FALSE(fs::exists(out() / ".tessera-77-3.partial"));
        for (const auto& name : its_own) EXPECT_EQ(fs::exists(out() / name), !killed) << name;
        for (const auto& name : others) EXPECT_EQ(text_of(out() / name), "mine") << name;
    }
}

TEST_F(ResultFolders, WhatWasKilledBeforeItsManifestLeavesAnEmptyFolder) {
    write_text(out() / ".tessera-77-3.partial", "{");
    (void)claim_result_folder(out(), false);
    EXPECT_TRUE(fs::is_empty(out()));
}

// ---- what is written

TEST_F(ResultFolders, NothingIsWrittenThroughLinks) {
    write_text(here() / "victim", "mine");
    fs::create_directory(here() / "elsewhere");
    const auto folder = claim_result_folder(out(), false);
    fs::create_symlink("../victim", out() / "heat.csv");
    fs::create_symlink("../victim", out() / "heat.npy");
    fs::create_directory_symlink("../elsewhere", out() / "frames");

    const std::vector<std::string> columns{"heat"};
    EXPECT_EQ(refusal([&] { CsvTable(folder.place("heat.csv"), columns); }),
              "could not write 'out/heat.csv' (it is a symbolic link, and results are not written through links) remove the link, or write "
              "elsewhere");
    EXPECT_EQ(
        refusal([&] { (void)folder.place("frames/1.png"); }),
        "out/frames is a symbolic link (results are neither written nor removed through links) remove the link, or give another folder "
        "with --out");
    Array array;
    array.bytes.resize(1);
    write_npy(folder.place("heat.npy"), array); // takes the link's place
    EXPECT_EQ(text_of(here() / "victim"), "mine");
    EXPECT_TRUE(fs::is_empty(here() / "elsewhere"));
    EXPECT_FALSE(fs::is_symlink(out() / "heat.npy"));
}

TEST_F(ResultFolders, FilesGoToTheFolderWhateverBecomesOfItsPath) {
    fs::create_directory(here() / "elsewhere");
    const auto folder = claim_result_folder(out(), false);
    fs::rename(out(), here() / "moved");
    fs::create_directory_symlink("elsewhere", out());
    CsvTable(folder.place("below/heat.csv"), std::vector<std::string>{"heat"}).close();
    EXPECT_EQ(text_of(here() / "moved/below/heat.csv"), "heat\n");
    EXPECT_TRUE(fs::is_empty(here() / "elsewhere"));
}

TEST_F(ResultFolders, NothingIsWrittenOutsideOfThem) {
    write_text(here() / "victim", "mine");
    const auto folder = claim_result_folder(out(), false);
    EXPECT_EQ(refusal([&] { (void)folder.place("../victim"); }), "\"../victim\" is no file in out (it has a part `..`)");
    for (const auto& name : std::vector<std::string>{"../new/a.npy", "a/../../victim", "a/../b.npy", (here() / "victim").string(), "", "a/",
                                                     ".", "a//b.npy", "a\nb.npy"}) {
        EXPECT_NE(refusal([&] { (void)folder.place(name); }), "") << name;
        EXPECT_TRUE(fs::is_empty(out())) << name;
    }
    const auto opened = std::make_shared<const Descriptor>(::open(out().c_str(), O_RDONLY | O_DIRECTORY));
    for (const auto* way : {"..", "../new", "a/../../new", "/tmp", "a/./b"})
        EXPECT_THAT(refusal([&] { (void)open_folder_below(opened, way, out(), Missing::made); }), HasSubstr("is no folder below out"))
            << way;
    EXPECT_TRUE(fs::is_empty(out()));
    EXPECT_FALSE(fs::exists(here() / "new"));
    EXPECT_EQ(open_folder_below(opened, "", out(), Missing::made), opened);
}

// ---- pipes

TEST_F(ResultFolders, APipeThatNobodyReadsIsWaitedForUntilTheRunIsToEnd) {
    ASSERT_EQ(::mkfifo((here() / "pipe").c_str(), 0600), 0);
    const std::vector<std::string> columns{"heat"};
    int asked = 0;
    const auto at_last = [&asked] { return ++asked == 3; };
    try {
        CsvTable(here() / "pipe", columns, 1, at_last);
        FAIL() << "a pipe without a reader was opened";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::interrupted);
        EXPECT_THAT(error.what(), HasSubstr("interrupted while nobody read the pipe"));
    }
    EXPECT_EQ(asked, 3);

    const int reader = ::open((here() / "pipe").c_str(), O_RDONLY | O_NONBLOCK); // takes what it has room for
    CsvTable table(here() / "pipe", columns, 1, [] { return true; });
    std::optional<Failure> ended;
    for (int row = 0; row < 1'000'000 && !ended; ++row) try {
            table.row(std::vector<TableValue>{1e-300});
        } catch (const Error& error) {
            ended = error.kind();
        }
    EXPECT_EQ(ended, Failure::interrupted);
    ::close(reader);
}

} // namespace
} // namespace tessera::result_folder_test
