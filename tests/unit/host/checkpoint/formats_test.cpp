// What earlier versions have kept is resumed, and comes to what a run from the beginning comes to.
// sanitizers: none
#include "host/checkpoint/record.hpp"
#include "host/checkpoint/zstd.hpp"
#include "tests/support/resumed_runs.hpp"

#include <tessera/version.hpp>

namespace tessera::formats_test {
namespace {

namespace fs = std::filesystem;

class KeptFormats : public testing::ResumedRuns {
protected:
    // Gives a checkpoint the result epoch of this program, which is no part of a format: one of another epoch is refused.
    static void take_as_of_this_epoch(const fs::path& record) {
        auto text = testing::text_of(record);
        const auto seal = text.rfind(",\n\"xxh3_of_all_before\"");
        ASSERT_NE(seal, std::string::npos) << record;
        text = text.substr(0, seal) + "\n}";
        const std::string key = "\"result_epoch\": ";
        const auto from = text.find(key) + key.size();
        text.replace(from, text.find(',', from) - from, std::to_string(TESSERA_RESULT_EPOCH));
        testing::write_text(record, checkpoint::sealed(text));
    }
};

TEST_F(KeptFormats, AreResumed) {
    const auto kept = test_data("data/checkpoints");
    int seen = 0;
    for (const auto& format : fs::directory_iterator(kept)) {
        if (!format.is_directory() || (format.path().filename() == "format_2" && !checkpoint::Zstd::why_not_there().empty())) continue;
        for (const auto* model : {"life", "wolf_sheep"}) {
            SCOPED_TRACE(format.path().filename().string() + ", " + model);
            const auto out = format.path().filename().string() + "_" + model;
            fs::copy(format.path() / model, here() / out, fs::copy_options::recursive);
            ASSERT_NO_FATAL_FAILURE(take_as_of_this_epoch(here() / out / "checkpoints/000000000010/checkpoint.json"));
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
} // namespace tessera::formats_test
