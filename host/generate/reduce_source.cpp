#include "host/generate/reduce_source.hpp"

#include "device_runtime/error.hpp"
#include "host/generate/agent_source.hpp"
#include "host/setup/names.hpp"
#include "host/setup/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

using expression::Expression;
using expression::Op;

const char* operator_of(Op op) {
    switch (op) {
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::greater: return ">";
    case Op::greater_equal: return ">=";
    case Op::add: return "+";
    case Op::subtract: return "-";
    case Op::multiply: return "*";
    default: break;
    }
    return "/";
}

// ---- within a reduction: of one element

// Text of an expression of C++, and what it is: bool, std::int64_t, double.
struct Typed {
    std::string text;
    NumberKind kind;
};

std::string as(const Typed& value, NumberKind kind) {
    if (value.kind == kind) return value.text;
    switch (kind) {
    case NumberKind::truth: return fmt::format("({} != 0)", value.text);
    case NumberKind::whole: return fmt::format("static_cast<std::int64_t>({})", value.text);
    case NumberKind::real: break;
    }
    return fmt::format("static_cast<double>({})", value.text);
}

class ElementText {
public:
    ElementText(const Setup& setup, const Expression& expression) : setup_(setup), expression_(expression) {}

    [[nodiscard]] Typed of(int index) const {
        const auto& node = expression_.node(index);
        switch (node.op) {
        case Op::integer: return {fmt::format("std::int64_t{{{}l}}", node.integer), NumberKind::whole};
        case Op::number: return {fmt::format("{:a}", node.number), NumberKind::real};
        case Op::boolean: return {node.integer != 0 ? "true" : "false", NumberKind::truth};
        case Op::step: return {"step", NumberKind::whole};
        case Op::attribute: return attribute(expression_.attributes[static_cast<std::size_t>(node.attribute)]);
        case Op::logical_not: return {fmt::format("(!{})", as(of(node.left), NumberKind::truth)), NumberKind::truth};
        case Op::negate: return negated(of(node.left));
        default: break;
        }
        return joined(node.op, of(node.left), of(node.right));
    }

private:
    [[nodiscard]] Typed attribute(const expression::Attribute& attribute) const {
        if (attribute.kind == expression::Attribute::Kind::presence) return {"true", NumberKind::truth};
        const auto column = require_column(setup_, {{attribute.collection, attribute.member}, {}});
        const auto load = fmt::format("element.template at<{}, {}>()", setup_.columns[column].member, attribute.element.value_or(0));
        switch (setup_[column].layout.type) {
        case Scalar::boolean: return {load, NumberKind::truth};
        case Scalar::f32:
        case Scalar::f64: return {fmt::format("static_cast<double>({})", load), NumberKind::real};
        default: break;
        }
        return {fmt::format("tessera::whole_of({}, faults)", load), NumberKind::whole};
    }

    static Typed negated(const Typed& value) {
        if (value.kind == NumberKind::real) return {fmt::format("(-{})", value.text), NumberKind::real};
        return {fmt::format("tessera::whole_difference_of(0, {}, faults)", as(value, NumberKind::whole)), NumberKind::whole};
    }

    static Typed joined(Op op, const Typed& left, const Typed& right) {
        if (op == Op::logical_and || op == Op::logical_or)
            return {fmt::format("static_cast<bool>({} {} {})", as(left, NumberKind::truth), op == Op::logical_and ? "&" : "|",
                                as(right, NumberKind::truth)),
                    NumberKind::truth};
        const auto kind = op == Op::divide ? NumberKind::real : std::max({NumberKind::whole, left.kind, right.kind});
        const auto a = as(left, kind), b = as(right, kind);
        if (op >= Op::equal && op <= Op::greater_equal) return {fmt::format("({} {} {})", a, operator_of(op), b), NumberKind::truth};
        if (kind == NumberKind::real && op == Op::remainder) return {fmt::format("tessera::fmod({}, {})", a, b), kind};
        if (kind == NumberKind::real) return {fmt::format("({} {} {})", a, operator_of(op), b), kind};
        const char* const name = op == Op::add        ? "whole_sum_of"
                                 : op == Op::subtract ? "whole_difference_of"
                                 : op == Op::multiply ? "whole_product_of"
                                                      : "whole_remainder_of";
        return {fmt::format("tessera::{}({}, {}, faults)", name, a, b), kind};
    }

    const Setup& setup_;
    const Expression& expression_;
};

// ---- outside of reductions: a whole_or_real

class ValueText {
public:
    ValueText(const ReductionSetup& reduction, std::size_t value)
        : reduction_(reduction), value_(value), expression_(*reduction.values[value].expression) {}

