// sanitizers: address, thread
#include "device_runtime/image_bundle.hpp"
#include "device_runtime/shared_library.hpp"
#include "jit/cache.hpp"
#include "jit/compiler.hpp"
#include "jit/sdk_headers.hpp"
#include "jit/symbols.hpp"
#include "tests/test_data.hpp"
#include "unit/jit/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <sstream>

namespace tessera::jit::compiler_test {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* prelude = "#include <tessera/model.hpp>\n";
const Target cpu{Target::Kind::cpu, {}, false}, cuda{Target::Kind::cuda, "sm_90", false};

class CompilerTest : public ::testing::Test {
protected:
    Image compile(const ModelSource& model, const Target& target, const std::string& epilogue, const std::string& purpose = "kernels",
                  const std::vector<Header>& sdk = small_sdk_headers) {
        return Compiler(cache_).compile({&model, sdk, prelude, epilogue, purpose, target});
    }
    static bool has_nvrtc() {
        std::string why;
        return nvrtc_or_nothing(why) != nullptr;
    }
    TemporaryFolder folder_;
    Cache cache_{folder_.path() / "cache", 1u << 30};
};

constexpr const char* answer = "extern \"C\" __attribute__((visibility(\"default\"))) int answer() { return tessera_model::answer; }";

TEST_F(CompilerTest, ACpuImageIsALibraryAndComesFromTheCacheTheSecondTime) {
    const auto model = model_of("constexpr int answer = 42;");
    const auto made = compile(model, cpu, answer), again = compile(model, cpu, answer);
    EXPECT_EQ(made.format, Image::Format::shared_library);
    EXPECT_FALSE(made.from_cache);
    EXPECT_TRUE(again.from_cache);
    EXPECT_EQ(made.bytes, again.bytes);
    EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(again.file).find("answer"))(), 42);
}

// A changed text is new code in the same process, though the old one stays loaded.
TEST_F(CompilerTest, EditedCodeIsLoadedBesideTheOld) {
    const auto old_image = compile(model_of("constexpr int answer = 1;"), cpu, answer);
    const auto old_answer = reinterpret_cast<int (*)()>(SharedLibrary(old_image.file).find("answer"));
    const auto new_image = compile(model_of("constexpr int answer = 2;"), cpu, answer);
    EXPECT_NE(old_image.file, new_image.file);
    EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(new_image.file).find("answer"))(), 2);
    EXPECT_EQ(old_answer(), 1);
}

TEST_F(CompilerTest, EverythingThatMattersIsOfTheKey) {
    auto model = model_of("constexpr int answer = 1;");
    auto sdk = small_sdk_headers;
    const auto fresh = [&](const Target& target, const std::string& epilogue) {
        return !compile(model, target, epilogue, "description", sdk).from_cache;
    };
    EXPECT_TRUE(fresh(cpu, ""));
    EXPECT_FALSE(fresh(cpu, ""));
    EXPECT_TRUE(fresh(cpu, "int x;"));
    EXPECT_TRUE(fresh({Target::Kind::cpu, {}, true}, ""));
    sdk.push_back({"tessera/unused.hpp", ""});
    EXPECT_TRUE(fresh(cpu, ""));
    sdk.back().text = " ";
    EXPECT_TRUE(fresh(cpu, ""));
    model.headers.push_back({"models/a.hpp", "", "a.hpp"});
    EXPECT_TRUE(fresh(cpu, ""));
    model.main.text += " ";
    EXPECT_TRUE(fresh(cpu, ""));
    if (!find_program("clang++").empty() && !find_program("g++").empty()) {
        const Variable one("CXX", "g++ -DTESSERA_TEST");
        EXPECT_TRUE(fresh(cpu, ""));
        const Variable two("CXX", "clang++");
        EXPECT_TRUE(fresh(cpu, ""));
        EXPECT_FALSE(fresh(cpu, ""));
    }
    if (!has_nvrtc()) return;
    EXPECT_TRUE(fresh(cuda, ""));
    EXPECT_FALSE(fresh(cuda, ""));
    EXPECT_TRUE(fresh({Target::Kind::cuda, "sm_80", false}, ""));
    const Variable flags("NVRTC_APPEND_FLAGS", "-DX=1");
    EXPECT_TRUE(fresh(cuda, ""));
}

