#include "jit/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/jit/support.hpp"

namespace tessera::jit {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Source : public ::testing::Test {
protected:
    std::string refusal(const std::string& text) {
        const auto path = folder_.write("model.cu", text);
        const auto message = message_of(Failure::compile, [&] { static_cast<void>(read_model(path)); });
        const auto shown = folder_.path().string() + "/";
        EXPECT_THAT(message, StartsWith(shown));
        return message.substr(shown.size());
    }
    TemporaryFolder folder_;
};

TEST_F(Source, ReadsTheModelAndItsHeadersOnce) {
    const auto path = folder_.write("model.cu", "#include <tessera/model.hpp>\n#include <cstdint>\n#include \"parts/a.hpp\"\n# include \"b.hpp\"\n");
    folder_.write("parts/a.hpp", "#include \"c.hpp\"\n#include \"b.hpp\"\n");
    folder_.write("parts/c.hpp", "#pragma once\n");
    folder_.write("b.hpp", "int b;\n");
    const auto model = read_model(path);
    EXPECT_EQ(model.main.path, path.string());
    EXPECT_EQ(model.main.name, "model.cu");
    ASSERT_EQ(model.headers.size(), 3u);
    EXPECT_EQ(model.headers[0].name, "parts/a.hpp");
    EXPECT_EQ(model.headers[1].name, "parts/c.hpp"); // beside the one that includes it
    EXPECT_EQ(model.headers[2].name, "b.hpp");       // in the model's folder
    EXPECT_EQ(model.headers[2].text, "int b;\n");
    EXPECT_EQ(model.find(folder_.path() / "parts/c.hpp"), &model.headers[1]);
    EXPECT_EQ(with_resolved_inclusions(model, model.headers[0], "own/"), "#include \"own/parts/c.hpp\"\n#include \"own/b.hpp\"\n");
    EXPECT_EQ(with_resolved_inclusions(model, model.main, "own/"),
              "#include <tessera/model.hpp>\n#include <cstdint>\n#include \"own/parts/a.hpp\"\n# include \"own/b.hpp\"\n");
}

TEST_F(Source, LinesEndInOneWay) {
    EXPECT_EQ(read_model(folder_.write("model.cu", "\xEF\xBB\xBFint a;\r\nint b;\r\n")).main.text, "int a;\nint b;\n");
}

TEST_F(Source, AMissingModelIsThePluginsFault) {
    const auto path = folder_.path() / "none.cu";
    EXPECT_EQ(message_of(Failure::plugin, [&] { static_cast<void>(read_model(path)); }),
              path.string() + " cannot be read (No such file or directory) check the path");
    EXPECT_EQ(message_of(Failure::plugin, [&] { static_cast<void>(read_model(folder_.path())); }),
              folder_.path().string() + " cannot be read (Is a directory) check the path");
}

TEST_F(Source, AMissingHeaderIsToldWhereItIsIncluded) {
    EXPECT_EQ(refusal("\n#include \"none.hpp\"\n"), "model.cu:2:10: \"none.hpp\" is not there (looked for " + (folder_.path() / "none.hpp").string() +
                                                        ") check its name; headers are read from the model's folder");
}

TEST_F(Source, HeadersStayWithinTheModelsFolder) {
    const auto why = " cannot be included (it lies outside of the model's folder) put the header into the model's folder";
    EXPECT_EQ(refusal("#include \"../secret.hpp\""), std::string("model.cu:1:10: \"../secret.hpp\"") + why);
    EXPECT_EQ(refusal("#include \"a/../../secret.hpp\""), std::string("model.cu:1:10: \"a/../../secret.hpp\"") + why);
    EXPECT_EQ(refusal("#include \"/etc/passwd\""), std::string("model.cu:1:10: \"/etc/passwd\"") + why);
    std::filesystem::create_symlink("/etc/passwd", folder_.path() / "link.hpp");
    EXPECT_EQ(refusal("#include \"link.hpp\""),
              "model.cu:1:10: \"link.hpp\" cannot be included (it is a link to /etc/passwd, outside of the model's folder) put a copy into the model's folder");
}

TEST_F(Source, OnlyTheSdkIsIncludedInBrackets) {
    EXPECT_EQ(refusal("#include <cmath>\n"),
              "model.cu:1:10: <cmath> cannot be included in a model (models see the SDK alone, so that they mean the same on every device) use tessera's own "
              "functions (tessera::sqrt, tessera::exp, ... of <tessera/model.hpp>), which give the same bits on every device");
    EXPECT_EQ(refusal("#include <vector>\n"), "model.cu:1:10: <vector> cannot be included in a model (models see the SDK alone, so that they mean the same on "
                                              "every device) include <tessera/model.hpp> instead");
    EXPECT_THAT(refusal("#include <tessera/../../x.hpp>\n"), StartsWith("model.cu:1:10: <tessera/../../x.hpp> cannot be included"));
    EXPECT_EQ(refusal("#define X <cmath>\n#include X\n"),
              "model.cu:2:2: this #include names no header (a macro cannot stand for the name) write #include \"rules.hpp\" or #include <tessera/model.hpp>");
    EXPECT_THAT(refusal("#import \"a.hpp\"\n"), StartsWith("model.cu:1:2: #import cannot be used in a model"));
    EXPECT_THAT(refusal("#include \"model.cu\"\n"), HasSubstr("it is the model itself"));
}

TEST_F(Source, WhatBelongsToOneCompilerIsRefused) {
    const auto why = " cannot be used in a model (it belongs to one compiler; a model means the same on each) write it in plain C++ with what the SDK offers";
    for (const std::string word : {"asm", "__device__", "__builtin_popcount", "__has_include", "_Float16", "__syncthreads"})
        EXPECT_EQ(refusal("int a;\n  " + word + ";"), "model.cu:2:3: `" + word + "`" + why);
    folder_.write("h.hpp", "\n__asm__(\"\");");
    EXPECT_EQ(refusal("#include \"h.hpp\""), "h.hpp:2:1: `__asm__`" + std::string(why));
}

TEST_F(Source, WordsThatOnlyLookLikeItAreNot) {
    const auto path = folder_.write("model.cu", "// __device__ asm\n/* __global__ */ const char* s = \"asm __x\"; auto r = R\"y(__a )\" asm)y\";\n"
                                                "int asmx, a__b, _x = __LINE__; // __FILE__\nconst char* f = __func__;\n#define M(...) __VA_OPT__(a) __VA_ARGS__\n");
    EXPECT_NO_THROW(static_cast<void>(read_model(path)));
}

TEST_F(Source, ABinaryFileIsNoModel) {
    EXPECT_EQ(refusal(std::string("int a;\nint\0b;", 13)), "model.cu:2:1: this is not a text (it has a byte of value 0) give the model's source");
}

} // namespace
} // namespace tessera::jit
