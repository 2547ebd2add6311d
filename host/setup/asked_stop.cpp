#include "host/setup/asked_stop.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool has_reduction(const expression::Expression& expression) {
    return std::any_of(expression.nodes.begin(), expression.nodes.end(),
                       [](const expression::Node& node) { return node.op >= expression::Op::sum; });
}

bool is_of_the_state(const expression::Expression& expression) {
    using Kind = expression::Attribute::Kind;
    return std::all_of(expression.attributes.begin(), expression.attributes.end(), [](const expression::Attribute& attribute) {
        return attribute.kind == Kind::member || attribute.kind == Kind::presence;
    });
}

} // namespace

std::string obstacle_to_asking_stop(const Setup& setup) {
    if (!setup.agenda.stop) return {};
    const expression::Expression& stop = **setup.agenda.stop;
    if (setup.partitions() > 1) return "several devices make the run";
    if (setup.modes().checked) return "each launch of a checked run is looked at";
    if (setup.agenda.stop_every > 1) return "`stop_every` is more than 1";
    if (setup.asks_state()) return "a repeat has an `until`";
    if (setup.model->library) return "the model is a library, whose code is for runs without that question";
    if (!is_of_the_state(stop)) return "it asks for what was counted since step 0";
    if (!has_reduction(stop)) return "it goes over no places or agents";
    return {};
}

std::optional<ReductionId> find_stop_question(const Setup& setup) {
    if (setup.asks_state()) return std::nullopt; // then all questions are of phases
    for (const auto id : setup.reductions.ids())
        if (!setup.reductions[id].values.front().target) return id;
    return std::nullopt;
}

} // namespace tessera
