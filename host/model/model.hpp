// A model, found and understood: its source and its description.
#pragma once

#include "host/model/description.hpp"
#include "jit/compiler.hpp"
#include "jit/source.hpp"

#include <filesystem>
#include <string>

namespace tessera::model {

struct Model {
    std::filesystem::path path;
    jit::ModelSource source;
    Description description;
};

// Reads a model's source and compiles its description for `target` (the kind of device whose compiler is used; a description is the same
// from all of them). Throws Failure::plugin or Failure::compile with the author's file and line.
[[nodiscard]] Model load_model(const std::filesystem::path& path, jit::Compiler& compiler, const jit::Target& target);

// Whether the text may declare agents; it can do without their part of the SDK if not. Says yes where it cannot be told: when a macro of
// the model makes names (`##`).
[[nodiscard]] bool may_have_agents(const jit::ModelSource& source);

// A target whose compiler is on this machine, for a description: the host's compiler, else NVRTC.
[[nodiscard]] jit::Target any_target();

} // namespace tessera::model
