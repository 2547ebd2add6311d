// What a random model of agents does, worked out one agent after the other: nothing of the engine or the SDK has a part in it.
#pragma once

#include "tests/conformance/philox.hpp"
#include "tests/conformance/random_agent_model.hpp"
#include "tests/conformance/random_model_loop.hpp"
#include "tests/reference/agents.hpp"

#include <cmath>
#include <map>
#include <set>

namespace tessera::test::random_agent_model {

using random_model::Column;
using random_model::State;

struct Agent : reference::Agent {
    std::vector<Bits> values{}; // of all elements of all members
    Bits refused_births = 0;
};

inline Bits stored(Scalar type, Bits value) {
    switch (type) {
    case Scalar::boolean: return value & 1;
    case Scalar::f32: return random_model::bits_of(static_cast<float>(value & 1023) * 0.1f);
    case Scalar::f64: return random_model::bits_of(static_cast<double>(value & 1023) * 0.1);
    default: return random_model::narrowed(type, value);
    }
}
inline Bits read(Scalar type, Bits bits) {
    const auto extended = [](auto value) { return static_cast<Bits>(std::int64_t{value}); };
    switch (type) {
    case Scalar::i8: return extended(static_cast<std::int8_t>(bits));
    case Scalar::i16: return extended(static_cast<std::int16_t>(bits));
    case Scalar::i32: return extended(static_cast<std::int32_t>(bits));
    case Scalar::f32: return static_cast<Bits>(static_cast<std::int64_t>(random_model::as_float(bits) * 8.0f));
    case Scalar::f64: return static_cast<Bits>(static_cast<std::int64_t>(random_model::as_double(bits) * 8.0));
    default: return bits;
    }
}

// What several agents do to a member of their place: joins two values.
inline Bits sum_of(Scalar type, Bits a, Bits b) {
    if (type == Scalar::f32) return random_model::bits_of(random_model::as_float(a) + random_model::as_float(b));
    if (type == Scalar::f64) return random_model::bits_of(random_model::as_double(a) + random_model::as_double(b));
    return random_model::narrowed(type, a + b);
}
inline Bits negative_of(Scalar type, Bits a) {
    if (type == Scalar::f32) return random_model::bits_of(-random_model::as_float(a));
    if (type == Scalar::f64) return random_model::bits_of(-random_model::as_double(a));
    return random_model::narrowed(type, 0 - a);
}
inline bool is_less(Scalar type, Bits a, Bits b) {
    const auto is_signed = [](Bits x) { return static_cast<std::int64_t>(read(Scalar::i64, x)); };
    switch (type) {
    case Scalar::f32: return random_model::as_float(a) < random_model::as_float(b);
    case Scalar::f64: return random_model::as_double(a) < random_model::as_double(b);
    case Scalar::i8:
    case Scalar::i16:
    case Scalar::i32: return static_cast<std::int64_t>(read(type, a)) < static_cast<std::int64_t>(read(type, b));
    case Scalar::i64: return is_signed(a) < is_signed(b);
    default: return a < b;
    }
}

// Where each element of a member of agents stands among their values.
inline std::size_t first_value(const Row& row, int member) {
    std::size_t first = 0;
    for (int m = 0; m < member; ++m) first += static_cast<std::size_t>(row.members[static_cast<std::size_t>(m)].values());
    return first;
}
inline std::vector<Bits> defaults(const Row& row) {
    std::vector<Bits> values;
    for (const auto& member : row.members) values.insert(values.end(), static_cast<std::size_t>(member.values()), member.initially);
    return values;
}

// What there is, before a phase or now.
struct World {
    State places{};                           // [member][element * places + place]
    std::vector<std::vector<Agent>> agents{}; // of each type
};

// How often several wanted a place that had no room for all of them: at an edge of the grid, in a corner, from both sides of a cut.
struct Conflicts {
    std::uint64_t at_edges = 0, in_corners = 0, on_seams = 0;
};

class Loop {
public:
    Loop(const Model& model, std::uint64_t seed) : model_(model), seed_(seed) {
        for (const auto& member : model.places.members)
            now_.places.emplace_back(static_cast<std::size_t>(member.values()) * count(), member.initially);
        now_.agents.resize(model.types.size());
        wanted_.resize(model.types.size());
        cycles_.resize(model.types.size());
        tallies_.resize(model.types.size());
    }

