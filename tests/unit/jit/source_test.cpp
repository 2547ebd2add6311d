#include "jit/source.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace tessera::jit::source_test {
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
    const auto path =
        folder_.write("model.cu", "#include <tessera/model.hpp>\n#include <cstdint>\n#include \"parts/a.hpp\"\n# include \"b.hpp\"\n");
    folder_.write("parts/a.hpp", "#include \"c.hpp\"\n#include \"b.hpp\"\n");
    folder_.write("parts/c.hpp", "#pragma once\n");
    folder_.write("b.hpp", "struct B;\n");
    const auto model = read_model(path);
    EXPECT_EQ(model.main.path, path.string());
    EXPECT_EQ(model.main.name, "model.cu");
    ASSERT_EQ(model.headers.size(), 3u);
    EXPECT_EQ(model.headers[0].name, "parts/a.hpp");
    EXPECT_EQ(model.headers[1].name, "parts/c.hpp"); // beside the one that includes it
    EXPECT_EQ(model.headers[2].name, "b.hpp");       // in the model's folder
    EXPECT_EQ(model.headers[2].text, "struct B;\n");
    EXPECT_EQ(model.find(folder_.path() / "parts/c.hpp"), &model.headers[1]);
    EXPECT_EQ(with_resolved_inclusions(model, model.headers[0], "own/"), "#include \"own/parts/c.hpp\"\n#include \"own/b.hpp\"\n");
    EXPECT_EQ(with_resolved_inclusions(model, model.main, "own/"),
              "#include <tessera/model.hpp>\n#include <cstdint>\n#include \"own/parts/a.hpp\"\n# include \"own/b.hpp\"\n");
}

TEST_F(Source, LinesEndInOneWay) {
    EXPECT_EQ(read_model(folder_.write("model.cu", "\xEF\xBB\xBFstruct A;\r\nstruct B;\r\n")).main.text, "struct A;\nstruct B;\n");
}

TEST_F(Source, AMissingModelIsThePluginsFault) {
    const auto path = folder_.path() / "none.cu";
    EXPECT_EQ(message_of(Failure::plugin, [&] { static_cast<void>(read_model(path)); }),
              path.string() + " cannot be read (No such file or directory) check the path");
    EXPECT_EQ(message_of(Failure::plugin, [&] { static_cast<void>(read_model(folder_.path())); }),
              folder_.path().string() + " cannot be read (it is a folder) check the path");
}

TEST_F(Source, AMissingHeaderIsToldWhereItIsIncluded) {
    EXPECT_EQ(refusal("\n#include \"none.hpp\"\n"), "model.cu:2:10: \"none.hpp\" is not there (looked for " +
                                                        (folder_.path() / "none.hpp").string() +
                                                        ") check its name; headers are read from the model's folder");
}

TEST_F(Source, HeadersStayWithinTheModelsFolder) {
    const auto why = " cannot be included (it lies outside of the model's folder) put the header into the model's folder";
    EXPECT_EQ(refusal("#include \"../secret.hpp\""), std::string("model.cu:1:10: \"../secret.hpp\"") + why);
    EXPECT_EQ(refusal("#include \"a/../../secret.hpp\""), std::string("model.cu:1:10: \"a/../../secret.hpp\"") + why);
    EXPECT_EQ(refusal("#include \"/etc/passwd\""), std::string("model.cu:1:10: \"/etc/passwd\"") + why);
    std::filesystem::create_symlink("/etc/passwd", folder_.path() / "link.hpp");
    EXPECT_EQ(refusal("#include \"link.hpp\""), "model.cu:1:10: \"link.hpp\" cannot be included (it is a link to /etc/passwd, outside of "
                                                "the model's folder) put a copy into the model's folder");
}

