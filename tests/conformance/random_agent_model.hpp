// A model of places and of the agents on them as data: random_agent_model_maker.hpp makes it up, random_agent_model_text.hpp writes it down
// for the engine, and random_agent_model_loop.hpp carries it out by itself.
#pragma once

#include "tests/conformance/random_model.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test::random_agent_model {

using random_model::Bits;
using random_model::Member;
using random_model::Neighbourhood;
using random_model::Offset;

// What an expression or an entry of an access list is about: a type of agents by its number, or the places.
inline constexpr int of_places = -1;

// All values are 64 bits that wrap. What is read of a member of fewer bits is extended by its sign; of a float, in eighths.
struct Expression {
    enum class Op {
        constant, // bits
        local,
        own,      // a member
        below,    // a member of the place below
        position, // an axis
        step,
        id,
        moved,
        refused,
        refused_births,
        dying,
        rank,
        count,    // of a type, over a neighbourhood
        at,       // a member of the place at an offset, which is the only one of the neighbourhood
        count_at, // how many of a type stand there
        free_at,
        exists_at,
        other, // a member of one that is met
        other_id,
        site, // a member of a place that is seen
        count_on,
        free_on,
        distance,
        add,
        subtract,
        multiply,
        exclusive,
        halved, // shifted by as many bits
        remainder,
        equal,
        less,
        both,
        select
    };
    Op op = Op::constant;
    Bits bits = 0;
    int index = 0; // of the member, local or axis
    int element = 0;
    int type = of_places; // of agents that are counted or met
    int around = 0;       // a neighbourhood
    std::vector<Expression> of{};
};

struct Statement {
    enum class Op {
        draw, // below `bits`; 0: all bits
        declare,
        change, // a local
        assign, // a member of its own
        write,  // of the place below
        add,
        subtract,
        lower,
        raise,
        when,
        meet,
        each,
        seek,       // the site of the largest value among those that fulfil a condition, from the place itself and a value on
        go_there,   // to what was sought
        go,         // to the only offset of a neighbourhood
        go_by_turn, // to the one of a neighbourhood that the operand says
        spawn,      // `children` holds a value for each element of each member; at the only offset of a neighbourhood
        spawn_there,
        kill
    };
    Op op = Op::declare;
    Bits bits = 0;
    int index = 0; // of the member or local
    int element = 0;
    int type = of_places;
    int around = 0;
    std::vector<Expression> of{};
    std::vector<Statement> then{};
};

struct Access {
    enum class Entry { reads, around, writes, sets, adds, least, most, counts, meets, moves, spawns, dies, moved, refused, refused_births };
    Entry entry = Entry::reads;
    int type = of_places; // whose member, or who is counted, met or born
    int member = 0;       // of those who are met; -1: their ids alone
    int around = 0;
    int most = 1; // children
    friend bool operator==(const Access&, const Access&) = default;
};

// Who leaves a function before its body: those with such a value in a member of whole numbers.
struct Leaving {
    enum class How { equal, unequal, less };
    int member = 0;
    How how = How::equal;
    int value = 0;

    [[nodiscard]] bool holds(std::int64_t of_member) const {
        return how == How::equal ? of_member == value : how == How::unequal ? of_member != value : of_member < value;
    }
};

struct Function {
    std::string name;
    int type = of_places; // whose
    std::vector<Access> accesses{};
    std::vector<Statement> body{};
    int locals = 0;
    std::vector<Leaving> leaving{}; // any of them is enough
    bool is_within_if = false;      // the body stands within an `if` of those who do not leave; else an `if` in front of it returns

    [[nodiscard]] bool has(Access::Entry entry, int of, int member = 0) const {
        for (const auto& access : accesses)
            if (access.entry == entry && access.type == of && access.member == member) return true;
        return false;
    }
    [[nodiscard]] bool spawns(int child) const {
        for (const auto& access : accesses)
            if (access.entry == Access::Entry::spawns && access.type == child) return true;
        return false;
    }
};

struct Row {
    std::string name, collection;
    std::vector<Member> members{};
};

struct Type {
    static constexpr int any_number = 1 << 30;
    Row row;
    int capacity = 1; // or any_number: they stand in a list
    bool by_id = false, refuses_at_edge = true;

    [[nodiscard]] bool in_list() const { return capacity == any_number; }
};

struct Phase {
    enum class Action { call, manage, rotate };
    Action action = Action::call;
    int function = 0;
    std::vector<int> types{}; // that are managed; or the one whose members are rotated
    std::vector<int> rotated{};
    std::uint64_t every = 1, from = 0;
    std::uint64_t nth = 0; // call of its function in the step; or manageAll of all in the run

    [[nodiscard]] bool runs_in(std::uint64_t step) const { return step >= from && (step - from) % every == 0; }
    [[nodiscard]] bool runs_always() const { return every == 1 && from == 0; }
    [[nodiscard]] bool manages(int type) const {
        return action == Action::manage && std::find(types.begin(), types.end(), type) != types.end();
    }
};

struct Model {
    unsigned number = 0;
    int dimensions = 2;
    Shape shape;
    Row places;
    std::vector<Type> types{};
    std::vector<Neighbourhood> neighbourhoods{}; // the first is the place itself
    std::vector<Function> starts{};              // TESSERA_INIT: of the places, then one a type
    std::vector<Function> functions{};
    std::vector<Phase> phases{}; // the last manages all

    [[nodiscard]] const Row& row(int type) const { return type == of_places ? places : types[static_cast<std::size_t>(type)].row; }
    [[nodiscard]] bool is_torus() const {
        return shape.x == Boundary::torus && (dimensions < 2 || shape.y == Boundary::torus) &&
               (dimensions < 3 || shape.z == Boundary::torus);
    }
};

} // namespace tessera::test::random_agent_model
