#include "host/generate/reduce_code.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "host/setup/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

using expression::Expression;
using expression::Op;

bool is_part(const expression::Node& node) { return node.op >= Op::sum; }

// How many values it takes to evaluate what stands at a node: the operand that takes more is made first, and is one while the other is
// made (Sethi and Ullman). A part is one value of what stands around it.
int values_of(const Expression& expression, int index) {
    const auto& node = expression.node(index);
    if (is_part(node) || node.left < 0) return 1;
    const int left = values_of(expression, node.left);
    if (node.right < 0) return left;
    const int right = values_of(expression, node.right);
    return left == right ? left + 1 : std::max(left, right);
}

reduce_op op_of(Op op) {
    switch (op) {
    case Op::integer:
    case Op::boolean: return reduce_op::whole;
    case Op::number: return reduce_op::real;
    case Op::step: return reduce_op::step;
    case Op::attribute: return reduce_op::element;
    case Op::negate: return reduce_op::negate;
    case Op::logical_not: return reduce_op::logical_not;
    case Op::add: return reduce_op::add;
    case Op::subtract: return reduce_op::subtract;
    case Op::multiply: return reduce_op::multiply;
    case Op::divide: return reduce_op::divide;
    case Op::remainder: return reduce_op::remainder;
    case Op::equal: return reduce_op::equal;
    case Op::not_equal: return reduce_op::not_equal;
    case Op::less: return reduce_op::less;
    case Op::less_equal: return reduce_op::less_equal;
    case Op::greater: return reduce_op::greater;
    case Op::greater_equal: return reduce_op::greater_equal;
    case Op::logical_and: return reduce_op::logical_and;
    case Op::logical_or: return reduce_op::logical_or;
    case Op::mean: return reduce_op::mean_of_part;
    default: break;
    }
    return reduce_op::part;
}

reduce_part_kind kind_of(Op op, bool of_reals) {
    switch (op) {
    case Op::count: return reduce_part_kind::counted;
    case Op::minimum: return of_reals ? reduce_part_kind::least_real : reduce_part_kind::least_whole;
    case Op::maximum: return of_reals ? reduce_part_kind::largest_real : reduce_part_kind::largest_whole;
    default: break;
    }
    return of_reals ? reduce_part_kind::real_sum : reduce_part_kind::whole_sum;
}

// The instructions of one value's expression, without its parts', or of what stands in one of these.
class InstructionsOf {
public:
    InstructionsOf(const Setup& setup, const ReductionSetup& reduction, std::size_t value, std::vector<reduce_instruction>& all)
        : setup_(setup), reduction_(reduction), value_(value), expression_(*reduction.values[value].expression), all_(all) {}

    // Makes what stands at a node value `to`, with those behind it.
    void add(int index, int to) {
        const auto& node = expression_.node(index);
        reduce_instruction next{};
        next.op = op_of(node.op);
        next.to = next.left = to;
        next.whole = node.integer;
        next.real = node.number;
        if (is_part(node))
            next.number = number_of_part(index);
        else if (node.op == Op::attribute)
            load(expression_.attributes[static_cast<std::size_t>(node.attribute)], next);
        else if (node.right >= 0)
            add_operands(node, next);
        else if (node.left >= 0)
            add(node.left, to);
        all_.push_back(next);
    }

private:
    void add_operands(const expression::Node& node, reduce_instruction& next) {
        const bool left_first = values_of(expression_, node.left) >= values_of(expression_, node.right);
        add(left_first ? node.left : node.right, next.to);
        add(left_first ? node.right : node.left, next.to + 1);
        next.left = left_first ? next.to : next.to + 1;
        next.right = left_first ? next.to + 1 : next.to;
    }

    // One of an agent or a place that is there is true.
    void load(const expression::Attribute& attribute, reduce_instruction& next) const {
        if (attribute.kind == expression::Attribute::Kind::presence) {
            next.op = reduce_op::whole;
            next.whole = 1;
            return;
        }
        const auto column = require_column(setup_, {{attribute.collection, attribute.member}, {}});
        const auto& layout = setup_[column].layout;
        const bool is_volume = setup_.collections[setup_.columns[column].collection].dimensions == 3;
        next.number = number_of_column(column);
        next.type = static_cast<std::int32_t>(layout.type);
        next.line = is_volume ? layout.row : 0;
        next.row = is_volume ? layout.plane : layout.row;
        next.element = layout.element * attribute.element.value_or(0);
    }

    // Among those of the kernel of its collection.
    [[nodiscard]] std::int32_t number_of_column(ColumnId column) const {
        for (const auto id : reduction_.kernels) {
            const auto& accesses = setup_.kernels[id].accesses;
            for (std::size_t i = 0; i < accesses.size(); ++i)
                if (accesses[i].column == column) return static_cast<std::int32_t>(i);
        }
        throw Error(Failure::internal, "a reduce reads what its kernels do not");
    }
    [[nodiscard]] std::int32_t number_of_part(int node) const {
        for (std::size_t p = 0; p < reduction_.parts.size(); ++p)
            if (reduction_.parts[p].value == value_ && reduction_.parts[p].node == node) return static_cast<std::int32_t>(p);
        throw Error(Failure::internal, "a reduction of an expression was left out");
    }

    const Setup& setup_;
    const ReductionSetup& reduction_;
    std::size_t value_;
    const Expression& expression_;
    std::vector<reduce_instruction>& all_;
};

