// Code whose random numbers come out wrong is found when it is loaded: it is compiled with less optimisation, or refused.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace tessera::testing::known_draws_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class KnownDraws : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
    }
    // A compiler that gets a constant of Philox wrong, unless it has this option among its own.
    [[nodiscard]] std::string wrong_compiler(const std::string& unless) const {
        const auto path = here() / "wrong_c++";
        write_text(path, "#!/bin/sh\nheader=sdk/tessera/kernels/agents/draws_beside.hpp\ncase \" $* \" in\n*\" " + unless +
                             " \"*) ;;\n*) [ ! -f $header ] || sed -i s/0xd2511f53/0xd2511f55/ $header ;;\nesac\nexec c++ \"$@\"\n");
        ::chmod(path.c_str(), 0700);
        return path.string();
    }
    [[nodiscard]] Outcome walk(const std::string& compiler, const std::string& folder, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run",   "random_walk",
                                           "--set", "run.steps=20",
                                           "--set", "places.land.size=[40,40]",
                                           "--set", "agents.walker.count=500",
                                           "--set", "run.devices=\"cpu\"",
                                           "--out", folder};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return tessera(arguments, {{"CXX", compiler}, {"TESSERA_PLUGIN_PATH", ""}});
    }
};

TEST_F(KnownDraws, ThatAreWrongAreMadeWithLessOptimisation) {
    const auto right = walk("c++", "right");
    ASSERT_EQ(right.status, 0) << right.err;
    EXPECT_THAT(right.err, Not(HasSubstr("random numbers")));
    const auto compiler = wrong_compiler("-O1");
    for (const auto* const folder : {"mended", "again"}) { // from the cache too
        const auto mended = walk(compiler, folder);
        ASSERT_EQ(mended.status, 0) << mended.err;
        EXPECT_THAT(mended.err, AllOf(HasSubstr("random_walk.cu is compiled again with less optimisation, and is slower (its random "
                                                "numbers are wrong as made by " +
                                                compiler + " with -O3 -march=native, "),
                                      Not(HasSubstr("error"))));
        EXPECT_EQ(manifest(folder)["state_hash"], manifest("right")["state_hash"]);
    }
}

TEST_F(KnownDraws, ThatStayWrongAreRefused) {
    const auto compiler = wrong_compiler("never");
    for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--check"}}) {
        const auto refused = walk(compiler, "refused", more);
        EXPECT_EQ(refused.status, 5);
        EXPECT_THAT(refused.err,
                    AllOf(HasSubstr("random_walk.cu cannot be run on this processor (its random numbers are wrong as made by " + compiler),
                          HasSubstr(") name another compiler in $CXX")));
        EXPECT_FALSE(std::filesystem::exists(here() / "refused" / "manifest.json") && manifest("refused")["status"] == "finished");
    }
}

// A library brings code of its own: where that is wrong, the model is compiled here, if the library has its source.
TEST_F(KnownDraws, OfALibraryAreLookedAtToo) {
    const auto write_run = [&](const std::string& name, const std::string& model) {
        write_text(here() / name, "model = \"" + model + "\"\n[run]\nsteps = 20\ndevices = \"cpu\"\n[places.land]\nsize = [40, 40]\n" +
                                      "[agents.walker]\ncount = 500\n");
    };
    write_run("walk.toml", "random_walk");
    write_run("open.toml", "./open/random_walk.so");
    write_run("closed.toml", "./closed/random_walk.so");
    const auto walk_by = [&](const std::string& compiler, const std::vector<std::string>& arguments) {
        return tessera(arguments, {{"CXX", compiler}, {"TESSERA_PLUGIN_PATH", ""}});
    };
    const auto build = [&](const std::string& plugins, const std::vector<std::string>& more) {
        std::filesystem::create_directory(here() / plugins);
        std::vector<std::string> arguments{"build", "random_walk", "--for", "walk.toml", "--out", plugins + "/random_walk.so"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto built = walk_by(wrong_compiler("never"), arguments);
        ASSERT_EQ(built.status, 0) << built.err;
    };
    ASSERT_NO_FATAL_FAILURE(build("open", {}));
    ASSERT_NO_FATAL_FAILURE(build("closed", {"--without-source"}));
    ASSERT_EQ(walk("c++", "right").status, 0);
    const auto mended = walk_by("c++", {"run", "open.toml", "--out", "mended"});
    EXPECT_EQ(mended.status, 0) << mended.err;
    EXPECT_THAT(mended.err, HasSubstr("(its random numbers are wrong as made by finished code for x86-64-v2)"));
    EXPECT_EQ(manifest("mended")["state_hash"], manifest("right")["state_hash"]);
    const auto refused = walk_by("c++", {"run", "closed.toml", "--out", "refused"});
    EXPECT_EQ(refused.status, 5);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("closed/random_walk.so cannot be run on this processor (its random numbers are wrong as made by "
                                "finished code for x86-64-v2) ask for a library with its source")));
}

} // namespace
} // namespace tessera::testing::known_draws_test
