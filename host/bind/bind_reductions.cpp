// Phases `reduce`, and the questions of repeats: what they add up, of which collections, and who reads what they make.
#include "host/bind/function_errors.hpp"
#include "host/bind/steps.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/expressions.hpp"
#include "host/setup/names.hpp"
#include "host/setup/reductions.hpp"

#include <tessera/detail/exact_sum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tessera {
namespace {

using expression::Expression;
using expression::Op;
using run_file::Located;

// Of a part, as kernels/reduce/reduction.hpp has them, which what is generated asserts.
int words_of(Op op, bool of_reals) {
    if (op == Op::count) return 2;
    return of_reals && (op == Op::sum || op == Op::mean) ? 2 + exact_words : 4;
}

run_file::Where at(const Located<Expression>& expression, int column) {
    run_file::Where where = expression.where;
    where.column += column; // behind the opening quote
    return where;
}

void check(const Setup& setup, const Located<Expression>& expression, const char* what) {
    check_expression(setup, expression);
    for (const auto& attribute : expression->attributes)
        if (attribute.kind != expression::Attribute::Kind::member && attribute.kind != expression::Attribute::Kind::presence)
            run_file::fail_at(at(expression, attribute.column), fmt::format("`{}` in {}", expression->text, what),
                              "such counts go back to step 0, and a reduce goes over the agents or links of the present state",
                              "write it into an output");
}

// A fraction does not go into an integer.
void check_type(const Setup& setup, const Located<Expression>& expression, const model::StepValue& value) {
    if (value.type == Scalar::f32 || value.type == Scalar::f64) return;
    if (kind_of(setup, *expression, expression->root) != NumberKind::real) return;
    run_file::fail_at(expression.where, fmt::format("`{}` does not fit the type of {}", expression->text, value.name),
                      fmt::format("it may be a fraction, and {} is {}", value.name, name_of(value.type)),
                      fmt::format("declare TESSERA_GLOBAL(double, {}), or make it a whole number", value.name));
}

CollectionId collection_below(const Setup& setup, const Expression& expression, int node) {
    const auto& part = expression.nodes[static_cast<std::size_t>(node)];
    if (part.op == Op::attribute)
        return require_collection(setup, expression.attributes[static_cast<std::size_t>(part.attribute)].collection, {});
    const auto has_attribute = [&](int below) {
        std::vector<int> open{below};
        while (!open.empty()) {
            const auto& next = expression.nodes[static_cast<std::size_t>(open.back())];
            open.pop_back();
            if (next.op == Op::attribute) return true;
            for (const int child : {next.left, next.right})
                if (child >= 0) open.push_back(child);
        }
        return false;
    };
    return collection_below(setup, expression, has_attribute(part.left) ? part.left : part.right);
}

void add_parts(const Setup& setup, ReductionSetup& reduction) {
    for (std::size_t v = 0; v < reduction.values.size(); ++v) {
        const auto& expression = *reduction.values[v].expression;
        for (std::size_t n = 0; n < expression.nodes.size(); ++n) {
            const auto& node = expression.nodes[n];
            if (node.op < Op::sum) continue;
            ReductionSetup::Part part;
            part.value = v;
            part.node = static_cast<int>(n);
            part.collection = collection_below(setup, expression, node.left);
            part.of_reals = kind_of(setup, expression, node.left) == NumberKind::real;
            part.first_word = reduction.words;
            reduction.words += words_of(node.op, part.of_reals);
            reduction.parts.push_back(part);
        }
    }
}

void add_access(std::vector<Access>& accesses, ColumnId column, bool writes = false) {
    for (const auto& access : accesses)
        if (access.column == column) return;
    model::Use use;
    use.reads = !writes;
    use.writes = writes;
    accesses.push_back({column, use});
}

// The columns that are read of a collection; of agents, and of links that begin and end, also who is there. Of agents They write marks as
// functions of agents do (host/storage/accesses.hpp).
std::vector<Access> accesses_of(const Setup& setup, const ReductionSetup& reduction, CollectionId collection) {
    std::vector<Access> accesses;
    for (const auto& value : reduction.values)
        for (const auto& attribute : value.expression->attributes)
            if (attribute.kind == expression::Attribute::Kind::member && attribute.collection == setup.collections[collection].name)
                add_access(accesses, require_column(setup, {{attribute.collection, attribute.member}, {}}));
    if (setup.collections[collection].are_changing_links()) add_access(accesses, setup.column_of(collection, Role::link_end));
    const auto& agents = setup.collections[collection].agents;
    if (!agents) return accesses;
    add_access(accesses, setup.codes_of(collection));
    add_access(accesses, setup.ids_of(collection));
    add_access(accesses, setup.column_of(collection, agents->storage->presence()));
    for (const auto role : agents->storage->read_by_reductions()) add_access(accesses, setup.column_of(collection, role));
    add_access(accesses, setup.marks_of(collection), true);
    return accesses;
}

bool same(const ReductionSetup& a, const ReductionSetup& b) {
    return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                      [](const auto& x, const auto& y) { return x.target == y.target && x.expression->text == y.expression->text; });
}

