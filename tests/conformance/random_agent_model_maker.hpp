// Makes up models of agents: the same one for the same number, everywhere.
#pragma once

#include "tests/conformance/random_agent_model.hpp"
#include "tests/conformance/random_boundaries.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tessera::test::random_agent_model {

// Whether the models of one run have agents in lists, which need devices that share memory.
struct Plan {
    bool lists = false;
};

// The neighbourhoods of a model, each of them once.
class Neighbourhoods {
public:
    Neighbourhoods(Dice& dice, Model& model) : dice_(dice), model_(model) {
        Neighbourhood here;
        here.name = "here";
        here.offsets = {{}};
        model_.neighbourhoods = {here};
    }

    // One to look at.
    int any() {
        switch (dice_.below(8)) {
        case 0: return 0;
        case 1: return add("moore", ball(1, false));
        case 2: return add("von_neumann", ball(1, true));
        case 3: return add("lines_of<2>", lines(2));
        case 4: return with_here(dice_.percent(50) ? add("moore", ball(1, false)) : list(2));
        case 5: return model_.dimensions == 3 ? list(2) : add("moore_of<2>", ball(2, false));
        default: return list(3);
        }
    }
    // One to go to, or to have children on: on a torus nobody goes around it. None: there is nowhere to go.
    std::optional<int> to_go_to() {
        std::vector<int> all;
        const auto offer = [&](const char* name, std::vector<Offset> offsets) {
            if (all_fit(offsets)) all.push_back(add(name, std::move(offsets)));
        };
        offer("moore", ball(1, false)), offer("von_neumann", ball(1, true)), offer("lines_of<2>", lines(2));
        if (model_.dimensions < 3) offer("von_neumann_of<2>", ball(2, true));
        std::erase_if(all, [&](int) { return dice_.percent(30); });
        if (!all.empty() && dice_.percent(70)) return dice_.of(all);
        const auto some = list(3, true);
        if (model_.neighbourhoods[static_cast<std::size_t>(some)].offsets.front() == Offset{}) return std::nullopt;
        return some;
    }
    int one_of(int around) { return single(dice_.of(model_.neighbourhoods[static_cast<std::size_t>(around)].offsets)); }
    int single(const Offset& o) { return o == Offset{} ? 0 : add(text(o), {o}); }
    int with_here(int around) {
        auto offsets = model_.neighbourhoods[static_cast<std::size_t>(around)].offsets;
        if (std::find(offsets.begin(), offsets.end(), Offset{}) != offsets.end()) return around;
        offsets.insert(offsets.begin(), Offset{});
        return add("with_here<" + model_.neighbourhoods[static_cast<std::size_t>(around)].name + ">", std::move(offsets));
    }

private:
    int add(const std::string& name, std::vector<Offset> offsets, const std::string& definition = {}) {
        for (std::size_t n = 0; n < model_.neighbourhoods.size(); ++n)
            if (model_.neighbourhoods[n].name == name) return static_cast<int>(n);
        model_.neighbourhoods.push_back({name, definition, std::move(offsets)});
        return static_cast<int>(model_.neighbourhoods.size()) - 1;
    }
    [[nodiscard]] std::vector<Offset> ball(int r, bool manhattan) const {
        std::vector<Offset> all;
        const int ry = model_.dimensions > 1 ? r : 0, rz = model_.dimensions > 2 ? r : 0;
        for (int z = -rz; z <= rz; ++z)
            for (int y = -ry; y <= ry; ++y)
                for (int x = -r; x <= r; ++x)
                    if ((x != 0 || y != 0 || z != 0) && (!manhattan || std::abs(x) + std::abs(y) + std::abs(z) <= r))
                        all.push_back({x, y, z});
        return all;
    }
    // Down from the last axis to the first, then up again, the nearest first.
    [[nodiscard]] std::vector<Offset> lines(int r) const {
        std::vector<Offset> all;
        for (int d = 1; d <= r; ++d) {
            if (model_.dimensions > 2) all.push_back({0, 0, -d});
            if (model_.dimensions > 1) all.push_back({0, -d, 0});
            all.push_back({-d, 0, 0}), all.push_back({d, 0, 0});
            if (model_.dimensions > 1) all.push_back({0, d, 0});
            if (model_.dimensions > 2) all.push_back({0, 0, d});
        }
        return all;
    }
    int list(int reach, bool fitting = false) {
        Neighbourhood n;
        for (int i = dice_.between(1, 5); i > 0; --i) {
            Offset o{dice_.between(-reach, reach)};
            if (model_.dimensions > 1) o.y = dice_.between(-reach, reach);
            if (model_.dimensions > 2) o.z = dice_.between(-2, 2);
            if (fitting) o = as_far_as_it_fits(o);
            if (fitting && o == Offset{}) continue;
            if (std::find(n.offsets.begin(), n.offsets.end(), o) == n.offsets.end()) n.offsets.push_back(o);
        }
        if (n.offsets.empty()) n.offsets.push_back({});
        std::string definition = "offsets<";
        for (const auto& o : n.offsets) definition += (definition.back() == '<' ? "" : ", ") + text(o);
        return add("around" + std::to_string(model_.number) + "_" + std::to_string(model_.neighbourhoods.size()), n.offsets,
                   definition + ">");
    }
    [[nodiscard]] std::string text(const Offset& o) const {
        if (o == Offset{}) return "here";
        std::string text = "offset<" + std::to_string(o.x);
        if (model_.dimensions > 1) text += ", " + std::to_string(o.y);
        if (model_.dimensions > 2) text += ", " + std::to_string(o.z);
        return text + ">";
    }
    [[nodiscard]] bool all_fit(const std::vector<Offset>& offsets) const {
        return std::all_of(offsets.begin(), offsets.end(), [&](const Offset& o) { return as_far_as_it_fits(o) == o; });
    }
    [[nodiscard]] Offset as_far_as_it_fits(const Offset& o) const {
        const auto fit = [](int step, std::int64_t n, Boundary rule) {
            const auto most = rule == Boundary::torus ? static_cast<int>(std::min<std::int64_t>(n, 256)) - 1 : 255;
            return std::clamp(step, -most, most);
        };
        const auto& s = model_.shape;
        return {fit(o.x, s.nx, s.x), fit(o.y, s.ny, s.y), fit(o.z, s.nz, s.z)};
    }