    [[nodiscard]] std::string of(int index) const {
        const auto& node = expression_.node(index);
        switch (node.op) {
        case Op::integer:
        case Op::boolean: return fmt::format("tessera::whole_value({}l)", node.integer);
        case Op::number: return fmt::format("tessera::real_value({:a})", node.number);
        case Op::step: return "tessera::whole_value(static_cast<std::int64_t>(step))";
        case Op::negate: return fmt::format("tessera::negative_of({}, faults)", of(node.left));
        case Op::logical_not: return fmt::format("tessera::whole_value(!{})", truth(node.left));
        case Op::logical_and: return fmt::format("tessera::whole_value({} & {})", truth(node.left), truth(node.right));
        case Op::logical_or: return fmt::format("tessera::whole_value({} | {})", truth(node.left), truth(node.right));
        default: break;
        }
        if (node.op >= Op::sum) return part(index);
        const bool compares = node.op >= Op::equal && node.op <= Op::greater_equal;
        return fmt::format("tessera::{}({}, {}{})", name_of(node.op), of(node.left), of(node.right), compares ? "" : ", faults");
    }

private:
    static const char* name_of(Op op) {
        switch (op) {
        case Op::add: return "sum_of";
        case Op::subtract: return "difference_of";
        case Op::multiply: return "product_of";
        case Op::divide: return "quotient_of";
        case Op::remainder: return "remainder_of";
        case Op::equal: return "is_equal";
        case Op::not_equal: return "is_not_equal";
        case Op::less: return "is_less";
        case Op::less_equal: return "is_less_or_equal";
        case Op::greater: return "is_greater";
        default: break;
        }
        return "is_greater_or_equal";
    }
    [[nodiscard]] std::string truth(int index) const { return fmt::format("tessera::as_truth({})", of(index)); }
    [[nodiscard]] std::string part(int index) const;

    const ReductionSetup& reduction_;
    std::size_t value_;
    const Expression& expression_;
};

const Expression& expression_of(const ReductionSetup& reduction, const ReductionSetup::Part& part) {
    return *reduction.values[part.value].expression;
}
Op op_of(const ReductionSetup& reduction, const ReductionSetup::Part& part) { return expression_of(reduction, part).node(part.node).op; }

std::string part_type(const ReductionSetup& reduction, const ReductionSetup::Part& part) {
    switch (op_of(reduction, part)) {
    case Op::count: return "tessera::counted_part";
    case Op::minimum: return fmt::format("tessera::extreme_part<{}, false>", part.of_reals ? "double" : "std::int64_t");
    case Op::maximum: return fmt::format("tessera::extreme_part<{}, true>", part.of_reals ? "double" : "std::int64_t");
    default: break;
    }
    return part.of_reals ? "tessera::real_sum_part" : "tessera::whole_sum_part";
}

std::string ValueText::part(int index) const {
    for (const auto& part : reduction_.parts)
        if (part.value == value_ && part.node == index)
            return fmt::format("{}::{}(words + {}, faults)", part_type(reduction_, part),
                               op_of(reduction_, part) == Op::mean ? "mean" : "value", part.first_word);
    throw Error(Failure::internal, "a reduction of an expression was left out");
}

std::string type_of(Scalar type) {
    if (type == Scalar::f32) return "float";
    return type == Scalar::f64 ? "double" : fmt::format("std::{}_t", name_of(type));
}

// What a value's expression is evaluated to, and where it goes.
std::string made_source(const Setup& setup, const ReductionSetup& reduction, std::size_t number) {
    const auto& value = reduction.values[number];
    const auto text = ValueText(reduction, number).of(value.expression->root);
    std::string faults;
    for (const auto& part : reduction.parts)
        if (part.value == number) faults += fmt::format(" | words[{}]", part.first_word);
    auto source = fmt::format("        {{\n            auto faults = static_cast<std::uint32_t>(0{});\n", faults) +
                  fmt::format("            const tessera::whole_or_real made = {};\n", text);
    if (value.target)
        source += fmt::format("            tessera::put_value<{}>(args, step, {}, {}, made, faults);\n        }}\n",
                              type_of(setup.description().values[*value.target].type), *value.target, number);
    else
        source += "            tessera::put_decision(args, step, made, faults);\n        }\n";
    return source;
}

std::string join_source(const Setup& setup, const ReductionSetup& reduction) {
    std::string parts, made;
    for (const auto& part : reduction.parts)
        parts += fmt::format("        visit({}{{}}, {});\n", part_type(reduction, part), part.first_word);
    for (std::size_t v = 0; v < reduction.values.size(); ++v) made += made_source(setup, reduction, v);
    return fmt::format(R"(struct {0}_of_all {{
    static constexpr std::uint64_t words = {1};
    template<class Visit> static TESSERA_FN void each([[maybe_unused]] Visit&& visit) {{
{2}    }}
    static TESSERA_FN void make(const tessera::join_arguments& args, [[maybe_unused]] std::uint64_t* words, std::uint64_t step) {{
{3}    }}
}};
TESSERA_TASK({0}, tessera::join_arguments, tessera::join_partitions<{0}_of_all>(args))
)",
                       reduction.symbol, reduction.words, parts, made);
}

std::string arguments_of(const Setup& setup, const KernelSetup& kernel) {
    std::string table;
    for (std::size_t c = 0; c < setup.collections[kernel.collection].columns.size(); ++c) {
        int found = -1;
        for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
            if (kernel.accesses[i].column == setup.column_of(kernel.collection, c)) found = static_cast<int>(i);
        table += fmt::format("{}{}", c > 0 ? ", " : "", found);
    }
    return table.empty() ? "-1" : table; // an array has a value at least
}

} // namespace