// Of a source that comes from elsewhere nothing is sure.
TEST(SourceNames, AreThoseOfFilesBelowAFolder) {
    const auto said_of = [](const std::string& main, std::vector<std::string> headers) {
        ModelSource source;
        source.main = {"pond.so/" + main, "", main};
        for (const auto& name : headers) source.headers.push_back({"pond.so/" + name, "", name});
        try {
            check_model(source);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::plugin);
            return std::string(error.what());
        }
        return std::string("fine");
    };
    const auto refused = [](const std::string& name, const std::string& why) {
        return "pond.so/pond.cu cannot be used (a file of its source cannot be called \"" + name + "\": " + why + ") give it another name";
    };
    EXPECT_EQ(said_of("pond.cu", {"a.hpp", "parts/a.hpp", "parts/b.hpp"}), "fine");
    EXPECT_EQ(said_of("pond.cu", {"a.hpp", "../../../../.bashrc"}), refused("../../../../.bashrc", "it has a part `..`"));
    EXPECT_EQ(said_of("pond.cu", {"/etc/passwd"}), refused("/etc/passwd", "it is not relative"));
    EXPECT_EQ(said_of("pond.cu", {"a\x1b[2J\n"}), refused("a\\x1b[2J\\x0a", "it has control characters"));
    EXPECT_EQ(said_of("pond.cu", {"a\\b"}), refused("a\\b", "it has a backslash"));
    EXPECT_EQ(said_of("pond.cu", {"a.hpp", "a.hpp"}), refused("a.hpp", "another file has this name"));
    EXPECT_EQ(said_of("pond.cu", {"pond.cu"}), refused("pond.cu", "another file has this name"));
    EXPECT_EQ(said_of("pond.cu", {"a/b/c.hpp", "a"}), refused("a/b/c.hpp", "\"a\" is a file"));
    EXPECT_NE(said_of("../pond.cu", {}), "fine");
    EXPECT_NE(said_of("", {}), "fine");
}

TEST_F(Source, OfAModelsOwnFilesAreCheckedToo) {
    folder_.write("a\x01.hpp", "");
    const auto path = folder_.write("model.cu", "#include \"a\x01.hpp\"\n");
    EXPECT_EQ(message_of(Failure::plugin, [&] { static_cast<void>(read_model(path)); }),
              path.string() + " cannot be used (a file of its source cannot be called \"a\\x01.hpp\": it has control characters) give it "
                              "another name");
}

TEST_F(Source, OnlyTheSdkIsIncludedInBrackets) {
    EXPECT_EQ(refusal("#include <cmath>\n"),
              "model.cu:1:10: <cmath> cannot be included in a model (models see only the SDK, so that they mean the same on every device) "
              "use tessera's own "
              "functions (tessera::sqrt, tessera::exp, ... of <tessera/model.hpp>), which give the same bits on every device");
    EXPECT_EQ(refusal("#include <vector>\n"),
              "model.cu:1:10: <vector> cannot be included in a model (models see only the SDK, so that they mean the same on "
              "every device) include <tessera/model.hpp> instead");
    EXPECT_THAT(refusal("#include <tessera/../../x.hpp>\n"), StartsWith("model.cu:1:10: <tessera/../../x.hpp> cannot be included"));
    EXPECT_EQ(refusal("#define X <cmath>\n#include X\n"), "model.cu:2:2: this #include names no header (a macro cannot stand for the name) "
                                                          "write #include \"rules.hpp\" or #include <tessera/model.hpp>");
    EXPECT_THAT(refusal("#import \"a.hpp\"\n"), StartsWith("model.cu:1:2: #import cannot be used in a model"));
    EXPECT_THAT(refusal("#include \"model.cu\"\n"), HasSubstr("it is the model itself"));
}

TEST_F(Source, WhatBelongsToOneCompilerIsRefused) {
    const auto why =
        " cannot be used in a model (it belongs to one compiler, and a model means the same on all) write it in plain C++ with "
        "what the SDK offers";
    for (const std::string word : {"asm", "__device__", "__builtin_popcount", "__has_include", "_Float16", "__syncthreads"})
        EXPECT_EQ(refusal("int a;\n  " + word + ";"), "model.cu:2:3: `" + word + "`" + why);
    folder_.write("h.hpp", "\n__asm__(\"\");");
    EXPECT_EQ(refusal("#include \"h.hpp\""), "h.hpp:2:1: `__asm__`" + std::string(why));
}

TEST_F(Source, WordsThatOnlyLookLikeItAreNot) {
    const auto path = folder_.write(
        "model.cu", "// __device__ asm\n/* __global__ */ const char* s = \"asm __x\"; constexpr auto r = R\"y(__a )\" asm)y\";\n"
                    "constexpr int asmx = 1, a__b = 2, _x = __LINE__; // __FILE__\nconst char* f = __func__;\n#define M(...) __VA_OPT__(a) "
                    "__VA_ARGS__\n");
    EXPECT_NO_THROW(static_cast<void>(read_model(path)));
}

