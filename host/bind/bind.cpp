#include "host/bind/bind.hpp"

#include "device_runtime/error.hpp"
#include "host/bind/parts.hpp"
#include "host/bind/steps.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {
namespace {

void bind_collections(Setup& setup, run_file::RunFile& run) {
    const auto& description = setup.description();
    for (const auto& places : run.places) {
        setup.collections.add(bind_collection(description, *places));
        setup.start.collections.push_back(start_of(*places));
    }
    for (auto& links : run.links) {
        auto bound = bind_links(setup, run, *links);
        links.value.table = bound.start.links;
        setup.collections.add(std::move(bound.collection));
        setup.start.collections.push_back(std::move(bound.start));
    }
    for (auto& agents : run.agents) {
        auto bound = bind_agents(setup, run, agents.value);
        setup.collections.add(std::move(bound.collection));
        setup.start.collections.push_back(std::move(bound.start));
    }
    if (setup.collections.empty())
        throw Error(Failure::input, fmt::format("{}: no places to run {} on", run.path, description.name), "there is no [places] table",
                    fmt::format("add [places.{}] with a size", description.rows.front().collection));
    check_extents(setup, run);
}

void number_columns(Setup& setup) {
    for (const auto id : setup.collections.ids()) {
        setup.collections[id].first_column = ColumnId(setup.columns.size());
        for (std::size_t member = 0; member < setup.collections[id].columns.size(); ++member) setup.columns.add({id, member});
    }
}

} // namespace

Bound bind(const model::Model& model, run_file::RunFile run, Functions functions, Inspection inspection) {
    // Phases that are the model's own are not written by somebody who could say what is exchanged when.
    if (run.phases.empty()) run.schedule.exchange.value = run_file::ExchangeMode::automatic;
    Setup setup(modes_of(run, inspection), functions);
    setup.model = &model;
    setup.agenda = agenda_of(run);
    setup.wishes = wishes_of(run);
    setup.start.folder = run.folder;
    bind_collections(setup, run);
    bind_birth_requests(setup, run);
    bind_link_wishes(setup, run);
    bind_sends(setup, run);
    number_columns(setup);
    setup.values = bind_values(model, run);
    bind_phases(setup, run, functions);
    check_values(setup, run, functions);
    for (const auto collection : setup.collections.ids())
        if (setup.collections[collection].agents) choose_codes(setup, collection);
    lay_out(setup);
    setup.run_text = run_file::resolved_toml(run);
    return {std::move(setup), std::move(run)};
}

Bound bound_again(const Setup& setup, run_file::RunFile run) {
    auto next = bind(*setup.model, std::move(run), setup.functions(), setup.modes());
    next.setup.bytes_at_a_time = setup.bytes_at_a_time;
    return next;
}

} // namespace tessera