    Dice& dice_;
    Model& model_;
};

// What a function is to do besides what it makes up.
struct Tasks {
    bool moves = false, dies = false;
    std::vector<int> spawns{}; // of these types
};

// What a loop is going through: agents of a type that are met, or sites.
struct Seen {
    bool met = false, site = false;
    int type = of_places, around = 0;
};

class FunctionMaker {
public:
    FunctionMaker(Dice& dice, const Model& model, Neighbourhoods& neighbourhoods, Function& function)
        : dice_(dice), model_(model), neighbourhoods_(neighbourhoods), function_(function) {}

    void make(const Tasks& tasks) {
        choose_what_it_writes();
        if (of_agents() && dice_.percent(40)) leave();
        for (int draws = dice_.between(1, 2); draws > 0; --draws) declare_drawn(dice_.percent(50) ? 0 : dice_.between(2, 9));
        for (int looks = dice_.between(1, 3); looks > 0; --looks) look();
        if (of_agents() && (tasks.moves || dice_.percent(20))) seek();
        change();
        if (of_agents()) change_place();
        if (tasks.dies) die();
        if (tasks.moves) move();
        for (const int child : tasks.spawns)
            for (int n = dice_.percent(30) ? dice_.between(2, 3) : 1; n > 0; --n) spawn(child);
        declare_children();
        if (dice_.percent(20)) need({Access::Entry::counts, any_type(), 0, neighbourhoods_.any()}); // and does not use
        dice_.shuffle(function_.accesses);
    }
    // Of a TESSERA_INIT function: each member is drawn. Places have children there, of these types.
    void make_start(const std::vector<int>& children) {
        const auto& row = model_.row(function_.type);
        for (std::size_t m = 0; m < row.members.size(); ++m) {
            need({Access::Entry::sets, function_.type, static_cast<int>(m)});
            for (int e = 0; e < row.members[m].values(); ++e) {
                const auto drawn = declare_drawn(dice_.percent(50) ? 0 : dice_.between(2, 40));
                put(statement(Statement::Op::assign, static_cast<int>(m), e, {drawn}));
            }
        }
        for (const int child : children) {
            auto born = statement(Statement::Op::spawn, 0, 0, values_of(child));
            born.type = child;
            put(when(equal(declare_drawn(dice_.between(4, 12)), constant(0)), {born, born}));
            need({Access::Entry::spawns, child, 0, 0, 2});
        }
    }

private:
    using Op = Expression::Op;
    enum class Change { none, writes, sets, adds, least, most };

