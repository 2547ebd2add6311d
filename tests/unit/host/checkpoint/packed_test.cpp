// Checkpoints whose columns are compressed: the state that they hold, what finds damages out, and what is said where the library is
// missing. sanitizers: none
#include "device_runtime/error.hpp"
#include "host/checkpoint/packed_file.hpp"
#include "host/checkpoint/sources.hpp"
#include "host/checkpoint/store.hpp"
#include "tests/support/resumed_runs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tessera::packed_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::text_of;
using testing::write_text;

bool has_zstd() { return checkpoint::Zstd::why_not_there().empty(); }
constexpr const char* no_zstd = "there is no libzstd.so.1 (apt-get install libzstd1)";

TEST(PackedFiles, AreReadAnywhere) {
    if (!has_zstd()) GTEST_SKIP() << no_zstd;
    const test::TemporaryFolder folder;
    std::mt19937 draw(5);
    for (const std::size_t width : {1u, 2u, 4u, 8u})
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{131072}, std::size_t{300001}}) {
            std::vector<std::byte> bytes(count * width);
            for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % width == 0 ? draw() : i / 1000);
            const auto path = folder.path() / (std::to_string(width) + "-" + std::to_string(count));
            checkpoint::PackedFile file{FilePlace(path), "file", width};
            for (std::size_t done = 0; done < bytes.size();) {
                const auto part = std::min<std::size_t>(bytes.size() - done, 1 + draw() % 700'000);
                file.write(bytes.data() + done, part);
                done += part;
            }
            const auto record = file.finish();
            const auto kept = std::make_shared<const checkpoint::KeptFile>(FilePlace(path));
            EXPECT_EQ(kept->why_damaged(record), "");
            EXPECT_EQ(file.packing().sizes.size(), (bytes.size() + (1 << 20) - 1) >> 20);
            const checkpoint::PackedValues values(kept, file.packing(), bytes.size(), width);
            for (int i = 0; i < 50; ++i) {
                const auto first = bytes.empty() ? 0 : draw() % bytes.size();
                std::vector<std::byte> part(bytes.empty() ? 0 : draw() % (bytes.size() - first));
                values.read(first, part.data(), part.size());
                EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + static_cast<std::ptrdiff_t>(first)));
            }
            if (count < 131072) continue;
            EXPECT_LT(record.size, bytes.size() + 100); // of one byte each, nothing is to be gained
            auto fewer = file.packing();
            fewer.sizes.pop_back();
            EXPECT_THROW(checkpoint::PackedValues(kept, fewer, bytes.size(), width), Error);
            EXPECT_THROW(checkpoint::PackedValues(kept, file.packing(), bytes.size() + (1 << 20), width), Error);
            const checkpoint::PackedValues shorter(kept, file.packing(), bytes.size() - width, width);
            std::byte last{};
            EXPECT_THROW(shorter.read(bytes.size() - width - 1, &last, 1), Error);
        }
}

class PackedCheckpoints : public testing::ResumedRuns {
protected:
    void SetUp() override {
        ResumedRuns::SetUp();
        if (!IsSkipped() && !has_zstd()) GTEST_SKIP() << no_zstd;
    }
    // Agents in slots, and members of several types.
    void write_wolves() const {
        write_text(
            here() / "wolves.toml",
            "model = \"wolf_sheep\"\n[run]\ndevices = \"cpu\"\nthreads = 1\nsteps = 30\n[schedule]\ntune = \"off\"\nexchange = \"auto\"\n"
            "[places.grass]\nsize = [40, 32]\n[agents.sheep]\ncount = 200\ncapacity = 8\n[agents.wolf]\ncount = 40\ncapacity = 8\n"
            "[[output]]\nevery = 4\nagents = \"sheep-{step:03}.csv\"\nattribute = \"sheep\"\n");
    }
    static std::vector<std::string> kept(const std::string& more, int steps) {
        return {"--set", "run.checkpoint={ every = 4" + more + " }", "--steps", std::to_string(steps)};
    }
};

