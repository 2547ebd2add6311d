// Uniforms (TESSERA_UNIFORM): which of them are made when. Those that go by values of the step are made in front of the first phase that
// reads them, or reads them after a reduce has made these values anew. All others depend on the number of the step alone, and are made for
// all steps that are queued together, at once.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Words of 8 bytes that those of a step take, and how many of them stand before a uniform's.
[[nodiscard]] std::size_t words_of_uniforms(const model::Description& description) noexcept;
[[nodiscard]] std::size_t word_of_uniform(const model::Description& description, std::size_t uniform) noexcept;

// The entry point that makes it.
[[nodiscard]] std::string uniform_symbol(std::size_t uniform);

// The numbers of those that phases read, in the order in which they are made: what they go by comes first.
[[nodiscard]] std::vector<std::size_t> uniforms_of_steps(const Setup& setup);
// Of those that go by values: what has to be made in front of a phase that runs in the step.
[[nodiscard]] std::vector<std::size_t> uniforms_before(const Setup& setup, PhaseId phase, std::uint64_t step);

} // namespace tessera
