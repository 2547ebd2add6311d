// Numbers of the things that a run is made of. Each kind has a type of its own, so that none is taken for another.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tessera {

// The number of a Thing in the table that lists it.
template<class Thing> class Id {
public:
    Id() = default;
    constexpr explicit Id(std::size_t index) noexcept : index_(index) {}
    [[nodiscard]] constexpr std::size_t index() const noexcept { return index_; }

    friend constexpr bool operator==(Id a, Id b) noexcept { return a.index_ == b.index_; }
    friend constexpr bool operator!=(Id a, Id b) noexcept { return a.index_ != b.index_; }
    friend constexpr bool operator<(Id a, Id b) noexcept { return a.index_ < b.index_; }

private:
    std::size_t index_ = 0;
};

// A list that is asked by Id.
template<class Thing> class Table : public std::vector<Thing> {
public:
    using std::vector<Thing>::vector;
    using std::vector<Thing>::operator[];
    [[nodiscard]] Thing& operator[](Id<Thing> id) { return (*this)[id.index()]; }
    [[nodiscard]] const Thing& operator[](Id<Thing> id) const { return (*this)[id.index()]; }

    [[nodiscard]] std::vector<Id<Thing>> ids() const {
        std::vector<Id<Thing>> all;
        for (std::size_t i = 0; i < this->size(); ++i) all.emplace_back(i);
        return all;
    }
    // Puts a thing at the end; its number.
    Id<Thing> add(Thing thing) {
        this->push_back(std::move(thing));
        return Id<Thing>(this->size() - 1);
    }
};

struct CollectionSetup;
struct KernelSetup;
struct PhaseSetup;
struct ColumnPlace;
struct ReductionSetup;
using CollectionId = Id<CollectionSetup>;
using KernelId = Id<KernelSetup>;
using PhaseId = Id<PhaseSetup>;
using ReductionId = Id<ReductionSetup>;
using ColumnId = Id<ColumnPlace>; // of a column among those of all collections

} // namespace tessera
