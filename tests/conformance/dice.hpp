// Random choices that are the same for the same seed, everywhere.
#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace tessera::test {

class Dice {
public:
    explicit Dice(unsigned seed) : generator_(seed) {}
    int below(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool percent(int chance) { return below(100) < chance; }
    template<class T> T of(const std::vector<T>& all) { return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))]; }
    template<class T> void shuffle(std::vector<T>& all) {
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[static_cast<std::size_t>(below(static_cast<int>(i)))]);
    }

private:
    std::mt19937 generator_; // whose numbers are the same with every standard library; the distributions' are not
};

} // namespace tessera::test