ReductionId add(Setup& setup, ReductionSetup reduction) {
    for (const auto id : setup.reductions.ids())
        if (same(setup.reductions[id], reduction)) return id;
    const ReductionId id(setup.reductions.size());
    reduction.symbol = fmt::format("tessera_join_{}", id.index());
    add_parts(setup, reduction);
    for (const auto& part : reduction.parts) {
        const auto is_of = [&](KernelId kernel) { return setup.kernels[kernel].collection == part.collection; };
        if (std::any_of(reduction.kernels.begin(), reduction.kernels.end(), is_of)) continue;
        KernelSetup kernel;
        kernel.collection = part.collection;
        kernel.kind = &kind_of_reductions();
        kernel.reduction = id;
        kernel.name = "reduce " + reduction.name;
        kernel.symbol = fmt::format("tessera_reduce_{}_{}", id.index(), setup.collections[part.collection].name);
        kernel.accesses = accesses_of(setup, reduction, part.collection);
        reduction.kernels.push_back(setup.kernels.add(std::move(kernel)));
    }
    return setup.reductions.add(std::move(reduction));
}

// Which values there are as a step goes on.
class ValueCheck {
public:
    ValueCheck(const Setup& setup, const std::string& path) : setup_(setup), path_(path), made_(setup.description().values.size()) {}

    void step(std::uint64_t number) {
        std::fill(made_.begin(), made_.end(), false);
        for (const auto id : setup_.phases.ids()) {
            const auto& phase = setup_.phases[id];
            if (!phase.timing.includes(number)) continue;
            if (const auto* until = std::get_if<UntilPhase>(&phase.action)) {
                if (!phase.first_round) before_ = made_;
                if (until->is_last) made_ = before_; // it may be that no round is made
            }
            if (const auto* reduce = std::get_if<ReducePhase>(&phase.action))
                for (const auto& value : setup_.reductions[reduce->reduction].values) made_[*value.target] = true;
            if (const auto* call = std::get_if<CallPhase>(&phase.action))
                look(phase, setup_.function_of(setup_.kernels[call->kernel]), number);
        }
    }

private:
    void look(const PhaseSetup& phase, const model::Function& function, std::uint64_t step) const {
        for (const auto value : function.values)
            if (!made_[value]) refuse(phase, setup_.description().values[value].name, step);
    }
    [[noreturn]] void refuse(const PhaseSetup& phase, const std::string& value, std::uint64_t step) const {
        const auto problem = fmt::format("step {}: {} reads {}", step, phase.name, value);
        const auto why = "no reduce earlier in the step is certain to make this value, and values end with their step";
        const auto advice = fmt::format("add [[phase]] reduce = {{ {} = \"...\" }} before it", value);
        if (phase.where.file.empty()) throw Error(Failure::input, path_ + ": " + problem, why, advice);
        run_file::fail_at(phase.where, problem, why, advice);
    }

    const Setup& setup_;
    const std::string& path_; // of the run file
    std::vector<bool> made_, before_;
};

} // namespace