TEST_F(Source, WhatNoDeviceButTheCpuHasIsRefused) {
    EXPECT_EQ(refusal("float f() {\n  auto* p = new float[3];\n"),
              "model.cu:2:13: `new` cannot be used in a model (a model has no memory management) use local "
              "variables, and array members such as `float values[4]`");
    EXPECT_EQ(refusal("float f() {\n  throw 1;\n"), "model.cu:2:3: `throw` cannot be used in a model (a model has no exceptions; its "
                                                    "functions cannot fail) let a member of the row keep what happened");
    for (const std::string word : {"delete p", "try", "catch", "thread_local int n", "typeid(int)", "dynamic_cast<int*>(p)", "goto end"})
        EXPECT_THAT(refusal("void f() {\n  " + word + ";\n}"),
                    StartsWith("model.cu:2:3: `" + word.substr(0, word.find_first_of(" (<")) + "` cannot be used in a model ("));
}

TEST_F(Source, TheCounterThatNvrtcDoesNotHaveIsRefused) {
    const std::string why = ": `__COUNTER__` cannot be used in a model (NVRTC does not have it) write the numbers out, or use __LINE__";
    EXPECT_EQ(refusal("constexpr int a = __COUNTER__;"), "model.cu:1:19" + why);
    EXPECT_EQ(refusal("#define NEXT() __COUNTER__\n"), "model.cu:1:16" + why);
}

constexpr const char* of_one_compiler =
    " cannot be used in a model (it belongs to one compiler, and a model means the same on all) write it "
    "in plain C++ with what the SDK offers";

TEST_F(Source, AttributesOfCompilersAreRefused) {
    EXPECT_EQ(refusal("[[gnu::optimize(\"Ofast\")]] float f();"),
              "model.cu:1:3: the attribute gnu::optimize" + std::string(of_one_compiler));
    EXPECT_EQ(refusal("[[nodiscard, clang::noinline]] float f();"),
              "model.cu:1:14: the attribute clang::noinline" + std::string(of_one_compiler));
    EXPECT_EQ(refusal("int a;\n[ [ noinline ] ] float f();"), "model.cu:2:5: the attribute noinline" + std::string(of_one_compiler));
    EXPECT_THAT(refusal("[[using gnu: optimize(\"Ofast\")]] float f();"), StartsWith("model.cu:1:3: the attribute using"));
    EXPECT_THAT(refusal("#define A(x) [x]\nA([gnu::pure]) float f();"), StartsWith("model.cu:2:4: `gnu` cannot be used"));
    EXPECT_THAT(refusal("#define G gnu\n"), StartsWith("model.cu:1:11: `gnu` cannot be used"));
    EXPECT_THAT(refusal("<:<:gnu::pure:>:> float f();"), StartsWith("model.cu:1:1: <: cannot be used in a model"));
    EXPECT_NO_THROW(
        check_source({"model.cu",
                      "[[nodiscard]] constexpr float f([[maybe_unused]] float x) { if (x > 0) [[likely]] return 1; switch (3) { "
                      "case 1: [[fallthrough]]; default: return a[b[0]]; } }\n[[deprecated(\"[[gnu::x]]\")]] float g();",
                      "model.cu"}));
    std::string open; // each list is looked through once, whatever closes it
    for (int i = 0; i < 50000; ++i) open += "[[ nodiscard ";
    EXPECT_NO_THROW(check_source({"model.cu", "[[nodiscard]] float f();\n" + open, "model.cu"}));
    EXPECT_EQ(refusal("[[gnu::pure]] float f();\n" + open), "model.cu:1:3: the attribute gnu::pure" + std::string(of_one_compiler));
}

TEST_F(Source, WordsThatMacrosPutTogetherAreRefused) {
    const std::string why = " this ## may make a word that no model can have (the beginning of that word cannot be known here) write its "
                            "beginning on the left of the ##, such as value_##x";
    EXPECT_EQ(refusal("#define CAT(a, b) a##b\nvoid f() { CAT(as, m)(\"nop\"); }"), "model.cu:1:20:" + why);
    EXPECT_EQ(refusal("#define CAT(a, b) \\\n  a ## b\nCAT(_, _attribute__)((constructor)) void f();"), "model.cu:2:5:" + why);
    for (const std::string body : {"as ## a", "_ ## a", "a ## value_", "value_ ## a ## b", "value_ ## __VA_OPT__(x) ## a", "1 ## a"})
        EXPECT_THAT(refusal("#define F(a, b, ...) " + body + "\n"), HasSubstr(why)) << body;
    EXPECT_EQ(refusal("TESSERA_CAT_(as, m)(\"nop\");"),
              "model.cu:1:1: `TESSERA_CAT_` cannot be used in a model (the SDK keeps it for itself) write "
              "the name out");
    EXPECT_NO_THROW(check_source({"model.cu", "#define FIELD(n) float value_##n, other_ ## n = #n[0]\n", "model.cu"}));
}

