#include "jit/host_compiler.hpp"

#include "device_runtime/error.hpp"
#include "jit/files.hpp"
#include "jit/process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}

// English, and nothing that adds folders, headers or files behind our back.
std::vector<std::pair<std::string, std::string>> clean_environment(const fs::path& temporary) {
    std::vector<std::pair<std::string, std::string>> result = {{"LC_ALL", "C"}, {"LANGUAGE", ""}};
    for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES",
                             "GCC_COLORS", "GCC_COMPARE_DEBUG", "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS"})
        result.emplace_back(name, "");
    if (!temporary.empty()) result.emplace_back("TMPDIR", temporary.string());
    return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int macro_value(const std::string& macros, const std::string& name) {
    const std::string before = "#define " + name + " ";
    const auto at = macros.find(before);
    return at == std::string::npos ? 0 : std::atoi(macros.c_str() + at + before.size());
}

std::string identity_of_file(const fs::path& path) {
    std::error_code error;
    const auto real = fs::canonical(path, error);
    const auto size = fs::file_size(real, error);
    const auto time = fs::last_write_time(real, error).time_since_epoch().count();
    return fmt::format("{} {} {} {}", path.string(), real.string(), size, time);
}

} // namespace

// Tries the candidates in order and keeps the reasons.
struct HostCompilerSearch {
    std::vector<std::string> tried;

    std::optional<HostCompiler> first() {
        std::vector<std::string> candidates = {"c++", "g++", "clang++"};
        if (const auto chosen = variable("CXX"); !chosen.empty()) candidates.insert(candidates.begin(), chosen);
        for (const auto& candidate : candidates)
            if (auto found = test(candidate)) return found;
        return std::nullopt;
    }

    std::optional<HostCompiler> test(const std::string& candidate) {
        auto command = words(candidate);
        if (command.empty()) return std::nullopt;
        const auto program = find_program(command.front());
        if (program.empty()) return reject(candidate, "is not on $PATH");
        command.front() = program.string();
        const auto macros = ask(command, {"-x", "c++", "-std=c++20", "-dM", "-E", "/dev/null"});
        if (!macros) return reject(program.string(), "does not take -std=c++20");
        const int clang = macro_value(*macros, "__clang_major__"), gcc = macro_value(*macros, "__GNUC__");
        if (clang == 0 && gcc == 0) return reject(program.string(), "is neither g++ nor clang++");
        if (clang != 0 ? clang < 14 : gcc < 11) return reject(program.string(), fmt::format("is too old ({})", clang != 0 ? clang : gcc));
        const auto family = clang != 0 ? HostCompiler::Family::clang : HostCompiler::Family::gcc;
        return HostCompiler(command, family, ask(command, {"--version"}).value_or(""));
    }

    std::nullopt_t reject(const std::string& what, const std::string& why) {
        tried.push_back(what + " " + why);
        return std::nullopt;
    }

    static std::optional<std::string> ask(std::vector<std::string> command, const std::vector<std::string>& arguments) {
        command.insert(command.end(), arguments.begin(), arguments.end());
        try {
            const auto outcome = run({command, {}, clean_environment({}), std::chrono::seconds(20)});
            return outcome.status == 0 && !outcome.timed_out ? std::optional(outcome.text) : std::nullopt;
        } catch (const std::system_error&) {
            return std::nullopt;
        }
    }
};

const HostCompiler& HostCompiler::find() {
    static std::mutex guard;
    static std::map<std::string, std::unique_ptr<const HostCompiler>> found;
    const std::lock_guard lock(guard);
    auto& entry = found[variable("CXX") + '\0' + variable("PATH")];
    if (entry) return *entry;
    HostCompilerSearch search;
    auto compiler = search.first();
    if (!compiler)
        throw Error(Failure::compile, "there is no C++ compiler", fmt::format("tried: {}", fmt::join(search.tried, "; ")),
                    "install g++ 11 or clang 14 or later, or name one in $CXX");
    entry = std::make_unique<const HostCompiler>(std::move(*compiler));
    return *entry;
}

