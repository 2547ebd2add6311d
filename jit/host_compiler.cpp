#include "jit/host_compiler.hpp"

#include "device_runtime/error.hpp"
#include "jit/environment.hpp"
#include "jit/exactness.hpp"
#include "jit/files.hpp"
#include "jit/log.hpp"
#include "jit/process.hpp"
#include "jit/start_failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

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
    Cache* cache = nullptr;
    std::vector<std::string> tried{};

    std::optional<HostCompiler> first() {
        std::vector<std::string> candidates = {"c++", "g++", "clang++"};
        if (const auto chosen = variable("CXX"); !chosen.empty()) candidates.insert(candidates.begin(), chosen);
        for (const auto& candidate : candidates)
            if (auto found = test(candidate)) return found;
        return std::nullopt;
    }

    std::optional<HostCompiler> test(const std::string& candidate) {
        auto command = words(candidate);
        if (command.empty()) return reject(fmt::format("\"{}\"", candidate), "names no program");
        const auto program = find_program(command.front());
        if (program.empty()) return reject(candidate, "is not on $PATH");
        command.front() = program.string();
        const auto macros = ask(command, {"-x", "c++", "-std=c++20", "-dM", "-E", "-"});
        if (!macros) return reject(program.string(), "does not take -std=c++20");
        const int clang = macro_value(*macros, "__clang_major__"), gcc = macro_value(*macros, "__GNUC__");
        if (clang == 0 && gcc == 0) return reject(program.string(), "is neither g++ nor clang++");
        if (clang != 0 ? clang < 14 : gcc < 11) return reject(program.string(), fmt::format("is too old ({})", clang != 0 ? clang : gcc));
        const auto family = clang != 0 ? HostCompiler::Family::clang : HostCompiler::Family::gcc;
        HostCompiler found(command, family, ask(command, {"--version"}).value_or("") + *macros);
        auto why = why_not_exact(found, cache);
        if (why == mixes_up_arrays) why = keep_arrays_apart(found);
        if (!why.empty()) return reject(found.command(), why);
        return found;
    }

    // Finds an option with which it does: without the instructions that store a vector's values anywhere, else without vectors.
    std::string keep_arrays_apart(HostCompiler& compiler) const {
        for (const char* option : {"-mno-avx512f", "-fno-openmp-simd"}) {
            compiler.options_for_arrays_ = {option};
            if (why_not_exact(compiler, cache, compiler.options_for_arrays_).empty()) return {};
        }
        return mixes_up_arrays;
    }

    std::nullopt_t reject(const std::string& what, const std::string& why) {
        tried.push_back(what + " " + why);
        return std::nullopt;
    }

    static std::optional<std::string> ask(std::vector<std::string> command, const std::vector<std::string>& arguments) {
        command.insert(command.end(), arguments.begin(), arguments.end());
        try {
            const auto outcome = run({command, {}, clean_environment({}), std::chrono::seconds(20)});
            if (outcome.status == 0 && !outcome.timed_out) return outcome.text;
            if (const auto want = want_in(outcome.text)) throw CannotStart(command.front(), want);
            return std::nullopt;
        } catch (const std::system_error& error) {
            if (is_want(error.code())) throw CannotStart(command.front(), error.code());
            return std::nullopt;
        }
    }
};

const HostCompiler& HostCompiler::find(Cache* cache) {
    static std::mutex guard;
    static std::map<std::string, std::unique_ptr<const HostCompiler>> found;
    const std::lock_guard lock(guard);
    auto& entry = found[variable("CXX") + '\0' + variable("PATH")];
    if (entry) return *entry;
    HostCompilerSearch search{cache};
    auto compiler = search.first();
    if (!compiler)
        throw Error(Failure::compile, "there is no C++ compiler", fmt::format("tried: {}", fmt::join(search.tried, "; ")),
                    "install g++ 11 or clang 14 or later, or name one in $CXX");
    if (const auto chosen = variable("CXX"); !chosen.empty() && !search.tried.empty())
        log_warning("$CXX is not used ({}); models are compiled by {}", search.tried.front(), compiler->command());
    entry = std::make_unique<const HostCompiler>(std::move(*compiler));
    return *entry;
}

