#include "host/world/outgrown_room.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// "sheep or wolf".
std::string names_text(const Setup& setup, const std::vector<CollectionId>& of) {
    std::string text;
    for (const auto agents : of) text += (text.empty() ? "" : " or ") + setup.collections[agents].name;
    return text;
}

} // namespace

std::string rooms_text(const Setup& setup, const std::vector<CollectionId>& of) {
    std::string text;
    for (const auto agents : of)
        text +=
            fmt::format("{}{} of {}", text.empty() ? "" : ", ", setup.collections[agents].agents->capacity, setup.collections[agents].name);
    return text;
}

OutgrownRoom::OutgrownRoom(const Setup& setup, const std::vector<CollectionId>& of, std::uint64_t all, const std::string& when)
    : Error(Failure::model, fmt::format("there is no room for {} agents of {} {}", all, names_text(setup, of), when),
            fmt::format("there is memory for {}", rooms_text(setup, of)),
            fmt::format("set agents.{}.reserve to the largest number that may exist at once, at most 2^30",
                        of.size() == 1 ? setup.collections[of.front()].name : "NAME")),
      of_(of), all_(all) {}

std::uint64_t OutgrownRoom::wanted(const Setup& setup, CollectionId agents) const {
    const bool is_it = std::find(of_.begin(), of_.end(), agents) != of_.end();
    return is_it && all_ > static_cast<std::uint64_t>(setup.collections[agents].agents->capacity) ? all_ : 0;
}

} // namespace tessera
