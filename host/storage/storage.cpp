#include "host/storage/storage.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {

const StorageKind& storage_for(const StorageQuestion& question) {
    constexpr std::uint64_t most_in_list = std::uint64_t{1} << 26; // beyond it slots take half of the memory
    const bool fit_in_list = question.most_on_place <= most_in_list / static_cast<std::uint64_t>(question.places);
    if (question.on_one_cpu && !question.in_space && fit_in_list) return list_in_order_of_ids();
    return question.most_on_place == 0 ? list_in_order_of_places() : slots_of_places();
}

model::Member repeated_member(const model::Member& member, int times) {
    model::Member stored = member;
    stored.elements = member.elements * times;
    stored.initial.clear();
    for (int i = 0; i < times; ++i) stored.initial.insert(stored.initial.end(), member.initial.begin(), member.initial.end());
    return stored;
}

model::Member unnamed_member(const char* name, Scalar type, int elements) {
    model::Member stored;
    stored.name = name;
    stored.type = type;
    stored.elements = elements;
    stored.initial.resize(stored.bytes());
    return stored;
}

void add_column(CollectionSetup& collection, Role role, model::Member stored, std::int64_t cells) {
    ColumnSetup column;
    column.role = role;
    column.cells = cells;
    column.outside = column.missing = stored.initial;
    column.layout.type = stored.type;
    column.layout.elements = stored.elements;
    collection.columns.push_back(std::move(column));
    collection.stored.push_back(std::move(stored));
}

void add_agent_column(CollectionSetup& collection, Role role, const model::Member& of_one) {
    const auto& agents = *collection.agents;
    add_column(collection, role, repeated_member(of_one, agents.storage->agents_a_cell(agents)), agents.storage->cells(agents));
}

KernelId manage_kernel(Setup& setup, CollectionId agents, const KernelKind& kind, std::size_t source, int round) {
    for (const auto id : setup.kernels.ids())
        if (const auto& known = setup.kernels[id];
            known.collection == agents && known.kind == &kind && known.source == source && known.round == round)
            return id;
    KernelSetup kernel;
    kernel.collection = agents;
    kernel.kind = &kind;
    kernel.source = source;
    kernel.round = round;
    const auto& name = setup.collections[agents].name;
    const auto number = kind.number() == KernelKind::Number::source  ? fmt::format("_{}", source)
                        : kind.number() == KernelKind::Number::round ? fmt::format("_{}", round)
                                                                     : "";
    kernel.name = "manageAll " + name; // the key of priorities is made of it
    kernel.symbol = fmt::format("tessera_manage_{}_{}{}", kind.name(), name, number);
    kernel.accesses = kind.accesses(setup, kernel);
    return setup.kernels.add(std::move(kernel));
}

} // namespace tessera
