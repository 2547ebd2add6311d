// Expressions over the members of collections: what the columns of a csv output and the stop condition are written in.
//
//     sum(cell.alive)                        mean(cell.heat)          min(wave.now)          max(cell.v[3])
//     count(cell.heat > 0.5 and cell.wall == 0)                       sum(cell.a * cell.b) / count(cell.a > 0)      step
//     count(ant)       count(ant where ant.sugar > 50)                births(ant)            deaths(ant)            moves(ant)
//     refused_moves(ant)                  refused_births(ant)
//
// Operators, loosest first: or; and; not; == != < <= > >=; + -; * / %; unary -. Numbers, true, false, and `step`, the number of the state.
// A member stands within a reduction, which is over all places (or agents) of the one collection that it names.
//
// Arithmetic. A bool counts as 0 or 1, a number as true if it is not 0. + - * and % of integers are exact; % has the sign of the left
// operand. `/` always gives a double. Integers have 64 bits, with a sign, and a sum has 128 on its way; what leaves that range is an error,
// a member of uint64 that does among them, as in a `reduce` (kernels/reduce/reduction.hpp). Between an integer and a double, the
// integer is converted. `count` counts the elements for which its argument is true; of a collection's name, all of its places or agents, or
// those for which what stands behind `where` is true. `births` to `refused_births` are what has become of agents since step 0. `mean` of no
// elements, and their `min` and `max`, is NaN; NaN among the elements makes sum, mean, min and max NaN.
//
// A sum of doubles (floats are converted) is exact and rounded once (tessera/detail/exact_sum.hpp), so that it is the same for any
// number of threads and any order; one that is 0 is +0.
#pragma once

#include "device_runtime/error.hpp"
#include "device_runtime/scalar.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::expression {

enum class Op : std::uint8_t {
    integer,
    number,
    boolean,
    step,
    tally,
    attribute,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    sum,
    mean,
    minimum,
    maximum,
    count
};

// One node of the tree; children are numbers of other nodes, -1 where there is none.
struct Node {
    Op op = Op::integer;
    int column = 1; // where it starts in the text, from 1
    int end = 1;    // the column after its last character
    int left = -1, right = -1;
    int attribute = -1;       // of Op::attribute and Op::tally: which of Expression::attributes
    std::int64_t integer = 0; // the value of Op::integer, and of Op::boolean as 0 or 1
    double number = 0;
};

// `cell.alive` or `cell.v[3]`, as used at one place of the text; or `ant` alone, of whom there is one each, or what is counted of all
// agents.
struct Attribute {
    enum class Kind { member, presence, births, deaths, moves, refused_moves, refused_births };
    std::string collection;
    std::string member; // empty unless it is one
    std::optional<std::int64_t> element;
    int column = 1; // from 1
    Kind kind = Kind::member;
};

struct Expression {
    std::string text;
    std::vector<Node> nodes;
    int root = -1;
    std::vector<Attribute> attributes; // in the order of the text; a binder checks each

    // True or false, by its form: a comparison, and, or, not, true, false.
    [[nodiscard]] bool is_condition() const noexcept;
    [[nodiscard]] const Node& node(int index) const noexcept { return nodes[static_cast<std::size_t>(index)]; }
    // The part of the text that a node stands for.
    [[nodiscard]] std::string text_of(int node) const;

    friend bool operator==(const Expression& a, const Expression& b) { return a.text == b.text; }
};

// What a message about an expression starts with ("life.toml:12:8: "), and whose fault it is.
struct Origin {
    std::string prefix;
    Failure kind = Failure::input;
};

// Fails with an Error of the origin's kind that says at which character of the text.
[[nodiscard]] Expression parse(const std::string& text, const Origin& origin = {});

// What a member is (or one element of an array member): so many elements of a type.
struct ColumnInfo {
    Scalar type = Scalar::u8;
    std::uint64_t count = 0;
};

// Gives the columns that an expression names, a part at a time.
class Columns {
public:
    virtual ~Columns() = default;
    // [the thread that evaluates] May throw for a name that is not there. A presence is bool, and true for each place or agent.
    [[nodiscard]] virtual ColumnInfo column(const Attribute& attribute) const = 0;
    // [the thread that evaluates] Elements [first, first + count), contiguous and aligned to the type; bools are bytes of 0 or 1. The
    // memory is the giver's and has to last until other elements of the attribute are asked for.
    [[nodiscard]] virtual const void* elements(const Attribute& attribute, std::uint64_t first, std::uint64_t count) const = 0;
    // [the thread that evaluates] What has been counted of all agents of a collection, of an attribute that is neither member nor presence.
    [[nodiscard]] virtual std::uint64_t tally(const Attribute& attribute) const;
    // How many elements are asked for at a time, rounded to whole batches (host/run_file/expression_evaluate.cpp) and at least one of them.
    [[nodiscard]] virtual std::uint64_t at_a_time() const noexcept { return UINT64_MAX; }
};

using Value = std::variant<std::int64_t, double, bool>;

// Calls `body(begin, end)` for disjoint ranges that together are [0, items), in any order and on any threads, and returns when all have
// returned. The body does not throw. ThreadPool::run does this.
using ParallelFor = std::function<void(std::int64_t items, const std::function<void(std::int64_t begin, std::int64_t end)>& body)>;

// Fails with Failure::model where integers overflow or are divided by zero.
[[nodiscard]] Value evaluate(const Expression& expression, const Columns& columns, std::uint64_t step,
                             const ParallelFor& parallel_for = {});

// Whether a value counts as true.
[[nodiscard]] bool is_true(const Value& value) noexcept;

// "633", "0.25", "true": doubles as short as reads back to the same bits.
[[nodiscard]] std::string to_string(const Value& value);

} // namespace tessera::expression
