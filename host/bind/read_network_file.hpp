// Networks in the formats of other programs, for `file` of [links.NAME].
#pragma once

#include "host/model/description.hpp"
#include "host/setup/link_table.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// In the order of the file; `lines` says where each link stands: its line, or in an array its row, from 1.
struct LinksFile {
    LinkTable links;
    std::vector<std::int64_t> lines;
};

// What the readers need to know of a collection.
struct LinksToRead {
    const model::Row& row;
    const CollectionSetup &from, &to;
    bool is_directed = false;
};

// Whether a value of a link is NaN, which stands for a number that is missing: no member of a link is read as that.
[[nodiscard]] bool is_nan(std::string_view text);

// Why weights of links are no values of a member, in words; empty if they are.
[[nodiscard]] std::string problem_of_weights(const model::Row& row);

// All throw Failure::input, with the line, for numbers of places that are not there, values that a member does not hold, and what is no
// such file. Weights of links are values of the row's only member; where it has none, or several, they are refused.

// Matrix Market (math.nist.gov/MatrixMarket/formats.html), coordinates: row i and column j are a link from place i - 1 to j - 1. Of a
// symmetric matrix an entry is a link without a direction, or one each way.
[[nodiscard]] LinksFile read_matrix_market(const std::string& path, const LinksToRead& to_read);

// A graph as METIS has it (manual 5.1, section 4.1.1): a line a place, with the places that it is joined to. Each link stands in both
// lines, with one weight; if links have a direction, it is one each way, each with the weight of its line.
[[nodiscard]] LinksFile read_metis(const std::string& path, const LinksToRead& to_read);

// An array of n rows of two integers: from, to. Without rows it may be of any type.
[[nodiscard]] LinksFile read_link_array(const std::string& path, const LinksToRead& to_read);

} // namespace tessera
