#include "device_runtime/printable.hpp"
#include "host/run_file/expression_program.hpp"
#include "host/run_file/expression_reduce.hpp"

#include <tessera/detail/at_once.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tessera::expression {
namespace {

constexpr std::int64_t blocks_a_batch = 16; // a thread takes whole batches

// One value outside every reduction; integers fit std::int64_t.
struct One {
    Kind kind = Kind::integer;
    Wide integer = 0;
    double number = 0;

    [[nodiscard]] double as_number() const noexcept { return kind == Kind::number ? number : static_cast<double>(integer); }
    [[nodiscard]] bool as_boolean() const noexcept { return kind == Kind::number ? number != 0 : integer != 0; }
};

One one_integer(Wide value) { return {Kind::integer, value, 0}; }
One one_boolean(bool value) { return {Kind::boolean, value ? 1 : 0, 0}; }
One one_number(double value) { return {Kind::number, 0, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value}; }

bool fits(Wide value) noexcept {
    return value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max();
}

// Whether integers without a sign fit such with one.
template<class T> bool fit(const T* values, std::int64_t count) noexcept {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        std::uint64_t all = 0;
        for (std::int64_t i = 0; i < count; ++i) all |= values[i];
        return all >> 63 == 0;
    }
    return true;
}

[[noreturn]] void fail_fault(const std::string& text, unsigned faults) {
    if (faults & Fault::zero_divisor) throw Error(Failure::model, fmt::format("`{}` takes a remainder of a division by 0", shown(text)));
    throw Error(Failure::model, fmt::format("`{}` does not fit", shown(text)), "integers here have 64 bits, with a sign",
                "multiply by 1.0 to compute in double");
}

template<class T> bool holds(Op op, T a, T b) noexcept {
    switch (op) {
    case Op::equal: return a == b;
    case Op::not_equal: return a != b;
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    default: return a >= b;
    }
}

// How many values compare with a constant; the comparison is chosen outside the loop.
template<class T> std::int64_t count_compared(Op op, const T* values, std::int64_t count, T constant) noexcept {
    switch (op) {
    case Op::equal: return count_where(values, count, [=](T value) { return value == constant; });
    case Op::not_equal: return count_where(values, count, [=](T value) { return value != constant; });
    case Op::less: return count_where(values, count, [=](T value) { return value < constant; });
    case Op::less_equal: return count_where(values, count, [=](T value) { return value <= constant; });
    case Op::greater: return count_where(values, count, [=](T value) { return value > constant; });
    default: return count_where(values, count, [=](T value) { return value >= constant; });
    }
}

// The integers are compared in their own width; a constant that this cannot hold is beyond all of them.
template<class T> std::int64_t count_integers(Op op, const T* values, std::int64_t count, std::int64_t constant) noexcept {
    if (std::in_range<T>(constant)) return count_compared(op, values, count, static_cast<T>(constant));
    return holds(op, 0, constant < 0 ? -1 : 1) ? count : 0;
}

// Integers against a double, floats against anything: in double.
template<class T> std::int64_t count_numbers(Op op, const T* values, std::int64_t count, double constant) noexcept {
    double converted[256];
    std::int64_t found = 0;
    for (std::int64_t first = 0; first < count; first += 256) {
        const auto length = std::min<std::int64_t>(256, count - first);
        TESSERA_AT_ONCE
        for (std::int64_t i = 0; i < length; ++i) converted[i] = static_cast<double>(values[first + i]);
        found += count_compared(op, converted, length, constant);
    }
    return found;
}

// Calls `visit(const T*)` with a column's elements from `first` on; bools are bytes.
template<class Visitor> Partial with_column(Scalar type, const void* elements, std::int64_t first, Visitor visit) {
    return with_type(type, [&](auto example) {
        using Stored = std::conditional_t<std::is_same_v<decltype(example), bool>, std::uint8_t, decltype(example)>;
        return visit(static_cast<const Stored*>(elements) + first);
    });
}

// One reduction over all elements. What it is over decides how a block is done: a plain member straight from its column, a count of a
// member compared with a literal likewise, anything else by a Program.
class Reduction {
public:
    Reduction(const Expression& expression, int node, const std::vector<ColumnInfo>& columns, std::uint64_t step)
        : expression_(expression), node_(expression.nodes[static_cast<std::size_t>(node)]), argument_(at(node_.left)),
          text_(expression.text_of(node)) {
        find_length(node_.left, columns);
        if (argument_.op == Op::attribute) {
            straight_ = argument_.attribute;
            type_ = columns[static_cast<std::size_t>(straight_)].type;
            is_number_ = kind_of(type_) == Kind::number;
        } else if (node_.op == Op::count && find_comparison(columns)) {
            is_compared_ = true;
        } else {
            program_.emplace(expression, node_.left, columns, step);
            is_number_ = program_->kind() == Kind::number;
        }
    }

