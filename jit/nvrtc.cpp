#include "jit/nvrtc.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/shared_library.hpp"
#include "jit/environment.hpp"
#include "jit/host_compiler.hpp"
#include "jit/log.hpp"
#include "jit/start_failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

constexpr int oldest_major = 12;

// "libnvrtc.so.13.0.88" -> {13, 0, 88}; nothing for another file.
bool is_nvrtc(const std::string& name, std::vector<int>& version) {
    static const std::regex pattern(R"(libnvrtc\.so((?:\.\d+)*))");
    std::smatch match;
    if (!std::regex_match(name, match, pattern)) return false;
    version.clear();
    const std::string numbers = match[1];
    for (std::size_t at = 0; at < numbers.size(); at = numbers.find('.', at + 1)) version.push_back(std::atoi(numbers.c_str() + at + 1));
    return true;
}

// The libraries in a folder, the newest first.
std::vector<fs::path> libraries_in(const fs::path& folder) {
    std::vector<std::pair<std::vector<int>, fs::path>> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::vector<int> version;
        if (is_nvrtc(entry->path().filename().string(), version)) found.emplace_back(version, entry->path());
    }
    std::sort(found.rbegin(), found.rend());
    std::vector<fs::path> result;
    for (auto& each : found) result.push_back(fs::absolute(each.second));
    return result;
}

std::vector<fs::path> default_folders() {
    std::vector<fs::path> folders;
    std::error_code error;
    if (const auto& self = program_file(); !self.empty()) {
        folders.push_back(self.parent_path().parent_path() / "lib");
        folders.push_back(self.parent_path().parent_path() / "lib" / "tessera");
    }
    for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
        if (const auto root = variable(name); !root.empty()) folders.push_back(fs::path(root) / "lib64");
    std::vector<fs::path> installed;
    for (fs::directory_iterator entry("/usr/local", error), end; !error && entry != end; entry.increment(error))
        if (entry->path().filename().string().starts_with("cuda")) installed.push_back(entry->path() / "lib64");
    std::sort(installed.begin(), installed.end()); // "cuda", which is the administrator's choice, comes before "cuda-12.8"
    folders.insert(folders.end(), installed.begin(), installed.end());
    return folders;
}

struct Candidates {
    std::vector<fs::path> files;      // absolute, or a bare name for the system's loader
    std::vector<std::string> nothing; // folders and files that are not there
};

Candidates candidates() {
    Candidates result;
    const auto add_folder = [&](const fs::path& folder) {
        const auto files = libraries_in(folder);
        result.files.insert(result.files.end(), files.begin(), files.end());
        if (files.empty()) result.nothing.push_back(folder.string() + ": no libnvrtc.so there");
    };
    if (const auto chosen = variable("TESSERA_NVRTC"); !chosen.empty()) {
        std::error_code error;
        if (fs::is_directory(chosen, error))
            add_folder(chosen);
        else if (fs::exists(chosen, error))
            result.files.push_back(fs::absolute(chosen));
        else
            result.nothing.push_back(chosen + ": not there");
        return result;
    }
    for (const auto& folder : default_folders()) add_folder(folder);
    for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) result.files.emplace_back(name);
    return result;
}

// libnvrtc asks for its builtins by a bare name that nothing leads to: once they are loaded by path, that name is known.
void load_builtins(const fs::path& library) {
    static const std::regex pattern(R"(libnvrtc-builtins\.so\.\d+(\.\d+)+)");
    std::error_code error;
    for (fs::directory_iterator entry(fs::canonical(library, error).parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
        if (!std::regex_match(entry->path().filename().string(), pattern)) continue;
        try {
            const SharedLibrary loaded(entry->path());
        } catch (const std::runtime_error& failure) {
            log_debug("{}: {}", entry->path().string(), failure.what()); // of another version, perhaps: libnvrtc says if it misses one
        }
    }
}

// Never destroyed: no static owner may outlive what it owns.
using Program = void*;

} // namespace

