// `tessera docs`: what a model is, as Markdown by the ODD protocol, which journals of agent-based modelling ask for: overview, design
// concepts, details (V. Grimm et al., "The ODD Protocol for Describing Agent-Based and Other Simulation Models: A Second Update", JASSS
// 23(2), 2020).
#pragma once

#include "host/bind/bind.hpp"

#include <string>

namespace tessera {

// What the model's declarations and a run of it say, under the protocol's headings. What nobody but its author knows is marked as a gap,
// each with what belongs there. Of a setup with all functions of the model; `of_run`: phases, sizes and first values are those of a run,
// and not made up to look at the model alone.
[[nodiscard]] std::string model_page(const Bound& run, bool of_run);

[[nodiscard]] std::string type_text(const model::Member& member);   // "float[3]"
[[nodiscard]] std::string values_text(const model::Member& member); // "0 bare, 1 tree", if its values have names

} // namespace tessera
