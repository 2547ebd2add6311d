// What a model says of itself, read from the images of every compiler that there is.
#include "device_runtime/error.hpp"
#include "host/model/model.hpp"
#include "jit/cache.hpp"
#include "jit/nvrtc.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>

namespace tessera::description_test {
namespace {

using ::testing::ElementsAre;

class Description : public ::testing::Test {
protected:
    void SetUp() override {
        if (const char* before = std::getenv("CXX")) compiler_before_ = before;
    }
    void TearDown() override {
        if (compiler_before_)
            ::setenv("CXX", compiler_before_->c_str(), 1);
        else
            ::unsetenv("CXX");
    }

    void write(const std::string& name, const std::string& text) const { testing::write_text(scratch_.path() / name, text); }

    // `look` at the description of model.cu as each compiler makes it.
    void by_each_compiler(const std::function<void(const model::Description&)>& look) {
        jit::Cache cache;
        jit::Compiler compiler(cache);
        int looks = 0;
        const auto read = [&](const std::string& by, const jit::Target& target) {
            SCOPED_TRACE(by);
            look(model::load_model(scratch_.path() / "model.cu", compiler, target).description);
            ++looks;
        };
        for (const std::string command : {"g++", "clang++"}) {
            if (std::system((command + " --version > /dev/null 2>&1").c_str()) != 0) continue;
            ::setenv("CXX", command.c_str(), 1);
            read(command, {});
        }
        if (const auto architecture = newest_of_nvrtc(); !architecture.empty())
            read("NVRTC", {jit::Target::Kind::cuda, architecture, false});
        if (looks == 0) GTEST_SKIP() << "there is no compiler";
    }

private:
    static std::string newest_of_nvrtc() {
        try {
            return "sm_" + std::to_string(jit::Nvrtc::find().architectures().back());
        } catch (const Error&) {
            return {};
        }
    }

    testing::TemporaryFolder scratch_;
    std::optional<std::string> compiler_before_;
};

std::vector<std::string> names_of(const std::vector<model::Function>& functions) {
    std::vector<std::string> names;
    for (const auto& function : functions) names.push_back(function.name);
    return names;
}

// The header's functions stand in lines before and behind those of the file that includes it.
TEST_F(Description, FunctionsAreInTheOrderOfDeclarationInWhateverFileTheyStand) {
    write("early.hpp", "\n\n\n\n\n\n\n\nTESSERA_INIT(Cell, second, sets<&Cell::heat>) { self.heat = 2; }\n"
                       "TESSERA_INIT(Cell, third, sets<&Cell::heat>) { self.heat = 3; }\n");
    write("late.hpp", "TESSERA_INIT(Cell, fifth, sets<&Cell::heat>) { self.heat = 5; }\n");
    write("model.cu", "#include <tessera/model.hpp>\nstruct Cell { float heat = 0; };\nTESSERA_PLACE(Cell, heat);\n"
                      "TESSERA_INIT(Cell, first, sets<&Cell::heat>) { self.heat = 1; }\n#include \"early.hpp\"\n"
                      "TESSERA_INIT(Cell, fourth, sets<&Cell::heat>) { self.heat = 4; }\n#include \"late.hpp\"\n"
                      "TESSERA_MODEL(model, \"\");\n");
    by_each_compiler([](const model::Description& description) {
        EXPECT_THAT(names_of(description.functions), ElementsAre("first", "second", "third", "fourth", "fifth"));
    });
}

TEST_F(Description, RecordsOfOneLineNumberInSeveralFilesStandSideBySide) {
    const std::string line_3 = "\n\n";
    write("heat.hpp", line_3 + "TESSERA_DOC(Cell::heat, \"how warm it is\"); TESSERA_DEFAULTS(\"run.steps = 7\");\n");
    write("age.hpp", line_3 + "TESSERA_DOC(Cell::age, \"how old it is\"); TESSERA_DEFAULTS(\"run.seed = 8\");\n");
    write("model.cu", "#include <tessera/model.hpp>\nstruct Cell { float heat = 0; int age = 0; };\nTESSERA_PLACE(Cell, heat, age);\n"
                      "#include \"heat.hpp\"\n#include \"age.hpp\"\nTESSERA_MODEL(model, \"\");\n");
    by_each_compiler([](const model::Description& description) {
        ASSERT_EQ(description.rows.size(), 1u);
        EXPECT_EQ(description.rows[0].members[0].doc, "how warm it is");
        EXPECT_EQ(description.rows[0].members[1].doc, "how old it is");
        EXPECT_EQ(description.defaults, "run.steps = 7\nrun.seed = 8\n");
    });
}

} // namespace
} // namespace tessera::description_test