struct Nvrtc::Library {
    fs::path file;
    int major = 0, minor = 0;
    std::string identity;
    std::vector<int> architectures;
    mutable std::mutex compiling;

    // As nvrtc.h declares them; an nvrtcResult is an int, 0 is success and 6 a text that does not compile.
    int (*version)(int*, int*) = nullptr;
    const char* (*error_string)(int) = nullptr;
    int (*count_architectures)(int*) = nullptr;
    int (*get_architectures)(int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*get_log)(Program, char*) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*get_cubin)(Program, char*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*get_ptx)(Program, char*) = nullptr;
    int (*set_flow_callback)(Program, int (*)(void*, void*), void*) = nullptr; // null before 13.0

    // Throws std::runtime_error that says why it cannot be used.
    explicit Library(const fs::path& path) : file(path) {
        if (path.is_absolute()) load_builtins(path);
        const SharedLibrary library(path);
        const auto bind = [&]<class Function>(Function& function, const char* name) {
            function = reinterpret_cast<Function>(library.find(name));
            if (function == nullptr) throw std::runtime_error(fmt::format("it has no {}", name));
        };
        bind(version, "nvrtcVersion");
        if (version(&major, &minor) != 0) throw std::runtime_error("it does not say its version");
        if (major < oldest_major) throw std::runtime_error(fmt::format("it is version {}.{}; 12.0 or later is needed", major, minor));
        bind(error_string, "nvrtcGetErrorString");
        bind(count_architectures, "nvrtcGetNumSupportedArchs");
        bind(get_architectures, "nvrtcGetSupportedArchs");
        bind(create, "nvrtcCreateProgram");
        bind(destroy, "nvrtcDestroyProgram");
        bind(compile, "nvrtcCompileProgram");
        bind(log_size, "nvrtcGetProgramLogSize");
        bind(get_log, "nvrtcGetProgramLog");
        bind(cubin_size, "nvrtcGetCUBINSize");
        bind(get_cubin, "nvrtcGetCUBIN");
        bind(ptx_size, "nvrtcGetPTXSize");
        bind(get_ptx, "nvrtcGetPTX");
        set_flow_callback = reinterpret_cast<decltype(set_flow_callback)>(library.find("nvrtcSetFlowCallback"));
        ask_architectures();
        identify();
    }

    void ask_architectures() {
        int count = 0;
        if (count_architectures(&count) != 0 || count <= 0) throw std::runtime_error("it knows no GPU");
        architectures.resize(static_cast<std::size_t>(count));
        if (get_architectures(architectures.data()) != 0) throw std::runtime_error("it does not say which GPUs it knows");
        std::sort(architectures.begin(), architectures.end());
    }

    void identify() {
        std::error_code error;
        const auto real = fs::canonical(file, error);
        identity = fmt::format("NVRTC {}.{} {}", major, minor, fmt::join(architectures, ","));
        if (!error) identity += fmt::format(" {} {}", real.filename().string(), fs::file_size(real, error));
        for (const char* name : {"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"}) identity += fmt::format("\n{}={}", name, variable(name));
    }
};

namespace {

int capability_of(const std::string& text) {
    int value = 0;
    const auto at = text.find('_');
    const char* begin = text.data() + (at == std::string::npos ? 0 : at + 1);
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc() || end == begin)
        throw Error(Failure::compile, fmt::format("\"{}\" is not a GPU architecture", text), "names are such as sm_90");
    return value;
}

} // namespace

namespace {

// NVRTC takes options from two variables, and no option of ours undoes those.
void refuse_inexact_options() {
    constexpr std::string_view inexact[] = {"use_fast_math", "ftz=true", "fmad=true", "prec-div=false", "prec-sqrt=false"};
    for (const char* name : {"NVRTC_PREPEND_FLAGS", "NVRTC_APPEND_FLAGS"}) {
        std::istringstream words(variable(name));
        for (std::string word; words >> word;) {
            const auto option = word.substr(std::min(word.find_first_not_of('-'), word.size()));
            if (std::find(std::begin(inexact), std::end(inexact), option) != std::end(inexact))
                throw Error(Failure::compile, fmt::format("NVRTC would compute other results: ${} has {}", name, word),
                            "a run has the same bits on all devices", "take that option out");
        }
    }
}

} // namespace

