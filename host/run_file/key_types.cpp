#include "host/run_file/key_types.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace tessera::run_file {
namespace {

std::string in_json(const std::string& text) { return nlohmann::json(text).dump(); }

// "4096", "2^32 - 1", "-2^52": large ones by the power of two that they are beside.
std::string in_words(std::int64_t number) {
    for (int power = 20; power < 64; ++power) {
        const auto value = std::uint64_t{1} << power;
        if (number > 0 && static_cast<std::uint64_t>(number) == value - 1) return fmt::format("2^{} - 1", power);
        if (number > 0 && static_cast<std::uint64_t>(number) == value) return fmt::format("2^{}", power);
        if (number < 0 && std::uint64_t{0} - static_cast<std::uint64_t>(number) == value) return fmt::format("-2^{}", power);
    }
    return std::to_string(number);
}

} // namespace

namespace schema {

std::string integer(std::int64_t low) { return fmt::format(R"({{"type":"integer","minimum":{}}})", low); }
std::string integer(std::int64_t low, std::int64_t high) {
    return fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", low, high);
}
std::string names(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& each : names) list += (list.empty() ? "" : ",") + in_json(each);
    return fmt::format(R"({{"enum":[{}]}})", list);
}
std::string text_like(const std::string& pattern) { return fmt::format(R"({{"type":"string","pattern":{}}})", in_json(pattern)); }
std::string array_of(const std::string& items, int least) {
    return fmt::format(R"({{"type":"array","items":{},"minItems":{}}})", items, least);
}
std::string one_an_extent(const std::string& items) {
    return fmt::format(R"({{"type":"array","items":{},"minItems":1,"maxItems":3}})", items);
}
std::string table_of(const std::string& values, int least) {
    return fmt::format(R"({{"type":"object","additionalProperties":{},"minProperties":{}}})", values, least);
}
std::string any_of(const std::vector<std::string>& schemas) { return fmt::format(R"({{"anyOf":[{}]}})", fmt::join(schemas, ",")); }
std::string defined(const std::string& definition) { return fmt::format(R"({{"$ref":"#/definitions/{}"}})", definition); }

} // namespace schema

Type integer(std::int64_t low, std::int64_t high) {
    return {fmt::format("integer, {} to {}", in_words(low), in_words(high)), schema::integer(low, high)};
}
Type integer_from(std::int64_t low) { return {fmt::format("integer, {} or more", in_words(low)), schema::integer(low)}; }
Type number() { return {"number", schema::number}; }
Type number(int low, int high) {
    return {fmt::format("number, {} to {}", low, high), fmt::format(R"({{"type":"number","minimum":{},"maximum":{}}})", low, high)};
}
Type number_from(int low) { return {fmt::format("number, {} or more", low), fmt::format(R"({{"type":"number","minimum":{}}})", low)}; }
Type boolean() { return {"boolean", schema::boolean}; }
Type amount_of_memory() {
    return {R"(an amount, such as `"64 MiB"`)", schema::text_like("^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)? *(KiB|MiB|GiB)$")};
}

Type one_of(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += fmt::format("{}`\"{}\"`", text.empty() ? "" : ", ", name);
    return {text, schema::names(names)};
}

std::string first_name(const std::string& text) {
    const auto begin = std::min(text.find_first_not_of('['), text.size());
    return text.substr(begin, text.find_first_of(".]", begin) - begin);
}

Type operator|(const Type& type, const Type& other) {
    return {fmt::format("{}, or {}", type.text, other.text), schema::any_of({type.schema, other.schema})};
}

} // namespace tessera::run_file
