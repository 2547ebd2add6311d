// Reads one value of the tree with the type it has to have, or fails at its place and says what is there and what was expected.
// Internal to host/run_file.
#pragma once

#include "host/run_file/document.hpp"
#include "host/run_file/run_file.hpp"

#include <limits>
#include <utility>

namespace tessera::run_file {

constexpr std::int64_t largest_integer = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t largest_step = (std::int64_t{1} << 32) - 1;

// "the string "abc"", "the integer 5", "an array".
[[nodiscard]] std::string describe(const Node& node);

// "`run.steps` is the string "abc" (expected an integer)", and perhaps a nearest name.
[[noreturn]] void fail_expected(const Node& node, const std::string& expected, const std::string& suggestion = {});

// "no `size` in `places.cell` (expected ...)".
[[noreturn]] void fail_missing(const Node& table, const std::string& key, const std::string& expected);

void expect_table(const Node& node, const std::string& expected = "a table");
void expect_array(const Node& node, const std::string& expected);

// Fails unless `node` is a table of no other keys; `kind` says what it is ("a csv output"), unless its path does.
void expect_keys(const Node& node, const std::vector<std::string>& known, const std::string& kind = {});

[[nodiscard]] std::string read_text(const Node& node, const std::string& expected);
[[nodiscard]] bool read_boolean(const Node& node);
[[nodiscard]] std::int64_t read_integer(const Node& node, std::int64_t low, std::int64_t high = largest_integer);
[[nodiscard]] double read_finite(const Node& node); // an integer will do
[[nodiscard]] Number read_number(const Node& node, const std::string& expected = "a number or a boolean");
[[nodiscard]] Constant read_constant(const Node& node, const std::string& expected); // a number, a boolean or an array of these
[[nodiscard]] std::vector<std::int64_t> read_coordinates(const Node& node, std::size_t dimensions); // one integer a dimension
[[nodiscard]] std::string read_identifier(const Node& node, const std::string& expected);
[[nodiscard]] Located<QualifiedName> read_qualified_name(const Node& node, const std::string& expected); // "cell.alive"
[[nodiscard]] Located<expression::Expression> read_expression(const Node& node);
// One that is true or false.
[[nodiscard]] Located<expression::Expression> read_condition(const Node& node);
[[nodiscard]] Timing read_timing(const Node& table, std::uint64_t default_every);

// A path that may be relative to the run file's folder `folder`. One from elsewhere (the model's defaults, the command line) is made
// absolute.
[[nodiscard]] Located<std::string> read_path(const Node& node, const std::string& folder, const std::string& expected);

// Of two keys of a table which exclude each other, the one that a later layer has; where one layer has both it is an error, for `why`.
// Nothing if there is neither.
[[nodiscard]] const Node* later_of(const Node& table, const char* one, const char* other, const std::string& why);

[[nodiscard]] bool is_identifier(const std::string& text) noexcept;

// Which of `names` a string is.
[[nodiscard]] std::size_t read_choice(const Node& node, const std::vector<std::string>& names);

template<class T> [[nodiscard]] Located<T> located(T value, const Node& node) { return {std::move(value), node.where}; }
[[nodiscard]] inline Located<std::string> located_key(const Node& node) { return {node.key, node.key_where}; }

} // namespace tessera::run_file
