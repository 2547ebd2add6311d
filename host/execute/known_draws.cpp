#include "host/execute/known_draws.hpp"

#include <tessera/detail/philox.hpp>

#include <array>
#include <cstdint>

namespace tessera {

bool draws_what_is_known(Program& program) {
    constexpr std::size_t many = 32;
    constexpr std::uint64_t key = 0x299f31d0a4093822;
    constexpr std::uint32_t step = 0x13198a2e;
    std::array<std::uint64_t, many> ids{};
    for (std::size_t i = 0; i < many; ++i) ids[i] = (0x85a308d3243f6a88 * (i + 1)) >> (i % 3 * 20); // beyond 32 bits, and not
    std::array<std::uint32_t, 5 * many> words{};
    using Draws = void(std::uint64_t, std::uint32_t, const std::uint64_t*, std::uint32_t*);
    reinterpret_cast<Draws*>(program.global("tessera_known_draws").address)(key, step, ids.data(), words.data());
    bool are_right = true;
    for (std::size_t i = 0; i < many; ++i) {
        are_right &= words[i] == word_of(random_block(key, ids[i] / 4, step, 0), static_cast<std::uint32_t>(ids[i] % 4));
        const auto later = random_block(key, ids[i], step, 1);
        for (std::uint32_t draw = 0; draw < 4; ++draw) are_right &= words[(1 + draw) * many + i] == word_of(later, draw);
    }
    return are_right;
}

} // namespace tessera
