// Makes up models: the same one for the same number, everywhere.
#pragma once

#include "tests/conformance/random_body_maker.hpp"
#include "tests/conformance/random_boundaries.hpp"
#include "tests/conformance/random_packed_maker.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::random_model {

class ModelMaker {
public:
    ModelMaker(unsigned number, const Plan& plan) : dice_(number * 2654435761u + 12345), plan_(plan) {
        model_.number = number;
        model_.parameters = plan.parameters;
        model_.row = "M" + std::to_string(number);
        model_.collection = "m" + std::to_string(number);
    }
    Model make() {
        if (plan_.volumes_of_words || dice_.percent(20)) model_.bits = dice_.percent(50) ? 1 : 8;
        give_shape();
        give_members();
        give_rotation();
        give_calls();
        give_functions();
        give_phases();
        return std::move(model_);
    }

private:
    // Sizes that nothing divides, some narrower than a neighbourhood, some with places that see no edge in any step.
    void give_shape() {
        const int kind = dice_.below(100);
        auto& s = model_.shape;
        if (plan_.volumes_of_words) {
            model_.dimensions = 3;
            draw_boundaries(dice_, s, model_.dimensions, 40);
            const bool repeats = s.x == Boundary::torus || s.x == Boundary::reflect; // whole words
            s.nx = repeats ? 32 * dice_.between(1, 4) : dice_.between(1, 130);
            s.ny = dice_.percent(50) ? 8 << dice_.below(3) : dice_.between(1, 9); // warps of a GPU have whole rows, or do not
            s.nz = dice_.between(1, 9);
            return;
        }
        model_.dimensions = kind < 80 ? 2 : kind < 86 ? 1 : 3;
        along_axes_ = kind >= 90;
        if (model_.dimensions == 1)
            s.nx = dice_.percent(50) ? dice_.between(1, 100) : dice_.between(100, 3000);
        else if (along_axes_)
            s = {dice_.between(1, 90), dice_.between(1, 30), dice_.between(1, 20)};
        else if (model_.dimensions == 3)
            s = {dice_.between(1, 25), dice_.between(1, 12), dice_.between(1, 7)};
        else if (kind < 45)
            s.nx = dice_.between(1, 70), s.ny = dice_.between(1, 50);
        else if (kind < 60)
            s.nx = dice_.between(120, 300), s.ny = dice_.between(5, 30);
        else if (kind < 72)
            s.nx = dice_.between(1, 20), s.ny = dice_.between(100, 300);
        else
            s.nx = dice_.between(100, 190), s.ny = dice_.between(60, 130);
        draw_boundaries(dice_, s, model_.dimensions, 40);
        if (along_axes_)
            for (auto* rule : {&s.x, &s.y, &s.z}) *rule = *rule == Boundary::reflect ? Boundary::torus : *rule; // streams have no mirrors
    }
    void give_members() {
        using S = Scalar;
        const std::vector<Scalar> types{S::boolean, S::boolean, S::u8,  S::u8,  S::i16, S::u32, S::u32, S::i32,
                                        S::i64,     S::f32,     S::f32, S::f32, S::f64, S::i8,  S::u16, S::u64};
        const int count = dice_.between(1, 4);
        for (int m = 0; m < count; ++m) {
            Member member;
            member.name = std::string(1, static_cast<char>('a' + m));
            member.type = model_.bits == 0 ? dice_.of(types) : dice_.percent(50) ? S::boolean : S::u8;
            member.elements = model_.bits == 0 && dice_.percent(12) ? dice_.between(2, 3) : 0;
            member.odd = model_.bits == 0 && member.type != Scalar::boolean && !is_float(kind_of(member.type)) && dice_.percent(30);
            give_values(member);
            model_.members.push_back(member);
        }
    }
    void give_values(Member& member) {
        const bool is_open = model_.shape.x == Boundary::open || model_.shape.y == Boundary::open || model_.shape.z == Boundary::open;
        member.initially = model_.bits > 0 && is_open ? 0 : any_value(member); // what does not exist must not count
        member.outside = dice_.percent(60) ? any_value(member) : member.initially;
    }
    Bits any_value(const Member& member) {
        const int any = dice_.between(0, 31);
        switch (kind_of(member.type)) {
        case Kind::boolean: return static_cast<Bits>(any % 2);
        case Kind::f32: return bits_of(static_cast<float>(any - 15) / 8);
        case Kind::f64: return bits_of((any - 15) / 8.0);
        default: return static_cast<Bits>(member.odd ? any | 1 : model_.bits == 1 ? any % 2 : any);
        }
    }
    // Sometimes two or three members of one type change places in every step.
    void give_rotation() {
        if (!dice_.percent(35)) return;
        const auto first = model_.members[0];
        const auto has_constants = [](Boundary b) { return b == Boundary::fixed || b == Boundary::open; };
        const bool alike = has_constants(model_.shape.x) || has_constants(model_.shape.y) || has_constants(model_.shape.z);
        const int copies = dice_.between(1, 2);
        model_.members.resize(std::min(model_.members.size(), static_cast<std::size_t>(4 - copies)));
        rotated_ = {0};
        for (int i = 0; i < copies; ++i) {
            Member member = first;
            member.name = std::string(1, static_cast<char>('a' + count()));
            if (!alike) give_values(member);
            rotated_.push_back(count());
            model_.members.push_back(member);
        }
        dice_.shuffle(rotated_);
    }

