#include "host/session/reductions.hpp"

#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"
#include "host/generate/reduce_code.hpp"
#include "jit/log.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool is_of_places(const Setup& setup, const expression::Expression& expression) {
    return std::all_of(expression.attributes.begin(), expression.attributes.end(), [&](const auto& attribute) {
        const auto collection = setup.find_collection(attribute.collection);
        return collection && setup.collections[*collection].are_places();
    });
}

std::optional<Setup> asked_for(const Setup& setup, const expression::Expression& expression) {
    const bool has_any =
        std::any_of(expression.nodes.begin(), expression.nodes.end(), [](const auto& node) { return node.op >= expression::Op::sum; });
    if (!has_any || !is_of_places(setup, expression)) return std::nullopt;
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

const std::optional<Setup>& Reductions::asked(const expression::Expression& expression) {
    auto found = asked_.find(expression.text);
    if (found == asked_.end()) found = asked_.emplace(expression.text, asked_for(setup_, expression)).first;
    return found->second;
}

std::vector<std::optional<expression::Partials>> Reductions::of(const std::vector<const expression::Expression*>& expressions) {
    std::vector<std::optional<expression::Partials>> all(expressions.size());
    std::vector<std::size_t> places;
    std::vector<const Setup*> wanted;
    for (std::size_t i = 0; i < expressions.size(); ++i)
        if (const auto& one = asked(*expressions[i])) places.push_back(i), wanted.push_back(&*one);
    auto* const by = wanted.empty() ? nullptr : reducer();
    if (by == nullptr) return all;
    auto made = by->reduce(wanted, simulation_.step());
    for (std::size_t i = 0; i < made.size(); ++i) all[places[i]] = std::move(made[i]);
    return all;
}

} // namespace tessera
