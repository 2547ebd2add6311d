#include "host/run_file/expression_program.hpp"

#include <tessera/detail/at_once.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tessera::expression {
namespace {

bool is_comparison(Op op) { return op >= Op::equal && op <= Op::greater_equal; }
bool is_logical(Op op) { return op == Op::logical_and || op == Op::logical_or || op == Op::logical_not; }

template<class Result, class Operand, class Function> void map(Result* result, const Operand* a, std::int64_t count, Function function) {
    TESSERA_AT_ONCE
    for (std::int64_t i = 0; i < count; ++i) result[i] = function(a[i]);
}

template<class Result, class Operand, class Function>
void map(Result* result, const Operand* a, const Operand* b, std::int64_t count, Function function) {
    TESSERA_AT_ONCE
    for (std::int64_t i = 0; i < count; ++i) result[i] = function(a[i], b[i]);
}

// `operation(a, b, &result)` says whether it went wrong.
template<class Operation>
unsigned map_checked(std::int64_t* result, const std::int64_t* a, const std::int64_t* b, std::int64_t count, Operation operation) {
    bool wrong = false;
    for (std::int64_t i = 0; i < count; ++i) wrong |= operation(a[i], b[i], result + i);
    return wrong ? 1u : 0u;
}

} // namespace

Kind kind_of(Scalar type) noexcept {
    if (type == Scalar::boolean) return Kind::boolean;
    return type == Scalar::f32 || type == Scalar::f64 ? Kind::number : Kind::integer;
}

Program::Scratch::Scratch(const Program& program)
    : memory_(new std::byte[program.instructions_.size() * static_cast<std::size_t>(block_length) * 8]) {
    for (std::size_t i = 0; i < program.instructions_.size(); ++i)
        if (program.instructions_[i].action == Action::constant) program.fill_constant(*this, static_cast<int>(i));
}

Program::Program(const Expression& expression, int node, const std::vector<ColumnInfo>& columns, std::uint64_t step) {
    compile(expression, node, columns, static_cast<std::int64_t>(step));
}

int Program::add(const Instruction& instruction) {
    instructions_.push_back(instruction);
    return static_cast<int>(instructions_.size()) - 1;
}

int Program::converted(int instruction, Kind kind) {
    if (instructions_[static_cast<std::size_t>(instruction)].kind == kind) return instruction;
    Instruction conversion;
    conversion.action = Action::convert;
    conversion.kind = kind;
    conversion.left = instruction;
    return add(conversion);
}

int Program::compile(const Expression& expression, int node, const std::vector<ColumnInfo>& columns, std::int64_t step) {
    const auto& from = expression.nodes[static_cast<std::size_t>(node)];
    Instruction to;
    switch (from.op) {
    case Op::integer:
    case Op::boolean:
    case Op::step:
        to.action = Action::constant;
        to.kind = from.op == Op::boolean ? Kind::boolean : Kind::integer;
        to.integer = from.op == Op::step ? step : from.integer;
        return add(to);
    case Op::number:
        to.action = Action::constant;
        to.kind = Kind::number;
        to.number = from.number;
        return add(to);
    case Op::attribute:
        to.action = Action::load;
        to.attribute = static_cast<std::size_t>(from.attribute);
        to.type = columns[to.attribute].type;
        to.kind = kind_of(to.type);
        return add(to);
    default: break;
    }
    const int left = compile(expression, from.left, columns, step);
    const int right = from.right < 0 ? -1 : compile(expression, from.right, columns, step);
    return compile_operation(from.op, left, right);
}

int Program::compile_operation(Op op, int left, int right) {
    const auto kind_at = [&](int index) { return index < 0 ? Kind::boolean : instructions_[static_cast<std::size_t>(index)].kind; };
    Kind operands = std::max({Kind::integer, kind_at(left), kind_at(right)});
    if (is_logical(op)) operands = Kind::boolean;
    if (op == Op::divide) operands = Kind::number;
    Instruction to;
    to.op = op;
    to.kind = is_comparison(op) ? Kind::boolean : operands;
    to.left = converted(left, operands);
    to.right = right < 0 ? -1 : converted(right, operands);
    return add(to);
}

