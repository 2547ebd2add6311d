// What keys take, said once: in the words of the manual, and as a JSON schema. Internal to host/run_file.
#pragma once

#include "host/run_file/keys.hpp"
#include "host/run_file/sections.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::run_file {

// Schemas, as JSON text.
namespace schema {

[[nodiscard]] std::string integer(std::int64_t low);
[[nodiscard]] std::string integer(std::int64_t low, std::int64_t high);
[[nodiscard]] std::string names(const std::vector<std::string>& names);
[[nodiscard]] std::string text_like(const std::string& pattern); // a regular expression
[[nodiscard]] std::string array_of(const std::string& items, int least = 0);
[[nodiscard]] std::string one_an_extent(const std::string& items); // an array of 1 to 3
[[nodiscard]] std::string table_of(const std::string& values, int least = 0);
[[nodiscard]] std::string any_of(const std::vector<std::string>& schemas);
[[nodiscard]] std::string defined(const std::string& definition); // by `definitions` of schema.cpp

inline const std::string number = R"({"type":"number"})", positive = R"({"type":"number","exclusiveMinimum":0})",
                         boolean = R"({"type":"boolean"})", text = R"({"type":"string"})", some_text = R"({"type":"string","minLength":1})";
inline const std::string a_name = "[A-Za-z_][A-Za-z0-9_]*"; // patterns
inline const std::string name = text_like("^" + a_name + "$"), qualified_name = text_like("^" + a_name + "\\." + a_name + "$"),
                         name_or_all = text_like("^(\\*|" + a_name + ")$");

} // namespace schema

[[nodiscard]] Type integer(std::int64_t low, std::int64_t high); // "integer, 1 to 2^32 - 1"
[[nodiscard]] Type integer_from(std::int64_t low);               // "integer, 1 or more"
[[nodiscard]] Type number();
[[nodiscard]] Type number(int low, int high);
[[nodiscard]] Type number_from(int low);
[[nodiscard]] Type boolean();
[[nodiscard]] Type amount_of_memory();                            // "64 MiB"
[[nodiscard]] Type one_of(const std::vector<std::string>& names); // `"a"`, `"b"`
template<class T, std::size_t N> [[nodiscard]] Type one_of(const Spelling<T> (&spellings)[N]) {
    std::vector<std::string> names;
    for (const auto& spelling : spellings) names.emplace_back(spelling.text);
    return one_of(names);
}
// One of the two: "integer, 1 to 8, or `"unlimited"`".
[[nodiscard]] Type operator|(const Type& type, const Type& other);

// "[places.NAME]" -> "places"; "init.MEMBER" -> "init".
[[nodiscard]] std::string first_name(const std::string& text);

} // namespace tessera::run_file
