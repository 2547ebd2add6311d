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

bool are_links(const Setup& setup, const std::vector<CollectionId>& of) {
    return std::any_of(of.begin(), of.end(), [&](CollectionId id) { return setup.collections[id].links.has_value(); });
}

std::string advice(const Setup& setup, const std::vector<CollectionId>& of) {
    if (are_links(setup, of)) return "let fewer of them be born";
    return fmt::format("set agents.{}.reserve to the largest number that may exist at once, at most 2^30",
                       of.size() == 1 ? setup.collections[of.front()].name : "NAME");
}

} // namespace

std::uint64_t room_of(const CollectionSetup& collection) {
    return static_cast<std::uint64_t>(collection.links ? collection.places() : collection.agents->capacity);
}

std::string rooms_text(const Setup& setup, const std::vector<CollectionId>& of) {
    std::string text;
    for (const auto id : of)
        text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", room_of(setup.collections[id]), setup.collections[id].name);
    return text;
}

OutgrownRoom::OutgrownRoom(const Setup& setup, const std::vector<CollectionId>& of, std::uint64_t all, const std::string& when)
    : Error(Failure::model,
            fmt::format("there is no room for {} {} of {} {}", all, are_links(setup, of) ? "links" : "agents", names_text(setup, of), when),
            fmt::format("there is memory for {}", rooms_text(setup, of)), advice(setup, of)),
      of_(of), all_(all) {}

std::uint64_t OutgrownRoom::wanted(const Setup& setup, CollectionId agents) const {
    const bool is_it = std::find(of_.begin(), of_.end(), agents) != of_.end();
    return is_it && all_ > room_of(setup.collections[agents]) ? all_ : 0;
}

} // namespace tessera