    One evaluate(const Columns& columns, const ParallelFor& parallel_for) const {
        constexpr auto batch = static_cast<std::uint64_t>(blocks_a_batch * block_length);
        const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(length_, 0));
        const auto at_a_time = std::max<std::uint64_t>(columns.at_a_time() / batch, 1) * batch;
        ColumnParts parts(expression_.attributes.size());
        Partial all;
        for (std::uint64_t first = 0; first < length; first += at_a_time) {
            const auto count = std::min(at_a_time, length - first);
            for (const auto a : attributes_) parts[a] = columns.elements(expression_.attributes[a], first, count);
            reduce_part(parts, static_cast<std::int64_t>(count), parallel_for, all);
        }
        return finish(all);
    }

    // What all of them have come to.
    One finish(const Partial& all) const {
        if (all.faults) fail_fault(text_, all.faults);
        const auto nothing = std::numeric_limits<double>::quiet_NaN();
        switch (node_.op) {
        case Op::count: return one_integer(all.integer);
        case Op::mean:
            if (length_ == 0) return one_number(nothing);
            return one_number(is_number_ ? all.mean(static_cast<double>(length_))
                                         : static_cast<double>(all.integer) / static_cast<double>(length_));
        case Op::sum:
            if (is_number_) return one_number(all.total());
            break;
        default:
            if (length_ == 0) return one_number(nothing);
            if (is_number_) return one_number(all.number);
        }
        if (!fits(all.integer)) fail_fault(text_, Fault::overflow);
        return one_integer(all.integer);
    }

private:
    const Node& at(int node) const { return expression_.nodes[static_cast<std::size_t>(node)]; }

    void find_length(int node, const std::vector<ColumnInfo>& columns) {
        const auto& part = at(node);
        if (part.left >= 0) find_length(part.left, columns);
        if (part.right >= 0) find_length(part.right, columns);
        if (part.op != Op::attribute) return;
        const auto count = static_cast<std::int64_t>(columns[static_cast<std::size_t>(part.attribute)].count);
        if (length_ >= 0 && length_ != count)
            throw Error(Failure::internal, fmt::format("columns of {} and {} elements in `{}`", length_, count, text_));
        length_ = count;
        attributes_.push_back(static_cast<std::size_t>(part.attribute));
    }

    // `member < literal`, or `member < -literal`.
    bool find_comparison(const std::vector<ColumnInfo>& columns) {
        if (argument_.op < Op::equal || argument_.op > Op::greater_equal || at(argument_.left).op != Op::attribute) return false;
        const bool negative = at(argument_.right).op == Op::negate;
        const auto& literal = negative ? at(at(argument_.right).left) : at(argument_.right);
        if (literal.op != Op::integer && literal.op != Op::number) return false;
        straight_ = at(argument_.left).attribute;
        type_ = columns[static_cast<std::size_t>(straight_)].type;
        literal_ = literal.op == Op::integer ? one_integer(literal.integer) : one_number(literal.number);
        if (negative) literal_ = {literal_.kind, -literal_.integer, -literal_.number};
        return true;
    }

    // So many elements, whole batches of them but for the last ones of all.
    void reduce_part(const ColumnParts& parts, std::int64_t count, const ParallelFor& parallel_for, Partial& all) const {
        constexpr auto batch_length = blocks_a_batch * block_length;
        const auto batches = (count + batch_length - 1) / batch_length;
        std::vector<Partial> partials(static_cast<std::size_t>(batches));
        const auto body = [&](std::int64_t begin, std::int64_t end) {
            std::optional<Program::Scratch> scratch;
            if (program_) scratch.emplace(*program_);
            for (auto batch = begin; batch < end; ++batch)
                partials[static_cast<std::size_t>(batch)] =
                    reduce_batch(parts, batch * batch_length, std::min(count, (batch + 1) * batch_length), scratch);
        };
        if (parallel_for && batches > 1)
            parallel_for(batches, body);
        else
            body(0, batches);
        for (const auto& partial : partials) combine(all, partial, node_.op, is_number_);
    }

    Partial reduce_batch(const ColumnParts& parts, std::int64_t first, std::int64_t end,
                         std::optional<Program::Scratch>& scratch) const noexcept {
        Partial result;
        for (; first < end; first += block_length)
            combine(result, reduce(parts, first, std::min(block_length, end - first), scratch), node_.op, is_number_);
        return result;
    }

    Partial reduce(const ColumnParts& parts, std::int64_t first, std::int64_t count,
                   std::optional<Program::Scratch>& scratch) const noexcept {
        const void* const straight = straight_ < 0 ? nullptr : parts[static_cast<std::size_t>(straight_)];
        if (!program_)
            return with_column(type_, straight, first, [&](const auto* values) {
                auto partial = is_compared_ ? count_block(values, count) : reduce_block(node_.op, values, count);
                if (!fit(values, count)) partial.faults |= Fault::overflow;
                return partial;
            });
        const auto* values = program_->run(*scratch, parts, first, count);
        auto partial = with_kind(
            program_->kind(), [&](auto example) { return reduce_block(node_.op, static_cast<const decltype(example)*>(values), count); });
        partial.faults = Program::faults(*scratch);
        return partial;
    }

    template<class T> Partial count_block(const T* values, std::int64_t count) const noexcept {
        Partial partial;
        partial.empty = false;
        if constexpr (std::is_integral_v<T>)
            partial.integer = literal_.kind == Kind::integer
                                  ? count_integers(argument_.op, values, count, static_cast<std::int64_t>(literal_.integer))
                                  : count_numbers(argument_.op, values, count, literal_.number);
        else
            partial.integer = count_numbers(argument_.op, values, count, literal_.as_number());
        return partial;
    }

    const Expression& expression_;
    const Node& node_;
    const Node& argument_;
    std::string text_;
    std::int64_t length_ = -1;
    bool is_number_ = false;
    bool is_compared_ = false;
    std::vector<std::size_t> attributes_; // that it reads
    int straight_ = -1;                   // the one that is read as it stands
    Scalar type_ = Scalar::u8;            // of that
    One literal_;
    std::optional<Program> program_;
};

