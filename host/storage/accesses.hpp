// What the parts of manageAll use of columns, and how far they see.
//
// What they may wait for follows from their accesses, as everywhere, where several devices make the rows. Three things stand behind what is
// declared here. A function that says what it wants writes codes, and others who look at codes meanwhile ask what that does not change (who
// is there): it is declared as a writer of marks, which nobody reads but manageAll. Whose move request is granted is written where it goes,
// beyond the rows of the launch; but two never go to the same slot, and all who look there before and after are kept apart by the marks and
// codes that granting reads. And all functions of agents, those that meet them, and the joining of their shares, which goes by ids, are
// writers of marks, for members and ids are among what is written there. Children are born beyond the rows of a launch in the same way, and
// behind all who go: that is what they read ids for. What is written so is `also_written`.
//
// How far is what tests/conformance/seams_test.cpp takes rows away from. Of what is read, some is kept by something else as well: codes
// are only changed by the kernel of slots, which also writes marks, and these are read as far; all columns of a birth request are written
// by the function that writes its code.
#pragma once

#include "host/setup/setup.hpp"

#include <array>
#include <vector>

namespace tessera {

// From -low to high.
struct Sight {
    std::array<int, 3> low{}, high{};
};

// As far as those stand who look from -low to high, and see where something is done that comes from so far away.
[[nodiscard]] Sight operator+(const Sight& to, const Sight& seen);
[[nodiscard]] Sight further(const Sight& a, const Sight& b);

// Where agents may want to go, or children be wanted by one source or any; from where a collection's agents are met.
[[nodiscard]] Sight moves_of(const AgentsSetup& agents);
[[nodiscard]] Sight births_of(const BirthSource& source);
[[nodiscard]] Sight births_of(const AgentsSetup& agents);
[[nodiscard]] Sight meetings_of(const AgentsSetup& agents);

[[nodiscard]] model::Use reading(const CollectionSetup& agents, const Sight& sight);
[[nodiscard]] model::Use reading_everywhere(const CollectionSetup& agents);
[[nodiscard]] model::Use changing(); // reads and writes, of its own rows

// Adds a use of a column, joined with others of the same one.
void add_access(std::vector<Access>& accesses, const Access& added);

// Of whoever settles the slots of agents that go anywhere and may have bid: it waits for all grants and takes their claims back.
void add_claims_taken_back(const Setup& setup, CollectionId agents, std::vector<Access>& accesses);

// Of parents who are told which births are refused by a kernel of one source: each is looked for where it has gone, by its mark and id, and
// waits there, as all functions do, until who looks at its mark is done. What it is told is added to beyond the rows of the launch as well.
void add_told_parents(const Setup& setup, const KernelSetup& kernel, std::vector<Access>& accesses);

} // namespace tessera
