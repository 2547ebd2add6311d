// A checkpoint of which one bit is another one, or that is shorter, is found out, and the one before is taken.
// sanitizers: none
#include "device_runtime/error.hpp"
#include "host/checkpoint/record.hpp"
#include "host/checkpoint/sources.hpp"
#include "host/checkpoint/store.hpp"
#include "tests/support/resumed_runs.hpp"

namespace tessera::damage_test {
namespace {

namespace fs = std::filesystem;
using testing::text_of;
using testing::write_text;

class DamagedCheckpoint : public testing::ResumedRuns {
protected:
    void SetUp() override {
        ResumedRuns::SetUp();
        if (IsSkipped()) return;
        write_life("checkpoint = { every = 20 }");
        ASSERT_EQ(run("life.toml", "out", {"--set", "places.cell.size=[8,6]"}).status, 0);
    }
    // `visit` is called with the file as each of its damages leaves it: a bit is another one, or it ends before that byte. Of all there
    // are, some dozens for each file, unless the tests are thorough.
    template<class Visit> void with_damages(const fs::path& file, const Visit& visit) {
        const auto whole = text_of(file);
        for (std::size_t byte = 0; byte < whole.size(); ++byte)
            for (int bit = 0; bit < 8; ++bit) {
                if (!test::thorough() && generator_() % 64 != 0) continue;
                auto changed = whole;
                changed[byte] = static_cast<char>(changed[byte] ^ (1 << bit));
                write_text(file, changed);
                visit(byte);
            }
        for (std::size_t length = 0; length < whole.size(); length += test::thorough() ? 1 : 1 + generator_() % 64) {
            write_text(file, whole.substr(0, length));
            visit(length);
        }
        write_text(file, whole);
    }
};

TEST_F(DamagedCheckpoint, IsPassedOver) {
    const auto folder = open_result_folder(here() / "out");
    const auto number = checkpoint::read_sources(folder)->run;
    ASSERT_EQ(checkpoint::find_last(folder, number).last->name, "000000000040");
    int seen = 0;
    for (const auto* name : {"cell.alive.npy", "run.toml", "checkpoint.json"})
        with_damages(here() / "out/checkpoints/000000000040" / name, [&](std::size_t byte) {
            const auto found = checkpoint::find_last(folder, number);
            ASSERT_TRUE(found.last) << name << " " << byte;
            EXPECT_EQ(found.last->name, "000000000020") << name << " " << byte;
            EXPECT_EQ(found.passed_over.size(), 1u) << name << " " << byte;
            ++seen;
        });
    EXPECT_GT(seen, 50);
    EXPECT_EQ(checkpoint::find_last(folder, number).last->name, "000000000040");
    EXPECT_EQ(checkpoint::find_last(folder, number + 1).passed_over.size(), 2u) << "of another run";
}

TEST_F(DamagedCheckpoint, IsNotTakenWithOtherSources) {
    const auto folder = open_result_folder(here() / "out");
    for (const auto* name : {"life.cu", "run.toml", "run.json"})
        with_damages(here() / "out/source" / name,
                     [&](std::size_t byte) { EXPECT_THROW((void)checkpoint::read_sources(folder), Error) << name << " " << byte; });
    EXPECT_TRUE(checkpoint::read_sources(folder));
}

// What anybody may have written, with the right hash: an error in words, and nothing worse.
TEST_F(DamagedCheckpoint, WithARecordOfNonsenseIsRefused) {
    const auto text = text_of(here() / "out/checkpoints/000000000040/checkpoint.json");
    const auto record = nlohmann::json::parse(text);
    for (const auto& [key, value] : record.items())
        for (const nlohmann::json& other : {nlohmann::json(), nlohmann::json(-1), nlohmann::json("../.."), nlohmann::json::array({1})}) {
            if (key == "tessera" || key == "xxh3_of_all_before") continue;
            auto changed = record;
            changed.erase("xxh3_of_all_before");
            changed[key] = other;
            try {
                (void)checkpoint::parse_record(checkpoint::sealed(changed.dump(1)));
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), Failure::input) << key;
            }
        }
    auto later = record;
    later.erase("xxh3_of_all_before");
    later["result_epoch"] = 1000;
    try {
        (void)checkpoint::parse_record(checkpoint::sealed(later.dump(1)));
        ADD_FAILURE() << "it was read";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("it has result_epoch 1000, and this program has"));
    }
}

} // namespace
} // namespace tessera::damage_test