NumberKind kind_of(const Setup& setup, const Expression& expression, int index) {
    const auto& node = expression.nodes[static_cast<std::size_t>(index)];
    const auto below = [&](int child) { return child < 0 ? NumberKind::truth : kind_of(setup, expression, child); };
    switch (node.op) {
    case Op::integer:
    case Op::step:
    case Op::tally:
    case Op::count: return NumberKind::whole;
    case Op::number:
    case Op::mean:
    case Op::divide: return NumberKind::real;
    case Op::boolean:
    case Op::logical_not: return NumberKind::truth;
    case Op::attribute: {
        const auto& attribute = expression.attributes[static_cast<std::size_t>(node.attribute)];
        if (attribute.kind == expression::Attribute::Kind::presence) return NumberKind::truth;
        const auto type = setup[require_column(setup, {{attribute.collection, attribute.member}, {}})].layout.type;
        if (type == Scalar::boolean) return NumberKind::truth;
        return type == Scalar::f32 || type == Scalar::f64 ? NumberKind::real : NumberKind::whole;
    }
    default: break;
    }
    if (node.op >= Op::equal && node.op <= Op::logical_or) return NumberKind::truth;
    return std::max({NumberKind::whole, below(node.left), below(node.right)});
}

ReductionId bind_reduction(Setup& setup, const run_file::Reduce& reduce) {
    ReductionSetup reduction;
    const auto& declared = setup.description().values;
    for (const auto& [name, expression] : reduce.values) {
        const auto known = names_of(declared);
        const auto found = std::find(known.begin(), known.end(), *name);
        if (found == known.end())
            run_file::fail_at(name.where, fmt::format("{} has no value `{}`", setup.description().name, *name),
                              known.empty() ? "it declares none" : "it has " + listed(known),
                              known.empty() ? fmt::format("add TESSERA_GLOBAL(double, {}); to the model", *name)
                                            : did_you_mean(*name, known));
        check(setup, expression, "a reduce");
        const auto target = static_cast<std::size_t>(found - known.begin());
        check_type(setup, expression, declared[target]);
        reduction.values.push_back({target, expression});
        reduction.name += (reduction.name.empty() ? "" : ", ") + *name;
    }
    return add(setup, std::move(reduction));
}

ReductionId bind_question(Setup& setup, const run_file::Until& until) {
    check(setup, until.condition, "`until`");
    ReductionSetup reduction;
    reduction.values.push_back({std::nullopt, until.condition});
    reduction.name = until.condition->text;
    return add(setup, std::move(reduction));
}

void check_values(const Setup& setup, const run_file::RunFile& run, Functions functions) {
    for (const auto id : setup.init_kernels) {
        const auto& kernel = setup.kernels[id];
        if (!kernel.is_function()) continue;
        const auto& [values, uniforms] = std::tie(setup.function_of(kernel).values, setup.function_of(kernel).uniforms);
        if (values.empty() && uniforms.empty()) continue;
        const auto& name =
            uniforms.empty() ? setup.description().values[values.front()].name : setup.description().uniforms[uniforms.front()].name;
        fail_in_function(
            setup, setup.function_of(kernel), {run.path, 0, 0}, fmt::format("{} reads {} before the first step", kernel.name, name),
            fmt::format("it is a TESSERA_INIT function, and {} a step", uniforms.empty() ? "a reduce is a phase of" : "uniforms are of"),
            "read it in a TESSERA_CALL function");
    }
    if (functions == Functions::of_model && run.phases.empty()) return; // what is made when is for its run file to say
    const auto& phases = setup.phases;
    const bool any = std::any_of(phases.begin(), phases.end(), [&](const PhaseSetup& phase) {
        const auto* call = std::get_if<CallPhase>(&phase.action);
        return call != nullptr && !setup.function_of(setup.kernels[call->kernel]).values.empty();
    });
    if (!any) return;
    constexpr std::uint64_t most_steps = 100'000;
    const std::uint64_t steps = setup.agenda.steps ? std::min(**setup.agenda.steps, most_steps) : most_steps;
    std::set<std::vector<bool>> seen; // phases that run together
    ValueCheck values(setup, run.path);
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(steps, 1); ++k) {
        std::vector<bool> active;
        for (const auto& phase : phases) active.push_back(phase.timing.includes(k));
        if (seen.insert(std::move(active)).second) values.step(k);
    }
}

} // namespace tessera
