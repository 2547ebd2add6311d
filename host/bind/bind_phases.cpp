// [[phase]] of the run file as phases and kernels.
#include "host/bind/function_errors.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tessera {
namespace {

class PhaseBinder {
public:
    PhaseBinder(Setup& setup, const run_file::RunFile& run) : setup_(setup), run_(run) {}

    void bind_init() {
        for (const auto c : setup_.collections.ids())
            for (std::size_t f = 0; f < setup_.description().functions.size(); ++f) {
                const auto& function = setup_.description().functions[f];
                if (!function.is_init || function.row != setup_.collections[c].row) continue;
                check_init_function(setup_, c, f);
                refuse_sending_at_the_start(setup_.collections[c], function);
                if (all_given(c, function)) continue;
                const auto calls = kernel(c, f, {}, {});
                setup_.init_kernels.push_back(calls);
                if (const auto shares = shares_kernel(setup_, calls)) setup_.init_kernels.push_back(*shares);
            }
    }

    void bind_phases() {
        if (run_.phases.empty()) return default_phases();
        for (const auto& phase : run_.phases) {
            number_ = PhaseId(setup_.phases.size());
            setup_.phases.push_back(bind(*phase, phase.where));
            if (phase->round && phase->round->number > 0)
                setup_.phases[number_].first_round = PhaseId(number_.index() - phase->round->number * phases_of_a_round(*phase->round));
        }
        bind_repeats();
        number_calls();
    }

    void add_all_functions() {
        for (const auto c : setup_.collections.ids())
            for (std::size_t f = 0; f < setup_.description().functions.size(); ++f)
                if (setup_.description().functions[f].row == setup_.collections[c].row &&
                    all_are_there(c, setup_.description().functions[f]))
                    (void)kernel(c, f, {}, {});
    }

private:
    void refuse_sending_at_the_start(const CollectionSetup& places, const model::Function& function) const {
        if (function.sends())
            fail_in_function(setup_, function, places.where,
                             fmt::format("{}.{} sends along links before the first step", places.name, function.name),
                             "it is a TESSERA_INIT function, and nothing arrives then", "send in a TESSERA_CALL function");
    }

    // Whether the run file gives every member that an init function writes, of which there are some, and it has no children and changes
    // nothing of places below.
    [[nodiscard]] bool all_given(CollectionId collection, const model::Function& function) const {
        const auto changed = [](const model::MemberAccess& access) { return access.use.writes || access.use.folds; };
        const auto& accesses = function.accesses;
        return !function.spawns() && std::any_of(accesses.begin(), accesses.end(), changed) &&
               std::all_of(accesses.begin(), accesses.end(), [&](const model::MemberAccess& access) {
                   return !changed(access) || (access.row == function.row && setup_.is_given(collection, access.member));
               });
    }

    // Whether the run has all agents that a function has to do with; one that no phase calls need not find them.
    [[nodiscard]] bool all_are_there(CollectionId collection, const model::Function& function) const {
        if (!function.link_births.empty()) return false; // they are wanted in phases
        return std::all_of(function.agent_uses.begin(), function.agent_uses.end(),
                           [&](const model::AgentUse& use) { return setup_.agents_of_row(use.row, collection).has_value(); }) &&
               std::all_of(function.link_uses.begin(), function.link_uses.end(),
                           [&](const model::LinkUse& use) { return !links_at(setup_, setup_.ground_of(collection), use).empty(); });
    }

    // Every function once a step, in the order of declaration.
    void default_phases() {
        for (std::size_t f = 0; f < setup_.description().functions.size(); ++f)
            for (const auto c : setup_.collections.ids())
                if (!setup_.description().functions[f].is_init && setup_.description().functions[f].row == setup_.collections[c].row) {
                    PhaseSetup phase;
                    phase.action = called(kernel(c, f, PhaseId(setup_.phases.size()), {}));
                    phase.name = fmt::format("callAll {}.{}", setup_.collections[c].name, setup_.description().functions[f].name);
                    setup_.phases.push_back(std::move(phase));
                }
        if (!all_managed().empty()) setup_.phases.push_back(manage_all());
        number_calls();
        if (setup_.phases.empty())
            throw Error(Failure::input, setup_.description().name + " has nothing to do in a step",
                        "the run file has no [[phase]] and the model no TESSERA_CALL", "add a phase");
    }

