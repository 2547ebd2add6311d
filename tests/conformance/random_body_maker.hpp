// Makes up the bodies of functions: places look around, draw, compute, and keep what comes of it.
#pragma once

#include "tests/conformance/dice.hpp"
#include "tests/conformance/random_model.hpp"
#include "tests/conformance/random_model_loop.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::test::random_model {

// What the models of one run have in common.
struct Plan {
    int reach_of_step = 32;        // in x, summed over the calls of a step: so that many of them can be fused
    int effort = 60;               // about how many operations a function has at a place
    int functions = 3;             // at most
    bool mathematics = false;      // with functions of the SDK
    bool volumes_of_words = false; // of three dimensions, written for 32 places at once, with one call a step
    Parameters parameters{};
    std::uint64_t every = 0; // some phases run only in every so many steps, from the second on; 0: none
    std::uint64_t until = 0; // some phases end here; 0: none
};

// The body of a function that is known by its access list.
class BodyMaker {
public:
    BodyMaker(Dice& dice, const Model& model, Function& function, const Plan& plan)
        : dice_(dice), model_(model), function_(function), plan_(plan), left_(plan.effort) {}

    void make() {
        for (int draws = dice_.between(-2, 2); draws > 0; --draws) draw(any_draw(), function_.body);
        look_around(function_.body);
        for (const int m : written()) {
            if (dice_.percent(25))
                when(m);
            else
                assign(m, function_.body);
        }
    }
    // The body of an init function: every value is drawn.
    void make_init(bool small) {
        for (const int m : written()) {
            constexpr std::array draws{Statement::Draw::bernoulli, Statement::Draw::bits, Statement::Draw::bits, Statement::Draw::uniform,
                                       Statement::Draw::uniform64};
            const auto kind = kind_of(member(m).type);
            for (int e = 0; e < member(m).values(); ++e) {
                auto drawn = draw(draws[static_cast<std::size_t>(kind)], function_.body);
                if (is_float(kind)) drawn = binary(Op::subtract, drawn, constant(kind, kind == Kind::f32 ? bits_of(0.5f) : bits_of(0.5)));
                if (kind == Kind::u32 && (small || dice_.percent(50)))
                    drawn = by_constant(Op::remainder, drawn, static_cast<Bits>(small ? 2 : dice_.between(2, 20)));
                if (kind == Kind::u64) drawn = binary(Op::multiply, as(kind, drawn), constant(kind, 0x9E3779B97F4A7C15ull));
                put(m, e, std::move(drawn), function_.body);
            }
        }
    }

private:
    using Op = Expression::Op;
    struct Local {
        int index;
        Kind kind;
        bool used;
    };

