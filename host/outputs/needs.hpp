// Which values of a state somebody needs.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera {

struct Needs {
    using Element = std::pair<ColumnId, int>; // of a column

    std::map<Element, PlaceRange> places; // one range of each
    std::set<CollectionId> agents;        // who there is, and where
    std::set<Element> agent_values;       // of all of them
    std::set<CollectionId> links;         // which there are: their ends and members

    void add(const Element& element, const PlaceRange& range) {
        const auto [found, is_new] = places.emplace(element, range);
        if (!is_new) found->second = {std::min(found->second.first, range.first), std::max(found->second.end, range.end)};
    }
    void add(const Needs& other) {
        for (const auto& [element, range] : other.places) add(element, range);
        agents.insert(other.agents.begin(), other.agents.end());
        agent_values.insert(other.agent_values.begin(), other.agent_values.end());
        links.insert(other.links.begin(), other.links.end());
    }
};

} // namespace tessera