    // Places have what their first function makes of them, and so have agents, who are where they are found.
    void begin(std::vector<std::vector<Agent>> agents) {
        now_.agents = std::move(agents);
        for (std::size_t t = 0; t < now_.agents.size(); ++t)
            for (auto& agent : now_.agents[t]) agent.values = defaults(model_.types[t].row);
        for (const auto& start : model_.starts) call(start, 0, 0);
        for (auto& wanted : wanted_) wanted.clear(); // who was born of them is among those that were found
    }
    void phase(const Phase& phase, std::uint64_t step) {
        if (!phase.runs_in(step)) return;
        if (phase.action == Phase::Action::call) call(model_.functions[of(phase.function)], step, phase.nth);
        if (phase.action == Phase::Action::rotate) rotate(phase);
        if (phase.action != Phase::Action::manage) return;
        for (const int type : phase.types)
            for (auto& agent : now_.agents[of(type)]) agent.refused_births = 0;
        for (const int type : phase.types) manage(phase, type, step);
    }
    void cut_at(std::set<std::int64_t> rows) { cuts_ = std::move(rows); }

    [[nodiscard]] const World& now() const { return now_; }
    [[nodiscard]] reference::Tally& tally(int type) { return tallies_[of(type)]; }
    [[nodiscard]] const reference::Tally& tally(int type) const { return tallies_[of(type)]; }
    [[nodiscard]] const Conflicts& conflicts() const { return conflicts_; }

private:
    using Op = Expression::Op;
    using Entry = Access::Entry;
    using Residents = std::vector<std::vector<const Agent*>>; // on each place, in the order of ids

    static std::size_t of(int index) { return static_cast<std::size_t>(index); }
    [[nodiscard]] std::size_t count() const { return model_.shape.count(); }
    [[nodiscard]] const std::vector<Offset>& offsets(int around) const { return model_.neighbourhoods[of(around)].offsets; }
    static reference::Offset steps(const Offset& offset) { return {offset.x, offset.y, offset.z}; }

    // ---- manageAll

