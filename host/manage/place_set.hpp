// A set of few places of many, a bit each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

class PlaceSet {
public:
    void make_room_for(std::int64_t places) { words_.resize(static_cast<std::size_t>((places + bits - 1) / bits)); }
    void put(std::int32_t place) {
        auto& word = words_[word_of(place)];
        if (word == 0) used_.push_back(word_of(place));
        word |= bit_of(place);
    }
    [[nodiscard]] bool has(std::int32_t place) const noexcept { return (words_[word_of(place)] & bit_of(place)) != 0; }
    [[nodiscard]] bool is_empty() const noexcept { return used_.empty(); }
    // `visit(place)` for each, in no order.
    template<class Visit> void for_each(const Visit& visit) const {
        for (const auto word : used_)
            for (auto left = words_[word]; left != 0; left &= left - 1)
                visit(static_cast<std::int32_t>(word * bits + static_cast<std::size_t>(__builtin_ctzll(left))));
    }
    void clear() noexcept {
        for (const auto word : used_) words_[word] = 0;
        used_.clear();
    }

private:
    static constexpr int bits = 64;
    static std::size_t word_of(std::int32_t place) noexcept { return static_cast<std::size_t>(place / bits); }
    static std::uint64_t bit_of(std::int32_t place) noexcept { return std::uint64_t{1} << place % bits; }

    std::vector<std::uint64_t> words_;
    std::vector<std::size_t> used_;
};

} // namespace tessera