HostCompiler::HostCompiler(std::vector<std::string> command, Family family, std::string version)
    : command_(std::move(command)), family_(family), shown_(fmt::format("{}", fmt::join(command_, " "))), version_(first_line(version)),
      identity_(fmt::format("{}\n{}\n{}", shown_, identity_of_file(command_.front()), version)) {}

std::vector<std::string> HostCompiler::options(Output output, bool fast_float) const {
    std::vector<std::string> result = {"-std=c++20",
                                       "-O3",
                                       "-march=native",
                                       fast_float ? "-ffp-contract=fast" : "-ffp-contract=off",
                                       "-fno-math-errno",
                                       "-fno-trapping-math",
                                       "-fopenmp-simd",
                                       "-fPIC",
                                       "-nostdinc",
                                       "-nostdinc++",
                                       "-fno-exceptions",
                                       "-fno-rtti",
                                       "-fno-threadsafe-statics",
                                       "-fvisibility=hidden",
                                       "-pedantic-errors"};
    if (family_ == Family::gcc)
        result.insert(result.end(),
                      {"-fno-gnu-unique", "-ftrack-macro-expansion=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
                       "-fdiagnostics-column-unit=byte", "-fmessage-length=0", "-fmax-errors=50"});
    else
        result.insert(result.end(),
                      {"-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-diagnostics-fixit-info", "-ferror-limit=50"});
    // What is declared and never defined is found now, not when the library is loaded; libc gives memcpy and memset, libgcc wide division.
    if (output == Output::shared_library)
        result.insert(result.end(), {"-shared", "-nostdlib", "-Wl,-z,defs", "-Wl,--build-id=none", "-lc", "-lgcc"});
    else
        result.push_back("-c");
    return result;
}

HostCompiler::Result HostCompiler::compile(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own,
                                           Output output, const std::vector<std::string>& options, const fs::path& work_folder) const try {
    const PrivateFolder folder(work_folder, "build-");
    write_file(folder.path() / "main.cpp", text);
    for (const auto& header : sdk) write_file(folder.path() / "sdk" / header.name, header.text);
    for (const auto& header : own) write_file(folder.path() / "own" / header.name, header.text);

    const std::string image = output == Output::shared_library ? "image.so" : "image.o";
    Command command;
    command.arguments = command_;
    command.arguments.insert(command.arguments.end(), {"-o", image, "-isystem", "sdk", "-iquote", "own", "main.cpp"});
    command.arguments.insert(command.arguments.end(), options.begin(), options.end()); // libraries after the file that needs them
    command.folder = folder.path();
    command.environment = clean_environment(folder.path());
    auto outcome = run(command);
    if (outcome.timed_out)
        throw Error(Failure::compile, fmt::format("{} was stopped", shown_), "it had not ended after 5 minutes", "make the model smaller");
    Result result{outcome.status == 0, {}, std::move(outcome.text)};
    if (result.ok) result.image = read_file(folder.path() / image);
    return result;
} catch (const std::system_error& error) {
    throw Error(Failure::compile, fmt::format("{} cannot be used", shown_), error.what(),
                fmt::format("see whether {} can be written, or name another compiler in $CXX", work_folder.string()));
}

const std::string& host_cpu_identity() {
    static const std::string identity = [] {
        std::ifstream stream("/proc/cpuinfo");
        std::map<std::string, std::string> first;
        for (std::string line; std::getline(stream, line) && !line.empty();) first[line.substr(0, line.find_first_of("\t:"))] = line;
        return first["vendor_id"] + '\n' + first["cpu family"] + '\n' + first["model"] + '\n' + first["model name"] + '\n' +
               first["flags"] + '\n' + first["CPU implementer"] + '\n' + first["CPU part"] + '\n' + first["Features"];
    }();
    return identity;
}

} // namespace tessera::jit
