// Which parts of the SDK a model can do without: parsing its mathematics takes a compiler longer than all the rest of it.
#pragma once

namespace tessera::jit {
struct ModelSource;
}

namespace tessera {

// Whether the model's text may name a function of tessera/math.hpp, or random numbers that are made with it. Says yes where it cannot be
// told: when a macro of the model makes names (`##`).
[[nodiscard]] bool may_use_mathematics(const jit::ModelSource& model);

} // namespace tessera
