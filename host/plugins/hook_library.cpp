#include "host/plugins/hook_library.hpp"

#include "device_runtime/crash_words.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "device_runtime/shared_library.hpp"
#include "host/model/library_code.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace tessera {
namespace {

constexpr const char* symbol = "tessera_hooks_v1";

[[noreturn]] void refuse(const model::Library& library, const std::string& why) {
    throw Error(Failure::plugin, fmt::format("the hooks of {} cannot be used", library.path.string()), why, "build it again");
}

void check_table(const model::Library& library, const tessera_hooks& table) {
    if (table.abi_major != TESSERA_HOOKS_MAJOR)
        refuse(library, fmt::format("they are of version {}.{}, and this program knows {}.{}", table.abi_major, table.abi_minor,
                                    TESSERA_HOOKS_MAJOR, TESSERA_HOOKS_MINOR));
    if (table.struct_size < sizeof(tessera_hooks))
        refuse(library,
               fmt::format("{} says that it has {} bytes, and the minimum is {}", symbol, table.struct_size, sizeof(tessera_hooks)));
    if (table.count == nullptr || table.hook == nullptr) refuse(library, fmt::format("{} names no functions", symbol));
}

Hook checked(const model::Library& library, const tessera_hook* given) {
    if (given == nullptr || given->struct_size < sizeof(tessera_hook) || given->name == nullptr || given->call == nullptr)
        refuse(library, "the description of one hook is too short");
    Hook hook;
    hook.name = shown(given->name);
    hook.call = given->call;
    hook.every = given->every;
    hook.stateful = (given->flags & tessera_stateful) != 0;
    switch (given->when) {
    case tessera_at_start: hook.when = Hook::When::at_start; return hook;
    case tessera_at_end: hook.when = Hook::When::at_end; return hook;
    case tessera_every:
        hook.when = Hook::When::every;
        if (hook.every > 0) return hook;
        break;
    default: break;
    }
    refuse(library, fmt::format("this program does not know when `{}` is to be called", hook.name));
}

void tell_of_missing_seal(const model::Library& library, model::Seal seal) {
    if (seal == model::Seal::none)
        log_info("{} has no checksum of its code, so damage is not noticed (`tessera seal` writes one)", library.path.string());
}

// What the loader says, without the name of a copy that nobody knows.
std::string words_of(const std::string& text) {
    const auto end = text.find(": ");
    return text.starts_with("/proc/self/fd/") && end != std::string::npos ? text.substr(end + 2) : text;
}

// A private copy, so that what runs stays what was checked, whatever becomes of the file.
SharedLibrary load(const model::Library& library) {
    const bool stays = model::needs_its_place(library);
    const auto copy = stays ? model::CheckedCopy{{}, model::check_code(library)} : model::checked_copy(library);
    tell_of_missing_seal(library, copy.seal);
    try {
        // A bare name is looked for elsewhere.
        const auto loaded =
            stays ? SharedLibrary(std::filesystem::absolute(library.path)) : SharedLibrary(std::span<const std::byte>(copy.bytes));
        if (loaded.changed_arithmetic())
            log_warning("{} changes how a thread computes when it is loaded (as libraries that are linked with -ffast-math do); the run "
                        "restores the arithmetic",
                        library.path.string());
        return loaded;
    } catch (const std::exception& error) {
        throw Error(Failure::plugin, fmt::format("{} cannot be loaded", library.path.string()), words_of(error.what()));
    }
}

} // namespace

std::vector<std::string> arithmetic_functions(std::span<const std::byte> library) {
    const std::string_view bytes(reinterpret_cast<const char*>(library.data()), library.size());
    std::vector<std::string> found;
    for (const std::string name : {"fesetround", "fesetenv", "feupdateenv", "fesetmode", "feenableexcept", "set_fast_math"})
        if (bytes.find('\0' + name + '\0') != std::string_view::npos) found.push_back(name);
    return found;
}

std::string when_text(const Hook& hook) {
    switch (hook.when) {
    case Hook::When::at_start: return "at the start";
    case Hook::When::at_end: return "at the end";
    case Hook::When::every: break;
    }
    return hook.every == 1 ? "every step" : fmt::format("every {} steps", hook.every);
}

std::vector<Hook> load_hooks(const model::Library& library) {
    const CrashWords words(library.path.string(), "while it was loaded");
    const auto loaded = load(library);
    const auto* const table = static_cast<const tessera_hooks*>(loaded.find(symbol));
    if (table == nullptr) refuse(library, fmt::format("it has no symbol {}", symbol));
    check_table(library, *table);
    std::vector<Hook> hooks;
    for (std::uint64_t i = 0, count = table->count(); i < count; ++i) hooks.push_back(checked(library, table->hook(i)));
    if (hooks.empty()) refuse(library, "it has none");
    return hooks;
}

} // namespace tessera
