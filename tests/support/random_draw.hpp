// Which of the random models a run of the tests tries.
#pragma once

#include <charconv>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

namespace tessera::test {

// What TESSERA_TEST_SEED says, so that a draw can be made again; otherwise another number in each process.
inline unsigned seed_of_this_run() {
    const char* given = std::getenv("TESSERA_TEST_SEED");
    if (given == nullptr || *given == '\0') return std::random_device()() % 1'000'000;
    const std::string text = given;
    unsigned seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::invalid_argument("TESSERA_TEST_SEED is \"" + text + "\" (it should be a number of up to nine digits)");
    return seed;
}

// The `of`-th part of `parts` of the numbers below `count`: one of those in it. What is drawn of two parts is never the same.
inline unsigned drawn(unsigned seed, unsigned count, unsigned of, unsigned parts) {
    const unsigned first = of * count / parts, last = (of + 1) * count / parts;
    std::mt19937 generator(seed);
    generator.discard(of);
    return first + static_cast<unsigned>(generator()) % (last - first);
}

} // namespace tessera::test