// As plain_reduce.hpp takes them: an element, or one and a constant that are compared.
bool is_plain_part(const reduce_instruction* first, const reduce_part& part) {
    const auto is_constant = [](const reduce_instruction& one) { return one.op == reduce_op::whole || one.op == reduce_op::real; };
    const auto is_element = [](const reduce_instruction& one) {
        const auto type = static_cast<Scalar>(one.type);
        const bool has_loops = type == Scalar::f32 || type == Scalar::i32 || type == Scalar::u8 || type == Scalar::boolean;
        return one.op == reduce_op::element && has_loops;
    };
    const auto count = part.end - part.first;
    if (count == 1) return is_element(*first);
    const bool has_both =
        count == 3 && ((is_element(first[0]) && is_constant(first[1])) || (is_constant(first[0]) && is_element(first[1])));
    return has_both && part.kind == reduce_part_kind::counted && first[2].op >= reduce_op::equal && first[2].op <= reduce_op::greater_equal;
}

template<class T> void append(std::vector<std::byte>& bytes, const std::vector<T>& values) {
    static_assert(sizeof(T) % 8 == 0 || alignof(T) <= 4, "what is behind it is aligned");
    const auto at = bytes.size();
    bytes.resize(at + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data() + at, values.data(), values.size() * sizeof(T));
}

} // namespace

ReduceCode::ReduceCode(const Setup& setup) {
    const auto add = [&](const ReductionSetup& reduction, std::size_t value, int node, std::int32_t& first, std::int32_t& end) {
        first = static_cast<std::int32_t>(instructions_.size());
        InstructionsOf(setup, reduction, value, instructions_).add(node, 0);
        end = static_cast<std::int32_t>(instructions_.size());
    };
    for (const auto& reduction : setup.reductions) {
        ranges_.push_back({parts_.size(), reduction.parts.size(), values_.size(), reduction.values.size(), reduction.words});
        for (const auto& part : reduction.parts) {
            const auto& node = reduction.values[part.value].expression->node(part.node);
            reduce_part one{kind_of(node.op, part.of_reals),
                            part.first_word,
                            static_cast<std::int32_t>(part.collection.index()),
                            static_cast<std::int32_t>(part.value),
                            0,
                            0};
            add(reduction, part.value, node.left, one.first, one.end);
            parts_.push_back(one);
        }
        for (std::size_t v = 0; v < reduction.values.size(); ++v) {
            const auto& target = reduction.values[v].target;
            reduce_value one{-1, 0, 0, 0};
            if (target) one.slot = static_cast<std::int32_t>(*target);
            if (target) one.type = static_cast<std::int32_t>(setup.description().values[*target].type);
            add(reduction, v, reduction.values[v].expression->root, one.first, one.end);
            values_.push_back(one);
        }
    }
}

std::vector<std::byte> ReduceCode::bytes() const {
    std::vector<std::byte> bytes;
    append(bytes, instructions_);
    append(bytes, parts_);
    append(bytes, values_);
    return bytes;
}

reduce_code ReduceCode::at(const void* address, ReductionId reduction) const {
    const auto& range = ranges_[reduction.index()];
    const auto* const instructions = static_cast<const reduce_instruction*>(address);
    const auto* const parts = reinterpret_cast<const reduce_part*>(instructions + instructions_.size());
    const auto* const values = reinterpret_cast<const reduce_value*>(parts + parts_.size());
    return {instructions,
            parts + range.part,
            values + range.value,
            static_cast<std::int32_t>(range.parts),
            static_cast<std::int32_t>(range.values),
            range.words};
}

bool ReduceCode::is_plain(ReductionId reduction, CollectionId collection) const {
    const auto& range = ranges_[reduction.index()];
    return std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(range.part),
                       parts_.begin() + static_cast<std::ptrdiff_t>(range.part + range.parts), [&](const reduce_part& part) {
                           return part.collection != static_cast<std::int32_t>(collection.index()) ||
                                  is_plain_part(instructions_.data() + part.first, part);
                       });
}

std::string prelude_without_model() {
    return "#define TESSERA_KERNELS 1\n#define TESSERA_WITHOUT_AGENTS 1\n#define TESSERA_WITHOUT_LINKS 1\n#include "
           "<tessera/model.hpp>\n#include "
           "<tessera/detail/prelude.hpp>\n";
}
std::string any_reduce_epilogue() { return "#include <tessera/kernels/reduce/plain_reduce.hpp>\n"; }

std::string obstacle_to_reduce_code(const Setup& setup) {
    for (const auto& reduction : setup.reductions) {
        for (const auto& value : reduction.values) {
            const auto& expression = *value.expression;
            int most = values_of(expression, expression.root);
            for (const auto& node : expression.nodes)
                if (is_part(node)) most = std::max(most, values_of(expression, node.left));
            if (most > most_reduce_values)
                return fmt::format("`{}` takes {} intermediate values at a time, and the maximum there is {}", shown(expression.text), most,
                                   most_reduce_values);
        }
        for (const auto kernel : reduction.kernels)
            if (setup.kernels[kernel].accesses.size() > most_reduce_columns)
                return fmt::format("{} reads {} members of {}, and the maximum there is {}", shown(setup.kernels[kernel].name),
                                   setup.kernels[kernel].accesses.size(), setup.collections[setup.kernels[kernel].collection].name,
                                   most_reduce_columns);
    }
    return {};
}

} // namespace tessera
