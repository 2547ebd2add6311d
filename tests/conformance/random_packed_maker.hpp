// Makes up functions that can be made for 32 places at once: operators alone, on bool and std::uint8_t
// (sdk/include/tessera/detail/lanes.hpp).
#pragma once

#include "tests/conformance/dice.hpp"
#include "tests/conformance/random_model.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace tessera::test::random_model {

// The body of a function that is known by its access list, and reads something. In a model of one bit, what is assigned is 0 or 1 by
// its type.
class PackedBodyMaker {
public:
    PackedBodyMaker(Dice& dice, const Model& model, Function& function) : dice_(dice), model_(model), function_(function) {}

    void make() {
        for (int i = dice_.between(0, 2); i > 0; --i) declare(dice_.percent(50) ? mask(2) : number(2));
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m) {
            if (!function_.writes(m)) continue;
            Statement s;
            s.op = Statement::Op::assign;
            s.index = m;
            const bool one_bit = member(m).type == Scalar::u8 ? model_.bits == 1 : dice_.percent(70);
            auto value = one_bit ? mask(2) : number(2);
            s.of.push_back(binary(Op::bit_xor, std::move(value), one_bit ? mask(1) : number(1)));
            function_.body.push_back(std::move(s));
        }
    }

private:
    using Op = Expression::Op;

    [[nodiscard]] const Member& member(int m) const { return model_.members[static_cast<std::size_t>(m)]; }

    void declare(Expression value) {
        Statement s;
        s.kind = value.kind;
        s.index = function_.locals++;
        locals_.push_back(named(Op::local, value.kind, s.index));
        s.of.push_back(std::move(value));
        function_.body.push_back(std::move(s));
    }

    // 0 or 1.
    Expression mask(int depth) {
        const int way = depth > 0 ? dice_.below(6) : 5;
        if (way == 0) return unary(Op::negate, Kind::boolean, mask(depth - 1));
        if (way == 1) {
            auto condition = mask(depth - 1), a = mask(depth - 1);
            return choice(std::move(condition), std::move(a), dice_.percent(20) ? constant(Kind::boolean, 1) : mask(depth - 1));
        }
        if (way == 2) {
            const auto op = dice_.of(std::vector{Op::bit_and, Op::bit_or, Op::bit_xor});
            auto a = mask(depth - 1);
            return binary(op, std::move(a), mask(depth - 1));
        }
        if (way == 5)
            if (auto known = something(true)) return *std::move(known);
        const auto op = dice_.percent(50) ? Op::equal : Op::less;
        auto a = number(depth - 1);
        if (dice_.percent(70))
            return compared(op, std::move(a), constant(Kind::i32, static_cast<Bits>(dice_.between(0, model_.bits == 1 ? 9 : 300))));
        return compared(op, std::move(a), number(depth - 1));
    }
    Expression number(int depth) {
        const int way = depth > 0 ? dice_.below(4) : 3;
        if (way == 0) {
            auto condition = mask(depth - 1), a = number(depth - 1);
            return choice(std::move(condition), std::move(a),
                          dice_.percent(30) ? constant(Kind::i32, static_cast<Bits>(dice_.between(0, 255))) : number(depth - 1));
        }
        if (way == 3) return *something(false);
        const auto op = dice_.of(std::vector{Op::add, Op::add, Op::subtract, Op::bit_and, Op::bit_or, Op::bit_xor});
        auto a = number(depth - 1);
        return binary(op, std::move(a),
                      dice_.percent(20) ? constant(Kind::i32, static_cast<Bits>(dice_.between(0, 70))) : number(depth - 1));
    }

    // A member or local here or near, or for a number a sum.
    std::optional<Expression> something(bool one_bit) {
        std::vector<Expression> known;
        for (const auto& local : locals_)
            if ((local.kind == Kind::boolean) == one_bit) known.push_back(local);
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m) {
            if (one_bit && member(m).type == Scalar::u8 && model_.bits > 1) continue;
            const auto kind = one_bit ? Kind::boolean : Kind::i32;
            if (function_.reads(m)) known.push_back(named(Op::own, kind, m));
            for (const auto& access : function_.accesses) {
                if (access.entry != Access::Entry::around || access.member != m) continue;
                known.push_back(named(Op::at, kind, m));
                known.back().offset = dice_.of(model_.neighbourhoods[static_cast<std::size_t>(access.neighbourhood)].offsets);
                if (one_bit) continue;
                known.push_back(named(Op::sum, kind, m));
                known.back().around = access.neighbourhood;
            }
        }
        if (known.empty()) return std::nullopt;
        return dice_.of(known);
    }

    Dice& dice_;
    const Model& model_;
    Function& function_;
    std::vector<Expression> locals_{};
};

} // namespace tessera::test::random_model