TEST_F(CompilerTest, ADescriptionIsDataOnBothSides) {
    const auto model = model_of("constexpr int answer = 42;");
    const auto check = [](const Image& image) {
        const auto symbols = data_symbols(image.bytes);
        const auto record = std::find_if(symbols.begin(), symbols.end(), [](const auto& each) { return each.name == "tessera_record"; });
        ASSERT_NE(record, symbols.end());
        EXPECT_EQ(record->bytes, (std::vector<std::byte>{std::byte{42}, {}, {}, {}}));
    };
    const auto image = compile(model, cpu, "extern \"C\" { extern const int tessera_record = tessera_model::answer; }", "description");
    EXPECT_EQ(image.format, Image::Format::object);
    check(image);
    if (!has_nvrtc()) GTEST_SKIP() << "the CPU's half passed; there is no NVRTC";
    for (const char* architecture : {"sm_90", "sm_9999"}) {
        const auto device_image =
            compile(model, {Target::Kind::cuda, architecture, false},
                    "extern \"C\" { __device__ extern const int tessera_record = tessera_model::answer; }", "description");
        EXPECT_EQ(device_image.format, Image::Format::cubin);
        check(device_image);
    }
}

TEST_F(CompilerTest, ACacheThatCannotBeWrittenAnyMoreIsNoReasonNotToCompile) {
    const auto model = model_of("constexpr int answer = 42;");
    std::filesystem::remove_all(cache_.folder());
    folder_.write("cache", "no folder any more");
    const Logged logged;
    const auto image = compile(model, cpu, answer);
    EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(image.file).find("answer"))(), 42);
    EXPECT_THAT(logged.warnings(),
                Contains(StartsWith("a model cannot be compiled in " + cache_.folder().string() + " (Not a directory)")));
}

TEST_F(CompilerTest, WhatIsCancelledIsGivenUp) {
    Compiler compiler(cache_);
    const auto model = model_of("constexpr int answer = 42;");
    const std::atomic<bool> cancel = true;
    {
        const CancelledBy cancelled(compiler, cancel);
        EXPECT_EQ(message_of(Failure::interrupted,
                             [&] {
                                 (void)compiler.compile({&model, small_sdk_headers, prelude, answer, "kernels", cpu});
                             }),
                  "interrupted (a model was being compiled)");
    }
    EXPECT_FALSE(compiler.compile({&model, small_sdk_headers, prelude, answer, "kernels", cpu}).from_cache);
}

// Of the text that is asked for, though the model that it was made of is gone; and what is asked for instead is compiled.
TEST_F(CompilerTest, WhatWasCompiledAheadIsThere) {
    Compiler compiler(cache_);
    const auto job_of = [](const ModelSource& model, const char* epilogue) {
        return Job{&model, small_sdk_headers, prelude, epilogue, "kernels", cpu};
    };
    const auto model = model_of("constexpr int answer = 42;");
    const auto begun = [&](ModelSource changing, const std::vector<const char*>& epilogues) { // which is gone then
        std::vector<Job> jobs;
        for (const char* const epilogue : epilogues) jobs.push_back(job_of(changing, epilogue));
        return std::make_unique<CompiledAhead>(compiler, jobs);
    };
    {
        const auto ahead = begun(model, {answer, ""});
        EXPECT_TRUE(compiler.compile(job_of(model, answer)).from_cache);
        EXPECT_TRUE(compiler.compile(job_of(model, "")).from_cache);
    }
    const auto ahead = begun(model_of("constexpr int answer = nothing;"), {answer});
    const auto other_model = model_of("constexpr int answer = 43;");
    const auto other = compiler.compile(job_of(other_model, answer));
    EXPECT_FALSE(other.from_cache);
    EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(other.file).find("answer"))(), 43);
}

// A run compiles its kernels while its tuner compiles candidates.
TEST_F(CompilerTest, ThreadsMayShareIt) {
    Compiler compiler(cache_);
    const auto work = [&](int number) {
        const auto model = model_of("constexpr int answer = " + std::to_string(number) + ";");
        const auto image = compiler.compile({&model, small_sdk_headers, prelude, answer, "kernels", cpu});
        return reinterpret_cast<int (*)()>(SharedLibrary(image.file).find("answer"))();
    };
    const std::vector<int> numbers = {1, 2, 1, 3};
    std::vector<std::future<int>> answers;
    for (const int number : numbers) answers.push_back(std::async(std::launch::async, work, number));
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(answers[i].get(), numbers[i]);
}

