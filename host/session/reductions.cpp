#include "host/session/reductions.hpp"

#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"
#include "host/generate/reduce_code.hpp"
#include "jit/log.hpp"

#include <algorithm>

namespace tessera {
namespace {

// Rows of grids are gone over whole, so places that only have numbers are for the host: the last row is short.
bool is_of_grids(const Setup& setup, const expression::Expression& expression) {
    return std::all_of(expression.attributes.begin(), expression.attributes.end(), [&](const auto& attribute) {
        const auto collection = setup.find_collection(attribute.collection);
        return collection && setup.collections[*collection].are_places() && setup.collections[*collection].has_shape();
    });
}

std::optional<Setup> asked_for(const Setup& setup, const expression::Expression& expression) {
    const bool has_any =
        std::any_of(expression.nodes.begin(), expression.nodes.end(), [](const auto& node) { return node.op >= expression::Op::sum; });
    if (!has_any || !is_of_grids(setup, expression)) return std::nullopt;
    std::optional<Setup> asked(setup);
    asked->kernels = {};
    asked->reductions = {};
    run_file::Until question;
    question.condition.value = expression;
    (void)bind_question(*asked, question);
    if (!obstacle_to_reduce_code(*asked).empty()) return std::nullopt;
    return asked;
}

} // namespace

StateReducer* Reductions::reducer() {
    if (has_none_) return nullptr;
    try {
        return &simulation_.reducer(compiler_);
    } catch (const Error& error) {
        if (error.kind() == Failure::interrupted) throw;
        log_debug("tables are reduced by the host: {}", error.what());
        has_none_ = true;
        return nullptr;
    }
}

std::optional<expression::Partials> Reductions::of(const expression::Expression& expression) {
    auto asked = asked_.find(expression.text);
    if (asked == asked_.end()) asked = asked_.emplace(expression.text, asked_for(setup_, expression)).first;
    if (!asked->second) return std::nullopt;
    auto* const by = reducer();
    return by != nullptr ? std::optional(by->reduce(*asked->second, simulation_.step())) : std::nullopt;
}

} // namespace tessera
