// The right-hand sides of the table in wording.cpp. Each takes what the row's pattern captured, and gives nothing where the author's text
// does not fit: the next row is asked then.
#pragma once

#include "jit/wording.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

using Captures = std::vector<std::string>; // [0] the whole message

// members.cpp
std::optional<Wording> absent_member(const Captures& type_and_member, const Passage& passage);
std::optional<Wording> member_absent(const Captures& member_and_type, const Passage& passage);
std::optional<Wording> undeclared_summand(const Captures&, const Passage& passage);
std::optional<Wording> absent_from(std::string type, const std::string& member, const Passage& passage);
// The entry of the function's access list that names the member.
std::optional<std::string> entry_with(const CallSite& function, const std::string& full_name);
// Whether an entry of this kind, "around<", names it.
bool has_entry(const CallSite& function, const std::string& full_name, const std::string& kind);

// lists.cpp
std::optional<Wording> agents_as_a_list(const Captures&, const Passage& passage);
std::optional<Wording> links_as_a_list(const Captures&, const Passage& passage);
std::optional<Wording> directions_that_differ(const Captures&, const Passage& passage);
std::optional<Wording> different_types(const Captures&, const Passage& passage);
std::optional<Wording> not_constant(const Captures&, const Passage& passage);
std::optional<Wording> wrong_parameter(const Captures&, const Passage& passage);

// names.cpp
std::optional<Wording> name_absent_from(const Captures& name_and_space, const Passage& passage);
std::optional<Wording> unknown_namespace(const Captures&, const Passage& passage);
std::optional<Wording> namespace_lacks(const Captures& space_and_name, const Passage& passage);
std::optional<Wording> unknown_name(const Captures& name, const Passage& passage);
std::optional<Wording> unknown_template(const Captures& name, const Passage& passage);
std::optional<Wording> hidden_name(const Captures&, const Passage& passage);
std::optional<Wording> row_as_value(const Passage& passage);

// constants.cpp
std::optional<Wording> read_only(const Captures&, const Passage& passage);

// copies.cpp
std::optional<Wording> copied_place(const Captures&, const Passage& passage);
std::optional<Wording> copied_other(const Captures&, const Passage& passage);
std::optional<Wording> copied_end(const Captures&, const Passage& passage);
std::optional<Wording> copied_sum(const Captures&, const Passage& passage);
std::optional<Wording> copied_stream(const Captures&, const Passage& passage);

// definitions.cpp
std::optional<Wording> not_all_listed(const Captures&, const Passage& passage);
std::optional<Wording> defined_twice(const Captures& name, const Passage& passage);

// offsets.cpp
std::optional<Wording> variable_offset(const Captures&, const Passage& passage);
std::optional<Wording> member_without_address(const Captures&, const Passage& passage);

// slips.cpp
std::optional<Wording> uncaptured(const Captures&, const Passage& passage);
std::optional<Wording> left_a_visit(const Captures& statement, const Passage& passage);
std::optional<Wording> returned_value(const Captures&, const Passage& passage);
std::optional<Wording> without_this(const Captures&, const Passage& passage);
std::optional<Wording> no_pointer(const Captures&, const Passage& passage);
std::optional<Wording> operator_of_integers(const Captures&, const Passage& passage);
std::optional<Wording> value_by_its_name(const Captures& value, const Passage& passage);

// types.cpp
std::optional<Wording> self_as_row(const Captures& row, const Passage& passage);
std::optional<Wording> self_to_function(const Captures& function, const Passage& passage);
std::optional<Wording> member_of_wrong_type(const Passage& passage);
std::optional<Wording> whole_array(const Captures&, const Passage& passage);
std::optional<Wording> assigned_self(const Captures&, const Passage& passage);
std::optional<Wording> number_that_does_not_fit(const Passage& passage);

// statements.cpp
std::optional<Wording> missing_semicolon(const Captures&, const Passage& passage);
std::optional<Wording> its_own_text(const Captures& text, const Passage& passage);
std::optional<Wording> wrong_arguments(const Captures& function, const Passage& passage);
std::optional<Wording> wrong_visitor(const Captures&, const Passage& passage);
std::optional<Wording> called_self(const Captures&, const Passage& passage);
std::optional<Wording> wrong_draw(const Captures&, const Passage& passage);
std::optional<Wording> uncalled_draw(const Captures&, const Passage& passage);
std::optional<Wording> no_conversion(const Captures& type, const Passage& passage);
std::optional<Wording> narrowed(const Captures&, const Passage& passage);

} // namespace tessera::jit