    [[nodiscard]] std::size_t phases_of_a_round(run_file::Round round) const {
        round.number = 0;
        const auto& phases = run_.phases;
        return static_cast<std::size_t>(
            std::count_if(phases.begin(), phases.end(), [&](const auto& phase) { return phase->round == round; }));
    }

    // Where a repeat goes on that has come to its end, and which of its phases may not be made.
    void bind_repeats() {
        const auto& phases = run_.phases;
        for (const auto id : setup_.phases.ids()) {
            auto* const until = std::get_if<UntilPhase>(&setup_.phases[id].action);
            if (until == nullptr) continue;
            const auto& round = *phases[id.index()]->round;
            until->is_last = round.number == round.times;
            auto behind = id.index();
            for (; behind < phases.size() && phases[behind]->round && phases[behind]->round->repeat == round.repeat; ++behind)
                if (phases[behind]->round->number == round.number && behind > id.index())
                    setup_.phases[PhaseId(behind)].perhaps_round = round;
            until->behind = PhaseId(behind);
        }
    }

    CallPhase called(KernelId kernel) { return {kernel, shares_kernel(setup_, kernel)}; }

    PhaseSetup bind(const run_file::Phase& phase, const run_file::Where& where) {
        PhaseSetup result;
        result.timing = phase.timing;
        if (phase.round) result.rounds = phase.round->times;
        result.where = where;
        std::visit([&](const auto& action) { bind_action(action, result); }, phase.action);
        const auto* const call = std::get_if<CallPhase>(&result.action);
        if (call != nullptr && phase.round && setup_.function_of(setup_.kernels[call->kernel]).sends())
            run_file::fail_at(where, fmt::format("{} stands in a repeat", result.name),
                              "it sends along links, and what is sent in a step is there once", "call it before or behind the repeat");
        return result;
    }