TEST_F(CompilerTest, HeadersOfTheModelAndErrorsInThem) {
    folder_.write("model/parts/a.hpp", "#pragma once\n#include \"b.hpp\"\nconstexpr int answer = b + 1;\n");
    folder_.write("model/parts/b.hpp", "#pragma once\n#include <tessera/model.hpp>\n#include <cstdint>\nconstexpr std::uint8_t b = 41;\n");
    const auto path = folder_.write("model/life.cu", "#include <tessera/model.hpp>\n#include \"parts/a.hpp\"\n#include \"parts/b.hpp\"\n");
    const auto image = compile(read_model(path), cpu, answer);
    EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(image.file).find("answer"))(), 42);
    if (has_nvrtc()) compile(read_model(path), cuda, "extern \"C\" __global__ void k(int* x) { *x = tessera_model::answer; }");

    const auto broken = folder_.write("model/parts/b.hpp", "#pragma once\n\nconstexpr int b = wrong;\n");
    const auto model = read_model(path);
    const auto expected = broken.string() + ":3:19: wrong is not known here\nconstexpr int b = wrong;\n                  ^";
    EXPECT_EQ(message_of(Failure::compile, [&] { compile(model, cpu, answer); }), expected);
    if (!has_nvrtc()) GTEST_SKIP() << "the CPU's half passed; there is no NVRTC";
    EXPECT_EQ(message_of(Failure::compile, [&] { compile(model, cuda, ""); }), expected);
}

TEST_F(CompilerTest, StrangePathsAreShownAsTheyAre) {
    const std::string path = "my \"models\" (new)/a\\b: error: 5.cu";
    const auto model = model_of("\nint a = wrong;\n", path);
    const auto expected = path + ":2:9: wrong is not known here\nint a = wrong;\n        ^";
    for (const char* compiler : {"g++", "clang++"}) {
        if (find_program(compiler).empty()) continue;
        const Variable chosen("CXX", compiler);
        EXPECT_EQ(message_of(Failure::compile, [&] { compile(model, cpu, ""); }), expected) << compiler;
    }
    if (!has_nvrtc()) GTEST_SKIP() << "the CPU's half passed; there is no NVRTC";
    EXPECT_EQ(message_of(Failure::compile, [&] { compile(model, cuda, ""); }), expected);
}

TEST_F(CompilerTest, ASdkHeaderThatIsNotThereIsTold) {
    EXPECT_EQ(message_of(Failure::compile, [&] { compile(model_of("#include <tessera/modle.hpp>\n"), cpu, ""); }),
              "models/life.cu:1:10: <tessera/modle.hpp> is not there (the SDK has no such header) include <tessera/model.hpp>");
}

TEST_F(CompilerTest, AnErrorOutsideOfTheAuthorsTextShowsWhatWasSaid) {
    const auto message =
        message_of(Failure::compile, [&] { compile(model_of("int a;"), cpu, "int f() { return tessera_model::nothing; }"); });
    EXPECT_THAT(message, StartsWith("models/life.cu does not compile, although no error is in its own text ("));
    EXPECT_THAT(message, HasSubstr("nothing"));
}

