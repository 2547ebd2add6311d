#include "host/session/kept_state.hpp"

#include "host/outputs/npy.hpp"
#include "host/outputs/state_rows.hpp"

#include <cstring>
#include <string>

namespace tessera {
namespace {

std::int64_t cells_of(const Layout& layout) { return layout.size[0] * layout.size[1] * layout.size[2]; }

} // namespace

void KeptState::keep(const State& state) {
    const auto& setup = state.setup();
    step_ = state.step();
    columns_.resize(setup.columns.size());
    for (const auto column : state.columns()) {
        const auto& layout = setup[column].layout;
        const auto bytes = static_cast<std::size_t>(cells_of(layout)) * size_of(layout.type);
        auto& values = columns_[column.index()];
        values.resize(bytes * static_cast<std::size_t>(layout.elements));
        for (int e = 0; e < layout.elements; ++e)
            state.read(column, e, {0, cells_of(layout)}, values.data() + static_cast<std::size_t>(e) * bytes);
    }
}

void KeptState::write(const Setup& setup, const ResultFolder& folder, ThreadPool& pool, OutputSet& outputs) const {
    const auto read = [&](ColumnId column, int element, const PlaceRange& cells, std::byte* into) {
        const auto& layout = setup[column].layout;
        const auto first = element * cells_of(layout) + cells.first;
        std::memcpy(into, columns_[column.index()].data() + static_cast<std::size_t>(first) * size_of(layout.type),
                    static_cast<std::size_t>(cells.count()) * size_of(layout.type));
    };
    const StateView state(State(setup, step_, read), pool);
    const auto place_of = [&](const std::string& name) {
        outputs.add_file("before/" + name);
        return folder.place("before/" + name);
    };
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.agents) {
            write_rows_csv(place_of(collection.name + ".csv"), agent_rows(setup, id, state));
            continue;
        }
        if (collection.links) {
            write_rows_csv(place_of(collection.name + ".csv"), link_rows(setup, id, state));
            continue;
        }
        for (std::size_t m = 0; m < collection.columns.size(); ++m) {
            const auto column = setup.column_of(id, m);
            if (setup[column].role != Role::member) continue;
            const auto values = [&](int element, const PlaceRange& places) { return state.values(column, element, places); };
            write_npy(place_of(setup.name_of(column) + ".npy"), state.shape(column), values, state.places_at_a_time());
        }
    }
}

} // namespace tessera
