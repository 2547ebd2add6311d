// Names of a member's values: TESSERA_VALUES(Patch::state, bare, tree, burning).
#pragma once

#include "host/model/description.hpp"
#include "host/model/where_declared.hpp"

#include <string>

namespace tessera::model {

// Gives the member `what` ("Patch::state") of the description the names that `list` has ("bare, tree = 4"): of whole numbers from 0 on,
// each one more than the one before it unless it says which. Throws Failure::plugin for a member that there is not or that is no integer,
// for names that are none or twice, and for values that the member does not hold.
void name_values(const std::string& what, const std::string& list, Description& description, const WhereDeclared& where);

} // namespace tessera::model
