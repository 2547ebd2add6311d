// The argument of a reduction, compiled for the types of its columns and evaluated a block of elements at a time: one typed loop an
// operation, so that the tree is walked once a block and the loops vectorise. Internal to host/run_file.
#pragma once

#include "host/run_file/expression.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera::expression {

constexpr std::int64_t block_length = 4096;

// What values are computed in: std::uint8_t of 0 or 1, std::int64_t, double.
enum class Kind : std::uint8_t { boolean, integer, number };

// What can go wrong with an element; bits of a set.
enum Fault : unsigned { overflow = 1, zero_divisor = 2 };

[[nodiscard]] Kind kind_of(Scalar type) noexcept;

// Calls `visit(T{})` with the type that a kind is computed in.
template<class Visitor> decltype(auto) with_kind(Kind kind, Visitor&& visit) {
    switch (kind) {
    case Kind::boolean: return visit(std::uint8_t{});
    case Kind::integer: return visit(std::int64_t{});
    case Kind::number: break;
    }
    return visit(double{});
}

// Elements of an expression's attributes, in their order; null for those that are not asked for.
using ColumnParts = std::vector<const void*>;

class Program {
public:
    // Memory that one thread evaluates blocks in.
    class Scratch {
    public:
        explicit Scratch(const Program& program);

    private:
        friend class Program;
        std::unique_ptr<std::byte[]> memory_; // a block of 8-byte elements for each instruction
        unsigned faults_ = 0;
    };

    // `columns` are those of the expression's attributes, in their order.
    Program(const Expression& expression, int node, const std::vector<ColumnInfo>& columns, std::uint64_t step);

    [[nodiscard]] Kind kind() const noexcept { return instructions_.back().kind; }

    // Elements [first, first + count), at most a block, as an array of the kind's type in `scratch`. `columns` begin with element 0, in the
    // order of the attributes. [any thread, with a scratch of its own]
    [[nodiscard]] const void* run(Scratch& scratch, const ColumnParts& columns, std::int64_t first, std::int64_t count) const noexcept;
    [[nodiscard]] static unsigned faults(const Scratch& scratch) noexcept { return scratch.faults_; }

private:
    enum class Action : std::uint8_t { load, constant, convert, compute };
    struct Instruction {
        Action action = Action::compute;
        Op op = Op::add;           // of Action::compute
        Kind kind = Kind::integer; // of the result
        int left = -1, right = -1; // earlier instructions; their kinds agree
        Scalar type = Scalar::u8;  // of Action::load
        std::size_t attribute = 0;
        std::int64_t integer = 0; // of Action::constant
        double number = 0;
    };

    int compile(const Expression& expression, int node, const std::vector<ColumnInfo>& columns, std::int64_t step);
    int compile_operation(Op op, int left, int right);
    int add(const Instruction& instruction);
    int converted(int instruction, Kind kind);
    template<class T> [[nodiscard]] T* block_of(Scratch& scratch, int instruction) const noexcept;
    void fill_constant(Scratch& scratch, int index) const noexcept;
    void load(Scratch& scratch, int index, const ColumnParts& columns, std::int64_t first, std::int64_t count) const noexcept;
    void convert(Scratch& scratch, int index, std::int64_t count) const noexcept;
    void compute(Scratch& scratch, int index, std::int64_t count) const noexcept;
    void compute_integers(Scratch& scratch, int index, std::int64_t count) const noexcept;
    void compute_numbers(Scratch& scratch, int index, std::int64_t count) const noexcept;
    void compute_booleans(Scratch& scratch, int index, std::int64_t count) const noexcept;
    template<class T> void compare(Scratch& scratch, int index, std::int64_t count) const noexcept;

    std::vector<Instruction> instructions_; // each after those that it needs; the last is the result
};

} // namespace tessera::expression
