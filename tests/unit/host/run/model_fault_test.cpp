// A model that the processor stops: the run ends in words, with the exit status of a failed model and a manifest.
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace tessera::model_fault_test {
namespace {

using ::testing::StartsWith;

// From step 3 on: `look` follows a pointer that the compiler does not know to be null; `descend` recurses, in no way that is a loop.
constexpr const char* abyss = R"(#include <tessera/model.hpp>
struct Pit { std::uint64_t where = 0, seen = 0; };
TESSERA_PLACE(Pit, where, seen);
static std::uint64_t depth_below(std::uint64_t at) {
    const std::uint64_t below = depth_below(at * 3 + 1);
    return below % 7 == at % 7 ? depth_below(below) : below + at;
}
TESSERA_CALL(Pit, look, writes<&Pit::where, &Pit::seen>) {
    if (self.step >= 3) self.seen += *reinterpret_cast<const std::uint64_t*>(self.where);
}
TESSERA_CALL(Pit, descend, writes<&Pit::seen>) {
    if (self.step >= 3) self.seen = depth_below(self.seen);
}
TESSERA_MODEL(abyss, "has no ground");
)";

class ModelFault : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("(c++ --version || g++ --version || clang++ --version) > /dev/null 2>&1") != 0)
            GTEST_SKIP() << "there is no C++ compiler";
        testing::write_text(here() / "abyss/abyss.cu", abyss);
    }

    // What a run on a grid of this many rows, whose phase is the function, says at its end.
    std::string end_of(const std::string& function, int rows, const std::string& devices = "\"cpu\"") {
        testing::write_text(here() / "run.toml", "model = \"abyss/abyss.cu\"\n[run]\nsteps = 100\nthreads = 3\ndevices = " + devices +
                                                     "\n[places.pit]\nsize = [70, " + std::to_string(rows) +
                                                     "]\n[[phase]]\ncallAll = \"pit." + function + "\"\n");
        testing::Command command{
            test_program(), {"run", "run.toml", "--out", "out", "--overwrite", "--log-level", "error"}, here(), {}, {}};
        command.environment["TESSERA_CACHE"] = (here() / "cache").string();
        const auto outcome = testing::run(command);
        EXPECT_EQ(outcome.status, 9) << outcome.err;
        const auto manifest = nlohmann::json::parse(testing::text_of(here() / "out/manifest.json"));
        EXPECT_EQ(manifest["status"], "failed");
        EXPECT_LE(manifest["steps"].get<int>(), 3);
        return outcome.err;
    }

    [[nodiscard]] const std::filesystem::path& here() const { return scratch_.path(); }

private:
    testing::TemporaryFolder scratch_;
};

TEST_F(ModelFault, IsToldWithFunctionAndStepInWhicheverThread) {
    for (const int rows : {1, 400}) { // in the thread that asks, and in all
        EXPECT_EQ(end_of("look", rows), "error: pit.look read or wrote where it has no memory in step 3 (a null pointer, or an index far "
                                        "beyond an array) test pointers and indices before they are used\n");
        EXPECT_EQ(end_of("descend", rows),
                  "error: pit.descend used up its stack in step 3 (it calls itself too often or without end, or its "
                  "local arrays are too large) use a loop in place of the recursion, or smaller arrays\n");
    }
}

TEST_F(ModelFault, OnOneOfSeveralDevicesIsToldLikewise) {
    for (int time = 0; time < 3; ++time)
        EXPECT_EQ(end_of("look", 400, R"(["cpu", "cpu", "cpu"])"),
                  "error: pit.look read or wrote where it has no memory in step 3 (a null pointer, or an index far "
                  "beyond an array) test pointers and indices before they are used\n");
}

} // namespace
} // namespace tessera::model_fault_test
