#include "host/setup/names.hpp"

#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

namespace tessera {

CollectionId require_collection(const Setup& setup, const std::string& name, const run_file::Where& where) {
    if (const auto found = setup.find_collection(name)) return *found;
    const auto known = names_of(setup.collections);
    run_file::fail_at(where, fmt::format("there is no collection `{}`", name),
                      known.empty() ? "there is none" : "there is " + listed(known), did_you_mean(name, known));
}

std::size_t require_member(const model::Row& row, const std::string& name, const run_file::Where& where) {
    if (const auto found = row.find(name)) return *found;
    const auto known = names_of(row.members);
    run_file::fail_at(where, fmt::format("{} has no member `{}`", row.name, name),
                      known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(name, known));
}

ColumnId require_column(const Setup& setup, const run_file::Located<run_file::QualifiedName>& name) {
    const auto collection = require_collection(setup, name->collection, name.where);
    return setup.column_of(collection, require_member(setup.row_of(setup.collections[collection]), name->member, name.where));
}

std::string entry_symbol(const std::string& collection, const std::string& function) {
    return fmt::format("tessera_{}_{}_{}", collection.size(), collection, function);
}

} // namespace tessera