    void bind_action(const run_file::CallAll& call, PhaseSetup& phase) {
        const auto& where = call.function.where;
        const auto collection = require_collection(setup_, call.function->collection, where);
        const auto row = setup_.collections[collection].row;
        const auto function = setup_.description().find_function(row, call.function->member);
        if (!function) {
            std::vector<std::string> known;
            for (const auto& candidate : setup_.description().functions)
                if (candidate.row == row && !candidate.is_init) known.push_back(candidate.name);
            run_file::fail_at(where, fmt::format("`{}` has no function `{}`", call.function->collection, call.function->member),
                              known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(call.function->member, known));
        }
        if (setup_.description().functions[*function].is_init)
            run_file::fail_at(where, fmt::format("`{}` is not for a phase", call.function->member),
                              "it is a TESSERA_INIT function and runs once, before the first step", "call a TESSERA_CALL function");
        phase.action = called(kernel(collection, *function, number_, where));
        phase.name = fmt::format("callAll {}.{}", call.function->collection, call.function->member);
    }
    void bind_action(const run_file::ExchangeAll& exchange, PhaseSetup& phase) {
        ExchangePhase action;
        if (*exchange.collection == "*")
            action.collections = setup_.collections.ids();
        else
            action.collections.push_back(require_collection(setup_, *exchange.collection, exchange.collection.where));
        phase.action = action;
        phase.name = "exchangeAll " + *exchange.collection;
    }
    void bind_action(const run_file::ManageAll& manage, PhaseSetup& phase) {
        ManagePhase action;
        for (const auto& name : manage.collections) {
            if (all_managed().empty() && !is_links(*name))
                run_file::fail_at(name.where, fmt::format("manageAll of `{}` has nothing to manage", *name),
                                  "the run has no agents, and manageAll is for agents", "remove the phase, or add [agents.NAME]");
            if (*name == "*") {
                action.collections = all_managed();
                continue;
            }
            const auto collection = require_collection(setup_, *name, name.where);
            if (is_links(*name) && !is_managed(collection)) fail_of_links_that_stay(collection, name);
            if (!is_managed(collection))
                run_file::fail_at(name.where, fmt::format("manageAll of `{}` has nothing to manage", *name),
                                  "it is a collection of places, and manageAll is for agents", "name a collection of agents");
            action.collections.push_back(collection);
        }
        for (const auto& name : manage.collections) phase.name += (phase.name.empty() ? "manageAll " : ", ") + *name;
        phase.action = action;
    }
    [[noreturn]] void fail_of_links_that_stay(CollectionId links, const run_file::Located<std::string>& name) const {
        const auto& row = setup_.row_of(setup_.collections[links]);
        refuse_undeclared_requests(setup_, row);
        run_file::fail_at(name.where, fmt::format("manageAll of `{}` has nothing to manage", *name),
                          fmt::format("no function has spawns<{0}> in its access list, and none of {0} has dies", row.name),
                          "add one of them to the function by which such links begin or end, or remove the phase");
    }
    // Agents, and links that are born or die.
    [[nodiscard]] bool is_managed(CollectionId id) const { return setup_.collections[id].is_managed(); }
    [[nodiscard]] bool is_links(const std::string& name) const {
        const auto found = setup_.find_collection(name);
        return found && setup_.collections[*found].links;
    }
    [[nodiscard]] std::vector<CollectionId> all_managed() const {
        std::vector<CollectionId> managed;
        for (const auto c : setup_.collections.ids())
            if (is_managed(c)) managed.push_back(c);
        return managed;
    }
    [[nodiscard]] PhaseSetup manage_all() const {
        PhaseSetup phase;
        phase.action = ManagePhase{{}, all_managed(), {}, {}};
        phase.name = "manageAll *";
        return phase;
    }
    void bind_action(const run_file::Rotate& rotate, PhaseSetup& phase) {
        RotatePhase action{};
        for (const auto& member : rotate.members) {
            const auto column = require_column(setup_, member);
            action.collection = setup_.columns[column].collection;
            action.columns.push_back(column);
            phase.name += (phase.name.empty() ? "rotate " : ", ") + member->collection + "." + member->member;
        }
        for (std::size_t i = 0; i < action.columns.size(); ++i)
            for (const auto& sent : setup_.collections[setup_.columns[action.columns[i]].collection].sent)
                if (setup_.columns[action.columns[i]].member == sent.member)
                    run_file::fail_at(rotate.members[i].where, fmt::format("cannot rotate {}", setup_.name_of(action.columns[i])),
                                      "functions send to it along links", "rotate members to which nothing is sent");
        for (std::size_t i = 1; i < action.columns.size(); ++i) {
            const auto &first = setup_.member_of(action.columns[0]), &other = setup_.member_of(action.columns[i]);
            if (first.type != other.type || first.elements != other.elements)
                run_file::fail_at(rotate.members[i].where, fmt::format("cannot rotate {} and {}", first.name, other.name),
                                  fmt::format("one is {}, the other {}", type_text(first), type_text(other)), "rotate members of one type");
        }
        phase.action = action;
    }

    void bind_action(const run_file::Reduce& reduce, PhaseSetup& phase) {
        const auto reduction = bind_reduction(setup_, reduce);
        phase.action = ReducePhase{reduction};
        phase.name = "reduce " + setup_.reductions[reduction].name;
    }
    void bind_action(const run_file::Until& until, PhaseSetup& phase) {
        phase.action = UntilPhase{bind_question(setup_, until), {}, false};
        phase.name = "until " + until.condition->text;
    }

    static std::string type_text(const model::Member& member) {
        return fmt::format("{}{}", name_of(member.type), member.elements > 1 ? fmt::format("[{}]", member.elements) : "");
    }

