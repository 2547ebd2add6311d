// The hooks of a library (tessera/hooks.hpp): native code of its author, which a run calls between steps.
#pragma once

#include "host/model/library.hpp"

#include <tessera/detail/hooks_abi.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera {

struct Hook {
    enum class When { at_start, every, at_end };
    std::string name;
    When when{};
    std::uint64_t every = 0;
    bool stateful = false; // what it does depends on earlier calls
    std::int32_t (*call)(const tessera_host*) = nullptr;

    [[nodiscard]] bool is_due(std::uint64_t step) const noexcept { return when == When::every && step % every == 0; }
    // The first step at or after `step` at which one that is called every N steps is due; UINT64_MAX where there is none.
    [[nodiscard]] std::uint64_t next_due(std::uint64_t step) const noexcept {
        const auto over = step % every, left = over == 0 ? 0 : every - over;
        return left <= UINT64_MAX - step ? step + left : UINT64_MAX;
    }
};
[[nodiscard]] std::string when_text(const Hook& hook); // "every 10 steps"

// The functions that change how a thread computes of which a library has the name: what it calls, or start-up code of -ffast-math.
[[nodiscard]] std::vector<std::string> arithmetic_functions(std::span<const std::byte> library);

// Loads the library, for as long as the process lives, and reads its hooks, in the order in which they are called. Throws Failure::plugin
// for a library that has none of a kind that this program knows. Warns of one that changes the arithmetic of the thread. A library that
// crashes meanwhile ends the process, in words.
[[nodiscard]] std::vector<Hook> load_hooks(const model::Library& library);

} // namespace tessera