    // Which functions a step calls, in order.
    void give_calls() {
        functions_ = dice_.between(1, plan_.functions);
        functions_ = std::min(functions_, dice_.between(1, plan_.functions)); // one more often than three
        for (int f = 1; f <= functions_; ++f) calls_.push_back(f);
        if (!plan_.volumes_of_words && dice_.percent(15)) calls_.push_back(dice_.between(1, functions_));
        dice_.shuffle(calls_);
    }
    void give_functions() {
        Function init;
        init.name = "start";
        for (int m = 0; m < count(); ++m) init.accesses.push_back({Access::Entry::sets, m});
        BodyMaker(dice_, model_, init, plan_).make_init(model_.bits == 1);
        model_.functions.push_back(std::move(init));
        int left = plan_.reach_of_step;
        for (int f = 1; f <= functions_; ++f) {
            const int times = static_cast<int>(std::count(calls_.begin(), calls_.end(), f));
            const int most = std::min(3, left / times);
            const int reach = dice_.between(std::min(f == 1 ? 1 : 0, most), most);
            left -= reach * times;
            Function function;
            function.name = std::string(1, static_cast<char>('f' + f - 1));
            give_access(function, reach, f == 1 || model_.bits > 0 || dice_.percent(50));
            if (model_.bits > 0)
                PackedBodyMaker(dice_, model_, function).make();
            else
                BodyMaker(dice_, model_, function, plan_).make();
            model_.functions.push_back(std::move(function));
        }
    }
    [[nodiscard]] int count() const { return static_cast<int>(model_.members.size()); }