const HostCompiler* HostCompiler::second_reader() {
    static std::mutex guard;
    static std::map<std::string, std::optional<HostCompiler>> found;
    if (find().family() == Family::clang) return nullptr;
    const std::lock_guard lock(guard);
    auto [entry, is_new] = found.try_emplace(variable("PATH"));
    if (is_new) {
        auto reader = HostCompilerSearch().test("clang++");
        if (reader && reader->family() == Family::clang) entry->second = std::move(reader);
    }
    return entry->second ? &*entry->second : nullptr;
}

HostCompiler::HostCompiler(std::vector<std::string> command, Family family, std::string version)
    : command_(std::move(command)), family_(family), shown_(fmt::format("{}", fmt::join(command_, " "))), version_(first_line(version)),
      identity_(fmt::format("{}\n{}\n{}", shown_, identity_of_file(command_.front()), version)) {}

namespace {

// What is declared and never defined is found now, not when the library is loaded; libc gives memcpy and memset, libgcc wide division.
const std::vector<std::string> link_options = {"-shared", "-nostdlib", "-Wl,-z,defs", "-Wl,--build-id=none", "-lc", "-lgcc"};
// A text in its folder, and where it finds headers.
const std::vector<std::string> the_text = {"-isystem", "sdk", "-iquote", "own", "main.cpp"};

} // namespace

std::vector<std::string> HostCompiler::options(Output output, bool fast_float, const std::string& architecture) const {
    std::vector<std::string> result = {
        "-O3", "-march=" + (architecture.starts_with("x86-64") ? architecture : "native"),
        fast_float ? "-ffp-contract=fast" : "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd", "-fPIC",
        "-nostdinc", "-nostdinc++", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fvisibility=hidden", "-pedantic-errors",
        // of the author's own lines; what only costs room is left out
        "-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-parameter", "-Wno-missing-field-initializers"};
    if (family_ == Family::gcc)
        result.insert(result.end(),
                      {"-Wconversion", "-Wno-float-conversion", // of 64 bits to fewer (wording/warnings.cpp)
                       "-fno-gnu-unique", "-ftrack-macro-expansion=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
                       "-fdiagnostics-column-unit=byte", "-fmessage-length=0", "-fmax-errors=50"});
    else
        result.insert(result.end(), {"-Wshorten-64-to-32", "-Wimplicit-int-conversion", "-fno-caret-diagnostics", "-fno-color-diagnostics",
                                     "-fno-diagnostics-fixit-info", "-ferror-limit=50"});
    const auto exact = exact_options(family_);
    result.insert(result.begin(), exact.begin(), exact.end());
    result.insert(result.begin(), "-std=c++20");
    if (output == Output::shared_library)
        result.insert(result.end(), link_options.begin(), link_options.end());
    else
        result.push_back("-c");
    return result;
}

std::vector<std::string> HostCompiler::moderate_options(Output output, bool fast_float, const std::string& architecture) const {
    auto result = options(output, fast_float, architecture);
    std::replace(result.begin(), result.end(), std::string("-O3"), std::string("-O2"));
    if (family_ == Family::gcc) result.emplace_back("-fvect-cost-model=dynamic"); // as -O3 has it
    return result;
}

std::vector<std::string> HostCompiler::debug_options(Output output) const {
    auto result = options(output, false);
    std::replace(result.begin(), result.end(), std::string("-O3"), std::string("-O0"));
    result.insert(result.begin(), {"-g", "-DTESSERA_DEBUG=1"});
    return result;
}

std::vector<std::string> HostCompiler::careful_options(Output output, bool fast_float) const {
    auto result = options(output, fast_float);
    std::replace(result.begin(), result.end(), std::string("-O3"), std::string("-O1"));
    result.insert(result.end(), {"-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-openmp-simd"});
    return result;
}

