// Parameters that access lists name, as moore_of<radius> does: by their values functions look further, or less far.
#pragma once

#include "host/model/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace tessera::model {

[[nodiscard]] bool is_in_access_list(const Description& description, const Parameter& parameter);

// The records of a model that has source, with these values (C++ text, by names) instead of defaults. The defaults themselves stay as the
// model's records say them. Throws Failure::compile.
[[nodiscard]] std::vector<jit::DataSymbol> records_with(const Model& model, const std::map<std::string, std::string>& values,
                                                        jit::Compiler& compiler);

// Describes such a model once more, by these records. Its own records, which a library keeps for any run, stay.
void describe_with(Model& model, const std::map<std::string, std::string>& values, jit::Compiler& compiler);

} // namespace tessera::model
