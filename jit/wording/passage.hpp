// Finds in the author's text what a compiler's message is about. A token is an index into Passage::tokens.
#pragma once

#include "jit/wording.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

// Those on the line; the one nearest to the compiler's column first.
[[nodiscard]] std::vector<std::size_t> nearest_tokens(const Passage& passage, const std::function<bool(std::size_t)>& wanted);

[[nodiscard]] const std::string& text_at(const Passage& passage, std::size_t token); // empty beyond the end
[[nodiscard]] bool is_word(const Passage& passage, std::size_t token);

// Whether it is a macro that declares a row: TESSERA_PLACE, TESSERA_AGENT, TESSERA_LINK.
[[nodiscard]] bool declares_a_row(const Passage& passage, std::size_t token);
// The macro that declares this row; "TESSERA_PLACE" where it does not stand in the file.
[[nodiscard]] std::string macro_of(const Passage& passage, const std::string& row);
// The name on the line, or after it.
[[nodiscard]] std::optional<std::size_t> token_named(const Passage& passage, const std::string& name, bool as_member);
// The member `name` of `self`, or of a neighbour.
[[nodiscard]] std::optional<std::size_t> member_named(const Passage& passage, const std::string& name, bool own);
// The first token of the line; if that closes a bracket, of the line where it was opened.
[[nodiscard]] std::optional<std::size_t> first_of_statement(Passage passage);

[[nodiscard]] bool is_own(const Passage& passage, std::size_t token); // whether the member is one of `self`, and not of a neighbour
[[nodiscard]] bool has_member(const RowDeclaration* row, const std::string& member);
// The row that a member belongs to: the function's own, else the only one that has it.
[[nodiscard]] const RowDeclaration* row_with(const Passage& passage, const std::string& member);
// The row of the places that the function's agents stand on; nullptr for a function of places.
[[nodiscard]] const RowDeclaration* ground_row(const Passage& passage);
// The row of the agents that a visitor meets, if the member is one of theirs: `meet(moore, agents<Wolf>, [&](const auto& wolf) {
// wolf.rage`.
[[nodiscard]] const RowDeclaration* met_row(const Passage& passage, std::size_t token);
// Whether the member is one of `self.place`.
[[nodiscard]] bool is_of_ground(const Passage& passage, std::size_t token);
// Whether the member is one of `self.from` or `self.to`, in a function of links.
[[nodiscard]] bool is_of_an_end(const Passage& passage, std::size_t token);
// Whether it is links, in_links or out_links.
[[nodiscard]] bool names_links(const Passage& passage, std::size_t token);
// "links<Friend>" of `self.count(links<Friend>)`, by the token of `count`; empty where the first argument is no list of links.
[[nodiscard]] std::string links_argument(const Passage& passage, std::size_t token);

// Whether the file declares it: TESSERA_PARAM(float, name, ...).
[[nodiscard]] bool is_parameter(const Passage& passage, const std::string& name);

// A message at a token; at the compiler's own place without one.
[[nodiscard]] Wording at_token(std::string message, const Passage& passage, std::optional<std::size_t> token);

} // namespace tessera::jit