// A text that is compiled in parts: its image has all of them, comes from the cache, and is told from that of one; mistakes are said once,
// as of one.
TEST_F(CompilerTest, PartsAreOneImageWithOneMessage) {
    constexpr const char* two =
        "#if !defined(TESSERA_PART) || defined(TESSERA_HAS_0)\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return tessera_model::answer(); }\n#endif\n"
        "#if !defined(TESSERA_PART) || defined(TESSERA_HAS_1)\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) int g() { return tessera_model::answer() + 1; }\n#endif\n";
    const auto job_of = [&](const ModelSource& model, bool in_parts) {
        Job job{&model, small_sdk_headers, prelude, two, "kernels", cpu};
        if (in_parts) job.pieces = {{Effort::full, 1}, {Effort::moderate, 1}};
        return job;
    };
    Compiler compiler(cache_);
    const auto model = model_of("int answer() { return 42; }");
    EXPECT_FALSE(compiler.compile(job_of(model, true)).from_cache);
    const auto image = compiler.compile(job_of(model, true)), whole = compiler.compile(job_of(model, false));
    EXPECT_TRUE(image.from_cache);
    EXPECT_FALSE(whole.from_cache);
    for (const auto& each : {image, whole}) {
        EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(each.file).find("f"))(), 42);
        EXPECT_EQ(reinterpret_cast<int (*)()>(SharedLibrary(each.file).find("g"))(), 43);
    }
    const auto broken = model_of("int answer() { return wrong; }");
    const auto message = [&](bool in_parts) {
        return message_of(Failure::compile, [&] { (void)compiler.compile(job_of(broken, in_parts)); });
    };
    EXPECT_EQ(message(true), message(false));
    EXPECT_THAT(message(true), StartsWith("models/life.cu:1:23: wrong is not known here"));
    const std::atomic<bool> cancel = true;
    auto cancelled = job_of(broken, true);
    cancelled.cancel = &cancel;
    EXPECT_EQ(message_of(Failure::interrupted, [&] { (void)compiler.compile(cancelled); }), "interrupted (a model was being compiled)");
    EXPECT_TRUE(std::none_of(std::filesystem::directory_iterator(cache_.folder()), {},
                             [](const auto& entry) { return entry.path().filename().string().starts_with("build-"); }));
}

// As many parts as there are processors, which together are the same; one for other machines is in two wherever it is made.
TEST_F(CompilerTest, ProcessorsShareOutTheParts) {
    const auto model = model_of("int answer() { return 42; }");
    Job job{&model, small_sdk_headers, prelude, {}, "kernels", cpu};
    for (const std::string name : {"f", "g", "h", "i"}) {
        const auto piece = job.pieces.size();
        job.epilogue += piece_begin(piece) + "extern \"C\" __attribute__((visibility(\"default\"))) int " + name +
                        "() { return tessera_model::answer() + " + std::to_string(piece) + "; }\n" + piece_end;
        job.pieces.push_back({piece == 3 ? Effort::moderate : Effort::full, 1});
    }
    const auto compiled = [&](int processors, bool for_any_machine) {
        job.for_any_machine = for_any_machine;
        Cache cache(folder_.path() / ("cache-" + std::to_string(processors) + (for_any_machine ? "-any" : "")), 1u << 30);
        const auto image = Compiler(cache, processors).compile(job);
        const SharedLibrary library(image.file);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(reinterpret_cast<int (*)()>(library.find(&"f\0g\0h\0i"[2 * i]))(), 42 + i) << processors;
        EXPECT_TRUE(Compiler(cache, 1).find(job)) << "an image is the same for a run in whatever parts it was made";
        return image.bytes;
    };
    const auto one = compiled(1, true);
    EXPECT_EQ(compiled(8, true), one);
    EXPECT_EQ(compiled(1, false), one);
    EXPECT_NE(compiled(8, false), one);
    (void)compiled(3, false);
}

// What models share is an object, compiled once for all of them; without it the text has it.
TEST_F(CompilerTest, WhatModelsShareIsLinked) {
    auto headers = small_sdk_headers;
    headers.push_back({"tessera/shared.hpp", "#pragma once\n#if defined(TESSERA_BESIDE)\nint shared();\n#else\n"
                                             "inline int shared() { return 1; }\n#endif\n"});
    const auto answer_of = [&](const char* text, const char* beside, const Target& target) {
        const auto model = model_of(text);
        Job job{&model,
                headers,
                prelude,
                "#include <tessera/shared.hpp>\nextern \"C\" __attribute__((visibility(\"default\"))) "
                "int f() { return tessera_model::one + shared(); }\n",
                "kernels",
                target};
        job.beside = beside;
        const auto image = Compiler(cache_).compile(job);
        return reinterpret_cast<int (*)()>(SharedLibrary(image.file).find("f"))();
    };
    constexpr const char* shared = "int shared() { return 2; }\n";
    const auto objects = [&] {
        const auto size = [](const auto& entry) { return entry.is_regular_file() ? 1 : 0; };
        int count = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_.folder())) count += size(entry);
        return count;
    };
    EXPECT_EQ(answer_of("constexpr int one = 100;", shared, cpu), 102);
    const int first = objects();
    EXPECT_EQ(answer_of("constexpr int one = 200;", shared, cpu), 202);
    const int second = objects();
    EXPECT_EQ(answer_of("constexpr int one = 300;", shared, cpu), 302);
    EXPECT_EQ(objects() - second, second - first); // of each model its own, and nothing else
    auto debug = cpu;
    debug.debug = true;
    EXPECT_EQ(answer_of("constexpr int one = 100;", shared, debug), 101);
    EXPECT_EQ(answer_of("constexpr int one = 100;", "int shared() { return wrong; }\n", cpu), 101); // as if there were none
}