template<class T> T* Program::block_of(Scratch& scratch, int instruction) const noexcept {
    return reinterpret_cast<T*>(scratch.memory_.get() + static_cast<std::int64_t>(instruction) * block_length * 8);
}

void Program::fill_constant(Scratch& scratch, int index) const noexcept {
    const auto& instruction = instructions_[static_cast<std::size_t>(index)];
    with_kind(instruction.kind, [&](auto example) {
        using T = decltype(example);
        const T value = instruction.kind == Kind::number ? static_cast<T>(instruction.number) : static_cast<T>(instruction.integer);
        std::fill_n(block_of<T>(scratch, index), block_length, value);
    });
}

void Program::load(Scratch& scratch, int index, const ColumnParts& columns, std::int64_t first, std::int64_t count) const noexcept {
    const auto& instruction = instructions_[static_cast<std::size_t>(index)];
    with_type(instruction.type, [&](auto example) {
        using Stored = std::conditional_t<std::is_same_v<decltype(example), bool>, std::uint8_t, decltype(example)>;
        using Result = std::conditional_t<std::is_floating_point_v<Stored>, double,
                                          std::conditional_t<std::is_same_v<decltype(example), bool>, std::uint8_t, std::int64_t>>;
        const auto* from = static_cast<const Stored*>(columns[instruction.attribute]) + first;
        map(block_of<Result>(scratch, index), from, count, [](Stored value) { return static_cast<Result>(value); });
        if constexpr (std::is_same_v<Stored, std::uint64_t>) {
            std::uint64_t all = 0;
            for (std::int64_t i = 0; i < count; ++i) all |= from[i];
            if (all >> 63) scratch.faults_ |= Fault::overflow;
        }
    });
}

void Program::convert(Scratch& scratch, int index, std::int64_t count) const noexcept {
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    with_kind(instructions_[static_cast<std::size_t>(to.left)].kind, [&](auto from_example) {
        using From = decltype(from_example);
        const auto* from = block_of<From>(scratch, to.left);
        switch (to.kind) {
        case Kind::boolean:
            return map(block_of<std::uint8_t>(scratch, index), from, count,
                       [](From value) { return static_cast<std::uint8_t>(value != From{}); });
        case Kind::integer:
            return map(block_of<std::int64_t>(scratch, index), from, count, [](From value) { return static_cast<std::int64_t>(value); });
        case Kind::number: return map(block_of<double>(scratch, index), from, count, [](From value) { return static_cast<double>(value); });
        }
    });
}

void Program::compute_integers(Scratch& scratch, int index, std::int64_t count) const noexcept {
    using Integer = std::int64_t;
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    auto* result = block_of<Integer>(scratch, index);
    const auto* a = block_of<Integer>(scratch, to.left);
    const auto* b = to.right < 0 ? a : block_of<Integer>(scratch, to.right);
    const auto checked = [&](auto operation) { return map_checked(result, a, b, count, operation) * Fault::overflow; };
    switch (to.op) {
    case Op::negate:
        scratch.faults_ |= checked([](Integer x, Integer, Integer* r) { return __builtin_sub_overflow(Integer{0}, x, r); });
        break;
    case Op::add: scratch.faults_ |= checked([](Integer x, Integer y, Integer* r) { return __builtin_add_overflow(x, y, r); }); break;
    case Op::subtract: scratch.faults_ |= checked([](Integer x, Integer y, Integer* r) { return __builtin_sub_overflow(x, y, r); }); break;
    case Op::multiply: scratch.faults_ |= checked([](Integer x, Integer y, Integer* r) { return __builtin_mul_overflow(x, y, r); }); break;
    default: // remainder; by -1 it is 0, also where the quotient would overflow
        scratch.faults_ |= map_checked(result, a, b, count,
                                       [](Integer x, Integer y, Integer* r) {
                                           *r = y == 0 || y == -1 ? 0 : x % y;
                                           return y == 0;
                                       }) *
                           Fault::zero_divisor;
    }
}

