// Compiling the SDK's headers as the engine does: by the host's compilers into a shared library without any other library, and by NVRTC.
#pragma once

#include "tests/support/temporary_folder.hpp"
#include "tests/test_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace tessera::math_test {

using test::TemporaryFolder;

inline std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The folder that holds tessera/math.hpp, in the source tree or in an installed one.
inline std::filesystem::path sdk_folder() {
    for (const auto& candidate : {test_source("sdk/include"), test_shipped("../../include")}) {
        if (exists(candidate / "tessera/math.hpp")) return candidate;
    }
    throw std::runtime_error("tessera/math.hpp is not where the tests look for it");
}

// Runs a shell command; its output goes to `log`.
inline bool succeeds(const std::string& command, const std::string& log) {
    return std::system((command + " >'" + log + "' 2>&1").c_str()) == 0;
}

inline bool is_there(const std::string& program) { return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0; }

// One source compiled by one compiler with one set of options, loaded for as long as the object lives.
class Build {
public:
    Build(const std::string& compiler, const std::string& options, const std::filesystem::path& source) {
        library_ = (folder_.path() / "math.so").string();
        const auto log = (folder_.path() / "log").string();
        const std::string command =
            compiler + " -x c++ -std=c++20 " + options +
            " -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd -fPIC -nostdinc -nostdinc++ -fno-exceptions -fno-rtti"
            " -pedantic-errors -w -shared -nostdlib -I '" +
            sdk_folder().string() + "' '" + source.string() + "' -o '" + library_ + "'";
        if (!succeeds(command, log)) throw std::runtime_error(command + "\n" + text_of(log));
        handle_ = dlopen(library_.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) throw std::runtime_error(dlerror());
    }
    ~Build() { dlclose(handle_); }
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;

    template<class Function> Function* symbol(const char* name) const {
        void* address = dlsym(handle_, name);
        if (address == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
        return reinterpret_cast<Function*>(address);
    }

    // What the library needs from others.
    [[nodiscard]] std::set<std::string> undefined_symbols() const {
        const auto symbols = (folder_.path() / "symbols").string();
        if (!succeeds("nm -D -u '" + library_ + "'", symbols)) throw std::runtime_error(text_of(symbols));
        std::set<std::string> result;
        std::istringstream lines(text_of(symbols));
        for (std::string kind, name; lines >> kind >> name;) result.insert(name);
        return result;
    }

private:
    TemporaryFolder folder_;
    std::string library_;
    void* handle_ = nullptr;
};

// The few calls of NVRTC that a test needs.
class Nvrtc {
public:
    static void* library() {
        static void* handle = [] {
            const char* home = std::getenv("CUDA_HOME");
            const std::string cuda = home != nullptr ? home : "/usr/local/cuda";
            for (const std::string& name : {std::string("libnvrtc.so.13"), std::string("libnvrtc.so"), cuda + "/lib64/libnvrtc.so",
                                            cuda + "/lib/libnvrtc.so", std::string("libnvrtc.so.12")}) {
                if (void* found = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return found;
            }
            return static_cast<void*>(nullptr);
        }();
        return handle;
    }

    struct Result {
        bool compiled;
        std::string log, ptx;
    };

    // The SDK's headers are handed over in memory; there is no other place to include from.
    static Result compile(const std::string& source, const std::vector<const char*>& options) {
        std::vector<std::pair<std::string, std::string>> headers;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sdk_folder() / "tessera")) {
            if (entry.is_regular_file()) headers.emplace_back(relative(entry.path(), sdk_folder()).string(), text_of(entry.path()));
        }
        std::vector<const char*> names, texts;
        for (const auto& [name, text] : headers) {
            names.push_back(name.c_str());
            texts.push_back(text.c_str());
        }
        void* program = nullptr;
        Result result{};
        call<int(void**, const char*, const char*, int, const char* const*, const char* const*)>("nvrtcCreateProgram")(
            &program, source.c_str(), "math.cu", static_cast<int>(names.size()), texts.data(), names.data());
        result.compiled = call<int(void*, int, const char* const*)>("nvrtcCompileProgram")(program, static_cast<int>(options.size()),
                                                                                           options.data()) == 0;
        result.log = text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
        if (result.compiled) result.ptx = text(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
        call<int(void**)>("nvrtcDestroyProgram")(&program);
        return result;
    }

private:
    template<class Function> static Function* call(const char* name) { return reinterpret_cast<Function*>(dlsym(library(), name)); }

    static std::string text(void* program, const char* size_call, const char* text_call) {
        std::size_t size = 0;
        call<int(void*, std::size_t*)>(size_call)(program, &size);
        std::string result(size, '\0');
        call<int(void*, char*)>(text_call)(program, result.data());
        while (!result.empty() && result.back() == '\0') result.pop_back();
        return result;
    }
};

} // namespace tessera::math_test
