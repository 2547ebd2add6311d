// A model of places as data: random_model_maker.hpp makes it up, random_model_text.hpp writes it down for the engine, and
// random_model_loop.hpp carries it out by itself.
#pragma once

#include "device_runtime/scalar.hpp"
#include "tests/support/states.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::random_model {

// What expressions are made of. Every operation on them is defined: integers wrap, and floats stay small.
enum class Kind { boolean, u32, u64, f32, f64, i32 }; // i32: of packed models, small enough that nothing overflows

inline bool is_float(Kind kind) { return kind == Kind::f32 || kind == Kind::f64; }

// What a member is in an expression.
inline Kind kind_of(Scalar type) {
    switch (type) {
    case Scalar::boolean: return Kind::boolean;
    case Scalar::i64:
    case Scalar::u64: return Kind::u64;
    case Scalar::f32: return Kind::f32;
    case Scalar::f64: return Kind::f64;
    default: return Kind::u32;
    }
}

// Values are bits: a bool as 0 or 1, an integer of its size, a float as it is in memory, zeros above.
using Bits = std::uint64_t;

struct Member {
    std::string name;
    Scalar type = Scalar::u8;
    int elements = 0;                // of an array; 0 for a single value
    bool odd = false;                // an integer that is odd wherever it is read, so that one may divide by it
    Bits initially = 0, outside = 0; // of all elements

    [[nodiscard]] int values() const { return elements == 0 ? 1 : elements; }
};

struct Offset {
    int x = 0, y = 0, z = 0;
    friend bool operator==(const Offset&, const Offset&) = default;
};

struct Neighbourhood {
    std::string name;       // in the source
    std::string definition; // of a list; else the SDK has it
    std::vector<Offset> offsets;
};

struct Expression {
    enum class Op {
        constant, // bits
        own,
        own_chosen,
        at,
        other, // a member: of this place, its element that the operand chooses, at an offset, in an `each`
        exists,
        local,
        position,
        size,
        step,
        parameter,
        sum,
        add,
        subtract,
        multiply,
        bit_and,
        bit_or,
        bit_xor,
        shift_left,
        shift_right,
        remainder, // by as many as `bits` says
        quotient,
        modulus, // by an odd number
        ratio,   // a / (1 + b * b)
        scaled,  // a times the constant in `bits`
        root,
        fused,
        smaller,
        larger,
        magnitude, // of the SDK's mathematics: sqrt(1 + a * a), fma(a, b, c), min, max, abs
        equal,
        less,
        negate,
        select,
        convert
    };
    Op op = Op::constant;
    Kind kind = Kind::u32;
    Bits bits = 0;
    int index = 0; // of the member, local or axis
    int element = 0;
    int around = 0; // the neighbourhood of a sum
    Offset offset{};
    double most = 0; // a float's magnitude is at most this
    std::vector<Expression> of{};
};

inline constexpr double most_kept = 8; // what a float is at most in a member or a local

inline Expression constant(Kind kind, Bits bits, double most = 0) {
    Expression e;
    e.kind = kind;
    e.bits = bits;
    e.most = most;
    return e;
}
inline Expression named(Expression::Op op, Kind kind, int index, int element = 0) {
    Expression e;
    e.op = op;
    e.kind = kind;
    e.index = index;
    e.element = element;
    e.most = is_float(kind) ? most_kept : 0;
    return e;
}
inline Expression unary(Expression::Op op, Kind kind, Expression a) {
    Expression e;
    e.op = op;
    e.kind = kind;
    e.most = op == Expression::Op::root ? 1 + a.most : a.most;
    e.of.push_back(std::move(a));
    return e;
}
inline Expression binary(Expression::Op op, Expression a, Expression b) {
    Expression e;
    e.op = op;
    e.kind = a.kind;
    e.most = op == Expression::Op::multiply ? a.most * b.most : op == Expression::Op::ratio ? a.most : a.most + b.most;
    e.of.push_back(std::move(a));
    e.of.push_back(std::move(b));
    return e;
}
inline Expression compared(Expression::Op op, Expression a, Expression b) {
    auto e = binary(op, std::move(a), std::move(b));
    e.kind = Kind::boolean;
    return e;
}
inline Expression choice(Expression condition, Expression a, Expression b) {
    auto e = unary(Expression::Op::select, a.kind, std::move(condition));
    e.most = std::max(a.most, b.most);
    e.of.push_back(std::move(a));
    e.of.push_back(std::move(b));
    return e;
}

struct Statement {
    enum class Op { draw, declare, change, assign, when, each };
    enum class Draw { bits, below, uniform, uniform64, bernoulli };
    Op op = Op::declare;
    Draw draw = Draw::bits;
    std::uint32_t below = 1;
    int index = 0;   // of the local, member, or neighbourhood
    int element = 0; // of an array member; -1: the second operand chooses
    Kind kind = Kind::u32;
    std::vector<Expression> of{};
    std::vector<Statement> then{}, otherwise{};
};

struct Access {
    enum class Entry { reads, around, writes, sets };
    Entry entry = Entry::reads;
    int member = 0;
    int neighbourhood = -1;
};

struct Function {
    std::string name;
    std::vector<Access> accesses{};
    std::vector<Statement> body{};
    int locals = 0;

    [[nodiscard]] bool has(Access::Entry entry, int member) const {
        for (const auto& access : accesses)
            if (access.entry == entry && access.member == member) return true;
        return false;
    }
    [[nodiscard]] bool writes(int member) const { return has(Access::Entry::writes, member) || has(Access::Entry::sets, member); }
    [[nodiscard]] bool reads(int member) const {
        return has(Access::Entry::reads, member) || has(Access::Entry::around, member) || has(Access::Entry::writes, member);
    }
};

struct Phase {
    int function = -1; // -1: rotates
    std::vector<int> rotated{};
    std::uint64_t every = 1, from = 0, until = ~std::uint64_t{0};

    [[nodiscard]] bool runs_in(std::uint64_t step) const { return from <= step && step < until && (step - from) % every == 0; }
};

// What all models of a file share: a number and a fraction.
struct Parameters {
    std::uint32_t salt = 1;
    float drift = 0.5f;
};

struct Model {
    unsigned number = 0;
    Parameters parameters{};
    int bits = 0; // of its bytes, if it is written for 32 places at once; else 0
    std::string row, collection;
    int dimensions = 2;
    Shape shape;
    std::vector<Member> members{};
    std::vector<Neighbourhood> neighbourhoods{};
    std::vector<Function> functions{}; // the first is that of TESSERA_INIT
    std::vector<Phase> phases{};

    // Whether a function may read a member at an offset.
    [[nodiscard]] bool shows(const Function& function, int member, Offset wanted) const {
        if (wanted == Offset{}) return function.reads(member);
        for (const auto& access : function.accesses)
            if (access.entry == Access::Entry::around && access.member == member)
                for (const auto& offset : neighbourhoods[static_cast<std::size_t>(access.neighbourhood)].offsets)
                    if (offset == wanted) return true;
        return false;
    }
    [[nodiscard]] bool shows_all(const Function& function, int member, const Neighbourhood& wanted) const {
        for (const auto& offset : wanted.offsets)
            if (!shows(function, member, offset)) return false;
        return true;
    }
};

} // namespace tessera::test::random_model
