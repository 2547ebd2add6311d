#include "host/run_file/old_keys.hpp"

#include <fmt/format.h>

namespace tessera::run_file {
namespace {

// Of a collection of agents; the only ones so far.
constexpr const char* old_name = "room";
constexpr const char* new_name = "reserve";

std::string remark_at(const Where& where) {
    return fmt::format("{}: the key `{}` is called `{}` now (the old name is still read) write `{}`", to_string(where), old_name, new_name,
                       new_name);
}

void rename_in_agents(Node& collection, std::vector<std::string>& remarks) {
    auto* const key = collection.is(Node::Kind::table) ? collection.find(old_name) : nullptr;
    if (key == nullptr) return;
    if (collection.find(new_name) != nullptr)
        fail_at(key->key_where, fmt::format("`{}` is there twice", new_name), fmt::format("`{}` is its old name", old_name),
                fmt::format("remove `{}`", old_name));
    key->key = new_name;
    key->path = collection.path + "." + new_name;
    remarks.push_back(remark_at(key->key_where));
}

} // namespace

void rename_old_keys(Node& node, const std::vector<std::string>& at, std::vector<std::string>& remarks) {
    if (at.empty()) {
        if (auto* const agents = node.find("agents")) rename_old_keys(*agents, {"agents"}, remarks);
    } else if (at[0] == "agents" && at.size() == 1) {
        for (auto& collection : node.items) rename_in_agents(collection, remarks);
    } else if (at[0] == "agents" && at.size() == 2) {
        rename_in_agents(node, remarks);
    }
}

void rename_old_keys(std::vector<std::string>& path, const Where& where, std::vector<std::string>& remarks) {
    if (path.size() != 3 || path[0] != "agents" || path[2] != old_name) return;
    path[2] = new_name;
    remarks.push_back(remark_at(where));
}

} // namespace tessera::run_file