const Nvrtc& Nvrtc::find() {
    refuse_inexact_options();
    static std::mutex guard;
    static auto& found = *new std::map<std::string, std::unique_ptr<const Nvrtc>>; // the library is never unloaded either
    const std::lock_guard lock(guard);
    auto& entry =
        found[fmt::format("{}\n{}\n{}", variable("TESSERA_NVRTC"), variable("NVRTC_PREPEND_FLAGS"), variable("NVRTC_APPEND_FLAGS"))];
    if (entry) return *entry;
    auto [files, tried] = candidates();
    for (const auto& file : files) {
        try {
            entry.reset(new Nvrtc(std::make_unique<Library>(file)));
            log_debug("NVRTC {}.{} from {}", entry->major(), entry->minor(), file.string());
            return *entry;
        } catch (const std::runtime_error& failure) {
            tried.push_back(fmt::format("{}: {}", file.string(), failure.what()));
        }
    }
    throw Error(Failure::compile, "there is no NVRTC, which compiles models for a GPU", fmt::format("tried: {}", fmt::join(tried, "; ")),
                variable("TESSERA_NVRTC").empty()
                    ? "install NVRTC 12.0 or later (it is part of the CUDA toolkit), or name its file in $TESSERA_NVRTC"
                    : "correct or unset $TESSERA_NVRTC");
}

Nvrtc::Nvrtc(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvrtc::~Nvrtc() = default;
int Nvrtc::major() const noexcept { return library_->major; }
int Nvrtc::minor() const noexcept { return library_->minor; }
const fs::path& Nvrtc::file() const noexcept { return library_->file; }
const std::string& Nvrtc::identity() const noexcept { return library_->identity; }
const std::vector<int>& Nvrtc::architectures() const noexcept { return library_->architectures; }

Nvrtc::Output Nvrtc::output_for(const std::string& capability, bool data_only) const {
    const auto& known = library_->architectures;
    const int wanted = capability_of(capability);
    const auto above = std::upper_bound(known.begin(), known.end(), wanted);
    if (above == known.begin())
        throw Error(Failure::compile, fmt::format("NVRTC {}.{} cannot compile for sm_{}", major(), minor(), wanted),
                    fmt::format("it knows sm_{}", fmt::join(known, ", sm_")), "install an older NVRTC, or run on another device");
    const int newest = *std::prev(above);
    const bool exact = newest == wanted && !capability.starts_with("compute_");
    return {fmt::format("{}_{}", exact || data_only ? "sm" : "compute", newest), !exact && !data_only};
}

std::vector<std::string> Nvrtc::options(const Output& output, bool fast_float) const {
    std::vector<std::string> result = {"-arch=" + output.architecture,
                                       "--std=c++20",
                                       "-default-device",
                                       "--diag-error=2361", // a narrowing conversion, as for the other compilers
                                       "--diag-warn=1373",  // 64 bits to fewer (wording/warnings.cpp)
                                       fast_float ? "--fmad=true" : "--fmad=false",
                                       "--ftz=false",
                                       "--prec-div=true",
                                       "--prec-sqrt=true"};
    if (major() > 12 || minor() >= 8)
        result.emplace_back("--minimal");                        // no declarations of CUDA's run-time library, which no model can name
    if (major() >= 13) result.emplace_back("--split-compile=0"); // by as many threads as there are processors; the same code for any number
    if (major() > 12 || minor() >= 9) result.emplace_back("-no-cache"); // ours knows all that an image depends on
    return result;
}

namespace {

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> result;
    for (const auto& text : texts) result.push_back(text.c_str());
    return result;
}

// What NVRTC asks now and then.
class Patience {
public:
    explicit Patience(const CompileLimits& limits) : cancel_(limits.cancel), end_(std::chrono::steady_clock::now() + limits.time) {}
    [[nodiscard]] bool cancelled() const { return cancel_ != nullptr && *cancel_; }
    static int is_over(void* self, void*) {
        const auto& patience = *static_cast<const Patience*>(self);
        return patience.cancelled() || std::chrono::steady_clock::now() >= patience.end_ ? 1 : 0;
    }

private:
    const std::atomic<bool>* cancel_;
    std::chrono::steady_clock::time_point end_;
};

// NVRTC has threads of its own, and waits without end for one that the system refuses.
void expect_threads(const std::string& name) {
    try {
        std::thread([] {}).join();
    } catch (const std::system_error& error) {
        throw CannotStart(name, error.code());
    }
}

struct ProgramOwner {
    Program program = nullptr;
    int (*destroy)(Program*);
    explicit ProgramOwner(int (*destroyer)(Program*)) : destroy(destroyer) {}
    ProgramOwner(const ProgramOwner&) = delete;
    ProgramOwner& operator=(const ProgramOwner&) = delete;
    ~ProgramOwner() {
        if (program != nullptr) destroy(&program);
    }
};

} // namespace