TEST_F(Source, DirectivesOfOneCompilerAreRefused) {
    for (const std::string name :
         {"pragma GCC optimize(\"Ofast\")", "pragma STDC FP_CONTRACT ON", "ident \"x\"", "warning x", "assert x(y)"})
        EXPECT_EQ(refusal("int f();\n  # " + name), "model.cu:2:5: #" + name.substr(0, name.find(' ')) + std::string(of_one_compiler));
    EXPECT_EQ(refusal("_Pragma(\"GCC optimize\")"), "model.cu:1:1: `_Pragma`" + std::string(of_one_compiler));
    const auto line = "#line cannot be used in a model (messages name the lines as they stand in the file) delete it";
    EXPECT_EQ(refusal("#line 3 \"other.cu\""), "model.cu:1:2: " + std::string(line));
    EXPECT_EQ(refusal("# 3 \"other.cu\" 3"), "model.cu:1:3: " + std::string(line));
    EXPECT_EQ(refusal("#define NEW new\n"), "model.cu:1:13: `new` cannot be used in a model (a model has no memory management) use local "
                                            "variables, and array members such as `float values[4]`");
    EXPECT_NO_THROW(
        check_source({"model.cu", "#pragma once\n#\n#if 0\n#error don't try new\n#elif 1\n#undef X\n#else\n#endif\n", "model.cu"}));
}

// What is checked is the text after splicing, as the compilers have it.
TEST_F(Source, WhatAnEndOfLineHidesIsFound) {
    const auto blanks = " blanks follow the \\ at the end of this line (compilers differ in what that means) delete them";
    EXPECT_EQ(refusal("#\\ \ninclude \"/etc/passwd\"\n"), std::string("model.cu:1:2:") + blanks);
    EXPECT_EQ(refusal("int a; // a comment \\\t\nasm(\"nop\");\n"), std::string("model.cu:1:21:") + blanks);
    const std::string split = " this #include goes on in the next line (it could hide what it includes) write it on one line";
    folder_.write("h.hpp", "");
    EXPECT_EQ(refusal("#\\\ninclude \"h.hpp\"\n"), "model.cu:1:1:" + split);
    EXPECT_EQ(refusal("#include \"h\\\n.hpp\"\n"), "model.cu:1:1:" + split);
    EXPECT_THAT(refusal("#\\\ninclude \"/etc/passwd\"\n"), HasSubstr("it lies outside of the model's folder"));
    EXPECT_EQ(refusal("as\\\nm(\"nop\");"), "model.cu:1:1: `asm`" + std::string(of_one_compiler));
    EXPECT_THAT(refusal("// a comment\rasm(\"nop\");"), StartsWith("model.cu:2:1: `asm`"));
    EXPECT_THAT(refusal("int \\u0061sm;"), StartsWith("model.cu:1:5: a \\ stands alone here"));
    EXPECT_THAT(refusal("%:include \"/etc/passwd\"\n"), StartsWith("model.cu:1:1: %: cannot be used in a model"));
}

// Within a raw string there are no splices: it ends where the compilers see its end.
TEST_F(Source, WhatARawStringHidesIsFound) {
    EXPECT_EQ(refusal("const char* const s = R\"()\\\n\" )\"; asm(\"nop\"); // \"\n"),
              "model.cu:2:7: `asm`" + std::string(of_one_compiler));
    EXPECT_EQ(
        refusal("const char* const s = R\"a()\\\na\" )a\";\n#include \"/etc/passwd\" // \"\n"),
        "model.cu:3:10: \"/etc/passwd\" cannot be included (it lies outside of the model's folder) put the header into the model's folder");
    EXPECT_THAT(refusal("#define S R\"(\nasm)\"\n"), StartsWith("model.cu:1:11: this string goes on in the next line"));
    EXPECT_NO_THROW(check_source({"model.cu", "constexpr const char* s = R\"(a \\\nasm )\";", "model.cu"}));
}

TEST_F(Source, TheKernelsAreNotTheModels) {
    const auto why =
        " cannot be included in a model (it is Tessera's own and changes with it) include <tessera/model.hpp>, which has all that "
        "a model needs";
    EXPECT_EQ(refusal("\n#include <tessera/kernels/launch/grid.hpp>\n"),
              std::string("model.cu:2:10: <tessera/kernels/launch/grid.hpp>") + why);
    EXPECT_EQ(refusal("#include <tessera/./kernels/grid.hpp>\n"), std::string("model.cu:1:10: <tessera/./kernels/grid.hpp>") + why);
}

