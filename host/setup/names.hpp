// Finding what a run file names, or failing at its line with the nearest name there is.
#pragma once

#include "host/run_file/where.hpp"
#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

[[nodiscard]] CollectionId require_collection(const Setup& setup, const std::string& name, const run_file::Where& where);
[[nodiscard]] std::size_t require_member(const model::Row& row, const std::string& name, const run_file::Where& where);
[[nodiscard]] ColumnId require_column(const Setup& setup, const run_file::Located<run_file::QualifiedName>& name);

// Of a kernel's entry point. Underscores stand in both names: the length says where the first one ends.
[[nodiscard]] std::string entry_symbol(const std::string& collection, const std::string& function);

// The names of a list of things that have one.
template<class List> [[nodiscard]] std::vector<std::string> names_of(const List& list) {
    std::vector<std::string> names;
    for (const auto& item : list) names.push_back(item.name);
    return names;
}

} // namespace tessera