void Program::compute_numbers(Scratch& scratch, int index, std::int64_t count) const noexcept {
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    auto* result = block_of<double>(scratch, index);
    const auto* a = block_of<double>(scratch, to.left);
    const auto* b = to.right < 0 ? a : block_of<double>(scratch, to.right);
    switch (to.op) {
    case Op::negate: map(result, a, count, [](double x) { return -x; }); break;
    case Op::add: map(result, a, b, count, [](double x, double y) { return x + y; }); break;
    case Op::subtract: map(result, a, b, count, [](double x, double y) { return x - y; }); break;
    case Op::multiply: map(result, a, b, count, [](double x, double y) { return x * y; }); break;
    case Op::divide: map(result, a, b, count, [](double x, double y) { return x / y; }); break;
    default: map(result, a, b, count, [](double x, double y) { return std::fmod(x, y); });
    }
}

void Program::compute_booleans(Scratch& scratch, int index, std::int64_t count) const noexcept {
    using Byte = std::uint8_t;
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    auto* result = block_of<Byte>(scratch, index);
    const auto* a = block_of<Byte>(scratch, to.left);
    const auto* b = to.right < 0 ? a : block_of<Byte>(scratch, to.right);
    switch (to.op) {
    case Op::logical_and: map(result, a, b, count, [](Byte x, Byte y) { return static_cast<Byte>(x & y); }); break;
    case Op::logical_or: map(result, a, b, count, [](Byte x, Byte y) { return static_cast<Byte>(x | y); }); break;
    default: map(result, a, count, [](Byte x) { return static_cast<Byte>(x ^ 1); });
    }
}

template<class T> void Program::compare(Scratch& scratch, int index, std::int64_t count) const noexcept {
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    auto* result = block_of<std::uint8_t>(scratch, index);
    const auto *a = block_of<T>(scratch, to.left), *b = block_of<T>(scratch, to.right);
    const auto with = [&](auto holds) { map(result, a, b, count, [&](T x, T y) { return static_cast<std::uint8_t>(holds(x, y)); }); };
    switch (to.op) {
    case Op::equal: return with([](T x, T y) { return x == y; });
    case Op::not_equal: return with([](T x, T y) { return x != y; });
    case Op::less: return with([](T x, T y) { return x < y; });
    case Op::less_equal: return with([](T x, T y) { return x <= y; });
    case Op::greater: return with([](T x, T y) { return x > y; });
    default: return with([](T x, T y) { return x >= y; });
    }
}

void Program::compute(Scratch& scratch, int index, std::int64_t count) const noexcept {
    const auto& to = instructions_[static_cast<std::size_t>(index)];
    const auto operands = instructions_[static_cast<std::size_t>(to.left)].kind;
    if (is_comparison(to.op))
        return operands == Kind::number ? compare<double>(scratch, index, count) : compare<std::int64_t>(scratch, index, count);
    switch (to.kind) {
    case Kind::boolean: return compute_booleans(scratch, index, count);
    case Kind::integer: return compute_integers(scratch, index, count);
    case Kind::number: return compute_numbers(scratch, index, count);
    }
}

const void* Program::run(Scratch& scratch, const ColumnParts& columns, std::int64_t first, std::int64_t count) const noexcept {
    for (int index = 0; index < static_cast<int>(instructions_.size()); ++index) {
        switch (instructions_[static_cast<std::size_t>(index)].action) {
        case Action::load: load(scratch, index, columns, first, count); break;
        case Action::convert: convert(scratch, index, count); break;
        case Action::compute: compute(scratch, index, count); break;
        case Action::constant: break;
        }
    }
    return block_of<std::byte>(scratch, static_cast<int>(instructions_.size()) - 1);
}

} // namespace tessera::expression