    std::vector<int> written() {
        std::vector<int> members;
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m)
            if (function_.writes(m)) members.push_back(m);
        dice_.shuffle(members);
        return members;
    }
    [[nodiscard]] const Member& member(int m) const { return model_.members[static_cast<std::size_t>(m)]; }
    int any_element(int m) { return dice_.below(member(m).values()); }

    // ---- statements

    Statement::Draw any_draw() { return static_cast<Statement::Draw>(dice_.below(5)); }
    Expression draw(Statement::Draw draw, std::vector<Statement>& to) {
        constexpr std::array kinds{Kind::u32, Kind::u32, Kind::f32, Kind::f64, Kind::boolean};
        Statement s;
        s.op = Statement::Op::draw;
        s.draw = draw;
        s.kind = kinds[static_cast<std::size_t>(s.draw)];
        s.below = static_cast<std::uint32_t>(dice_.between(1, 40));
        s.index = function_.locals++;
        locals_.push_back({s.index, s.kind, false});
        to.push_back(s);
        return named(Op::local, s.kind, s.index);
    }
    Local declare(Kind kind, std::vector<Statement>& to) {
        Statement s;
        s.kind = kind;
        s.index = function_.locals++;
        s.of.push_back(limited(expression(kind, 1)));
        locals_.push_back({s.index, kind, false});
        to.push_back(std::move(s));
        return locals_.back();
    }
    // Loops over neighbourhoods that mix what they see, in an order that shows, into locals.
    void look_around(std::vector<Statement>& to) {
        std::vector<int> seen;
        for (const auto& access : function_.accesses)
            if (access.entry == Access::Entry::around) seen.push_back(access.neighbourhood);
        dice_.shuffle(seen);
        for (const int n : seen) {
            const auto& neighbourhood = model_.neighbourhoods[static_cast<std::size_t>(n)];
            const int each = 4 * static_cast<int>(neighbourhood.offsets.size());
            if (left_ < each || dice_.percent(20)) continue;
            left_ -= each;
            const auto local = declare(kind_seen_at(neighbourhood), to);
            Statement loop;
            loop.op = Statement::Op::each;
            loop.index = n;
            const auto scope = locals_.size();
            around_ = &neighbourhood;
            if (dice_.percent(8)) draw(any_draw(), loop.then);
            Statement change;
            change.op = Statement::Op::change;
            change.index = local.index;
            change.of.push_back(mixed(local, dice_.between(0, each < 40 ? 2 : 1)));
            if (dice_.percent(30)) {
                Statement condition;
                condition.op = Statement::Op::when;
                condition.of.push_back(expression(Kind::boolean, 1));
                condition.then.push_back(std::move(change));
                loop.then.push_back(std::move(condition));
            } else
                loop.then.push_back(std::move(change));
            around_ = nullptr;
            locals_.resize(scope);
            to.push_back(std::move(loop));
        }
    }
    Kind kind_seen_at(const Neighbourhood& neighbourhood) {
        std::vector<Kind> kinds;
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m)
            if (model_.shows_all(function_, m, neighbourhood)) kinds.push_back(kind_of(member(m).type));
        const auto kind = dice_.of(kinds);
        return kind == Kind::boolean ? Kind::u32 : kind;
    }
    // A local's next value, of the last one and something else.
    Expression mixed(const Local& local, int depth) {
        Expression self;
        self.op = Op::local;
        self.kind = local.kind;
        self.index = local.index;
        self.most = most_kept;
        auto other = limited(expression(local.kind, depth));
        if (is_float(local.kind)) return binary(Op::add, scaled(std::move(self), 0.4), scaled(std::move(other), 0.5));
        Expression times = self;
        times.op = Op::multiply;
        times.of = {self, constant(local.kind, static_cast<Bits>(2 * dice_.between(1, 20) + 1))};
        return binary(dice_.percent(50) ? Op::add : Op::bit_xor, std::move(times), std::move(other));
    }
    // Mixes what has been found out into the member.
    void assign(int m, std::vector<Statement>& to) {
        const auto& target = member(m);
        const auto kind = kind_of(target.type);
        const int times = target.elements > 0 ? dice_.between(1, target.elements) : 1;
        for (int i = 0; i < times; ++i) {
            auto value = limited(expression(kind, dice_.between(0, 3)));
            for (auto& local : locals_) {
                if (std::exchange(local.used, true)) continue;
                value = together(std::move(value), as(kind, named(Op::local, local.kind, local.index)));
            }
            if (dice_.percent(50))
                if (auto seen = something_seen()) value = together(std::move(value), as(kind, *std::move(seen)));
            put(m, any_element(m), std::move(value), to);
            if (target.elements == 0 || !dice_.percent(15)) continue;
            to.back().element = -1;
            to.back().of.push_back(expression(Kind::u32, 1));
        }
    }
    static void put(int m, int element, Expression value, std::vector<Statement>& to) {
        Statement s;
        s.op = Statement::Op::assign;
        s.index = m;
        s.element = element;
        s.of.push_back(std::move(value));
        to.push_back(std::move(s));
    }
    void when(int m) {
        Statement s;
        s.op = Statement::Op::when;
        s.of.push_back(expression(Kind::boolean, 2));
        const auto scope = locals_;
        if (dice_.percent(15)) draw(any_draw(), s.then);
        assign(m, s.then);
        locals_ = scope;
        if (dice_.percent(50)) assign(m, s.otherwise);
        locals_ = scope;
        function_.body.push_back(std::move(s));
    }

    // ---- expressions

    Expression any_constant(Kind kind) {
        const double fraction = dice_.between(-4000, 4000) / 1000.0;
        const Bits many = static_cast<Bits>(dice_.below(1 << 30)) * 2654435761u;
        switch (kind) {
        case Kind::boolean: return constant(kind, static_cast<Bits>(dice_.below(2)));
        case Kind::u32: return constant(kind, dice_.percent(50) ? static_cast<Bits>(dice_.below(10)) : many & 0xFFFFFFFFu);
        case Kind::u64: return constant(kind, many * 0x9E3779B97F4A7C15ull);
        case Kind::f32: return constant(kind, bits_of(static_cast<float>(fraction)), 4);
        default: break;
        }
        return constant(kind, bits_of(fraction), 4);
    }
    static Expression scaled(Expression a, double by) {
        Expression e;
        e.op = Op::scaled;
        e.kind = a.kind;
        e.bits = a.kind == Kind::f32 ? bits_of(static_cast<float>(by)) : bits_of(by);
        e.most = a.most * by;
        e.of.push_back(std::move(a));
        return e;
    }
    // Small enough to be kept.
    static Expression limited(Expression a) {
        if (!is_float(a.kind) || a.most <= most_kept) return a;
        return scaled(std::move(a), 0.9 * most_kept / a.most);
    }
    // Of both, so that either shows.
    Expression together(Expression a, Expression b) {
        if (is_float(a.kind)) return limited(binary(dice_.percent(50) ? Op::add : Op::subtract, std::move(a), scaled(std::move(b), 0.7)));
        const auto op = a.kind == Kind::boolean || dice_.percent(50) ? Op::bit_xor : Op::add;
        return binary(op, std::move(a), std::move(b));
    }
    // The same as another kind, as well as can be.
    Expression as(Kind kind, Expression a) {
        if (a.kind == kind) return a;
        if (kind == Kind::boolean) {
            if (is_float(a.kind)) return compared(Op::less, a, constant(a.kind, 0));
            return compared(Op::less, by_constant(Op::remainder, as(Kind::u32, std::move(a)), 3), constant(Kind::u32, 1));
        }
        const bool direct = a.kind == Kind::u32 || kind == Kind::u32 || (is_float(a.kind) && is_float(kind));
        if (!direct) a = as(Kind::u32, std::move(a));
        a = limited(std::move(a));
        const double size = is_float(a.kind) ? a.most : 1;
        auto e = unary(Op::convert, kind, std::move(a));
        e.most = size;
        return e;
    }

    Expression expression(Kind kind, int depth) {
        --left_;
        if (depth <= 0 || left_ <= 0) return leaf(kind);
        switch (kind) {
        case Kind::boolean: return condition(depth);
        case Kind::u32:
        case Kind::u64: return whole(kind, depth);
        default: return limited(real(kind, depth));
        }
    }
    Expression condition(int depth) {
        const auto of_kind = static_cast<Kind>(dice_.between(1, 4));
        switch (dice_.below(6)) {
        case 0: return unary(Op::negate, Kind::boolean, expression(Kind::boolean, depth - 1));
        case 1: {
            const auto op = dice_.of(std::vector{Op::bit_and, Op::bit_or, Op::bit_xor});
            auto a = expression(Kind::boolean, depth - 1);
            return binary(op, std::move(a), expression(Kind::boolean, depth - 1));
        }
        case 2: return leaf(Kind::boolean);
        default: break;
        }
        auto a = expression(of_kind, depth - 1);
        if (of_kind == Kind::u32 && dice_.percent(50)) { // true now and then
            const auto of = static_cast<Bits>(dice_.between(2, 9)), with = static_cast<Bits>(dice_.between(1, 3));
            return compared(dice_.percent(50) ? Op::equal : Op::less, by_constant(Op::remainder, std::move(a), of),
                            constant(Kind::u32, with));
        }
        auto b = expression(of_kind, depth - 1);
        return compared(dice_.percent(20) ? Op::equal : Op::less, std::move(a), std::move(b));
    }
    static Expression by_constant(Op op, Expression a, Bits bits) {
        auto e = unary(op, a.kind, std::move(a));
        e.bits = bits;
        return e;
    }
    Expression whole(Kind kind, int depth) {
        const int way = dice_.below(13);
        if (way == 0) return selected(kind, depth);
        if (way == 1) return converted(kind, depth);
        if (way == 2) return leaf(kind);
        auto a = expression(kind, depth - 1);
        if (way <= 5) {
            const auto op = dice_.of(std::vector{Op::shift_left, Op::shift_right, Op::remainder});
            const int constant = op == Op::remainder ? dice_.between(1, 1000) : dice_.below(kind == Kind::u32 ? 32 : 64);
            return by_constant(op, std::move(a), static_cast<Bits>(constant));
        }
        if (way <= 7)
            if (auto divisor = odd_member(kind))
                return binary(dice_.percent(50) ? Op::quotient : Op::modulus, std::move(a), *std::move(divisor));
        const auto op =
            dice_.of(std::vector{Op::add, Op::add, Op::subtract, Op::multiply, Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_xor});
        return binary(op, std::move(a), expression(kind, depth - 1));
    }
    Expression real(Kind kind, int depth) {
        const int way = dice_.below(plan_.mathematics ? 13 : 8);
        if (way == 0) return selected(kind, depth);
        if (way == 1) return converted(kind, depth);
        if (way == 2) return leaf(kind);
        auto a = expression(kind, depth - 1);
        if (way == 3) return scaled(std::move(a), dice_.between(1, 999) / 1000.0);
        if (way == 8) return unary(Op::root, kind, std::move(a));
        if (way == 9) return unary(Op::magnitude, kind, std::move(a));
        auto b = expression(kind, depth - 1);
        switch (way) {
        case 4: return binary(Op::ratio, std::move(a), std::move(b));
        case 10: return binary(Op::smaller, std::move(a), std::move(b));
        case 11: return binary(Op::larger, std::move(a), std::move(b));
        case 12: {
            auto e = binary(Op::multiply, std::move(a), std::move(b));
            e.op = Op::fused;
            e.of.push_back(expression(kind, 0));
            e.most += e.of.back().most;
            return e;
        }
        default: break;
        }
        return binary(dice_.of(std::vector{Op::add, Op::subtract, Op::multiply}), std::move(a), std::move(b));
    }
    Expression selected(Kind kind, int depth) {
        auto condition = expression(Kind::boolean, depth - 1);
        auto a = expression(kind, depth - 1);
        return choice(std::move(condition), std::move(a), expression(kind, depth - 1));
    }
    Expression converted(Kind kind, int depth) {
        std::vector<Kind> from;
        switch (kind) {
        case Kind::u32: from = {Kind::boolean, Kind::u64, Kind::f32, Kind::f64}; break;
        case Kind::u64: from = {Kind::u32}; break;
        case Kind::f32: from = {Kind::u32, Kind::f64}; break;
        default: from = {Kind::u32, Kind::f32}; break;
        }
        const auto other = dice_.of(from);
        return as(kind, expression(other, depth - 1));
    }

    // What a place knows of this kind, or can be made into it.
    Expression leaf(Kind kind) {
        std::vector<Expression> known;
        for (const auto& local : locals_)
            if (local.kind == kind) known.push_back(named(Op::local, kind, local.index));
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m)
            if (kind_of(member(m).type) == kind) add_member(m, known);
        if (kind == Kind::u64 && dice_.percent(20)) known.push_back(named(Op::step, kind, 0));
        if (kind == Kind::u32 && dice_.percent(15)) known.push_back(coordinate());
        if ((kind == Kind::u32 || kind == Kind::f32) && dice_.percent(10)) known.push_back(named(Op::parameter, kind, 0));
        if (kind == Kind::boolean && around_ == nullptr)
            if (auto e = existence()) known.push_back(*std::move(e));
        if (!known.empty() && !dice_.percent(8)) return limited(dice_.of(known));
        if (auto e = something_seen(); e && e->kind != kind && dice_.percent(80)) return as(kind, *std::move(e));
        if (kind != Kind::u32 && dice_.percent(40)) return as(kind, coordinate());
        return any_constant(kind);
    }
    Expression coordinate() {
        const auto op = dice_.percent(70) ? Op::position : Op::size;
        return named(op, Kind::u32, dice_.below(3));
    }
    // A member's value, of a neighbour if the function sees any.
    std::optional<Expression> something_seen() {
        std::vector<Expression> known, near;
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m) add_member(m, known);
        for (const auto& e : known)
            if (e.op != Op::own && e.op != Op::own_chosen) near.push_back(e);
        if (known.empty()) return std::nullopt;
        return limited(dice_.of(near.empty() ? known : near));
    }
    void add_member(int m, std::vector<Expression>& known) {
        const auto kind = kind_of(member(m).type);
        if (around_ != nullptr && model_.shows_all(function_, m, *around_))
            for (int i = 0; i < 3; ++i) known.push_back(named(Op::other, kind, m, any_element(m))); // what the loop is for
        if (function_.reads(m) || (function_.writes(m) && dice_.percent(30))) {
            known.push_back(named(Op::own, kind, m, any_element(m)));
            if (member(m).elements > 0 && dice_.percent(20)) {
                known.back().op = Op::own_chosen;
                known.back().of.push_back(coordinate());
            }
        }
        if (around_ != nullptr) return;
        for (const auto& access : function_.accesses) {
            if (access.entry != Access::Entry::around || access.member != m) continue;
            const auto& offsets = model_.neighbourhoods[static_cast<std::size_t>(access.neighbourhood)].offsets;
            known.push_back(named(Op::at, kind, m, any_element(m)));
            known.back().offset = dice_.of(offsets);
            const auto type = member(m).type;
            const int cost = static_cast<int>(offsets.size());
            if (kind == Kind::boolean || type == Scalar::i32 || type == Scalar::i64 || member(m).elements > 0 || left_ < cost ||
                dice_.percent(60))
                continue; // would overflow
            left_ -= cost;
            known.push_back(named(Op::sum, kind, m));
            known.back().around = access.neighbourhood;
            known.back().most = most_kept * cost;
        }
    }
    std::optional<Expression> odd_member(Kind kind) {
        std::vector<Expression> known;
        for (int m = 0; m < static_cast<int>(model_.members.size()); ++m)
            if (member(m).odd && kind_of(member(m).type) == kind) add_member(m, known);
        known.erase(std::remove_if(known.begin(), known.end(), [](const auto& e) { return e.op == Op::sum; }), known.end());
        if (known.empty()) return std::nullopt;
        return dice_.of(known);
    }
    std::optional<Expression> existence() {
        for (const auto& access : function_.accesses) {
            if (access.entry != Access::Entry::around || dice_.percent(50)) continue;
            auto e = named(Op::exists, Kind::boolean, 0);
            e.offset = dice_.of(model_.neighbourhoods[static_cast<std::size_t>(access.neighbourhood)].offsets);
            return e;
        }
        return std::nullopt;
    }

    Dice& dice_;
    const Model& model_;
    Function& function_;
    const Plan& plan_;
    int left_; // of the effort
    std::vector<Local> locals_{};
    const Neighbourhood* around_ = nullptr; // within an `each`
};

} // namespace tessera::test::random_model
