#include "host/prepare/start.hpp"

#include "device_runtime/error.hpp"
#include "host/setup/link_table.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/check_state.hpp"
#include "host/world/stored_otherwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using checkpoint::AgentsRecord;
using checkpoint::Record;

[[noreturn]] void refuse_start(const run_file::RunFile& run, const std::string& problem, const std::string& why,
                               const std::string& suggestion = {}) {
    run_file::fail_at(run.run.start->checkpoint.where, problem, why, suggestion);
}

void count_steps_from(run_file::RunFile& run, std::uint64_t first) {
    constexpr std::uint64_t last = (std::uint64_t{1} << 32) - 1; // a run's
    auto& steps = run.run.steps;
    if (!steps) return;
    if (std::exchange(run.run.steps_from_start, false)) steps->value += first;
    if (**steps > last)
        run_file::fail_at(steps->where, fmt::format("the run would have {} steps", **steps), fmt::format("the maximum is {}", last));
    if (**steps < first)
        run_file::fail_at(steps->where, fmt::format("the run has {} steps", **steps),
                          fmt::format("it starts with the state after step {}, and steps keep their numbers", first),
                          fmt::format("steps = \"+{}\" makes so many from there", **steps));
}

// ---- agents

const AgentsRecord* record_of(const Record& record, const std::string& agents) {
    const auto found =
        std::find_if(record.agents.begin(), record.agents.end(), [&](const auto& each) { return each.past.collection == agents; });
    return found == record.agents.end() ? nullptr : &*found;
}

void check_agents(const Bound& run, const CollectionSetup& agents, const AgentsRecord* before,
                  const std::vector<run_file::Timing>& births) {
    const auto refuse = [&](const std::string& why, const std::string& suggestion) {
        refuse_start(run.run_file, fmt::format("{} cannot go on from that state", agents.name), why, suggestion);
    };
    if (before == nullptr) refuse("it has no such agents", "start with first values");
    if (before->ground.empty()) refuse("an earlier version wrote it, which did not say all of them", "write it again, by this version");
    const auto& ground = run.setup.collections[agents.agents->ground].name;
    if (before->ground != ground) refuse(fmt::format("they stood on {}, and stand on {} here", before->ground, ground), "");
    if (before->in_space != agents.agents->space.has_value()) refuse("they are in space in one of the two and on places in the other", "");
    if (before->births != births)
        refuse("other phases decide about their births, and their ids are numbered by these phases",
               "give the phases in which they may be born the times and the order that they had");
}

void check_all_agents(const Bound& run, const Record& record) {
    const auto& setup = run.setup;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].agents)
            check_agents(run, setup.collections[id], record_of(record, setup.collections[id].name), setup.births_of(id));
    for (const auto& before : record.agents)
        if (!setup.find_collection(before.past.collection) && before.past.alive() > 0)
            refuse_start(run.run_file, fmt::format("the state has {} agents of {}", before.past.alive(), before.past.collection),
                         "the run has no such collection", "add it, or start with first values");
}

// The run file with the capacities with which the state was kept.
run_file::RunFile with_capacities_of(const Record& record, run_file::RunFile run) {
    for (auto& agents : run.agents)
        if (const auto* before = record_of(record, *agents->name))
            agents.value.capacity.value = before->most_on_place == 0 ? run_file::unlimited : before->most_on_place;
    return run;
}

// Whether the state is kept just as the setup would have it.
void check_pieces(const Bound& run, const Setup& before, const Snapshot& state) {
    for (const auto id : before.collections.ids()) {
        const auto& collection = before.collections[id];
        if (!collection.agents) continue;
        for (std::size_t m = 0; m < collection.columns.size(); ++m) {
            const auto& member = collection.stored[m];
            if (!is_state(before[before.column_of(id, m)].role)) continue;
            const auto piece = std::find_if(state.pieces.begin(), state.pieces.end(), [&](const auto& each) {
                return each.collection == collection.name && each.member == member.name;
            });
            if (piece == state.pieces.end() || piece->shape.type != member.type || piece->shape.elements != member.elements)
                refuse_start(run.run_file, fmt::format("the agents of {} cannot be stored in another way", collection.name),
                             fmt::format("their {} was another one when the state was kept", member.name),
                             "run it on devices of that kind, with the capacity that they had, or with the members that they had");
        }
    }
}