    [[nodiscard]] bool of_agents() const { return function_.type != of_places; }
    [[nodiscard]] const Row& row() const { return model_.row(function_.type); }
    [[nodiscard]] const Type& type() const { return model_.types[static_cast<std::size_t>(function_.type)]; }
    int any_type() { return dice_.below(static_cast<int>(model_.types.size())); }
    int any_member(const Row& row) { return dice_.below(static_cast<int>(row.members.size())); }
    int any_element(const Row& row, int member) { return dice_.below(row.members[static_cast<std::size_t>(member)].values()); }

    void need(const Access& access) {
        if (std::find(function_.accesses.begin(), function_.accesses.end(), access) == function_.accesses.end())
            function_.accesses.push_back(access);
    }
    void put(Statement s) { function_.body.push_back(std::move(s)); }
    static Statement statement(Statement::Op op, int index = 0, int element = 0, std::vector<Expression> of = {}) {
        Statement s;
        s.op = op;
        s.index = index;
        s.element = element;
        s.of = std::move(of);
        return s;
    }
    static Statement when(Expression condition, std::vector<Statement> then) {
        auto s = statement(Statement::Op::when, 0, 0, {std::move(condition)});
        s.then = std::move(then);
        return s;
    }

    // ---- expressions

    static Expression expression(Op op, std::vector<Expression> of = {}, Bits bits = 0) {
        Expression e;
        e.op = op;
        e.of = std::move(of);
        e.bits = bits;
        return e;
    }
    static Expression constant(Bits bits) { return expression(Op::constant, {}, bits); }
    static Expression equal(Expression a, Expression b) { return expression(Op::equal, {std::move(a), std::move(b)}); }
    static Expression less(Expression a, Expression b) { return expression(Op::less, {std::move(a), std::move(b)}); }
    static Expression local(int index) {
        auto e = expression(Op::local);
        e.index = index;
        return e;
    }
    Expression declare(Expression value) {
        put(statement(Statement::Op::declare, function_.locals, 0, {std::move(value)}));
        return local(function_.locals++);
    }
    Expression declare_drawn(int below) {
        auto s = statement(Statement::Op::draw, function_.locals);
        s.bits = static_cast<Bits>(below);
        put(s);
        return local(function_.locals++);
    }
    // True once in so many times, about.
    Expression chance(int times) {
        if (dice_.percent(60)) return equal(declare_drawn(times), constant(0));
        return equal(expression(Op::remainder, {any(2)}, static_cast<Bits>(times)), constant(0));
    }

