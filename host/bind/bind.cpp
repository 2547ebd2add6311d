#include "host/bind/bind.hpp"

#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {

Setup bind(const model::Model& model, run_file::RunFile run, Functions functions, Modes modes) {
    Setup setup;
    setup.modes_ = modes;
    setup.functions_ = functions;
    setup.model = &model;
    setup.run = std::move(run);
    for (const auto& places : setup.run.places) setup.collections.add(bind_collection(model.description, *places));
    for (auto& agents : setup.run.agents) setup.collections.add(bind_agents(setup, agents.value));
    if (setup.collections.empty())
        throw Error(Failure::input, fmt::format("{}: no places to run {} on", setup.run.path, model.description.name),
                    "there is no [places] table", fmt::format("add [places.{}] with a size", model.description.rows.front().collection));
    check_extents(setup);
    bind_birth_requests(setup);
    for (const auto id : setup.collections.ids()) {
        setup.collections[id].first_column = ColumnId(setup.columns.size());
        for (std::size_t member = 0; member < setup.collections[id].columns.size(); ++member) setup.columns.add({id, member});
    }
    setup.parameters = bind_parameters(model, setup.run);
    bind_phases(setup, functions);
    check_values(setup, functions);
    for (const auto collection : setup.collections.ids())
        if (setup.collections[collection].agents) choose_codes(setup, collection);
    lay_out(setup);
    return setup;
}

Setup bound_again(const Setup& setup, run_file::RunFile run) {
    auto next = bind(*setup.model, std::move(run), setup.functions(), setup.modes());
    next.bytes_at_a_time = setup.bytes_at_a_time;
    return next;
}

} // namespace tessera
