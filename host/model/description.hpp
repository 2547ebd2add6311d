// What a model says of itself: rows and their members, functions and their access, parameters, defaults. Read from a compiled image.
#pragma once

#include "device_runtime/scalar.hpp"
#include "jit/source.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::jit {
struct DataSymbol;
}

namespace tessera::model {

// Of a member that is a category: "burning" is 2.
struct NamedValue {
    std::string name;
    std::int64_t code = 0;
};

struct Member {
    std::string name;
    Scalar type = Scalar::u8;
    int elements = 1;               // of an array member; 1 for a scalar one
    std::vector<std::byte> initial; // the default value, elements * size_of(type) bytes
    std::string doc;
    std::vector<NamedValue> values{}; // those that have names

    [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(elements) * size_of(type); }
};

// What links join, in Description::rows.
struct LinkEnds {
    std::size_t from = 0, to = 0;
    bool is_directed = false; // else both ends are of one row, and neither is the first
};

// A struct of which places, agents or links have one each.
struct Row {
    std::string name;       // "ForestPatch"
    std::string scope;      // the C++ namespace it stands in: "", "fires::models"
    std::string collection; // "forest_patch": what a collection of them is called unless the run file says otherwise
    std::vector<Member> members;
    std::optional<std::size_t> ground; // of agents: in Description::rows, the places that they stand on, or in
    std::optional<Scalar> position;    // of agents in space: the type of their positions
    std::optional<LinkEnds> ends;      // of links

    [[nodiscard]] std::optional<std::size_t> find(const std::string& member) const;
};

// How a function uses a member. The reach is how far it reads around itself on x, y, z, in a grid of 1, 2 or 3 dimensions.
struct Use {
    bool reads = false, around = false, writes = false;
    std::array<std::array<int, 3>, 3> low{}, high{}; // [dimensions - 1][axis]
    bool folds = false;                              // agents add to it, lower it or raise it
    bool everywhere = false;                         // read at any place, as along links
    bool along_axes = false;                         // of a volume's places none is seen that is further along two axes
};

// A member that a function names; of its own row, or of one that it looks at.
struct MemberAccess {
    std::size_t row = 0, member = 0; // in Description::rows, Row::members
    Use use;
};

// What a function does with agents beyond its own members, and how far: counting and meeting those around, asking to go somewhere, for
// children or to be no more, asking what became of that. Of its own type, but for counting, meeting and children.
struct AgentUse {
    std::size_t row = 0; // in Description::rows
    bool counts = false, moves = false, dies = false, results = false, refused_births = false, meets = false, spawns = false;
    bool anywhere = false;                           // and moves
    bool along_links = false;                        // where links of the place lead
    std::optional<std::size_t> member;               // of the row, that is seen of those who are met
    int most = 0;                                    // children of a call
    std::array<std::array<int, 3>, 3> low{}, high{}; // [dimensions - 1][axis]
};

// The links of a place that a function goes along: those that end there, that begin there, or, of links without a direction, all. Of a
// function of links: the place that its own comes from, or leads to.
enum class LinkSide { in = 1, out, both, from, to };

// How what is sent to a member along links changes it: by adding up, or to the least or the most.
enum class SentAs { sum, least, most };
struct Sending {
    std::size_t member = 0; // in Row::members
    SentAs as = SentAs::sum;
};

// What a function reads along the links of a row on one side: their members, and those of the places at the other ends; and what it sends.
struct LinkUse {
    std::size_t row = 0; // in Description::rows, that of the links
    LinkSide side = LinkSide::both;
    std::vector<std::size_t> link_members, end_members; // in Row::members
    std::vector<Sending> sent;                          // to the places at the other ends
    bool has_agents = false;                            // agents there are counted or met, or it is gone there
};

// Links that a function of places wants.
struct LinkBirth {
    std::size_t row = 0; // in Description::rows
    int most = 0;        // of a call
};

struct Function {
    std::string name;   // "tick"
    std::string scope;  // the C++ namespace
    std::string access; // the access list as written
    std::string doc;
    std::size_t row = 0; // in Model::rows
    bool is_init = false;
    std::vector<MemberAccess> accesses; // those members that it names: its own row's in their order, then those of the places below
    std::vector<AgentUse> agent_uses;
    std::vector<LinkUse> link_uses; // of places, or of those that its agents stand on; of links: both of their ends
    std::vector<LinkBirth> link_births;
    bool ends_links = false;           // of links: it may want its own to be no more
    std::vector<std::size_t> values;   // of the step, that it reads: in Description::values; those that its uniforms go by included
    std::vector<std::size_t> uniforms; // that it reads: in Description::uniforms

    [[nodiscard]] bool spawns() const noexcept; // agents, or links
    [[nodiscard]] bool has_to_do_with_links() const noexcept { return !link_uses.empty() || !link_births.empty(); }
    [[nodiscard]] bool sends() const noexcept;
};

struct Parameter {
    std::string name, scope, doc;
    Scalar type = Scalar::f32;
    std::vector<std::byte> initial;
    std::optional<std::array<double, 2>> range; // low and high, both allowed
};

// One for all, that a phase `reduce` makes and functions behind it in the step read.
struct StepValue {
    std::string name, doc;
    Scalar type = Scalar::f64;
};

// Made once a step, of its number, parameters, values of the step and uniforms that stand before it.
struct Uniform {
    std::string name, scope, doc;
    std::string access; // the list as written
    Scalar type = Scalar::f32;
    int elements = 1;
    std::vector<std::size_t> values;   // that it goes by, those of its uniforms included: in Description::values
    std::vector<std::size_t> uniforms; // that it reads: in Description::uniforms

    [[nodiscard]] std::size_t words() const noexcept { // of 8 bytes
        return (static_cast<std::size_t>(elements) * size_of(type) + 7) / 8;
    }
};

struct Description {
    std::string name, doc;
    std::string about;    // what more the author says of the model
    std::string defaults; // run-file text
    std::vector<Row> rows;
    std::vector<Function> functions; // in the order of declaration
    std::vector<Parameter> parameters;
    std::vector<StepValue> values;
    std::vector<Uniform> uniforms;

    [[nodiscard]] std::optional<std::size_t> find_function(std::size_t row, const std::string& name) const;
};

// Reads the records of an image (sdk/include/tessera/detail/records.hpp), given in the order of declaration. `path` names the model in
// errors (Failure::plugin), which say the line where the source has it: no TESSERA_MODEL, two of a name, a member name that is taken, a
// record of another format.
[[nodiscard]] Description read_description(std::span<const jit::DataSymbol> symbols, const std::string& path,
                                           const jit::ModelSource& source = {});

// "ForestPatch" -> "forest_patch".
[[nodiscard]] std::string snake_case(const std::string& name);

} // namespace tessera::model
