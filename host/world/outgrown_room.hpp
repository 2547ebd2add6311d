// A list has no memory for all of its agents.
#pragma once

#include "device_runtime/error.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// For how many a collection has room.
[[nodiscard]] std::uint64_t room_of(const CollectionSetup& collection);

// "65536 of sheep, 80000 of wolf": the numbers of agents for which there is room.
[[nodiscard]] std::string rooms_text(const Setup& setup, const std::vector<CollectionId>& of);

// Failure::model. Thrown before the first step, or by a manageAll, which has changed nothing then.
class OutgrownRoom : public Error {
public:
    // `all` is the number of agents that one of the collections `of` would have; `when` is such as "before the first step".
    OutgrownRoom(const Setup& setup, const std::vector<CollectionId>& of, std::uint64_t all, const std::string& when);

    // The number of agents that the collection would have; 0 for a collection with enough room.
    [[nodiscard]] std::uint64_t wanted(const Setup& setup, CollectionId agents) const;

private:
    std::vector<CollectionId> of_;
    std::uint64_t all_;
};

} // namespace tessera