Nvrtc::Result Nvrtc::compile(const std::string& text, const std::vector<Header>& headers, const Output& output,
                             const std::vector<std::string>& options, const CompileLimits& limits) const {
    constexpr int does_not_compile = 6, cancelled = 16;
    std::unique_lock lock(library_->compiling, std::defer_lock);
    if (major() < 13) lock.lock();
    expect_threads(fmt::format("NVRTC {}.{}", major(), minor()));
    const auto demand = [&](int code, const char* what) {
        if (code != 0) throw Error(Failure::internal, fmt::format("NVRTC failed in {}", what), library_->error_string(code));
    };
    std::vector<const char*> names, texts;
    for (const auto& header : headers) {
        names.push_back(header.name.c_str());
        texts.push_back(header.text.c_str());
    }
    ProgramOwner owner(library_->destroy);
    demand(library_->create(&owner.program, text.c_str(), "tessera-main", static_cast<int>(headers.size()), texts.data(), names.data()),
           "nvrtcCreateProgram");
    Patience patience(limits);
    if (library_->set_flow_callback != nullptr)
        demand(library_->set_flow_callback(owner.program, Patience::is_over, &patience), "nvrtcSetFlowCallback");
    const auto arguments = pointers_to(options);
    const int code = library_->compile(owner.program, static_cast<int>(arguments.size()), arguments.data());

    Result result;
    std::size_t size = 0;
    if (library_->log_size(owner.program, &size) == 0 && size > 1) {
        result.log.resize(size);
        demand(library_->get_log(owner.program, result.log.data()), "nvrtcGetProgramLog");
        result.log.resize(size - 1);
    }
    if (code == does_not_compile) return result;
    if (code == cancelled && patience.cancelled()) throw Error(Failure::interrupted, "a compilation was cancelled");
    if (code == cancelled) refuse_as_too_slow(fmt::format("NVRTC {}.{}", major(), minor()), limits);
    if (code != 0)
        throw Error(Failure::internal, fmt::format("NVRTC {}.{} failed", major(), minor()),
                    fmt::format("{}; options {}; it said: {}", library_->error_string(code), fmt::join(options, " "), result.log));
    demand((output.ptx ? library_->ptx_size : library_->cubin_size)(owner.program, &size), "asking for the image's size");
    result.image.resize(size);
    demand((output.ptx ? library_->get_ptx : library_->get_cubin)(owner.program, reinterpret_cast<char*>(result.image.data())),
           "fetching the image");
    result.ok = true;
    return result;
}

} // namespace tessera::jit
