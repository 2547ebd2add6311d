// Parameters that access lists name, as moore_of<radius> does: by their values functions look further, or less far.
#pragma once

#include "host/model/model.hpp"

#include <map>
#include <string>

namespace tessera::model {

[[nodiscard]] bool is_in_access_list(const Description& description, const Parameter& parameter);

// Describes a model that has source once more, with these values (C++ text, by names) instead of defaults. The defaults themselves, which
// the description says, stay, and so do the model's records, which a library keeps for any run. Throws Failure::compile.
void describe_with(Model& model, const std::map<std::string, std::string>& values, jit::Compiler& compiler);

} // namespace tessera::model
