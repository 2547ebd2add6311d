// What `tessera docs` says of links (host/cli/model_page.hpp).
#pragma once

#include "host/bind/bind.hpp"

#include <set>
#include <string>
#include <vector>

namespace tessera {

// "**Links `friend`** (struct Friend), between places `person`".
[[nodiscard]] std::string links_heading(const model::Description& description, const model::Row& row);

// "Links `friend` begin in `person.meet` and end in `friend.part`.", by the model's functions; of links that stay, that they do.
[[nodiscard]] std::string life_of_links(const model::Description& description, std::size_t row);

// What a function sees along links, or of the places that its own joins: "`state` of `person` along links `contact`".
[[nodiscard]] std::vector<std::string> seen_along_links(const model::Description& description, const model::Function& function);

// What it does to others by links: "`neuron.fire` sends to `input` of `neuron` along links `synapse`".
[[nodiscard]] std::vector<std::string> done_by_links(const model::Description& description, const model::Function& function);

// What a manageAll does with links.
[[nodiscard]] std::string managed_links_text(const Setup& setup);

// "At the start there are 4000 links `contact`, by the rule `random` (chance 0.1). "
[[nodiscard]] std::string first_links(const Bound& run);

// Their files: "`contacts.csv`".
void add_files_of_links(const run_file::RunFile& run, std::set<std::string>& files);

} // namespace tessera