    Expression any(int depth, const Seen& seen = {}) {
        if (depth == 0) return leaf(seen);
        switch (dice_.below(9)) {
        case 0: return expression(Op::add, {any(depth - 1, seen), any(depth - 1, seen)});
        case 1: return expression(Op::subtract, {any(depth - 1, seen), any(depth - 1, seen)});
        case 2: return expression(Op::multiply, {any(depth - 1, seen), any(depth - 1, seen)});
        case 3: return expression(Op::exclusive, {any(depth - 1, seen), any(depth - 1, seen)});
        case 4: return expression(Op::halved, {any(depth - 1, seen)}, static_cast<Bits>(dice_.between(1, 40)));
        case 5: return expression(Op::remainder, {any(depth - 1, seen)}, static_cast<Bits>(dice_.between(2, 99)));
        case 6: return expression(Op::select, {condition(seen), any(depth - 1, seen), any(depth - 1, seen)});
        default: return leaf(seen);
        }
    }
    Expression condition(const Seen& seen = {}) {
        if (dice_.percent(50)) {
            auto a = leaf(seen), b = leaf(seen);
            if (a.op == b.op && a.op == Op::local) b = constant(static_cast<Bits>(dice_.between(1, 9))); // compilers warn of x < x
            return less(std::move(a), std::move(b));
        }
        return equal(expression(Op::remainder, {leaf(seen)}, static_cast<Bits>(dice_.between(2, 5))), constant(0));
    }
    Expression leaf(const Seen& seen) {
        if (seen.met && dice_.percent(60)) return of_the_met(seen);
        if (seen.site && dice_.percent(60)) return of_the_site(seen);
        const int kind = dice_.below(of_agents() ? 14 : 9);
        if (kind < 3 && function_.locals > 0) return local(dice_.below(function_.locals));
        if (kind < 5) return own();
        if (kind == 5) return position();
        if (kind == 6) return expression(Op::step);
        if (kind == 7) return count();
        if (kind == 8) return beside();
        if (kind < 11) return below();
        if (kind == 11) return what_became_of_it();
        if (kind == 12) return rank();
        return kind == 13 ? expression(Op::id) : constant(static_cast<Bits>(dice_.between(0, 100)));
    }
    Expression own() {
        const int m = any_member(row());
        if (changes_[static_cast<std::size_t>(m)] == Change::sets) return position();
        need({Access::Entry::reads, function_.type, m});
        return member(Op::own, row(), m);
    }
    Expression member(Op op, const Row& of, int m) {
        auto e = expression(op);
        e.index = m;
        e.element = any_element(of, m);
        return e;
    }
    Expression position() {
        auto e = expression(Op::position);
        e.index = dice_.below(model_.dimensions);
        return e;
    }
    // Of the place that an agent stands on. What it adds to can be read beside that.
    Expression below() {
        const int m = any_member(model_.places);
        need({Access::Entry::reads, of_places, m});
        return member(Op::below, model_.places, m);
    }
    Expression what_became_of_it() {
        const int kind = dice_.below(5);
        if (kind == 0) need({Access::Entry::moved, of_places});
        if (kind == 1) need({Access::Entry::refused, of_places});
        if (kind > 2) need({Access::Entry::refused_births, of_places});
        return expression(kind == 0 ? Op::moved : kind == 1 ? Op::refused : kind == 2 ? Op::dying : Op::refused_births);
    }
    Expression rank() {
        need({Access::Entry::counts, function_.type});
        return expression(Op::rank);
    }
    Expression of_type(Op op, int type, int around) {
        auto e = expression(op);
        e.type = type;
        e.around = around;
        need({Access::Entry::counts, type, 0, around});
        return e;
    }
    Expression count() { return of_type(Op::count, any_type(), neighbourhoods_.any()); }
    // Of the place at an offset.
    Expression beside() {
        const int there = neighbourhoods_.one_of(neighbourhoods_.any());
        auto e = expression(Op::exists_at);
        e.around = there;
        const int kind = dice_.below(of_agents() ? 4 : 2);
        if (there == 0) return position();
        if (kind == 2) return of_type(Op::count_at, any_type(), there);
        if (kind == 3) return of_type(Op::free_at, function_.type, there);
        const int m = any_member(model_.places);
        if (kind == 0 || !sees_around(m)) return e;
        need({Access::Entry::around, of_places, m, there});
        e = member(Op::at, model_.places, m);
        e.around = there;
        return e;
    }
    // An agent does not both look at a member of places around it and write it.
    [[nodiscard]] bool sees_around(int m) const { return !of_agents() || place_changes_[static_cast<std::size_t>(m)] != Change::writes; }
    Expression of_the_met(const Seen& seen) {
        const auto& others = model_.row(seen.type);
        const int m = any_member(others);
        const bool id = dice_.percent(30);
        need({Access::Entry::meets, seen.type, id ? -1 : m, seen.around});
        auto e = id ? expression(Op::other_id) : member(Op::other, others, m);
        e.type = seen.type;
        return e;
    }
    Expression of_the_site(const Seen& seen) {
        const int kind = of_agents() ? dice_.below(6) : 0;
        if (kind == 3) return of_type(Op::count_on, any_type(), seen.around);
        if (kind == 4) return of_type(Op::free_on, function_.type, seen.around);
        if (kind == 5) return expression(Op::distance);
        const int m = any_member(model_.places);
        if (!sees_around(m)) return position();
        need({Access::Entry::around, of_places, m, seen.around});
        return member(Op::site, model_.places, m);
    }

    // ---- what it looks at