    void manage(const Phase& phase, int t, std::uint64_t step) {
        const auto& type = model_.types[of(t)];
        const auto drawn = drawn_priority(seed_, type.row.collection, phase.nth, step);
        const auto priority = [&](std::uint64_t id) { return type.by_id ? id : drawn(id); };
        note_conflicts(t);
        reference::manage(now_.agents[of(t)], model_.shape, type.capacity, priority, tallies_[of(t)]);
        if (!can_spawn(phase, t)) return;
        for (const auto& refused :
             reference::spawn(now_.agents[of(t)], wanted_[of(t)], model_.shape, type.capacity, priority, ++cycles_[of(t)], tallies_[of(t)]))
            if (refused.order > 0)
                for (auto& parent : now_.agents[of(refused.order - 1)]) parent.refused_births += parent.id == refused.parent ? 1 : 0;
    }
    // Whether a phase may have asked for children since the manageAll that surely was before this one, in this step or in the one before.
    [[nodiscard]] bool can_spawn(const Phase& manage, int type) const {
        const auto phases = model_.phases.size();
        const auto number = static_cast<std::size_t>(&manage - model_.phases.data());
        for (std::size_t back = 1; back <= phases; ++back) {
            const auto& before = model_.phases[(number + phases - back) % phases];
            if (before.manages(type) && before.runs_always()) return false;
            if (before.action == Phase::Action::call && model_.functions[of(before.function)].spawns(type)) return true;
        }
        return false;
    }
    void note_conflicts(int t) {
        struct MoveRequests {
            int count = 0;
            std::int64_t lowest = 0, highest = 0; // rows of those who want to go there
        };
        std::map<std::size_t, MoveRequests> move_requests;
        std::map<std::size_t, int> taken;
        for (const auto& agent : now_.agents[of(t)]) {
            if (agent.dying) continue;
            ++taken[agent.place];
            const auto there = agent.move_request ? reference::place_at(model_.shape, agent.place, *agent.move_request) : std::nullopt;
            if (!there) continue;
            auto& at = move_requests[*there];
            const auto row = row_of(agent.place);
            at.lowest = at.count == 0 ? row : std::min(at.lowest, row);
            at.highest = at.count == 0 ? row : std::max(at.highest, row);
            ++at.count;
        }
        for (const auto& [place, at] : move_requests) {
            const int free = model_.types[of(t)].capacity - taken[place];
            if (free <= 0 || at.count <= free) continue;
            const auto edges = edges_at(place);
            conflicts_.at_edges += edges > 0 ? 1 : 0;
            conflicts_.in_corners += edges == model_.dimensions ? 1 : 0;
            const auto cut = cuts_.upper_bound(at.lowest);
            conflicts_.on_seams += cut != cuts_.end() && *cut <= at.highest ? 1 : 0;
        }
    }
    [[nodiscard]] std::array<std::int64_t, 3> position_of(std::size_t place) const {
        const auto i = static_cast<std::int64_t>(place);
        const auto& s = model_.shape;
        return {i % s.nx, i / s.nx % s.ny, i / (s.nx * s.ny)};
    }
    [[nodiscard]] std::int64_t row_of(std::size_t place) const { return position_of(place)[model_.dimensions == 3 ? 2 : 1]; }
    [[nodiscard]] int edges_at(std::size_t place) const {
        const auto at = position_of(place);
        const std::array size{model_.shape.nx, model_.shape.ny, model_.shape.nz};
        int edges = 0;
        for (std::size_t axis = 0; axis < of(model_.dimensions); ++axis) edges += at[axis] == 0 || at[axis] + 1 == size[axis] ? 1 : 0;
        return edges;
    }

    void rotate(const Phase& phase) {
        const int t = phase.types.front();
        const auto& row = model_.row(t);
        const auto values = of(row.members[of(phase.rotated.front())].values());
        for (auto& agent : now_.agents[of(t)])
            for (std::size_t e = 0; e < values; ++e) {
                auto last = agent.values[first_value(row, phase.rotated.back()) + e];
                for (const int m : phase.rotated) std::swap(agent.values[first_value(row, m) + e], last);
            }
    }

    // ---- calls

    void call(const Function& function, std::uint64_t step, std::uint64_t nth) {
        before_ = now_;
        residents_.assign(model_.types.size(), Residents(count()));
        for (std::size_t t = 0; t < model_.types.size(); ++t) {
            for (const auto& agent : before_.agents[t]) residents_[t][agent.place].push_back(&agent);
            for (auto& on : residents_[t]) std::sort(on.begin(), on.end(), [](const Agent* a, const Agent* b) { return a->id < b->id; });
        }
        function_ = &function;
        step_ = step;
        const auto key = key_of(seed_, model_.row(function.type).collection + "." + function.name, nth);
        if (function.type == of_places) {
            for (here_ = 0; here_ < count(); ++here_) {
                random_.emplace(key, number_of(here_, model_.shape.nx), step);
                call_place();
            }
            return;
        }
        // Sums of floats are made in the order of ids.
        auto& agents = now_.agents[of(function.type)];
        std::vector<Agent*> in_order;
        for (auto& agent : agents) in_order.push_back(&agent);
        std::sort(in_order.begin(), in_order.end(), [](const Agent* a, const Agent* b) { return a->id < b->id; });
        for (auto* agent : in_order) {
            self_ = agent;
            here_ = agent->place;
            random_.emplace(key, agent->id, step);
            call_agent();
        }
        self_ = nullptr;
    }
    void call_place() {
        own_.clear();
        const auto& members = model_.places.members;
        for (std::size_t m = 0; m < members.size(); ++m)
            for (int e = 0; e < members[m].values(); ++e)
                own_.push_back(starts_anew(static_cast<int>(m)) ? members[m].initially : before_.places[m][at_element(e) + here_]);
        run_body();
        std::size_t next = 0;
        for (std::size_t m = 0; m < members.size(); ++m)
            for (int e = 0; e < members[m].values(); ++e, ++next)
                if (stores(static_cast<int>(m))) now_.places[m][at_element(e) + here_] = own_[next];
    }
    void call_agent() {
        const auto& row = model_.row(function_->type);
        own_ = self_->values;
        for (std::size_t m = 0, next = 0; m < row.members.size(); ++m)
            for (int e = 0; e < row.members[m].values(); ++e, ++next)
                if (starts_anew(static_cast<int>(m))) own_[next] = row.members[m].initially;
        shares_.clear();
        run_body();
        self_->values = own_;
        for (const auto& [value, share] : shares_) join(value, share);
    }
    [[nodiscard]] bool starts_anew(int member) const {
        const auto has = [&](Entry entry) { return function_->has(entry, function_->type, member); };
        if (!has(Entry::sets) || has(Entry::reads) || has(Entry::writes)) return false;
        return std::none_of(function_->accesses.begin(), function_->accesses.end(), [&](const Access& access) {
            return access.entry == Entry::around && access.type == function_->type && access.member == member;
        });
    }
    [[nodiscard]] bool stores(int member) const {
        return function_->has(Entry::sets, function_->type, member) || function_->has(Entry::writes, function_->type, member);
    }
    [[nodiscard]] std::size_t at_element(int element) const { return of(element) * count(); }

