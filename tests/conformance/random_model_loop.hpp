// What a random model does, worked out by straight loops over its expressions: nothing of the engine or the SDK has a part in it.
#pragma once

#include "tests/conformance/philox.hpp"
#include "tests/conformance/random_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

namespace tessera::test::random_model {

inline float as_float(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double as_double(Bits bits) { return std::bit_cast<double>(bits); }
inline Bits bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
inline Bits bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// A stored value as an expression sees it.
inline Bits widened(Scalar type, Bits bits) {
    switch (type) {
    case Scalar::i8: return static_cast<std::uint32_t>(static_cast<std::int8_t>(bits));
    case Scalar::i16: return static_cast<std::uint32_t>(static_cast<std::int16_t>(bits));
    default: return bits;
    }
}
// An expression's value as it is stored.
inline Bits narrowed(Scalar type, Bits bits) { return size_of(type) == 8 ? bits : bits & ((Bits{1} << 8 * size_of(type)) - 1); }

using Column = std::vector<Bits>;  // [element * places + place]
using State = std::vector<Column>; // [member]

// One place in one call of a function.
class PlaceCall {
public:
    PlaceCall(const Model& model, const Function& function, const State& before, Stream random, std::uint64_t step)
        : model_(model), function_(function), before_(before), random_(random), step_(step),
          locals_(static_cast<std::size_t>(function.locals)) {}

    // Leaves what the place's members are afterwards in `after`.
    void run(std::int64_t x, std::int64_t y, std::int64_t z, Stream random, State& after) {
        x_ = x, y_ = y, z_ = z, random_ = random;
        const auto here = model_.shape.index(x, y, z);
        own_.clear();
        for (std::size_t m = 0; m < model_.members.size(); ++m) {
            const auto& member = model_.members[m];
            const bool starts_anew = !function_.reads(static_cast<int>(m)); // where only `sets` names it
            auto& values = own_.emplace_back();
            for (int e = 0; e < member.values(); ++e)
                values[static_cast<std::size_t>(e)] = starts_anew ? member.initially : before_[m][at_element(e) + here];
        }
        run(function_.body);
        for (std::size_t m = 0; m < model_.members.size(); ++m)
            if (function_.writes(static_cast<int>(m)))
                for (int e = 0; e < model_.members[m].values(); ++e) after[m][at_element(e) + here] = own_[m][static_cast<std::size_t>(e)];
    }

private:
    using Op = Expression::Op;

    [[nodiscard]] std::size_t at_element(int element) const { return static_cast<std::size_t>(element) * model_.shape.count(); }
    static std::size_t of(int index) { return static_cast<std::size_t>(index); }

    [[nodiscard]] reference::Seen<std::size_t> place_at(Offset offset) const {
        const Shape& s = model_.shape;
        const auto x = reference::follow(x_ + offset.x, s.nx, s.x), y = reference::follow(y_ + offset.y, s.ny, s.y),
                   z = reference::follow(z_ + offset.z, s.nz, s.z);
        const bool out_x = x < 0 || x >= s.nx, out_y = y < 0 || y >= s.ny, out_z = z < 0 || z >= s.nz;
        if ((out_x && s.x == Boundary::open) || (out_y && s.y == Boundary::open) || (out_z && s.z == Boundary::open)) return {false, 0};
        return {true, out_x || out_y || out_z ? fixed : s.index(x, y, z)};
    }
    [[nodiscard]] Bits value_at(int index, int element, Offset offset) const {
        const auto& member = model_.members[of(index)];
        const auto place = place_at(offset);
        const Bits bits = !place.exists          ? member.initially
                          : place.value == fixed ? member.outside
                                                 : before_[of(index)][at_element(element) + place.value];
        return widened(member.type, bits);
    }

    void run(const std::vector<Statement>& statements) {
        for (const auto& statement : statements) run(statement);
    }
    void run(const Statement& s) {
        switch (s.op) {
        case Statement::Op::draw: locals_[of(s.index)] = drawn(s); break;
        case Statement::Op::declare:
        case Statement::Op::change: locals_[of(s.index)] = value(s.of[0]); break;
        case Statement::Op::assign: {
            const auto& member = model_.members[of(s.index)];
            const auto element = s.element >= 0 ? of(s.element) : static_cast<std::size_t>(value(s.of[1]) % of(member.elements));
            const Bits bits = value(s.of[0]) | (member.odd ? 1 : 0);
            own_[of(s.index)][element] = member.type == Scalar::boolean ? bits != 0 : narrowed(member.type, bits);
            break;
        }
        case Statement::Op::when: run(value(s.of[0]) != 0 ? s.then : s.otherwise); break;
        case Statement::Op::each:
            for (const auto& offset : model_.neighbourhoods[of(s.index)].offsets) {
                if (!place_at(offset).exists) continue;
                other_ = offset;
                run(s.then);
            }
        }
    }
    Bits drawn(const Statement& s) {
        switch (s.draw) {
        case Statement::Draw::bits: return random_.word();
        case Statement::Draw::below: return random_.below(s.below);
        case Statement::Draw::uniform: return bits_of(random_.uniform());
        case Statement::Draw::uniform64: {
            const double upper = random_.word() >> 5, lower = random_.word() >> 6;
            return bits_of((upper * 67108864.0 + lower) / 9007199254740992.0);
        }
        case Statement::Draw::bernoulli: break;
        }
        return random_.uniform() < 0.25f ? 1 : 0;
    }

    Bits value(const Expression& e) {
        const auto& member = model_.members[e.op == Op::own || e.op == Op::own_chosen || e.op == Op::sum ? of(e.index) : 0];
        switch (e.op) {
        case Op::constant: return e.bits;
        case Op::own: return widened(member.type, own_[of(e.index)][of(e.element)]);
        case Op::own_chosen: return widened(member.type, own_[of(e.index)][value(e.of[0]) % of(member.elements)]);
        case Op::at: return value_at(e.index, e.element, e.offset);
        case Op::other: return value_at(e.index, e.element, other_);
        case Op::exists: return place_at(e.offset).exists ? 1 : 0;
        case Op::local: return locals_[of(e.index)];
        case Op::position: return static_cast<std::uint32_t>(e.index == 0 ? x_ : e.index == 1 ? y_ : z_);
        case Op::size: return static_cast<std::uint32_t>(e.index == 0 ? model_.shape.nx : e.index == 1 ? model_.shape.ny : model_.shape.nz);
        case Op::step: return step_;
        case Op::parameter: return e.kind == Kind::u32 ? model_.parameters.salt : bits_of(model_.parameters.drift);
        case Op::sum: return sum(e);
        case Op::select: return value(e.of[value(e.of[0]) != 0 ? 1 : 2]);
        case Op::negate: return value(e.of[0]) ^ 1;
        case Op::convert: return converted(e.of[0].kind, e.kind, value(e.of[0]));
        case Op::equal:
        case Op::less: return compared(e.op, e.of[0].kind, value(e.of[0]), value(e.of[1]));
        default: break;
        }
        const Bits a = value(e.of[0]), b = e.of.size() > 1 ? value(e.of[1]) : 0, c = e.of.size() > 2 ? value(e.of[2]) : 0;
        switch (e.kind) {
        case Kind::f32: return bits_of(computed(e.op, as_float(a), as_float(b), as_float(c), as_float(e.bits)));
        case Kind::f64: return bits_of(computed(e.op, as_double(a), as_double(b), as_double(c), as_double(e.bits)));
        case Kind::u64: return whole(e.op, a, b, e.bits);
        default: return whole(e.op, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(e.bits));
        }
    }
    template<class T> static T whole(Op op, T a, T b, T constant) {
        switch (op) {
        case Op::add: return static_cast<T>(a + b);
        case Op::subtract: return static_cast<T>(a - b);
        case Op::multiply: return static_cast<T>(a * b);
        case Op::bit_and: return a & b;
        case Op::bit_or: return a | b;
        case Op::bit_xor: return a ^ b;
        case Op::shift_left: return static_cast<T>(a << constant);
        case Op::shift_right: return a >> constant;
        case Op::remainder: return a % constant;
        case Op::quotient: return a / b;
        default: return a % b; // modulus
        }
    }
    template<class T> static T computed(Op op, T a, T b, T c, T constant) {
        switch (op) {
        case Op::add: return a + b;
        case Op::subtract: return a - b;
        case Op::multiply: return a * b;
        case Op::ratio: return a / (1 + b * b);
        case Op::scaled: return a * constant;
        case Op::root: return std::sqrt(1 + a * a);
        case Op::fused: return std::fma(a, b, c);
        case Op::smaller: return std::min(a, b);
        case Op::larger: return std::max(a, b);
        default: return std::abs(a);
        }
    }
    static Bits compared(Op op, Kind kind, Bits a, Bits b) {
        const bool equal = op == Op::equal;
        switch (kind) {
        case Kind::f32: return equal ? as_float(a) == as_float(b) : as_float(a) < as_float(b);
        case Kind::f64: return equal ? as_double(a) == as_double(b) : as_double(a) < as_double(b);
        case Kind::i32: return equal ? a == b : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
        default: return equal ? a == b : a < b;
        }
    }
    static Bits converted(Kind from, Kind to, Bits a) {
        switch (from) {
        case Kind::f32:
            return to == Kind::f64 ? bits_of(static_cast<double>(as_float(a))) : static_cast<std::uint32_t>(as_float(a) * 8.0f + 1024.0f);
        case Kind::f64:
            return to == Kind::f32 ? bits_of(static_cast<float>(as_double(a))) : static_cast<std::uint32_t>(as_double(a) * 8.0 + 1024.0);
        case Kind::u64: return a & 0xFFFFFFFFu;
        case Kind::boolean: return a;
        default: break;
        }
        if (to == Kind::f32) return bits_of(static_cast<float>(a & 1023) / 1024.0f);
        return to == Kind::f64 ? bits_of(static_cast<double>(a & 1023) / 1024.0) : a;
    }
    [[nodiscard]] Bits sum(const Expression& e) const {
        float floats = 0;
        double doubles = 0;
        Bits integers = 0;
        for (const auto& offset : model_.neighbourhoods[of(e.around)].offsets) {
            if (!place_at(offset).exists) continue;
            const Bits bits = value_at(e.index, 0, offset);
            if (e.kind == Kind::f32)
                floats += as_float(bits);
            else if (e.kind == Kind::f64)
                doubles += as_double(bits);
            else
                integers += bits;
        }
        if (e.kind == Kind::f32) return bits_of(floats);
        if (e.kind == Kind::f64) return bits_of(doubles);
        return e.kind == Kind::u64 ? integers : integers & 0xFFFFFFFFu;
    }

    static constexpr std::size_t fixed = ~std::size_t{0};
    const Model& model_;
    const Function& function_;
    const State& before_;
    Stream random_;
    std::uint64_t step_;
    std::int64_t x_ = 0, y_ = 0, z_ = 0;
    Offset other_{};
    std::vector<Bits> locals_;
    std::vector<std::array<Bits, 4>> own_{};
};

// A model's state, step by step.
class Loop {
public:
    Loop(const Model& model, std::uint64_t seed) : model_(model), seed_(seed) {
        for (const auto& member : model.members)
            state_.emplace_back(model.shape.count() * static_cast<std::size_t>(member.values()), member.initially);
        call(model.functions[0], 0);
    }
    void step_to(std::uint64_t step) {
        for (; step_ < step; ++step_) {
            std::vector<std::uint64_t> calls(model_.functions.size());
            for (const auto& phase : model_.phases) {
                const auto number =
                    phase.function < 0 ? 0 : calls[static_cast<std::size_t>(phase.function)]++; // counted whether it runs or not
                if (!phase.runs_in(step_)) continue;
                if (phase.function < 0)
                    rotate(phase.rotated);
                else
                    call(model_.functions[static_cast<std::size_t>(phase.function)], number);
            }
        }
    }
    [[nodiscard]] const State& state() const { return state_; }

private:
    void rotate(const std::vector<int>& members) {
        for (std::size_t i = members.size() - 1; i > 0; --i)
            std::swap(state_[static_cast<std::size_t>(members[i])], state_[static_cast<std::size_t>(members[i - 1])]);
    }
    void call(const Function& function, std::uint64_t number) {
        const auto key = key_of(seed_, model_.collection + "." + function.name, number);
        const State before = state_;
        PlaceCall place(model_, function, before, Stream(key, 0, step_), step_);
        const auto& shape = model_.shape;
        for (std::int64_t z = 0; z < shape.nz; ++z)
            for (std::int64_t y = 0; y < shape.ny; ++y)
                for (std::int64_t x = 0; x < shape.nx; ++x)
                    place.run(x, y, z, Stream(key, number_of(x, z * shape.ny + y, shape.nx), step_), state_);
    }

    const Model& model_;
    std::uint64_t seed_, step_ = 0;
    State state_{};
};

} // namespace tessera::test::random_model