    void look() {
        Seen seen;
        seen.met = dice_.percent(55);
        seen.site = !seen.met;
        seen.type = any_type();
        seen.around = neighbourhoods_.any();
        const auto kept = declare(constant(static_cast<Bits>(dice_.between(0, 9))));
        // In an order that shows.
        auto next =
            expression(Op::add, {expression(Op::multiply, {kept, constant(static_cast<Bits>(2 * dice_.between(0, 8) + 1))}), any(1, seen)});
        auto keep = statement(Statement::Op::change, kept.index, 0, {std::move(next)});
        auto loop = statement(seen.met ? Statement::Op::meet : Statement::Op::each);
        loop.type = seen.type;
        loop.around = seen.around;
        if (dice_.percent(30))
            loop.then.push_back(when(condition(seen), {std::move(keep)}));
        else
            loop.then.push_back(std::move(keep));
        if (seen.met) need({Access::Entry::meets, seen.type, -1, seen.around});
        if (seen.site && !of_agents()) { // of places `each` shows what is seen of all
            const int m = any_member(model_.places);
            need({Access::Entry::around, of_places, m, seen.around});
        }
        put(std::move(loop));
    }
    // Whether nobody may ask to go beyond an edge, or to have a child of the type there.
    [[nodiscard]] bool stays_inside(int type) const {
        return !model_.is_torus() && !model_.types[static_cast<std::size_t>(type)].refuses_at_edge;
    }
    void seek() {
        sought_ = neighbourhoods_.to_go_to();
        if (!sought_) return;
        const Seen seen{false, true, of_places, *sought_};
        const bool inside =
            std::any_of(model_.types.begin(), model_.types.end(), [&](const Type& t) { return !t.refuses_at_edge; }) && !model_.is_torus();
        auto allowed = inside || dice_.percent(60) ? less(constant(0), of_type(Op::free_on, function_.type, *sought_)) : constant(1);
        auto found = any(1, seen);
        if (dice_.percent(40)) found = expression(Op::remainder, {std::move(found)}, 3); // the first of several
        auto s = statement(Statement::Op::seek, 0, 0, {constant(0), std::move(allowed), std::move(found)});
        s.around = *sought_;
        put(std::move(s));
    }

    // ---- what it changes

    // Some agents leave before the body: most of them, or few. Often nothing else is in the way of not calling it for these.
    void leave() {
        if (dice_.percent(60)) {
            std::fill(place_changes_.begin(), place_changes_.end(), Change::none);
            std::replace(changes_.begin(), changes_.end(), Change::sets, Change::writes);
        }
        function_.is_within_if = dice_.percent(50);
        for (int n = dice_.between(1, 2); n > 0; --n) {
            const int m = any_member(row());
            const auto& member = row().members[static_cast<std::size_t>(m)];
            const auto type = member.type;
            const bool is_small = type == Scalar::boolean || type == Scalar::u8 || type == Scalar::i8 || type == Scalar::i16 ||
                                  type == Scalar::u16 || type == Scalar::i32;
            if (!is_small || member.elements > 0 || changes_[static_cast<std::size_t>(m)] == Change::sets) continue;
            need({Access::Entry::reads, function_.type, m});
            const auto how = type == Scalar::boolean
                                 ? Leaving::How::equal
                                 : dice_.of(std::vector{Leaving::How::equal, Leaving::How::unequal, Leaving::How::less});
            function_.leaving.push_back({m, how, type == Scalar::boolean ? 1 : dice_.between(1, 20)});
        }
    }
    void choose_what_it_writes() {
        for (std::size_t m = 0; m < row().members.size(); ++m)
            changes_.push_back(dice_.percent(45) ? Change::writes : dice_.percent(25) ? Change::sets : Change::none);
        if (!of_agents()) return;
        const bool alone = type().capacity == 1;
        for (const auto& member : model_.places.members) {
            const int kind = dice_.below(10);
            auto change = kind == 0   ? Change::adds
                          : kind == 1 ? Change::adds
                          : kind == 2 ? Change::least
                          : kind == 3 ? Change::most
                                      : Change::none;
            if (change == Change::adds && member.type == Scalar::boolean) change = Change::most;
            if (alone && dice_.percent(30)) change = Change::writes;
            place_changes_.push_back(change);
        }
    }
    void change() {
        for (std::size_t m = 0; m < changes_.size(); ++m) {
            if (changes_[m] == Change::none) continue;
            need({changes_[m] == Change::writes ? Access::Entry::writes : Access::Entry::sets, function_.type, static_cast<int>(m)});
            for (int e = 0; e < row().members[m].values(); ++e) {
                auto assign = statement(Statement::Op::assign, static_cast<int>(m), e, {any(2)});
                if (dice_.percent(70)) put(dice_.percent(25) ? when(condition(), {std::move(assign)}) : std::move(assign));
            }
        }
    }
    void change_place() {
        for (std::size_t m = 0; m < place_changes_.size(); ++m) {
            using Entry = Access::Entry;
            const auto change = place_changes_[m];
            if (change == Change::none) continue;
            need({change == Change::writes  ? Entry::writes
                  : change == Change::adds  ? Entry::adds
                  : change == Change::least ? Entry::least
                                            : Entry::most,
                  of_places, static_cast<int>(m)});
            for (int n = dice_.between(1, 2); n > 0; --n) {
                const auto op = change == Change::writes  ? Statement::Op::write
                                : change == Change::least ? Statement::Op::lower
                                : change == Change::most  ? Statement::Op::raise
                                : dice_.percent(70)       ? Statement::Op::add
                                                          : Statement::Op::subtract;
                auto s = statement(op, static_cast<int>(m), any_element(model_.places, static_cast<int>(m)), {any(1)});
                put(dice_.percent(30) ? when(condition(), {std::move(s)}) : std::move(s));
            }
        }
    }

