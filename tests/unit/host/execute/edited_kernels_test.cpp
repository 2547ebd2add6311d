// After an edit of a function its kernels alone are compiled, and a run does what its text says: the oracle adds up.
#include "host/execute/compile_kernels.hpp"
#include "host/execute/edited_kernels.hpp"
#include "host/run/run_to_end.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/compilers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::edited_kernels_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

// Six functions, of which the first two are the same text, so that a compiler may make one of both.
struct Text {
    std::string one = "self.total += 1;", two = "self.total += 1;", three = "self.total += helped(100);", helper = "x", more = "";

    [[nodiscard]] std::string source() const {
        const auto function = [](const std::string& name, const std::string& body) {
            return "TESSERA_CALL(Cell, " + name + ", writes<&Cell::total>) { " + body + " }\n";
        };
        return "#include <tessera/model.hpp>\nstruct Cell { std::int64_t total = 0; };\nTESSERA_PLACE(Cell, total);\n"
               "TESSERA_PARAM(int, bonus, 5, range(0, 999), \"on top\");\n"
               "constexpr std::int64_t helped(std::int64_t x) { return " +
               helper + "; }\n" + function("one", one) + function("two", two) + function("three", three) +
               function("four", "self.total += bonus;") + function("five", "self.total += 10000;") + function("six", "") + more +
               "TESSERA_MODEL(adding, \"adds\");\n";
    }
};

class EditedKernelsTest : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path cache() const { return folder_.path() / "cache"; }
    // The functions whose kernels a run of this text compiles again; "all". It is run then, and has to come to `total`.
    std::vector<std::string> compiled(const Text& text, std::int64_t total, const std::vector<std::string>& more = {}) {
        write_text(folder_.path() / "adding.cu", text.source());
        write_text(folder_.path() / "adding.toml",
                   "model = \"adding.cu\"\nrun = { steps = 1, devices = [\"cpu\"] }\nplaces.cell = { size = [7, 30] }\n"
                   "phase = [{ callAll = \"cell.one\" }, { callAll = \"cell.two\" }, { callAll = \"cell.three\" }, { callAll = "
                   "\"cell.four\" }, { callAll = \"cell.five\" }, { callAll = \"cell.six\" }]\n"
                   "output = [{ every = 1, csv = \"sums.csv\", columns = { least = \"min(cell.total)\", most = \"max(cell.total)\" } }]\n");
        const RunRequest request{(folder_.path() / "adding.toml").string(), more, {}};
        const auto names = compiled_by(request);
        RunOptions options;
        const auto out = folder_.path() / ("out-" + std::to_string(++runs_));
        options.out = out;
        options.quiet = true;
        (void)run(prepare(request, compiler_), compiler_, options);
        const auto sum = std::to_string(total);
        EXPECT_THAT(text_of(out / "sums.csv"), ::testing::EndsWith("\n1," + sum + "," + sum + "\n"));
        return names;
    }

private:
    TemporaryFolder folder_;

    std::vector<std::string> compiled_by(const RunRequest& request) {
        const auto prepared = prepare(request, compiler_);
        const auto& setup = prepared.setup;
        const auto target = target_for(setup, false, {});
        std::vector<ViewChoice> views;
        for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, false));
        std::vector<std::string> names;
        if (compiler_.find(kernels_job(setup, views, target))) return names;
        const auto edited = edited_kernels(setup, views, target, compiler_);
        if (!edited) return {"all"};
        for (const auto id : setup.kernels.ids())
            if (edited->changed[id.index()]) names.push_back(setup.function_of(setup.kernels[id]).name);
        return names;
    }

    jit::Cache cache_{cache()};
    jit::Compiler compiler_{cache_};
    int runs_ = 0;
};

TEST_F(EditedKernelsTest, AreThoseOfTheFunctionsThatWereEdited) {
    Text text;
    EXPECT_THAT(compiled(text, 10107), ElementsAre("all"));
    EXPECT_THAT(compiled(text, 10107), IsEmpty());
    text.two = "self.total += 30;"; // and not the first, which was the same
    EXPECT_THAT(compiled(text, 10136), ElementsAre("two"));
    text.three = "self.total += helped(200);\n\n";
    EXPECT_THAT(compiled(text, 10236), ElementsAre("two", "three"));
    text.two = "self.total += 1;";
    EXPECT_THAT(compiled(text, 10207), ElementsAre("three"));
    text.three = Text().three;
    EXPECT_THAT(compiled(text, 10107), IsEmpty()); // as at the beginning
}

TEST_F(EditedKernelsTest, AreAllWhereMoreThanBodiesOfFunctionsIsEdited) {
    Text text;
    EXPECT_THAT(compiled(text, 10107), ElementsAre("all"));
    text.helper = "x + 1";
    EXPECT_THAT(compiled(text, 10108), ElementsAre("all"));
    text.more = "TESSERA_CALL(Cell, seven, writes<&Cell::total>) {}\n";
    EXPECT_THAT(compiled(text, 10108), ElementsAre("all"));
    text.two = "\n#undef TWICE\n#define TWICE 2\nself.total += TWICE;"; // which would hold behind it as well
    EXPECT_THAT(compiled(text, 10109), ElementsAre("all"));
    text.two = "\n#undef TWICE\n#define TWICE 3\nself.total += TWICE;";
    EXPECT_THAT(compiled(text, 10110), ElementsAre("all"));
    text.one = "if (self.random.bernoulli(1)) self.total += 4;"; // one that draws is compiled in another way
    EXPECT_THAT(compiled(text, 10113), ElementsAre("all"));
}

TEST_F(EditedKernelsTest, AreAllWhereMostFunctionsAreEdited) {
    Text text;
    EXPECT_THAT(compiled(text, 10107), ElementsAre("all"));
    text.one = text.two = text.three = "self.total += 2;";
    EXPECT_THAT(compiled(text, 10011), ElementsAre("one", "two", "three"));
    text.more = "// a comment\n"; // the text outside the bodies is another
    EXPECT_THAT(compiled(text, 10011), ElementsAre("all"));
}

TEST_F(EditedKernelsTest, AreOfTheValuesThatTheRunHas) {
    Text text;
    EXPECT_THAT(compiled(text, 10107), ElementsAre("all"));
    text.two = "self.total += bonus;";
    EXPECT_THAT(compiled(text, 10107, {"params.bonus=3"}), ElementsAre("all"));
    EXPECT_THAT(compiled(text, 10111), ElementsAre("two"));
    const std::vector<std::string> passed{"run.bake=false", "params.bonus=4"};
    EXPECT_THAT(compiled(text, 10109, passed), ElementsAre("all"));
    text.two = "self.total += 2 * bonus;";
    EXPECT_THAT(compiled(text, 10113, passed), ElementsAre("two"));
}

TEST_F(EditedKernelsTest, AreAllWhereTheirImageIsGone) {
    Text text;
    EXPECT_THAT(compiled(text, 10107), ElementsAre("all"));
    for (const auto& file : std::filesystem::recursive_directory_iterator(cache()))
        if (file.is_regular_file() && file.file_size() > 4096) std::filesystem::remove(file.path());
    text.two = "self.total += 30;";
    EXPECT_THAT(compiled(text, 10136), ElementsAre("all"));
}

} // namespace
} // namespace tessera::edited_kernels_test
