// Numbers sorted by where in the world they belong: into bands of places that follow each other, in their order within a band. So several
// threads can count on places side by side, each on bands of its own, and what they find lies in a cache.
#pragma once

#include "device_runtime/thread_pool.hpp"
#include "host/array.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

class Bands {
public:
    struct Entry {
        std::int32_t place, number;
    };

    // Sorts `count` numbers, of which `number(k)` is the k-th and `place(k)` its place. Counting sort in two passes over pieces of them.
    template<class Place, class Number>
    void sort(ThreadPool& team, std::int64_t places, std::int64_t count, const Place& place, const Number& number);

    [[nodiscard]] int bands() const noexcept { return bands_; }
    [[nodiscard]] PlaceRange places(int band) const noexcept {
        return {std::int64_t{band} << shift_, std::min((std::int64_t{band} + 1) << shift_, places_)};
    }
    [[nodiscard]] std::span<Entry> of(int band) noexcept { return {entries_.data() + start(band), entries_.data() + start(band + 1)}; }
    [[nodiscard]] const Entry& entry(std::size_t number) const noexcept { return entries_[number]; } // of all bands, one behind the other
    [[nodiscard]] std::size_t start(int band) const noexcept { return starts_[static_cast<std::size_t>(band) * pieces_]; }
    // Calls `put(k, e)` for each of the numbers that were sorted, in their order: the k-th is entry e of all bands.
    template<class Place, class Put> void for_each_entry(ThreadPool& team, const Place& place, const Put& put);

private:
    // Of 2^12 to 2^16 places, whose counts and heads of chains stay in a core's cache: some bands a thread, for agents are not spread
    // evenly. Of more places still there are no more bands than a core can write to side by side.
    static constexpr int least_shift = 12, usual_shift = 16, bands_a_thread = 4, most_bands = 256;
    [[nodiscard]] static int shift_for(std::int64_t places, int threads) noexcept {
        const auto bands = [=](int shift) { return ((places - 1) >> shift) + 1; };
        int shift = usual_shift;
        while (shift > least_shift && bands(shift) < std::int64_t{bands_a_thread} * threads) --shift;
        while (bands(shift) > most_bands) ++shift;
        return shift;
    }

    [[nodiscard]] std::size_t band_of(std::int32_t place) const noexcept { return static_cast<std::size_t>(place >> shift_); }
    [[nodiscard]] std::size_t& start_of(std::size_t band, std::size_t piece) noexcept { return starts_[band * pieces_ + piece]; }
    template<class Body> void for_each_piece(ThreadPool& team, const Body& body) const {
        team.run(static_cast<std::int64_t>(pieces_), [&](std::int64_t first, std::int64_t last) {
            for (auto piece = first; piece < last; ++piece) {
                const auto [begin, end] = ThreadPool::piece(count_, static_cast<int>(pieces_), static_cast<int>(piece));
                body(static_cast<std::size_t>(piece), begin, end);
            }
        });
    }

    std::int64_t places_ = 0, count_ = 0;
    int shift_ = 0, bands_ = 0;
    std::size_t pieces_ = 0;
    std::vector<std::size_t> starts_; // of each band, and in it of each piece; behind them the end
    std::vector<Entry> entries_;
};

template<class Place, class Number>
void Bands::sort(ThreadPool& team, std::int64_t places, std::int64_t count, const Place& place, const Number& number) {
    places_ = places, count_ = count;
    shift_ = shift_for(places, team.threads());
    bands_ = static_cast<int>((places - 1) >> shift_) + 1;
    pieces_ = static_cast<std::size_t>(team.threads());
    starts_.assign(static_cast<std::size_t>(bands_) * pieces_ + 1, 0);
    if (entries_.size() < static_cast<std::size_t>(count)) entries_.resize(static_cast<std::size_t>(count));
    for_each_piece(team, [&](std::size_t piece, std::int64_t begin, std::int64_t end) {
        std::vector<std::size_t> counts(static_cast<std::size_t>(bands_));
        for (auto k = begin; k < end; ++k) ++counts[band_of(place(k))];
        for (std::size_t band = 0; band < counts.size(); ++band) start_of(band, piece) = counts[band];
    });
    std::size_t before = 0;
    for (auto& start : starts_) before += std::exchange(start, before);
    for_each_piece(team, [&](std::size_t piece, std::int64_t begin, std::int64_t end) {
        std::vector<std::size_t> to(static_cast<std::size_t>(bands_));
        for (std::size_t band = 0; band < to.size(); ++band) to[band] = start_of(band, piece);
        for (auto k = begin; k < end; ++k) {
            const auto at = place(k);
            entries_[to[band_of(at)]++] = {at, number(k)};
        }
    });
}

template<class Place, class Put> void Bands::for_each_entry(ThreadPool& team, const Place& place, const Put& put) {
    for_each_piece(team, [&](std::size_t piece, std::int64_t begin, std::int64_t end) {
        std::vector<std::size_t> from(static_cast<std::size_t>(bands_));
        for (std::size_t band = 0; band < from.size(); ++band) from[band] = start_of(band, piece);
        for (auto k = begin; k < end; ++k) put(k, from[band_of(place(k))]++);
    });
}

} // namespace tessera