    // ---- what it asks for

    void die() {
        need({Access::Entry::dies});
        put(when(chance(dice_.between(4, 9)), {statement(Statement::Op::kill)}));
    }
    void move() {
        const bool inside = stays_inside(function_.type);
        for (int n = dice_.percent(25) ? 2 : 1; n > 0; --n) { // the last one counts
            Statement s;
            if (sought_ && (inside || dice_.percent(40))) {
                need({Access::Entry::moves, of_places, 0, *sought_});
                s = statement(Statement::Op::go_there);
            } else {
                const auto around = inside ? std::nullopt : neighbourhoods_.to_go_to();
                if (!around) continue;
                const bool one = dice_.percent(25);
                s = statement(one ? Statement::Op::go : Statement::Op::go_by_turn);
                s.around = one ? neighbourhoods_.one_of(*around) : *around;
                need({Access::Entry::moves, of_places, 0, *around});
                if (!one) {
                    s.index = turns_++;
                    s.of = {dice_.percent(50) ? declare_drawn(0) : any(2)};
                }
            }
            put(dice_.percent(30) ? when(condition(), {std::move(s)}) : std::move(s));
        }
    }
    std::vector<Expression> values_of(int child) {
        std::vector<Expression> values;
        for (const auto& member : model_.row(child).members)
            for (int e = 0; e < member.values(); ++e)
                values.push_back(changes_.empty() || (function_.locals > 0 && dice_.percent(50)) ? local(dice_.below(function_.locals))
                                                                                                 : any(1));
        return values;
    }
    void spawn(int child) {
        auto s = statement(Statement::Op::spawn, 0, 0, {});
        s.type = child;
        int declared = 0;
        if (of_agents() && sought_ && dice_.percent(35)) {
            s.op = Statement::Op::spawn_there;
            declared = neighbourhoods_.with_here(*sought_);
        } else if (of_agents() && !stays_inside(child) && dice_.percent(70))
            if (const auto around = neighbourhoods_.to_go_to()) {
                s.around = neighbourhoods_.one_of(*around);
                declared = *around;
            }
        auto wanted = chance(dice_.between(1, 4));
        if (model_.types[static_cast<std::size_t>(child)].in_list()) // where there is room for all there would be too many soon
            wanted = expression(Op::both, {std::move(wanted), less(of_type(Op::count, child, 0), constant(4))});
        s.of = values_of(child);
        put(when(std::move(wanted), {std::move(s)}));
        children_.push_back({child, declared});
    }
    // At most as many as it may ask for: of several entries for a type the largest number counts.
    void declare_children() {
        for (std::size_t i = 0; i < children_.size(); ++i) {
            const int child = children_[i].first, around = children_[i].second; // clang 14 captures no structured bindings
            const auto all = std::count_if(children_.begin(), children_.end(), [&](const auto& other) { return other.first == child; });
            const bool is_last = std::none_of(children_.begin() + static_cast<std::ptrdiff_t>(i) + 1, children_.end(),
                                              [&](const auto& other) { return other.first == child; });
            need({Access::Entry::spawns, child, 0, around, is_last ? static_cast<int>(all) : 1});
        }
    }

    Dice& dice_;
    const Model& model_;
    Neighbourhoods& neighbourhoods_;
    Function& function_;
    std::vector<Change> changes_{}, place_changes_{}; // of its own members; of those of the place that an agent stands on
    std::optional<int> sought_{};
    std::vector<std::pair<int, int>> children_{}; // types, and where they are wanted
    int turns_ = 0;
};