TEST_F(Source, HooksAreNotTheModels) {
    for (const std::string header : {"tessera/hooks.hpp", "tessera/./hooks.hpp"})
        EXPECT_EQ(refusal("\n#include <" + header + ">\n"),
                  "model.cu:2:10: <" + header +
                      "> cannot be included in a model (hooks are no part of it: they run on the host, between steps) write them into a "
                      "file of their own, for `tessera build --hooks`");
}

TEST_F(Source, VariablesThatOutliveACallAreRefused) {
    const std::string why = " is a variable that all places share (what changes in a run is in rows alone) make it constexpr, a member of "
                            "the row, or a TESSERA_PARAM";
    EXPECT_EQ(refusal("float f(float x) {\n    static int calls = 0;\n    return x;\n}"), "model.cu:2:16: calls" + why);
    const std::pair<std::string, std::string> declarations[] = {
        {"int count;", "1:5: count"},
        {"inline std::int64_t sum = 3;", "1:21: sum"},
        {"float table[3] = {1, 2, 3};", "1:7: table"},
        {"float one{1};", "1:7: one"},
        {"int first, second;", "1:5: first"},
        {"pair<int, float> both;", "1:18: both"},
        {"namespace a::b {\nnamespace {\nint *inner = nullptr;\n} }", "3:6: inner"},
        {"float f(float x) { return x; }\nint after;", "2:5: after"},
        {"struct A { float x = 0; };\nA made;", "2:3: made"},
        {"struct A {\n  static int made;\n};", "2:14: made"},
        {"TESSERA_PLACE(A, x);\nstatic A one = {};", "2:10: one"},
        {"constinit int n = 1;", "1:15: n"},
        {"#pragma once\n#ifdef X\nint n;\n#endif", "3:5: n"},
    };
    for (const auto& [text, where] : declarations) EXPECT_EQ(refusal(text), "model.cu:" + where + why) << text;
}

TEST_F(Source, WhatIsNoVariableOrCannotChangeIsNot) {
    for (const std::string text : {"constexpr int n = 3;",
                                   "static constexpr float table[2] = {1, 2};",
                                   "const int n = 3;",
                                   "inline constexpr auto f = [](int x) { int y = x; return y; };",
                                   "static float f(float x) { float y = x; return y; }",
                                   "float f(float x);",
                                   "struct A { float x = 0; A() = default; void f() = delete; };",
                                   "enum class Kind : int { a, b };",
                                   "enum { a, b };",
                                   "using Float = float;",
                                   "typedef float Float;",
                                   "template<class T> T twice(T x) { T y = x + x; return y; }",
                                   "template<class T> constexpr T one = 1;",
                                   "static_assert(1 < 2);",
                                   "TESSERA_CALL(A, f, writes<&A::x>) { const int n = 3; int m = n; self.x = m; }",
                                   "namespace a { struct B; }",
                                   "A operator+(A a, A b) { A c = a; return c; }",
                                   "#define N int n;\n",
                                   "auto f(int x) -> int { int y = x; return y; }",
                                   "#ifdef X\nvoid f() {\n#else\nvoid f(int) {\n#endif\nint n;\n}",
                                   "const char* try_new = \"new try throw\"; // static int n; goto"})
        EXPECT_NO_THROW(check_source({"model.cu", text, "model.cu"})) << text;
}

// Looked at from each `static` up to the end of the text, these would take minutes; a test has no more than its own limit.
TEST_F(Source, AHundredThousandStaticDeclarationsAreReadOnce) {
    for (const std::string each : {"static int f(int x);\n", "static less < than;\n", "static A<static ", "static int x {;", "static "}) {
        std::string text;
        for (int i = 0; i < 150000; ++i) text += each;
        EXPECT_NO_THROW(check_source({"model.cu", text, "model.cu"})) << each;
    }
}

TEST_F(Source, AVariableIsFoundBehindTypesOfAnyShape) {
    for (const std::string text : {"A<B{1, 2}> made;", "static A<f(1), (2 < 3)> made = {};", "int static made;", "static A<B<3>> made[2];",
                                   "less < than; static int made;", "static int f() { static int made; }", "A<B{1}> f() {}\nint made;",
                                   "namespace a { namespace b { A<{1;}> f(); int made; } }", "static int f( { static int made;"})
        EXPECT_THAT(refusal(text), HasSubstr(": made is a variable that all places share")) << text;
}

TEST_F(Source, ABinaryFileIsNoModel) {
    EXPECT_EQ(refusal(std::string("int a;\nint\0b;", 13)),
              "model.cu:2:1: this is not a text (it has a byte of value 0) give the model's source");
}

} // namespace
} // namespace tessera::jit::source_test