    // What this agent alone adds to an element of a member, lowers or raises it to, before it is joined to what others do.
    struct Share {
        Statement::Op op = Statement::Op::add;
        Bits bits = 0;
    };
    static Bits joined(Statement::Op op, Scalar type, Bits a, Bits b) {
        if (op == Statement::Op::add) return sum_of(type, a, b);
        return (op == Statement::Op::lower) == is_less(type, b, a) ? b : a;
    }
    void share(Statement::Op op, const Statement& s, Bits bits) {
        const auto [found, is_new] = shares_.try_emplace({s.index, s.element}, Share{op, bits});
        if (!is_new) found->second.bits = joined(op, model_.places.members[of(s.index)].type, found->second.bits, bits);
    }
    void join(const std::pair<int, int>& value, const Share& share) {
        auto& there = now_.places[of(value.first)][at_element(value.second) + here_];
        there = joined(share.op, model_.places.members[of(value.first)].type, there, share.bits);
    }

    void run_body() {
        const auto& row = model_.row(function_->type);
        for (const auto& each : function_->leaving) {
            const auto type = row.members[of(each.member)].type;
            const auto own = own_[first_value(row, each.member)];
            if (each.holds(static_cast<std::int64_t>(read(type, own)))) return;
        }
        locals_.assign(of(function_->locals), 0);
        run(function_->body);
    }
    void run(const std::vector<Statement>& statements) {
        for (const auto& statement : statements) run(statement);
    }
    void run(const Statement& s) {
        const auto& own = model_.row(function_->type);
        const auto below = [&] { return stored(model_.places.members[of(s.index)].type, value(s.of[0])); };
        switch (s.op) {
        case Statement::Op::draw: locals_[of(s.index)] = s.bits == 0 ? random_->word() : random_->below(s.bits); break;
        case Statement::Op::declare:
        case Statement::Op::change: locals_[of(s.index)] = value(s.of[0]); break;
        case Statement::Op::assign:
            own_[first_value(own, s.index) + of(s.element)] = stored(own.members[of(s.index)].type, value(s.of[0]));
            break;
        case Statement::Op::write: now_.places[of(s.index)][at_element(s.element) + here_] = below(); break;
        case Statement::Op::add: share(Statement::Op::add, s, below()); break;
        case Statement::Op::subtract: share(Statement::Op::add, s, negative_of(model_.places.members[of(s.index)].type, below())); break;
        case Statement::Op::lower:
        case Statement::Op::raise: share(s.op, s, below()); break;
        case Statement::Op::when:
            if (value(s.of[0]) != 0) run(s.then);
            break;
        case Statement::Op::meet: meet(s); break;
        case Statement::Op::each:
            for (const auto& offset : offsets(s.around)) {
                if (!place_at(offset).exists) continue;
                site_ = offset;
                run(s.then);
            }
            break;
        case Statement::Op::seek: seek(s); break;
        case Statement::Op::go_there: request_move(best_); break;
        case Statement::Op::go: request_move(offsets(s.around).front()); break;
        case Statement::Op::go_by_turn: request_move(offsets(s.around)[value(s.of[0]) % offsets(s.around).size()]); break;
        case Statement::Op::spawn: spawn(s, offsets(s.around).front()); break;
        case Statement::Op::spawn_there: spawn(s, best_); break;
        case Statement::Op::kill: self_->dying = true; break;
        }
    }
    void meet(const Statement& s) {
        for (const auto& offset : offsets(s.around)) {
            const auto there = reference::place_at(model_.shape, here_, steps(offset));
            if (!there) continue;
            for (const auto* other : residents_[of(s.type)][*there]) {
                if (s.type == function_->type && other->id == self_->id) continue;
                other_ = other;
                run(s.then);
            }
        }
    }
    void seek(const Statement& s) {
        best_ = {};
        auto highest = value(s.of[0]);
        for (const auto& offset : offsets(s.around)) {
            if (!place_at(offset).exists) continue;
            site_ = offset;
            const auto found = value(s.of[2]);
            if (value(s.of[1]) != 0 && found > highest) best_ = offset, highest = found;
        }
    }
    void request_move(const Offset& offset) {
        if (self_->dying) return;
        self_->move_request.reset();
        if (!(offset == Offset{})) self_->move_request = steps(offset);
    }
    void spawn(const Statement& s, const Offset& offset) {
        const auto& row = model_.row(s.type);
        Agent child;
        std::size_t next = 0;
        for (const auto& member : row.members)
            for (int e = 0; e < member.values(); ++e) child.values.push_back(stored(member.type, value(s.of[next++])));
        auto& wanted = wanted_[of(s.type)];
        wanted.push_back({1 + function_->type, self_ != nullptr ? self_->id : 0, static_cast<int>(wanted.size()),
                          reference::place_at(model_.shape, here_, steps(offset)), child});
    }

