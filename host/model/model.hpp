// A model, found and understood: its source and its description, from a source file or from a library.
#pragma once

#include "host/model/description.hpp"
#include "host/model/library.hpp"
#include "jit/compiler.hpp"
#include "jit/source.hpp"
#include "jit/symbols.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::model {

struct Model {
    std::filesystem::path path;
    jit::ModelSource source;
    Description description;
    std::vector<jit::DataSymbol> records; // that the description was read from, in the order of declaration
    std::optional<Library> library;       // that it came from

    // A library may have finished code instead.
    [[nodiscard]] bool has_source() const noexcept { return !source.main.text.empty(); }
};

// Reads a model's source and compiles its description for `target` (the kind of device whose compiler is used; a description is the same
// from all of them; none: any_target). Of a library (`.so`), what it holds of both; its description is compiled again only if it is of
// another format. Throws Failure::plugin or Failure::compile with the author's file and line.
[[nodiscard]] Model load_model(const std::filesystem::path& path, jit::Compiler& compiler,
                               const std::optional<jit::Target>& target = std::nullopt);

// Whether the text may declare agents; it can do without their part of the SDK if not. Says yes where it cannot be told: when a macro of
// the model makes names (`##`).
[[nodiscard]] bool may_have_agents(const jit::ModelSource& source);
[[nodiscard]] bool may_have_links(const jit::ModelSource& source);
// Whether its functions may send along links what is there some steps later; what is sent needs less room if not. A library without source
// says so itself.
[[nodiscard]] bool may_send_later(const Model& model);

// What a library says of its model; nothing is compiled, unless it has its source and was built with another SDK. Throws Failure::plugin
// for one that cannot be used.
[[nodiscard]] Description describe_library(const std::filesystem::path& path, jit::Compiler& compiler);

// A target whose compiler is on this machine, for a description: the host's compiler, else NVRTC.
[[nodiscard]] jit::Target any_target(jit::Compiler& compiler);

} // namespace tessera::model
