// Runs whose links come from a table, which is gone when they are resumed.
// sanitizers: none
#include "host/checkpoint/zstd.hpp"
#include "tests/support/resumed_runs.hpp"

namespace tessera::resume_links_test {
namespace {

namespace fs = std::filesystem;
using testing::Child;
using ::testing::HasSubstr;
using testing::write_text;

class ResumedLinks : public testing::ResumedRuns {
protected:
    // Links at random, some of which lead from a place to itself, and some of which have the same ends.
    void write_table(int places, int links, const char* member) const {
        std::mt19937 draw(17);
        std::string text = std::string("from,to") + (member != nullptr ? "," : "") + (member != nullptr ? member : "") + "\n";
        for (int i = 0; i < links; ++i) {
            const auto from = draw() % static_cast<unsigned>(places);
            const auto to = i % 29 == 0 ? from : draw() % static_cast<unsigned>(places);
            text += std::to_string(from) + "," + std::to_string(to);
            if (member != nullptr) text += ",0." + std::to_string(10 + draw() % 30);
            text += "\n";
        }
        write_text(here() / "table.csv", text);
    }
    // Of people among whom an illness goes about, along links that stay what they are.
    void write_epidemic() const {
        write_table(600, 2400, "chance");
        write_text(here() / "run.toml",
                   "model = \"sir_network\"\n[run]\ndevices = \"cpu\"\nthreads = 1\nsteps = 1000\nstop = \"count(person.state == 9) > 0\"\n"
                   "checkpoint = { every = 4 }\n[places.person]\ncount = 600\ninit.state = { random = 0.02 }\n"
                   "[links.contact]\nfile = \"table.csv\"\nloops = true\nparallel = true\n"
                   "[[output]]\nevery = 1\ncsv = \"ill.csv\"\ncolumns = { ill = \"count(person.state == 1)\" }\n"
                   "[[output]]\nevery = 5\nnpy = \"state-{step:04}.npy\"\nattribute = \"person.state\"\n");
    }
    // Of friends who part and find others.
    void write_friends() const {
        write_table(300, 900, nullptr);
        write_text(here() / "run.toml",
                   "model = \"opinion\"\n[run]\ndevices = \"cpu\"\nthreads = 1\nsteps = 1000\ncheckpoint = { every = 4 }\n"
                   "[places.person]\ncount = 300\n[links.friend]\nfile = \"table.csv\"\nloops = true\nparallel = true\n"
                   "[params]\nenough = 20\n[[output]]\nevery = 3\ncsv = \"friends.csv\"\n"
                   "columns = { there = \"count(friend)\", begun = \"births(friend)\", ended = \"deaths(friend)\" }\n");
    }
    // Killed once there is a checkpoint, and resumed twice without its table.
    void expect_same_without_table() const {
        Child child(command({"run", "run.toml", "--out", "out", "--quiet"}, {{"TESSERA_PLUGIN_PATH", std::nullopt}}));
        const auto is_kept = [&] { return fs::exists(here() / "out/checkpoints") && checkpoints_of("out").size() > 1; };
        for (int pause = 0; pause < 60'000 && !child.has_ended() && !is_kept(); ++pause)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        child.signal(SIGKILL);
        (void)child.wait();
        const auto last = std::stoi(checkpoints_of("out").back());
        const auto some = std::to_string(last + 6), all = std::to_string(last + 13);
        ASSERT_EQ(run("run.toml", "whole", {"--steps", all}).status, 0);
        fs::remove(here() / "table.csv");
        const auto more = resume("out", {"--steps", some});
        ASSERT_EQ(more.status, 0) << more.err;
        EXPECT_THAT(more.err, HasSubstr("the run goes on after step " + std::to_string(last)));
        const auto rest = resume("out", {"--steps", all, "--out", "elsewhere"});
        ASSERT_EQ(rest.status, 0) << rest.err;
        expect_same("elsewhere", "whole");
    }
};

TEST_F(ResumedLinks, ThatStayDoNotNeedTheirTableAgain) {
    write_epidemic();
    expect_same_without_table();
}

TEST_F(ResumedLinks, ThatChangeDoNotNeedTheirTableAgain) {
    write_friends();
    expect_same_without_table();
}

// What stays as it is stands on the disk once for all checkpoints, and what changes does not.
TEST_F(ResumedLinks, ThatStayAreKeptOnce) {
    const auto names_at = [&](const std::string& step, const std::string& file) {
        return fs::hard_link_count(here() / "out/checkpoints" / step / file);
    };
    const auto names_of = [&](const std::string& file) { return names_at("000000000012", file); };
    write_epidemic();
    for (const std::string compress : {"none", "zstd"}) {
        if (compress == "zstd" && !checkpoint::Zstd::why_not_there().empty()) continue;
        fs::remove_all(here() / "out");
        const auto kept = "run.checkpoint={ every = 4, keep = 3, compress = \"" + compress + "\" }";
        ASSERT_EQ(run("run.toml", "out", {"--steps", "14", "--set", kept}).status, 0);
        const std::string ending = compress == "zstd" ? ".zst" : ".npy";
        for (const auto* name : {"contact.(from)", "contact.(to)", "contact.chance"}) EXPECT_EQ(names_of(name + ending), 3u) << name;
        EXPECT_EQ(names_of("person.state" + ending), 1u);
        fs::remove_all(here() / "out/checkpoints/000000000004");
        fs::remove_all(here() / "out/checkpoints/000000000008");
        ASSERT_EQ(resume("out", {"--steps", "17"}).status, 0); // once more from the one that was taken
        EXPECT_EQ(names_at("000000000016", "contact.chance" + ending), 2u);
        ASSERT_EQ(resume("out", {"--steps", "30"}).status, 0);
        ASSERT_EQ(tessera_of_ours({"resume", "out", "--check"}).status, 0);
        ASSERT_EQ(run("run.toml", "whole", {"--steps", "30", "--overwrite"}).status, 0);
        EXPECT_EQ(manifest("out")["state_hash"], manifest("whole")["state_hash"]);
    }
    write_friends();
    ASSERT_EQ(run("run.toml", "out", {"--steps", "14", "--overwrite"}).status, 0);
    EXPECT_EQ(names_of("friend.(from).npy"), 1u);
}

// Another one would be no table of these places any more.
TEST_F(ResumedLinks, DoNotCareForAnotherTable) {
    write_epidemic();
    ASSERT_EQ(run("run.toml", "whole", {"--steps", "20"}).status, 0);
    ASSERT_EQ(run("run.toml", "out", {"--steps", "9"}).status, 0);
    write_text(here() / "table.csv", "from,to\n1,100000\n");
    const auto rest = resume("out", {"--steps", "20"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    expect_same("out", "whole");
}

// A run that begins with a kept state has its links, whatever its own run file says.
TEST_F(ResumedLinks, AreThoseOfTheStateWithWhichARunBegins) {
    write_epidemic();
    ASSERT_EQ(run("run.toml", "whole", {"--steps", "20"}).status, 0);
    ASSERT_EQ(run("run.toml", "kept", {"--steps", "8"}).status, 0);
    write_text(here() / "table.csv", "from,to,chance\n1,2,0.5\n");
    const auto rest = run("run.toml", "rest", {"--set", "run.start={ checkpoint = \"kept\" }", "--steps", "20"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_EQ(manifest("rest")["state_hash"], manifest("whole")["state_hash"]);
    const auto smaller = run("run.toml", "none", {"--set", "run.start={ checkpoint = \"kept\" }", "--set", "places.person.count=500"});
    EXPECT_EQ(smaller.status, 3);
    EXPECT_THAT(smaller.err, HasSubstr("the saved state does not fit into contact (a link of it leads "));
}

} // namespace
} // namespace tessera::resume_links_test
