// All keys of a run file: what readers know, and what the manual says of them, which is made of this (`tessera docs --run-file`).
#pragma once

#include <string>
#include <vector>

namespace tessera::run_file {

// What is written where a value stands, what holds without the key, and what it means; in the Markdown of the manual. "-" as standard: it
// has to be given.
struct Meaning {
    std::string type, standard, text;
};
struct Key {
    std::string name; // "size"; "init.MEMBER" where there is one for each member
    std::string type, standard, text;
};
struct Section {
    std::string heading; // "[places.NAME]", "[[phase]]"; empty of what stands above all sections
    Meaning meaning;
    std::vector<Key> keys;
};

[[nodiscard]] const std::vector<Section>& all_keys();

// The names that a reader expects in a section: of "[places.NAME]", say, "init" among others.
[[nodiscard]] std::vector<std::string> keys_of(const std::string& heading);
// What stands at the top: "model", "run", "places".
[[nodiscard]] std::vector<std::string> keys_at_top();

// The manual's table.
[[nodiscard]] std::string table_of_keys();

} // namespace tessera::run_file