std::string reduce_headers(const Setup& setup) {
    if (setup.reductions.empty()) return {};
    std::string text;
    const auto takes_remainders = [](const ReductionSetup& reduction) {
        return std::any_of(reduction.values.begin(), reduction.values.end(), [](const auto& value) {
            const auto& nodes = value.expression->nodes;
            return std::any_of(nodes.begin(), nodes.end(), [](const expression::Node& node) { return node.op == Op::remainder; });
        });
    };
    if (std::any_of(setup.reductions.begin(), setup.reductions.end(), takes_remainders))
        text += "#include <tessera/kernels/reduce/remainder.hpp>\n";
    return text + (setup.has_agents() ? "#include <tessera/kernels/reduce/reduce_agents.hpp>\n"
                                      : "#include <tessera/kernels/reduce/reduce.hpp>\n");
}

std::string reduction_source(const Setup& setup, const KernelSetup& kernel) {
    const auto& collection = setup.collections[kernel.collection];
    const auto& reduction = setup.reductions[kernel.reduction];
    const std::string type = kernel.symbol + "_parts", columns = std::to_string(kernel.accesses.size() + 1);
    std::string parts, each, add;
    for (std::size_t p = 0; p < reduction.parts.size(); ++p) {
        const auto& part = reduction.parts[p];
        if (part.collection != kernel.collection) continue;
        const auto& expression = expression_of(reduction, part);
        const auto& node = expression.node(part.node);
        const auto kind = node.op == Op::count ? NumberKind::truth : part.of_reals ? NumberKind::real : NumberKind::whole;
        const auto words = (p + 1 < reduction.parts.size() ? reduction.parts[p + 1].first_word : reduction.words) - part.first_word;
        parts += fmt::format("        {0} s{1};\n        static_assert({0}::words == {2});\n", part_type(reduction, part), p, words);
        each += fmt::format("            visit(s{}, {});\n", p, part.first_word);
        add += fmt::format(
            "        {{\n            [[maybe_unused]] auto& faults = to.s{}.faults;\n            to.s{}.add({}, to.words + {});\n"
            "        }}\n",
            p, p, as(ElementText(setup, expression).of(node.left), kind), part.first_word);
    }
    const bool agents = collection.agents.has_value();
    const auto& row = setup.row_of(collection);
    const auto members = members_type(row);
    const auto whose = agents
                           ? fmt::format("    using agents = tessera_agents_of_{};\n    using places = {};\n", collection.name,
                                         grid_type(setup.collections[collection.agents->ground]))
                           : fmt::format("    using members = {};\n    static constexpr int presence = {};\n", members,
                                         collection.are_changing_links() ? static_cast<int>(*collection.find_column(Role::link_end)) : -1);
    return fmt::format(R"(struct {0} {{
    using launch = tessera::{1};
    using grid = {2};
{3}    using element = tessera::{4}<{0}>;
    static constexpr int columns = {5}, words = {6};
    static constexpr int arguments[] = {{{7}}};
    struct sums {{
        std::uint64_t* words;
{8}        template<class Visit> TESSERA_FN void each(Visit&& visit) {{
{9}        }}
    }};
    template<class Element> static TESSERA_FN void add([[maybe_unused]] const Element& element, [[maybe_unused]] std::int64_t step, sums& to) {{
{10}    }}
}};
TESSERA_REDUCE({11}, {0}, {12})
)",
                       type, agents ? fmt::format("agent_arguments<{}>", columns) : fmt::format("arguments<{}, 1>", columns),
                       grid_type(collection), whose, agents ? "agent_element" : "place_element", columns, reduction.words,
                       arguments_of(setup, kernel), parts, each, add, kernel.symbol, agents ? "reduce_agents" : "reduce_places");
}

std::string joins_source(const Setup& setup) {
    std::string text;
    for (const auto& reduction : setup.reductions) text += join_source(setup, reduction);
    return text;
}

LaunchShape reduction_shape(const Setup& setup, const KernelSetup& kernel, const RowRange& band) {
    const auto& collection = setup.collections[kernel.collection];
    if (collection.agents) return kernel.kind->shape(setup, kernel, band);
    constexpr std::int64_t threads = 256, places_a_thread = 8, most_blocks = 1024; // whose words are joined one after the other
    constexpr std::int64_t few_blocks = 128; // up to so many, a thread has one place, for it waits for each
    const auto lines = band.rows() * (collection.dimensions == 3 ? collection.size[1] : 1);
    LaunchShape shape;
    shape.block = {threads, 1, 1};
    shape.items = lines;
    const auto blocks_of = [places = lines * collection.size[0]](std::int64_t a_block) { return (places + a_block - 1) / a_block; };
    const auto blocks = std::max(blocks_of(threads * places_a_thread), std::min(blocks_of(threads), few_blocks));
    shape.grid[0] = static_cast<unsigned>(std::clamp(blocks, std::int64_t{1}, most_blocks));
    return shape;
}

} // namespace tessera