// The tree outside the reductions.
class Evaluator {
public:
    Evaluator(const Expression& expression, const Columns& columns, std::uint64_t step, const ParallelFor& parallel_for,
              std::optional<Partials> partials)
        : expression_(expression), given_(columns), step_(step), parallel_for_(parallel_for), partials_(std::move(partials)) {
        for (const auto& attribute : expression.attributes) {
            using Kind = Attribute::Kind;
            const bool has_elements = attribute.kind == Kind::member || attribute.kind == Kind::presence;
            columns_.push_back(has_elements ? columns.column(attribute) : ColumnInfo{});
        }
    }

    One evaluate(int index) const {
        const auto& node = expression_.nodes[static_cast<std::size_t>(index)];
        if (node.op >= Op::sum) {
            const Reduction reduction(expression_, index, columns_, step_);
            return partials_ ? reduction.finish(partials_->at(index)) : reduction.evaluate(given_, parallel_for_);
        }
        switch (node.op) {
        case Op::integer: return one_integer(node.integer);
        case Op::boolean: return one_boolean(node.integer != 0);
        case Op::step: return one_integer(static_cast<Wide>(step_));
        case Op::tally:
            return one_integer(static_cast<Wide>(given_.tally(expression_.attributes[static_cast<std::size_t>(node.attribute)])));
        case Op::number: return one_number(node.number);
        default: break;
        }
        const auto left = evaluate(node.left);
        const auto right = node.right < 0 ? One{} : evaluate(node.right);
        if (node.op == Op::logical_not) return one_boolean(!left.as_boolean());
        if (node.op == Op::logical_and) return one_boolean(left.as_boolean() && right.as_boolean());
        if (node.op == Op::logical_or) return one_boolean(left.as_boolean() || right.as_boolean());
        const bool in_double = node.op == Op::divide || left.kind == Kind::number || right.kind == Kind::number;
        if (node.op >= Op::equal)
            return one_boolean(in_double ? holds(node.op, left.as_number(), right.as_number())
                                         : holds(node.op, left.integer, right.integer));
        return in_double ? one_number(of_numbers(node.op, left.as_number(), right.as_number()))
                         : of_integers(node.op, left.integer, right.integer);
    }

private:
    static double of_numbers(Op op, double a, double b) {
        switch (op) {
        case Op::negate: return -a;
        case Op::add: return a + b;
        case Op::subtract: return a - b;
        case Op::multiply: return a * b;
        case Op::divide: return a / b;
        default: return std::fmod(a, b);
        }
    }

    One of_integers(Op op, Wide a, Wide b) const {
        Wide result = 0;
        bool overflows = false;
        switch (op) {
        case Op::negate: result = -a; break;
        case Op::add: result = a + b; break;
        case Op::subtract: result = a - b; break;
        case Op::multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
        default:
            if (b == 0) fail_fault(expression_.text, Fault::zero_divisor);
            result = a % b;
        }
        if (overflows || !fits(result)) fail_fault(expression_.text, Fault::overflow);
        return one_integer(result);
    }

    const Expression& expression_;
    const Columns& given_;
    std::uint64_t step_;
    const ParallelFor& parallel_for_;
    std::optional<Partials> partials_; // of the reductions, where somebody else made them
    std::vector<ColumnInfo> columns_;
};

} // namespace

std::uint64_t Columns::tally(const Attribute& attribute) const {
    throw Error(Failure::internal, fmt::format("nothing is counted of {}", attribute.collection));
}

Value evaluate(const Expression& expression, const Columns& columns, std::uint64_t step, const ParallelFor& parallel_for) {
    return evaluate(expression, columns, step, parallel_for, {});
}

Value evaluate(const Expression& expression, const Columns& columns, std::uint64_t step, const ParallelFor& parallel_for,
               std::optional<Partials> partials) {
    const auto value = Evaluator(expression, columns, step, parallel_for, std::move(partials)).evaluate(expression.root);
    if (value.kind == Kind::boolean) return value.integer != 0;
    if (value.kind == Kind::number) return value.number;
    return static_cast<std::int64_t>(value.integer);
}

bool is_true(const Value& value) noexcept {
    return std::visit([](auto held) { return held != decltype(held){}; }, value);
}

std::string to_string(const Value& value) {
    return std::visit([](auto held) { return fmt::format("{}", held); }, value);
}

} // namespace tessera::expression