void check_room(const Bound& run, const Setup& before, CollectionId id, const Snapshot& state) {
    const auto& agents = run.setup.collections[id];
    const auto most = static_cast<std::size_t>(agents.agents->most_on_place);
    if (most == 0) return;
    auto places = find_agents(before, id, reader_of(before, state)).places;
    std::sort(places.begin(), places.end());
    std::size_t together = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        together = i > 0 && places[i] == places[i - 1] ? together + 1 : 1;
        if (together > most)
            refuse_start(run.run_file, fmt::format("the agents of {} do not find room", agents.name),
                         fmt::format("more than {} stand on place {}", most, places[i]), "raise their capacity");
    }
}

// ---- links

std::optional<std::vector<std::int32_t>> ends_in(const Snapshot& state, const std::string& links, const std::string& end) {
    for (const auto& piece : state.pieces) {
        if (piece.collection != links || piece.member != end) continue;
        if (piece.shape.type != Scalar::i32 || piece.shape.elements != 1) return std::nullopt;
        std::vector<std::int32_t> ends(static_cast<std::size_t>(piece.shape.places()));
        piece.read(0, {0, piece.shape.places()}, reinterpret_cast<std::byte*>(ends.data()));
        return ends;
    }
    return std::nullopt;
}

// Where those of a collection lead to and come from; nothing where the state has no such links.
std::shared_ptr<const LinkTable> links_in(const Snapshot& state, const std::string& name) {
    auto from = ends_in(state, name, link_from_name), to = ends_in(state, name, link_to_name);
    if (!from || !to || from->size() != to->size()) return nullptr;
    return std::make_shared<const LinkTable>(LinkTable{std::move(*from), std::move(*to), {}});
}

} // namespace

std::shared_ptr<checkpoint::Elsewhere> find_start(run_file::RunFile& run) {
    auto& start = run.run.start;
    if (!start) return nullptr;
    std::shared_ptr<checkpoint::Elsewhere> state;
    if (start->found.empty()) {
        try {
            state = std::make_shared<checkpoint::Elsewhere>(checkpoint::open_elsewhere(run.resolve(*start->checkpoint)));
        } catch (const Error& error) {
            throw error.with_prefix(run_file::in_file(start->checkpoint.where));
        }
        start->found = fs::absolute(state->folder).lexically_normal().string();
        start->step = state->saved.record.step;
        as_kept(run, state->saved);
    }
    count_steps_from(run, start->step);
    return state;
}

void fit_start(const Bound& run, checkpoint::Saved& saved) {
    const auto& setup = run.setup;
    check_all_agents(run, saved.record);
    bool is_other_way = setup.has_agents() && setup.modes().on_one_cpu != saved.record.on_one_cpu;
    std::vector<CollectionId> narrower;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.agents) continue;
        const auto most = static_cast<std::uint64_t>(collection.agents->most_on_place);
        if (most == record_of(saved.record, collection.name)->most_on_place) continue;
        is_other_way = true;
        narrower.push_back(id);
    }
    const auto check = [&](const Setup& kept) {
        try {
            check_state(kept, saved.state, Lacking::allowed);
        } catch (const Error& error) {
            throw error.with_prefix(run_file::in_file(run.run_file.run.start->checkpoint.where));
        }
    };
    if (!is_other_way) return check(setup);
    const auto before = bind(*setup.model, with_capacities_of(saved.record, run.run_file), Functions::called,
                             Inspection{false, false, saved.record.on_one_cpu});
    check_pieces(run, before.setup, saved.state);
    check(before.setup);
    for (const auto id : narrower) check_room(run, before.setup, id, saved.state);
    saved.state = stored_as(setup, before.setup, std::move(saved.state));
}

void as_kept(run_file::RunFile& run, const checkpoint::Saved& saved) {
    const auto& record = saved.record;
    for (auto& agents : run.agents)
        for (const auto& kept : record.agents) {
            if (kept.past.collection != *agents->name) continue;
            if (*agents->capacity == run_file::unlimited || kept.room > 0) agents.value.grown_room = kept.room;
            if (agents->file) agents.value.read_count = kept.past.first;
        }
    for (auto& links : run.links) {
        if (const auto* kept = record_of(record, *links->name)) links.value.grown_room = kept->room;
        if (auto kept = links_in(saved.state, *links->name)) links.value.table = std::move(kept);
    }
}

} // namespace tessera
