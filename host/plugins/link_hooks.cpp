#include "host/plugins/link_hooks.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/model/library_code.hpp"
#include "jit/exactness.hpp"
#include "jit/files.hpp"
#include "jit/host_compiler.hpp"
#include "jit/log.hpp"
#include "jit/process.hpp"
#include "jit/sdk_headers.hpp"

#include <fmt/format.h>

#include <system_error>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// Calls the compiler; what it says where all is well are warnings.
void call(const jit::HostCompiler& compiler, const fs::path& folder, const std::vector<std::string>& arguments, const std::string& failed) {
    jit::Command command;
    command.arguments = compiler.words();
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.folder = command.scratch = folder;
    command.environment = {{"LC_ALL", "C"}, {"LANGUAGE", ""}, {"TMPDIR", folder.string()}};
    auto outcome = jit::run(command);
    while (!outcome.text.empty() && outcome.text.back() == '\n') outcome.text.pop_back();
    if (outcome.status != 0 || outcome.timed_out)
        throw Error(Failure::compile, failed, fmt::format("{} says", compiler.command()), "\n" + outcome.text);
    if (!outcome.text.empty()) log_warning("{}", outcome.text);
}

void compile(const jit::HostCompiler& compiler, const fs::path& folder, const fs::path& source, const std::string& object) {
    if (const auto why = why_not_regular(source); !why.empty())
        throw Error(Failure::input, fmt::format("{} cannot be read", source.string()), why, "name the sources of the hooks with --hooks");
    const auto path = fs::canonical(source);
    std::vector<std::string> arguments{"-c", "-x", "c++", path.string(), "-o", object, "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden",
                                       "-ffp-contract=off", "-Wall", "-Wextra",
                                       // messages and __FILE__ say nothing of where it stands
                                       fmt::format("-ffile-prefix-map={}/=", path.parent_path().string()),
                                       fmt::format("-ffile-prefix-map={}/=", folder.string()), "-isystem", (folder / "sdk").string()};
    const auto exact = jit::exact_options(compiler.family());
    arguments.insert(arguments.end(), exact.begin(), exact.end());
    if (compiler.family() == jit::HostCompiler::Family::gcc) arguments.emplace_back("-fno-gnu-unique");
    call(compiler, folder, arguments, fmt::format("{} does not compile", source.string()));
}

} // namespace

std::vector<std::byte> link_hooks(const std::string& name, const std::vector<std::byte>& object, const std::vector<fs::path>& sources) try {
    const auto& compiler = jit::HostCompiler::find();
    const jit::PrivateFolder scratch(fs::temp_directory_path(), "tessera-hooks-");
    const auto& folder = scratch.path();
    for (const auto& header : jit::sdk_headers()) jit::write_file_below(folder, "sdk/" + header.name, header.text);
    jit::write_file(folder / "model.o", object);
    std::vector<std::string> arguments{"-shared", "-o", "library.so", "model.o"};
    for (const auto& source : sources) {
        arguments.push_back(fmt::format("hooks-{}.o", arguments.size()));
        compile(compiler, folder, source, arguments.back());
    }
    // Its C++ is its own: it neither needs that of the program nor is bound to it.
    arguments.insert(arguments.end(), {"-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic",
                                       "-Wl,--build-id=none", "-Wl,-z,defs", "-Wl,-soname," + name});
    const auto exact = jit::exact_options(compiler.family()); // without them -ffast-math links code that changes the arithmetic of a thread
    arguments.insert(arguments.end(), exact.begin(), exact.end());
    call(compiler, folder, arguments, fmt::format("{} cannot be linked", name));
    auto library = jit::read_file(folder / "library.so");
    model::seal(library, name);
    return library;
} catch (const std::system_error& error) {
    throw Error(Failure::output, fmt::format("{} cannot be made", name), error.what());
}

} // namespace tessera
