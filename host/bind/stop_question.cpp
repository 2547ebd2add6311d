#include "host/bind/stop_question.hpp"

#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"

#include <algorithm>
#include <variant>

namespace tessera {
namespace {

// Throws where it cannot be asked.
void bind_stop(Setup& setup) {
    run_file::Until question;
    question.condition = *setup.agenda.stop;
    (void)bind_question(setup, question);
}

bool has_reduction(const expression::Expression& expression) {
    return std::any_of(expression.nodes.begin(), expression.nodes.end(),
                       [](const expression::Node& node) { return node.op >= expression::Op::sum; });
}

bool can_be_bound(const Setup& setup) {
    try {
        auto tried = setup;
        bind_stop(tried);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

std::string obstacle_to_asking_stop(const Setup& setup) {
    if (!setup.agenda.stop) return {};
    if (setup.partitions() > 1) return "several devices make the run";
    if (setup.modes().checked) return "each launch of a checked run is looked at";
    if (setup.agenda.stop_every > 1) return "`stop_every` is more than 1";
    if (setup.asks_state()) return "a repeat has an `until`";
    if (setup.model->library) return "the model is a library, whose code is for runs without that question";
    if (!has_reduction(**setup.agenda.stop)) return "it goes over no places or agents";
    if (!can_be_bound(setup)) return "it asks for what was counted since step 0";
    return {};
}

void add_stop_question(Setup& setup) {
    if (setup.agenda.stop && obstacle_to_asking_stop(setup).empty()) bind_stop(setup);
}

std::optional<ReductionId> find_stop_question(const Setup& setup) {
    if (setup.asks_state()) return std::nullopt; // then all questions are of phases
    for (const auto id : setup.reductions.ids())
        if (!setup.reductions[id].values.front().target) return id;
    return std::nullopt;
}

} // namespace tessera
