// What the parts of one manageAll of a list in the order of ids leave each other.
#pragma once

#include "host/manage/bands.hpp"
#include "host/manage/list_crowd.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// A request for a child: the number of its source, its own there (asked_by), and where; below 0 beyond an edge.
struct ListRequest {
    std::int32_t source, asked, place;
};

// A child that is to be born, whose request it was, and how many are born on its place before it.
struct ListChild {
    std::int32_t source, asked, place, rank;
};

// Of requests: each one's place, and in the lower half its number.
struct ListTurns {
    std::vector<std::uint64_t> all, sorted; // sorting by a digit writes from one into the other
};

// Numbers of agents, in order. What room was made for is not cleared before it is written.
class ListNumbers {
public:
    // Where at most so many are written, of which then the first few are kept.
    [[nodiscard]] std::int32_t* room_for(std::size_t most) {
        if (all_.size() < most) all_.resize(most);
        return all_.data();
    }
    void keep(std::size_t count) noexcept { size_ = count; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::int32_t* begin() noexcept { return all_.data(); }
    [[nodiscard]] std::int32_t* end() noexcept { return all_.data() + size_; }
    [[nodiscard]] const std::int32_t* begin() const noexcept { return all_.data(); }
    [[nodiscard]] const std::int32_t* end() const noexcept { return all_.data() + size_; }

private:
    std::vector<std::int32_t> all_;
    std::size_t size_ = 0;
};

// What several threads work with that share a list out.
struct ListShares {
    // A part of the list, from its first agent on: how many of them die, and how many go.
    struct Piece {
        std::int32_t first;
        std::size_t dying, going;
    };
    struct OfBand {
        ListCrowd crowd;
        ListTurns turns;
        std::vector<ListChild> born;
    };
    std::vector<Piece> pieces;
    Bands bands;
    std::vector<OfBand> of_band;
    std::vector<std::int32_t> ranks; // of the bands' entries

    [[nodiscard]] OfBand& of(int band) noexcept { return of_band[static_cast<std::size_t>(band)]; }
    void make_room_for_bands() {
        if (of_band.size() < static_cast<std::size_t>(bands.bands())) of_band.resize(static_cast<std::size_t>(bands.bands()));
    }
};

struct ListScratch {
    ListNumbers dying, movers, staying;
    ListShares shares;
    PlaceSet wanted;                         // empty between launches
    std::vector<std::int32_t> of_places;     // how many want to come, or are there; what is not said is what was there before
    std::vector<std::uint8_t> few_of_places; // the same, up to 255, where counts are bytes
    ListCrowd crowd;
    std::vector<ListRequest> requests;
    ListTurns turns;
    std::vector<ListChild> children; // in the order of their ids

    // A number for each place, of the type of counts.
    template<class Count> [[nodiscard]] Count* numbers_of_places(std::int64_t places) {
        if constexpr (sizeof(Count) == 1) {
            few_of_places.resize(static_cast<std::size_t>(places));
            return few_of_places.data();
        } else {
            of_places.resize(static_cast<std::size_t>(places));
            return of_places.data();
        }
    }
};

} // namespace tessera
