// Agents of a plain sequential program beside those of a world: who there is, where, what each knows, and what has become of all.
#pragma once

#include "tests/reference/agents.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::test {

// Those of a world, with the defaults of their members, in the order of ids. How they are placed at the start is another test's.
template<class A> std::vector<A> agents_of(const WorldUnderTest& world, const std::string& collection) {
    const auto table = world.agents(collection);
    std::vector<A> agents(table.size());
    for (std::size_t i = 0; i < agents.size(); ++i)
        agents[i].id = table.ids[i], agents[i].place = static_cast<std::size_t>(table.places[i]);
    return agents;
}

// Gives agents in the order of ids what those of a world have.
template<class A, class T>
void take_member(std::vector<A>& agents, T A::*into, const WorldUnderTest& world, const std::string& collection, const std::string& name) {
    const auto values = world.agent_values<T>(collection, name);
    ASSERT_EQ(values.size(), agents.size());
    for (std::size_t i = 0; i < agents.size(); ++i) agents[i].*into = values[i];
}

// A member by its name in the model, and in the plain program; an array is compared element by element.
template<class A, class T> struct Member {
    const char* name;
    T A::*value;
};
template<class A, class T> Member<A, T> member(const char* name, T A::*value) { return {name, value}; }

template<class A, class T>
void expect_member(const WorldUnderTest& world, const std::string& collection, const std::vector<A>& in_order, const Member<A, T>& member) {
    using Element = std::remove_extent_t<T>;
    for (std::size_t e = 0; e < std::max<std::size_t>(std::extent_v<T>, 1); ++e) {
        const auto values = world.agent_values<Element>(collection, member.name, static_cast<int>(e));
        ASSERT_EQ(values.size(), in_order.size());
        for (std::size_t i = 0; i < in_order.size(); ++i) {
            const T& expected = in_order[i].*member.value;
            if constexpr (std::is_array_v<T>)
                ASSERT_EQ(values[i], expected[e]) << collection << " " << in_order[i].id << "'s " << member.name << "[" << e << "]";
            else
                ASSERT_EQ(values[i], expected) << collection << " " << in_order[i].id << "'s " << member.name;
        }
    }
}

// Fails at the first agent that is not there, is elsewhere, or knows something else.
template<class A, class... T>
void expect_agents(const WorldUnderTest& world, const std::string& collection, std::vector<A> agents, const Member<A, T>&... members) {
    std::sort(agents.begin(), agents.end(), [](const A& a, const A& b) { return a.id < b.id; });
    const auto table = world.agents(collection);
    ASSERT_EQ(table.size(), agents.size()) << collection;
    for (std::size_t i = 0; i < agents.size(); ++i) {
        ASSERT_EQ(table.ids[i], agents[i].id) << collection << " " << i;
        ASSERT_EQ(table.places[i], static_cast<std::int64_t>(agents[i].place)) << collection << " " << table.ids[i];
    }
    (expect_member(world, collection, agents, members), ...);
}

inline void expect_counted(const agent_counters& counters, const reference::Tally& tally) {
    EXPECT_EQ(counters.born, tally.born);
    EXPECT_EQ(counters.died, tally.died);
    EXPECT_EQ(counters.moved, tally.moved);
    EXPECT_EQ(counters.refused_moves, tally.refused);
    EXPECT_EQ(counters.refused_births, tally.not_born);
}

} // namespace tessera::test
