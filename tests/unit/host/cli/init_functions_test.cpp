// Init functions that write no member: they run as others do, and what one may not do is refused by a run as by a check.
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera::init_functions_test {
namespace {

using ::testing::HasSubstr;
using testing::write_text;

class InitFunctions : public testing::CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    }
    void write_model(const std::string& init) const {
        write_text(here() / "meadow.cu", R"cu(#include <tessera/model.hpp>
struct Meadow { int grass = 0; };
TESSERA_PLACE(Meadow, grass);
struct Hare { int age = 3; };
TESSERA_AGENT(Hare, on<Meadow>, age);
)cu" + init + R"cu(
TESSERA_CALL(Hare, live, writes<&Hare::age>) { self.age += 1; }
TESSERA_MODEL(meadow, "a meadow")
TESSERA_DEFAULTS(R"toml(run = { steps = 2, devices = "cpu" }
places.meadow.size = [6, 4]
agents.hare = { count = 5, capacity = 2 }
phase = [{ callAll = "hare.live" }, { manageAll = "hare" }])toml")
)cu");
    }
    void expect_refused(const std::string& init, const std::string& what, const std::vector<std::string>& keys = {}) const {
        write_model(init);
        std::vector<std::string> run{"run", "./meadow.cu", "--out", "out"}, check{"check", "./meadow.cu"};
        for (auto* arguments : {&run, &check}) {
            arguments->insert(arguments->end(), keys.begin(), keys.end());
            const auto outcome = tessera(*arguments);
            EXPECT_EQ(outcome.status, 3) << outcome.err;
            EXPECT_THAT(outcome.err, HasSubstr(what));
        }
        EXPECT_FALSE(std::filesystem::exists(here() / "out"));
    }
};

TEST_F(InitFunctions, AreRefusedByARunAsByACheck) {
    const std::string why = " before the first step (it is a TESSERA_INIT function, and no manageAll follows it)";
    expect_refused("TESSERA_INIT(Hare, leave, dies) { self.kill(); }", "hare.leave asks to die" + why);
    expect_refused("TESSERA_INIT(Hare, leave, moves<moore>) { self.migrate(1, 0); }", "hare.leave asks to go elsewhere" + why);
    expect_refused("TESSERA_INIT(Hare, leave, writes<&Hare::age>, dies) { self.age = 0; self.kill(); }", "hare.leave asks to die" + why,
                   {"--set", "agents.hare.init.age=1"}); // all that it writes is given
}

TEST_F(InitFunctions, ThatOnlyAssertRun) {
    write_model("TESSERA_INIT(Hare, look, reads<&Hare::age>) { TESSERA_ASSERT(self.age > 3, \"hares are old\"); }\n"
                "TESSERA_INIT(Meadow, look) { TESSERA_ASSERT(self.position.x < 6, \"the meadow is small\"); }");
    const auto wrong = tessera({"run", "./meadow.cu", "--out", "wrong", "--check"});
    EXPECT_EQ(wrong.status, 9) << wrong.err;
    EXPECT_THAT(wrong.err, HasSubstr("\"hares are old\" does not hold in hare.look for hare "));
    const auto right = tessera({"run", "./meadow.cu", "--out", "right", "--check", "--set", "agents.hare.init.age=4"});
    EXPECT_EQ(right.status, 0) << right.err;
    const auto usual = tessera({"run", "./meadow.cu", "--out", "usual"});
    EXPECT_EQ(usual.status, 0) << usual.err;
}

} // namespace
} // namespace tessera::init_functions_test