// For a GPU parts are images of a bundle; one for other machines is one image.
TEST_F(CompilerTest, PartsForAGpuAreABundle) {
    if (!has_nvrtc()) GTEST_SKIP() << "there is no NVRTC";
    const auto model = model_of("__device__ inline int answer() { return 42; }");
    Job job{&model, small_sdk_headers, prelude, {}, "kernels", cuda};
    for (const std::string name : {"f", "g", "h"}) {
        job.epilogue += piece_begin(job.pieces.size()) + "extern \"C\" __global__ void kernel_" + name +
                        "(int* a) { *a = tessera_model::answer(); }\n" + piece_end;
        job.pieces.push_back({Effort::full, 16});
    }
    int times = 0;
    const auto kernels_of = [&](int processors) {
        Cache cache(folder_.path() / ("cache-" + std::to_string(++times)), 1u << 30);
        const auto image = Compiler(cache, processors).compile(job);
        EXPECT_EQ(image.format, Image::Format::cubin);
        std::vector<std::string> found;
        for (const auto part : unbundled(image.bytes)) {
            const std::string_view bytes(reinterpret_cast<const char*>(part.data()), part.size());
            EXPECT_TRUE(bytes.starts_with("\177ELF"));
            found.emplace_back();
            for (const char* name : {"f", "g", "h"})
                if (bytes.find(std::string(".text.kernel_") + name) != bytes.npos) found.back() += name;
        }
        return found;
    };
    using Found = std::vector<std::string>;
    EXPECT_EQ(kernels_of(1), (Found{"fgh"}));
    EXPECT_EQ(kernels_of(2), (Found{"fh", "g"}));
    EXPECT_EQ(kernels_of(16), (Found{"f", "g", "h"}));
    job.for_any_machine = true;
    EXPECT_EQ(kernels_of(16), (Found{"fgh"}));
    job.for_any_machine = false;
    job.pieces[0].weight = job.pieces[1].weight = 1; // together not worth two parts
    EXPECT_EQ(kernels_of(16), (Found{"fgh"}));
    job.pieces[0].weight = job.pieces[1].weight = 16;
    const auto broken = model_of("__device__ inline int answer() { return wrong; }");
    job.model = &broken;
    EXPECT_THAT(message_of(Failure::compile, [&] { (void)kernels_of(3); }), StartsWith("models/life.cu:1:41: wrong is not known here"));
}

TEST_F(CompilerTest, AFailureIsNotRemembered) {
    EXPECT_THROW(compile(model_of("int a = b;"), cpu, ""), Error);
    EXPECT_THROW(compile(model_of("int a = b;"), cpu, ""), Error);
}

// In an installed tree those of the SDK alone are there as files.
TEST(SdkHeaders, AreTheFilesOfTheTree) {
    const auto kernels = test_source("kernels"), source = test_source("sdk/include");
    const auto sdk = exists(source) ? source : test_shipped("../../include");
    ASSERT_TRUE(exists(sdk)) << sdk;
    std::size_t files = 0;
    for (const auto& header : sdk_headers()) {
        const bool kernel = header.name.starts_with("tessera/kernels/");
        if (kernel && !exists(kernels)) continue;
        const auto path = kernel ? kernels / header.name.substr(16) : sdk / header.name;
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        EXPECT_EQ(header.text, text.str()) << header.name;
        ++files;
    }
    EXPECT_GT(files, 5u);
}

} // namespace
} // namespace tessera::jit::compiler_test