    // The kernel for a function of a collection, made when it is first asked for. One that wants children in a phase has one for it alone.
    KernelId kernel(CollectionId collection, std::size_t function, std::optional<PhaseId> phase, const run_file::Where& where) {
        const auto& bound = setup_.collections[collection];
        const auto& described = setup_.description().functions[function];
        if (!described.spawns()) phase.reset();
        for (const auto id : setup_.kernels.ids())
            if (const auto& known = setup_.kernels[id];
                known.is_function() && known.collection == collection && known.function == function && (known.phase == phase || !phase))
                return id;
        refuse_looks_around(bound, described, where);
        if (bound.agents || !described.agent_uses.empty()) return agent_kernel(setup_, collection, function, phase, where);
        for (const auto& [row, member, use] : described.accesses)
            for (auto axis = static_cast<std::size_t>(bound.dimensions); axis < 3; ++axis) {
                const auto dims = static_cast<std::size_t>(bound.dimensions - 1);
                if (use.low[dims][axis] > 0 || use.high[dims][axis] > 0)
                    run_file::fail_at(where.file.empty() ? bound.size_where : where,
                                      fmt::format("{}.{} needs more dimensions than places.{} has", bound.name, described.name, bound.name),
                                      fmt::format("it reads neighbours along {}, and `size` has {} extent{}", axis == 1 ? "y" : "z",
                                                  bound.dimensions, bound.dimensions == 1 ? "" : "s"),
                                      "give `size` more extents");
            }
        KernelSetup kernel;
        kernel.collection = collection;
        kernel.function = function;
        kernel.phase = phase;
        kernel.symbol = entry_symbol(bound.name, described.name) + (phase ? fmt::format("_{}", phase->index()) : "");
        kernel.name = bound.name + "." + described.name;
        kernel.accesses = accesses_of(collection, described);
        if (described.has_to_do_with_links() || described.ends_links)
            add_link_accesses(setup_, kernel, where.file.empty() ? bound.where : where);
        return setup_.kernels.add(std::move(kernel));
    }

    // Nothing lies beside places without a shape.
    static void refuse_looks_around(const CollectionSetup& bound, const model::Function& described, const run_file::Where& where) {
        if (bound.has_shape()) return;
        for (const auto& access : described.accesses)
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (access.use.low[2][axis] > 0 || access.use.high[2][axis] > 0)
                    run_file::fail_at(where.file.empty() ? bound.size_where : where,
                                      fmt::format("{}.{} looks at places around its own", bound.name, described.name),
                                      fmt::format("places.{} has a `count` and no `size`: nothing lies beside them", bound.name),
                                      fmt::format("give places.{} a `size`, or join them by links", bound.name));
    }

    // The columns that a function of places names, which are its own collection's.
    [[nodiscard]] std::vector<Access> accesses_of(CollectionId collection, const model::Function& function) const {
        std::vector<Access> accesses;
        for (const auto& access : function.accesses) accesses.push_back({setup_.column_of(collection, access.member), access.use});
        return accesses;
    }

    void number_calls() {
        std::map<std::string, int> calls; // by the kernels' names: a function may have several
        int managed = 0;
        for (auto& phase : setup_.phases) {
            if (const auto* call = std::get_if<CallPhase>(&phase.action)) phase.call_in_step = calls[setup_.kernels[call->kernel].name]++;
            if (std::holds_alternative<ManagePhase>(phase.action)) phase.call_in_step = managed++;
        }
    }

    Setup& setup_;
    const run_file::RunFile& run_;
    PhaseId number_; // of the phase that is being bound
};

} // namespace

void bind_phases(Setup& setup, const run_file::RunFile& run, Functions functions) {
    PhaseBinder phases(setup, run);
    phases.bind_init();
    phases.bind_phases();
    bind_arrivals(setup);
    if (functions != Functions::called) phases.add_all_functions();
    for (const auto phase : setup.phases.ids())
        if (std::holds_alternative<ManagePhase>(setup.phases[phase].action)) bind_manage(setup, phase);
    check_intentions(setup);
}

} // namespace tessera
