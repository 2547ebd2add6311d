// All keys of a run file: what readers know, and what the manual says of them, which is made of this (`tessera docs --run-file`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::run_file {

constexpr std::int64_t most_places = (std::int64_t{1} << 40) - 1; // of a collection
constexpr std::int64_t most_output_threads = 256;
constexpr std::int64_t most_numbered = (std::int64_t{1} << 31) - 1; // of one without a shape

// What is written where a value stands, what holds without the key, and what it means; in the Markdown of the manual. "-" as standard: it
// has to be given.
struct Meaning {
    std::string type, standard, text;
};
struct Type {
    std::string text;   // in the Markdown of the manual
    std::string schema; // the same as a JSON schema
};
struct Key {
    std::string name; // "size"; "init.MEMBER" where there is one for each member
    Type type;
    std::string standard, text;
    std::vector<std::string> of{}; // in which kinds of these tables it may stand; empty: in all
};
struct Section {
    std::string heading; // "[places.NAME]", "[[phase]]"; empty of what stands above all sections
    Meaning meaning;
    std::vector<Key> keys;
};

[[nodiscard]] const std::vector<Section>& all_keys();

// Tables of which each is one of several kinds, or that are values of keys: "[[phase]]", "repeat" of a phase, "[[output]]", "overlay" of an
// output, "init". The manual has them by themselves.
[[nodiscard]] const std::vector<Section>& keys_of_tables();

// The names that a reader expects in a section: of "[places.NAME]", say, "init" among others. In a table of a kind: of an "[[output]]" that
// is "csv".
[[nodiscard]] std::vector<std::string> keys_of(const std::string& heading, const std::string& kind = {});
// Of which kinds tables are: of "[[output]]" "csv" and so on.
[[nodiscard]] std::vector<std::string> kinds_of(const std::string& heading);
// What stands at the top: "model", "run", "places".
[[nodiscard]] std::vector<std::string> keys_at_top();

// The manual's tables: of all sections, or of one of `keys_of_tables`.
[[nodiscard]] std::string table_of_keys();
[[nodiscard]] std::string table_of_keys(const std::string& heading);

} // namespace tessera::run_file
