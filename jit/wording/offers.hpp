// What `self`, and what it shows, offer: for a name that is not among that.
#pragma once

#include "jit/wording/passage.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

// " (a function of places may have ...) did you mean self.random.bernoulli?", of a function that an object of this type does not have;
// `type` as the compiler calls it.
[[nodiscard]] std::string functions_offered(const std::string& type, const std::string& wrong);

// " did you mean heat?", of the row's members, or of what `self` has besides.
[[nodiscard]] std::string member_meant(const std::string& wrong, const std::vector<std::string>& members);

// "spawn(...) needs spawns<ROW> in the access list", of what a function of places has by its access list; "... agents alone move".
[[nodiscard]] std::optional<std::string> needs_entry(const std::string& type, const std::string& function);

// "write self.random.uniform()", of a name that stands alone; empty where `self` offers nothing of the kind.
[[nodiscard]] std::string instead_of_name(const std::string& name);

// The first row that this macro of the file declares on, in or between places of that row; empty where there is none.
[[nodiscard]] std::string row_declared_on(const Passage& passage, const char* macro, const std::string& places);

// Of a function of the model that another one calls.
[[nodiscard]] std::string shared_helper(const std::string& function);

// How agents of this row are let die by others: no function ends what is not its own.
[[nodiscard]] std::string how_to_kill(const std::string& row);
// The same by a function of places.
[[nodiscard]] std::string how_places_kill(const std::string& places, const std::string& agents_there);
[[nodiscard]] std::string how_places_end_links(const std::string& places, const std::string& links);

} // namespace tessera::jit