class ModelMaker {
public:
    ModelMaker(unsigned number, const Plan& plan) : dice_(number * 2654435761u + 54321), plan_(plan) { model_.number = number; }
    Model make() {
        give_shape();
        give_rows();
        Neighbourhoods neighbourhoods(dice_, model_);
        give_starts(neighbourhoods);
        give_functions(neighbourhoods);
        give_phases();
        return std::move(model_);
    }

private:
    // Small ones, so that there is much going on at edges, and seams and corners are soon wanted by several.
    void give_shape() {
        const int kind = dice_.below(100);
        auto& s = model_.shape;
        model_.dimensions = kind < 60 ? 2 : kind < 75 ? 1 : 3;
        if (model_.dimensions == 1)
            s.nx = dice_.percent(80) ? dice_.between(1, 40) : dice_.between(200, 1500);
        else if (model_.dimensions == 3)
            s = {dice_.between(1, 9), dice_.between(1, 7), dice_.between(1, 8)};
        else if (dice_.percent(90))
            s.nx = dice_.between(1, 18), s.ny = dice_.between(1, 16);
        else
            s.nx = dice_.between(60, 200), s.ny = dice_.between(5, 20);
        draw_boundaries(dice_, s, model_.dimensions, 50);
    }
    void give_members(Row& row, int most) {
        using S = Scalar;
        const std::vector<Scalar> types{S::boolean, S::u8,  S::u8,  S::i8,  S::u16, S::i16, S::u32,
                                        S::i32,     S::i64, S::u64, S::f32, S::f32, S::f64};
        const int count = dice_.between(1, most);
        for (int m = 0; m < count; ++m) {
            Member member;
            member.name = std::string(1, static_cast<char>('a' + m));
            member.type = dice_.of(types);
            member.elements = dice_.percent(15) ? dice_.between(2, 3) : 0;
            member.initially = any_value(member.type);
            member.outside = dice_.percent(60) ? any_value(member.type) : member.initially;
            row.members.push_back(member);
        }
    }
    Bits any_value(Scalar type) {
        const int any = dice_.between(0, 31);
        if (type == Scalar::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(any) / 8);
        if (type == Scalar::f64) return std::bit_cast<std::uint64_t>(any / 8.0);
        return static_cast<Bits>(type == Scalar::boolean ? any % 2 : any);
    }
    void give_rows() {
        const auto name = [&](Row& row, char letter) {
            row.name = static_cast<char>(letter - 'a' + 'A') + std::to_string(model_.number);
            row.collection = letter + std::to_string(model_.number);
        };
        name(model_.places, 'p');
        give_members(model_.places, 4);
        const int types = dice_.between(1, 3);
        for (int t = 0; t < types; ++t) {
            Type type;
            name(type.row, static_cast<char>('a' + t));
            give_members(type.row, 4);
            type.capacity = plan_.lists && dice_.percent(60) ? Type::any_number : dice_.percent(40) ? 1 : dice_.between(1, 8);
            type.by_id = dice_.percent(30);
            type.refuses_at_edge = dice_.percent(model_.is_torus() ? 50 : 80);
            model_.types.push_back(std::move(type));
        }
    }

    [[nodiscard]] int types() const { return static_cast<int>(model_.types.size()); }
    void give_starts(Neighbourhoods& neighbourhoods) {
        for (int t = of_places; t < types(); ++t) {
            Function start;
            start.name = "start";
            start.type = t;
            std::vector<int> children;
            for (int child = 0; t == of_places && child < types(); ++child)
                if (!model_.types[static_cast<std::size_t>(child)].in_list() && dice_.percent(20)) children.push_back(child);
            FunctionMaker(dice_, model_, neighbourhoods, start).make_start(children);
            model_.starts.push_back(std::move(start));
        }
    }
    void give_functions(Neighbourhoods& neighbourhoods) {
        for (int t = 0; t < types(); ++t) {
            const int count = dice_.between(1, 2);
            for (int f = 0; f < count; ++f) {
                Tasks tasks;
                tasks.moves = f == 0 || dice_.percent(30);
                tasks.dies = dice_.percent(70);
                for (int child = 0; child < types(); ++child)
                    if (dice_.percent(child == t ? 60 : 25) && may_spawn(t, child)) tasks.spawns.push_back(child);
                add_function(neighbourhoods, t, tasks);
            }
        }
        for (int f = dice_.between(0, 2); f > 0; --f) {
            Tasks tasks;
            for (int child = 0; child < types(); ++child)
                if (dice_.percent(30)) tasks.spawns.push_back(child);
            add_function(neighbourhoods, of_places, tasks);
        }
    }
    // Those in a list have children in a list.
    [[nodiscard]] bool may_spawn(int parent, int child) const {
        return !model_.types[static_cast<std::size_t>(parent)].in_list() || model_.types[static_cast<std::size_t>(child)].in_list();
    }
    void add_function(Neighbourhoods& neighbourhoods, int type, const Tasks& tasks) {
        Function function;
        function.name = "f" + std::to_string(model_.functions.size());
        function.type = type;
        FunctionMaker(dice_, model_, neighbourhoods, function).make(tasks);
        model_.functions.push_back(std::move(function));
    }

