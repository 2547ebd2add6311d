// What earlier versions have kept is resumed, and comes to what a run from the beginning comes to.
// sanitizers: none
#include "host/checkpoint/zstd.hpp"
#include "tests/support/resumed_runs.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class KeptFormats : public testing::ResumedRuns {};

TEST_F(KeptFormats, AreResumed) {
    const auto kept = test_data("data/checkpoints");
    int seen = 0;
    for (const auto& format : fs::directory_iterator(kept)) {
        if (!format.is_directory() || (format.path().filename() == "format_2" && !checkpoint::Zstd::why_not_there().empty())) continue;
        for (const auto* model : {"life", "wolf_sheep"}) {
            SCOPED_TRACE(format.path().filename().string() + ", " + model);
            const auto out = format.path().filename().string() + "_" + model;
            fs::copy(format.path() / model, here() / out, fs::copy_options::recursive);
            const auto verified = resume(out, {"--check"});
            EXPECT_EQ(verified.status, 0) << verified.err;
            const auto resumed = resume(out, {"--steps", "25", "--devices", "cpu,cpu", "--quiet"});
            ASSERT_EQ(resumed.status, 0) << resumed.err;
            const auto whole = out + "_whole";
            const auto begun = run(out + "/source/run.toml", whole, {"--steps", "25"});
            ASSERT_EQ(begun.status, 0) << begun.err;
            EXPECT_EQ(manifest(out)["steps"], 25);
            EXPECT_EQ(manifest(out)["state_hash"], manifest(whole)["state_hash"]);
            EXPECT_TRUE(files_of(out) == files_of(whole)) << "a file is another one";
            ++seen;
        }
    }
    EXPECT_GE(seen, 2);
}

} // namespace
} // namespace tessera