namespace {

// Which of them are told, and in which words: wording/warnings.cpp.
const std::vector<std::string>& warnings_of_conversions(HostCompiler::Family family) {
    static const std::vector<std::string> of_gcc{"-Wfloat-conversion", "-Wsign-conversion"},
        of_clang{"-Wfloat-conversion", "-Wsign-conversion", "-Wimplicit-int-float-conversion", "-Wconditional-uninitialized"};
    return family == HostCompiler::Family::gcc ? of_gcc : of_clang;
}

} // namespace

std::vector<std::string> HostCompiler::checked_options(Output output, bool fast_float) const {
    auto result = options(output, fast_float);
    std::replace(result.begin(), result.end(), std::string("-O3"), std::string("-O1"));
    // What is asserted is compared by operators that look like mistyped ones. Null pointers are the processor's to find.
    result.insert(result.end(), {"-DTESSERA_CHECKED=1", "-Wno-parentheses", "-fno-delete-null-pointer-checks", "-fno-sanitize-recover=all",
                                 "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift,float-cast-overflow,return,unreachable"});
    if (family_ == Family::gcc)
        result.insert(result.end(), {"-fsanitize=bounds", "-ftrapv"}); // which keeps g++ from moving constants over a comparison first
    else
        result.insert(result.end(), {"-fsanitize=array-bounds,implicit-signed-integer-truncation,implicit-unsigned-integer-truncation",
                                     "-fsanitize-recover=implicit-signed-integer-truncation,implicit-unsigned-integer-truncation"});
    const auto& more = warnings_of_conversions(family_);
    result.insert(result.end(), more.begin(), more.end());
    return result;
}

std::vector<std::string> HostCompiler::reading_options() const {
    auto result = options(Output::object, false);
    result.erase(std::find(result.begin(), result.end(), std::string("-c")));
    result.insert(result.end(), {"-fsyntax-only", "-DTESSERA_CHECKED=1", "-Wno-parentheses"});
    const auto& more = warnings_of_conversions(family_);
    result.insert(result.end(), more.begin(), more.end());
    return result;
}

NoWorkFolder::NoWorkFolder(const fs::path& folder, const std::string& why)
    : Error(Failure::compile, fmt::format("a model cannot be compiled in {}", folder.string()), why,
            "make room there, or name another folder in $TESSERA_CACHE") {}

namespace {

bool says_any(const std::string& log, std::initializer_list<std::string_view> texts) {
    return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return log.find(text) != std::string::npos; });
}

void refuse_excess(const Outcome& outcome, const std::string& compiler, const CompileLimits& limits) {
    if (outcome.cancelled) throw Error(Failure::interrupted, "interrupted", "a model was being compiled");
    if (outcome.timed_out) refuse_as_too_slow(compiler, limits);
    if (outcome.status == 0) return;
    if (const auto want = want_in(outcome.text)) throw CannotStart(compiler, want);
    if (outcome.status == 128 + SIGXCPU) refuse_as_stopped(compiler, "it took too much of the processor's time");
    if (says_any(outcome.text, {"out of memory", "memory exhausted", "Cannot allocate memory", "bad_alloc"}))
        refuse_as_stopped(compiler, fmt::format("it needed more than the {:.3g} GiB of memory that it may have",
                                                static_cast<double>(limits.memory) / (1 << 30)));
}

// Throws where the limits, or a lack of room, ended it, and not the text.
void refuse_failure(const Outcome& outcome, const std::string& compiler, const fs::path& work_folder, const CompileLimits& limits) {
    refuse_excess(outcome, compiler, limits);
    if (outcome.status != 0 && says_any(outcome.text, {"No space left on device", "Disk quota exceeded"}))
        throw NoWorkFolder(work_folder, "no space is left on its disk");
}

[[noreturn]] void refuse_compiler(const std::string& compiler, const std::system_error& error) {
    if (is_want(error.code())) throw CannotStart(compiler, error.code());
    throw Error(Failure::compile, fmt::format("{} cannot be used", compiler), error.what(), "name another compiler in $CXX");
}