    // ---- what they see

    [[nodiscard]] reference::Seen<std::size_t> place_at(const Offset& offset) const {
        const auto& s = model_.shape;
        const auto here = position_of(here_);
        const auto x = reference::follow(here[0] + offset.x, s.nx, s.x), y = reference::follow(here[1] + offset.y, s.ny, s.y),
                   z = reference::follow(here[2] + offset.z, s.nz, s.z);
        const bool out_x = x < 0 || x >= s.nx, out_y = y < 0 || y >= s.ny, out_z = z < 0 || z >= s.nz;
        if ((out_x && s.x == Boundary::open) || (out_y && s.y == Boundary::open) || (out_z && s.z == Boundary::open)) return {false, 0};
        return {true, out_x || out_y || out_z ? constants : s.index(x, y, z)};
    }
    [[nodiscard]] Bits member_at(const Expression& e, const Offset& offset) const {
        const auto& member = model_.places.members[of(e.index)];
        const auto place = place_at(offset);
        return read(member.type, !place.exists              ? member.initially
                                 : place.value == constants ? member.outside
                                                            : before_.places[of(e.index)][at_element(e.element) + place.value]);
    }
    [[nodiscard]] Bits count_at(int type, const Offset& offset) const {
        const auto there = reference::place_at(model_.shape, here_, steps(offset));
        return there ? residents_[of(type)][*there].size() : 0;
    }
    [[nodiscard]] Bits free_at(const Offset& offset) const {
        const auto& type = model_.types[of(function_->type)];
        if (!reference::place_at(model_.shape, here_, steps(offset))) return 0;
        return type.in_list() ? 0x7fffffff : of(type.capacity) - count_at(function_->type, offset);
    }
    [[nodiscard]] Bits counted(const Expression& e) const {
        Bits total = 0;
        for (const auto& offset : offsets(e.around)) total += count_at(e.type, offset);
        return total;
    }
    [[nodiscard]] Bits rank() const {
        const auto& residents = residents_[of(function_->type)][here_];
        return static_cast<Bits>(std::count_if(residents.begin(), residents.end(), [&](const Agent* a) { return a->id < self_->id; }));
    }
    // What stands on the place below: before the phase, but for what an agent that is alone there writes to it.
    [[nodiscard]] Bits below(const Expression& e) const {
        const bool writes = function_->has(Entry::writes, of_places, e.index);
        return read(model_.places.members[of(e.index)].type, (writes ? now_ : before_).places[of(e.index)][at_element(e.element) + here_]);
    }