TEST_F(PackedCheckpoints, AreResumedAsOthersAre) {
    write_wolves();
    ASSERT_EQ(run("wolves.toml", "whole").status, 0);
    const std::string packed = ", compress = \"zstd\"";
    ASSERT_EQ(run("wolves.toml", "out", kept(packed, 10)).status, 0);
    EXPECT_TRUE(fs::exists(here() / "out/checkpoints/000000000008/grass.countdown.zst"));
    ASSERT_EQ(resume("out", {"--steps", "21", "--devices", "cpu,cpu"}).status, 0);
    EXPECT_TRUE(fs::exists(here() / "out/checkpoints/000000000020/grass.countdown.zst"));
    ASSERT_EQ(tessera_of_ours({"resume", "out", "--check"}).status, 0);
    const auto rest = resume("out", {"--steps", "30"});
    ASSERT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.err, HasSubstr("the run goes on after step 20"));
    expect_same("out", "whole");
    // One as the beginning of a run that keeps its own as arrays.
    auto more = kept("", 30);
    more.insert(more.end(), {"--set", "run.start={ checkpoint = \"out/checkpoints/000000000024\" }"});
    ASSERT_EQ(run("wolves.toml", "plain", more).status, 0);
    EXPECT_TRUE(fs::exists(here() / "plain/checkpoints/000000000028/grass.countdown.npy"));
    EXPECT_EQ(manifest("plain")["state_hash"], manifest("whole")["state_hash"]);
}

TEST_F(PackedCheckpoints, ThatAreDamagedArePassedOver) {
    write_life("checkpoint = { every = 20, compress = \"zstd\" }");
    ASSERT_EQ(run("life.toml", "out", {"--set", "places.cell.size=[40,30]"}).status, 0);
    const auto folder = open_result_folder(here() / "out");
    const auto number = checkpoint::read_sources(folder)->run;
    const auto file = here() / "out/checkpoints/000000000040/cell.alive.zst";
    const auto whole = text_of(file);
    ASSERT_LT(whole.size(), 40u * 30u);
    const auto step = test::thorough() ? 1u : 37u;
    for (std::size_t bit = generator_() % step; bit < 8 * whole.size(); bit += step) {
        auto changed = whole;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
        write_text(file, changed);
        const auto found = checkpoint::find_last(folder, number);
        ASSERT_TRUE(found.last);
        EXPECT_EQ(found.last->name, "000000000020") << bit;
    }
    for (std::size_t length = 0; length < whole.size(); length += step) {
        write_text(file, whole.substr(0, length));
        EXPECT_EQ(checkpoint::find_last(folder, number).last->name, "000000000020") << length;
    }
    write_text(file, whole);
    EXPECT_EQ(checkpoint::find_last(folder, number).last->name, "000000000040");
}

// With nothing there, no folder is made; a kept state is not passed over for that.
TEST_F(PackedCheckpoints, NeedTheLibrary) {
    write_life("checkpoint = { every = 20, compress = \"zstd\" }");
    const auto without = [&](const std::vector<std::string>& arguments) {
        return tessera(arguments, {{"TESSERA_PLUGIN_PATH", std::nullopt}, {"TESSERA_ZSTD", (here() / "none.so").string()}});
    };
    const auto refused = without({"run", "life.toml", "--out", "out"});
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("checkpoints cannot be compressed (Zstandard cannot be loaded: "), HasSubstr("none.so"),
                                   HasSubstr("apt-get install libzstd1")));
    EXPECT_FALSE(fs::exists(here() / "out"));
    EXPECT_THAT(without({"check", "life.toml"}).out, HasSubstr("a run here could not compress its checkpoints: "));
    ASSERT_EQ(run("life.toml", "out").status, 0);
    const auto not_resumed = without({"resume", "out", "--steps", "60"});
    EXPECT_EQ(not_resumed.status, 4);
    EXPECT_THAT(not_resumed.err, HasSubstr("Zstandard cannot be loaded ("));
    ASSERT_EQ(resume("out", {"--steps", "60"}).status, 0);
}

} // namespace
} // namespace tessera::packed_test