PrivateFolder folder_with(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own,
                          const fs::path& parent) try {
    PrivateFolder folder(parent, "build-");
    write_file_below(folder.path(), "main.cpp", text);
    for (const auto& header : sdk) write_file_below(folder.path(), "sdk/" + header.name, header.text);
    for (const auto& header : own) write_file_below(folder.path(), "own/" + header.name, header.text);
    return folder;
} catch (const std::system_error& error) {
    throw NoWorkFolder(parent, error.code().message());
}

void write_object(const fs::path& file, const std::vector<std::byte>& object, const fs::path& parent) try {
    write_file(file, object);
} catch (const std::system_error& error) {
    throw NoWorkFolder(parent, error.code().message());
}

} // namespace

HostCompiler::Result HostCompiler::compile(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own,
                                           Output output, const std::vector<std::string>& options, const fs::path& work_folder,
                                           const CompileLimits& limits) const try {
    const auto folder = folder_with(text, sdk, own, work_folder);
    const std::string image = output == Output::shared_library ? "image.so" : "image.o";
    const auto outcome = run(command_for(folder.path(), image, the_text, options, limits));
    refuse_failure(outcome, shown_, work_folder, limits);
    Result result{outcome.status == 0, {}, outcome.text};
    const bool has_image = std::find(options.begin(), options.end(), "-fsyntax-only") == options.end();
    if (result.ok && has_image) result.image = read_file(folder.path() / image);
    return result;
} catch (const std::system_error& error) {
    refuse_compiler(shown_, error);
}

HostCompiler::Result HostCompiler::compile_parts(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own,
                                                 const std::vector<std::vector<std::string>>& parts, const fs::path& work_folder,
                                                 const CompileLimits& limits, const std::function<std::vector<std::byte>()>& beside) const
    try {
    const auto folder = folder_with(text, sdk, own, work_folder);
    std::vector<std::string> objects;
    std::vector<std::future<Outcome>> running; // goes before the folder, and waits for those that work there
    for (const auto& part : parts) {
        objects.push_back(fmt::format("part-{}.o", objects.size()));
        running.push_back(std::async(std::launch::async, run, command_for(folder.path(), objects.back(), the_text, part, limits)));
    }
    const auto object = beside ? beside() : std::vector<std::byte>{};
    Result result{!beside || !object.empty(), {}, {}};
    const auto add = [&](const Outcome& outcome) {
        refuse_failure(outcome, shown_, work_folder, limits);
        result.ok = result.ok && outcome.status == 0;
        result.log += outcome.text;
    };
    for (auto& part : running) add(part.get());
    if (!result.ok) return result;
    if (beside) {
        objects.emplace_back("beside.o");
        write_object(folder.path() / objects.back(), object, work_folder);
    }
    auto linking = exact_options(family_); // what $CXX adds may be of the linker too
    linking.emplace_back("-Wl,-z,muldefs");
    linking.insert(linking.end(), link_options.begin(), link_options.end());
    add(run(command_for(folder.path(), "image.so", objects, linking, limits)));
    if (result.ok) result.image = read_file(folder.path() / "image.so");
    return result;
} catch (const std::system_error& error) {
    refuse_compiler(shown_, error);
}

Command HostCompiler::command_for(const fs::path& folder, const std::string& image, const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& options, const CompileLimits& limits) const {
    Command command;
    command.arguments = command_;
    command.arguments.insert(command.arguments.end(), {"-o", image});
    command.arguments.insert(command.arguments.end(), inputs.begin(), inputs.end());
    command.arguments.insert(command.arguments.end(), options.begin(), options.end()); // libraries after the file that needs them
    command.folder = command.scratch = folder;
    command.environment = clean_environment(folder);
    command.patience = limits.time;
    command.memory = limits.memory;
    command.cancel = limits.cancel;
    return command;
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