    [[nodiscard]] Bits value(const Expression& e) const {
        const auto a = [&] { return value(e.of[0]); };
        const auto b = [&] { return value(e.of[1]); };
        const auto at = [&]() -> const Offset& { return offsets(e.around).front(); };
        const auto& own = model_.row(function_->type);
        switch (e.op) {
        case Op::constant: return e.bits;
        case Op::local: return locals_[of(e.index)];
        case Op::own: return read(own.members[of(e.index)].type, own_[first_value(own, e.index) + of(e.element)]);
        case Op::below: return below(e);
        case Op::position: return static_cast<Bits>(position_of(here_)[of(e.index)]);
        case Op::step: return step_;
        case Op::id: return self_->id;
        case Op::moved: return self_->moved ? 1 : 0;
        case Op::refused: return self_->refused ? 1 : 0;
        case Op::refused_births: return self_->refused_births;
        case Op::dying: return self_->dying ? 1 : 0;
        case Op::rank: return rank();
        case Op::count: return counted(e);
        case Op::at: return member_at(e, at());
        case Op::count_at: return count_at(e.type, at());
        case Op::free_at: return free_at(at());
        case Op::exists_at: return place_at(at()).exists ? 1 : 0;
        case Op::other:
            return read(model_.row(e.type).members[of(e.index)].type,
                        other_->values[first_value(model_.row(e.type), e.index) + of(e.element)]);
        case Op::other_id: return other_->id;
        case Op::site: return member_at(e, site_);
        case Op::count_on: return count_at(e.type, site_);
        case Op::free_on: return free_at(site_);
        case Op::distance: return static_cast<Bits>(std::abs(site_.x) + std::abs(site_.y) + std::abs(site_.z));
        case Op::add: return a() + b();
        case Op::subtract: return a() - b();
        case Op::multiply: return a() * b();
        case Op::exclusive: return a() ^ b();
        case Op::halved: return a() >> e.bits;
        case Op::remainder: return a() % e.bits;
        case Op::equal: return a() == b() ? 1 : 0;
        case Op::less: return a() < b() ? 1 : 0;
        case Op::both: return a() & b();
        case Op::select: break;
        }
        return a() != 0 ? b() : value(e.of[2]);
    }

    static constexpr std::size_t constants = ~std::size_t{0}; // the place beyond a fixed edge

    const Model& model_;
    std::uint64_t seed_;
    World now_{}, before_{};
    std::vector<std::vector<reference::Wanted<Agent>>> wanted_{};
    std::vector<std::uint64_t> cycles_{};
    std::vector<reference::Tally> tallies_{};
    Conflicts conflicts_{};
    std::set<std::int64_t> cuts_{}; // rows at which stripes begin

    // One call.
    std::vector<Residents> residents_{};
    const Function* function_ = nullptr;
    Agent* self_ = nullptr; // none: a place
    std::size_t here_ = 0;
    std::uint64_t step_ = 0;
    std::optional<Stream> random_{};
    std::vector<Bits> own_{}, locals_{};
    std::map<std::pair<int, int>, Share> shares_{};
    Offset site_{}, best_{};
    const Agent* other_ = nullptr;
};

} // namespace tessera::test::random_agent_model