    void give_phases() {
        auto& phases = model_.phases;
        const auto functions = static_cast<int>(model_.functions.size());
        std::vector<int> calls(static_cast<std::size_t>(functions));
        std::iota(calls.begin(), calls.end(), 0);
        if (dice_.percent(30)) calls.push_back(dice_.below(functions));
        dice_.shuffle(calls);
        std::vector<std::uint64_t> called(static_cast<std::size_t>(functions));
        for (const int f : calls) {
            Phase call;
            call.function = f;
            call.nth = called[static_cast<std::size_t>(f)]++;
            if (dice_.percent(15)) call.every = static_cast<std::uint64_t>(dice_.between(2, 3)), call.from = call.every - 1;
            phases.push_back(call);
        }
        for (int n = dice_.between(0, 2); n > 0; --n) insert(some_manage());
        if (dice_.percent(25)) give_rotation();
        Phase last;
        last.action = Phase::Action::manage;
        last.types.resize(model_.types.size());
        std::iota(last.types.begin(), last.types.end(), 0);
        phases.push_back(last);
        if (dice_.percent(8)) // not in each step, all of them
            for (auto& phase : phases) phase.every = 2, phase.from = 1;
        for (auto& phase : phases)
            while (phase.action == Phase::Action::manage && (adds_parent(phase) || adds_children(phase))) {}
    }
    [[nodiscard]] bool asks_for_refused_births(int type) const {
        return std::any_of(model_.functions.begin(), model_.functions.end(),
                           [&](const Function& f) { return f.type == type && f.has(Access::Entry::refused_births, of_places); });
    }
    [[nodiscard]] bool spawns(int parents, int children) const {
        return std::any_of(model_.functions.begin(), model_.functions.end(),
                           [&](const Function& f) { return f.type == parents && f.spawns(children); });
    }
    // Agents that ask how many of their children were not born are managed where these are, and the other way round.
    bool adds_children(Phase& manage) const {
        for (int t = 0; t < types(); ++t)
            for (int child = 0; manage.manages(t) && asks_for_refused_births(t) && child < types(); ++child) {
                if (manage.manages(child) || !spawns(t, child)) continue;
                manage.types.push_back(child);
                return true;
            }
        return false;
    }
    bool adds_parent(Phase& manage) const {
        for (int t = 0; t < types(); ++t) {
            const auto is_born = [&](int child) { return spawns(t, child); };
            if (manage.manages(t) || !asks_for_refused_births(t) || std::none_of(manage.types.begin(), manage.types.end(), is_born))
                continue;
            manage.types.push_back(t);
            return true;
        }
        return false;
    }
    void insert(Phase phase) {
        auto& phases = model_.phases;
        phases.insert(phases.begin() + dice_.below(static_cast<int>(phases.size()) + 1), std::move(phase));
    }
    Phase some_manage() {
        Phase manage;
        manage.action = Phase::Action::manage;
        for (int t = 0; t < types(); ++t)
            if (dice_.percent(60)) manage.types.push_back(t);
        if (manage.types.empty()) manage.types.push_back(dice_.below(types()));
        dice_.shuffle(manage.types);
        if (dice_.percent(30)) manage.every = 2, manage.from = static_cast<std::uint64_t>(dice_.below(2));
        return manage;
    }
    // Two members of one type of agents that can take each other's place.
    void give_rotation() {
        for (int t = 0; t < types(); ++t) {
            const auto& members = model_.row(t).members;
            for (std::size_t a = 0; a < members.size(); ++a)
                for (std::size_t b = a + 1; b < members.size(); ++b)
                    if (members[a].type == members[b].type && members[a].elements == members[b].elements) {
                        Phase rotation;
                        rotation.action = Phase::Action::rotate;
                        rotation.types = {t};
                        rotation.rotated = {static_cast<int>(b), static_cast<int>(a)};
                        return insert(rotation);
                    }
        }
    }

    Dice dice_;
    Plan plan_;
    Model model_{};
};

} // namespace tessera::test::random_agent_model