    void give_access(Function& function, int reach, bool looks_around) {
        std::vector<int> neighbourhoods;
        if (looks_around)
            for (int n = dice_.between(1, 2); n > 0; --n) neighbourhoods.push_back(give_neighbourhood(reach));
        const int always_written = dice_.below(count()), always_seen = dice_.below(count());
        for (int m = 0; m < count(); ++m) {
            const int use = m == always_written ? dice_.between(2, 3) : dice_.below(5); // nothing or reads: 0, 1 and 4
            for (const int n : neighbourhoods)
                if (m == always_seen || dice_.percent(40)) function.accesses.push_back({Access::Entry::around, m, n});
            if (use == 1) function.accesses.push_back({Access::Entry::reads, m});
            if (use == 2) function.accesses.push_back({Access::Entry::writes, m});
            if (use == 3) function.accesses.push_back({Access::Entry::sets, m});
        }
        dice_.shuffle(function.accesses);
    }
    // That sees at most `reach` places to either side in x, and as far as three along the others.
    int give_neighbourhood(int reach) {
        Neighbourhood n;
        const int radius = dice_.between(1, std::max(reach, 1));
        const int form = reach == 0 ? 9 : dice_.below(10);
        const bool manhattan = form % 2 == 1 || along_axes_;
        if (form < 5) {
            n.name = manhattan ? "von_neumann" : "moore";
            add_ball(n, 1, manhattan);
        } else if (form < 7 && radius > 1 && plan_.effort > 40 && !along_axes_) {
            const int r = manhattan ? radius : std::min(radius, 2);
            n.name = std::string(manhattan ? "von_neumann" : "moore") + "_of<" + std::to_string(r) + ">";
            add_ball(n, r, manhattan);
        } else
            add_list(n, reach);
        model_.neighbourhoods.push_back(std::move(n));
        return static_cast<int>(model_.neighbourhoods.size()) - 1;
    }
    void add_ball(Neighbourhood& n, int r, bool manhattan) const {
        const int ry = model_.dimensions > 1 ? r : 0, rz = model_.dimensions > 2 ? r : 0;
        for (int z = -rz; z <= rz; ++z)
            for (int y = -ry; y <= ry; ++y)
                for (int x = -r; x <= r; ++x)
                    if ((x != 0 || y != 0 || z != 0) && (!manhattan || std::abs(x) + std::abs(y) + std::abs(z) <= r))
                        n.offsets.push_back({x, y, z});
    }
    void add_list(Neighbourhood& n, int reach) {
        n.name = "n" + std::to_string(model_.number) + "_" + std::to_string(model_.neighbourhoods.size());
        const bool one_sided = dice_.percent(30);
        for (int i = dice_.between(1, 5); i > 0; --i) {
            Offset o{dice_.between(-reach, one_sided ? 0 : reach)};
            if (model_.dimensions > 1) o.y = dice_.between(one_sided ? 0 : -3, 3);
            if (model_.dimensions > 2) o.z = dice_.between(-2, 2);
            if (along_axes_) {
                const int axis = dice_.below(3);
                o = {axis == 0 ? o.x : 0, axis == 1 ? o.y : 0, axis == 2 ? o.z : 0};
            }
            if (std::find(n.offsets.begin(), n.offsets.end(), o) == n.offsets.end()) n.offsets.push_back(o);
        }
        n.definition = "offsets<";
        for (const auto& o : n.offsets) {
            n.definition += (n.definition.back() == '<' ? "offset<" : ", offset<") + std::to_string(o.x);
            if (model_.dimensions > 1) n.definition += ", " + std::to_string(o.y);
            if (model_.dimensions > 2) n.definition += ", " + std::to_string(o.z);
            n.definition += ">";
        }
        n.definition += ">";
    }

    void give_phases() {
        for (const int f : calls_) {
            Phase phase;
            phase.function = f;
            if (f != calls_.front() && model_.bits == 0) { // something is done in every step
                if (plan_.every > 0 && dice_.percent(20)) phase.every = plan_.every, phase.from = 1;
                if (plan_.until > 0 && dice_.percent(20)) phase.until = plan_.until;
            }
            model_.phases.push_back(phase);
        }
        if (rotated_.empty()) return;
        Phase rotation;
        rotation.rotated = rotated_;
        model_.phases.insert(model_.phases.begin() + dice_.below(static_cast<int>(model_.phases.size()) + 1), rotation);
    }

    Dice dice_;
    Plan plan_;
    Model model_{};
    std::vector<int> rotated_{}, calls_{};
    int functions_ = 1;
    bool along_axes_ = false; // of a volume's places: for streams of planes
};

} // namespace tessera::test::random_model
