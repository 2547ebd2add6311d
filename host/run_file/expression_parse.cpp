#include "device_runtime/printable.hpp"
#include "host/run_file/expression.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace tessera::expression {
namespace {

constexpr std::size_t most_nodes = 1000; // and so the depth of every recursion over the tree
constexpr int deepest = 100;             // parentheses, `not` and unary minus within each other

struct Spelled {
    const char* text;
    Op op;
};
constexpr Spelled functions[] = {{"sum", Op::sum}, {"mean", Op::mean}, {"min", Op::minimum}, {"max", Op::maximum}, {"count", Op::count}};
// Longer ones first: `<=` is not `<` and `=`.
constexpr Spelled comparisons[] = {{"==", Op::equal},         {"!=", Op::not_equal}, {"<=", Op::less_equal},
                                   {">=", Op::greater_equal}, {"<", Op::less},       {">", Op::greater}};
constexpr std::pair<const char*, Attribute::Kind> tallies[] = {{"births", Attribute::Kind::births},
                                                               {"deaths", Attribute::Kind::deaths},
                                                               {"moves", Attribute::Kind::moves},
                                                               {"refused_moves", Attribute::Kind::refused_moves},
                                                               {"refused_births", Attribute::Kind::refused_births}};
constexpr Spelled sums[] = {{"+", Op::add}, {"-", Op::subtract}};
constexpr Spelled products[] = {{"*", Op::multiply}, {"/", Op::divide}, {"%", Op::remainder}};
// What other languages write; each with what is written here.
constexpr std::pair<const char*, const char*> foreign[] = {{"&&", "and"}, {"||", "or"}, {"!", "not"},
                                                           {"=", "=="},   {"&", "and"}, {"|", "or"}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent, one function a level of binding.
class Parser {
public:
    Parser(const std::string& text, const Origin& origin) : origin_(origin) { result_.text = text; }

    Expression parse() {
        result_.root = disjunction();
        skip_blanks();
        if (at_ < text().size()) fail_unexpected();
        if (unknown_) throw Error(*unknown_);
        return std::move(result_);
    }

private:
    const std::string& text() const { return result_.text; }
    int column() const { return static_cast<int>(at_) + 1; }

    Error error_at(int where, const std::string& problem, const std::string& why, const std::string& suggestion) const {
        return {origin_.kind, fmt::format("{}{} at character {} of `{}`", origin_.prefix, shown(problem), where, shown(text())), why,
                suggestion};
    }

    [[noreturn]] void fail(int where, const std::string& problem, const std::string& why = {}, const std::string& suggestion = {}) const {
        if (unknown_) throw Error(*unknown_);
        throw error_at(where, problem, why, suggestion);
    }

    // What does not parse is told before what it may mean.
    [[noreturn]] void refuse(const std::string& problem, const std::string& why, const std::string& suggestion = {}) const {
        throw error_at(column(), problem, why, suggestion);
    }

    [[noreturn]] void fail_unexpected(const std::string& expected = "an operator or the end") const {
        if (at_ >= text().size()) refuse("the expression ends", "expected " + expected);
        for (const auto& known : comparisons)
            if (text().compare(at_, std::string(known.text).size(), known.text) == 0)
                refuse(fmt::format("unexpected `{}`", known.text), "expected " + expected);
        for (const auto& [there, here] : foreign)
            if (text().compare(at_, std::string(there).size(), there) == 0)
                refuse(fmt::format("unexpected `{}`", there), "expected " + expected, fmt::format("did you mean `{}`?", here));
        auto end = at_ + 1;
        while (end < text().size() && (is_letter(text()[at_]) ? is_letter(text()[end]) : (text()[end] & 0xC0) == 0x80)) ++end;
        refuse(fmt::format("unexpected `{}`", text().substr(at_, end - at_)), "expected " + expected);
    }

    // Told once all of the text is known to parse: a bracket that is missing may be the reason.
    void note_unknown(int where, const std::string& name) {
        if (unknown_) return;
        const std::string why = in_reduction_ ? "a member is written `collection.member`"
                                              : "expected a number, `step`, or a reduction of members to one number, such as "
                                                "`mean(collection.member)` or `max(collection.member)`";
        unknown_ =
            error_at(where, fmt::format("unknown name `{}`", name), why, did_you_mean(name, {"step", "true", "false", "and", "or", "not"}));
    }

    void skip_blanks() {
        while (at_ < text().size() && (text()[at_] == ' ' || text()[at_] == '\t' || text()[at_] == '\n' || text()[at_] == '\r')) ++at_;
    }

    bool take(const std::string& symbol) {
        skip_blanks();
        if (text().compare(at_, symbol.size(), symbol) != 0) return false;
        at_ += symbol.size();
        return true;
    }

    bool take_word(const std::string& word) {
        skip_blanks();
        const auto end = at_ + word.size();
        if (text().compare(at_, word.size(), word) != 0 || (end < text().size() && (is_letter(text()[end]) || is_digit(text()[end]))))
            return false;
        at_ = end;
        return true;
    }

    std::string take_name() {
        skip_blanks();
        const auto begin = at_;
        if (at_ < text().size() && is_letter(text()[at_]))
            while (at_ < text().size() && (is_letter(text()[at_]) || is_digit(text()[at_]))) ++at_;
        return text().substr(begin, at_ - begin);
    }

    int add(Node node) {
        if (result_.nodes.size() == most_nodes)
            fail(node.column, "the expression is too long", fmt::format("the maximum is {} parts", most_nodes));
        node.end = column();
        result_.nodes.push_back(node);
        return static_cast<int>(result_.nodes.size()) - 1;
    }

    int add_operation(Op op, int left, int right) {
        Node node;
        node.op = op;
        node.column = result_.nodes[static_cast<std::size_t>(left)].column;
        node.left = left;
        node.right = right;
        return add(node);
    }

    template<std::size_t N> const Spelled* take_one_of(const Spelled (&choices)[N]) {
        for (const auto& choice : choices)
            if (take(choice.text)) return &choice;
        return nullptr;
    }

    int disjunction() {
        int left = conjunction();
        while (take_word("or")) left = add_operation(Op::logical_or, left, conjunction());
        return left;
    }

    int conjunction() {
        int left = negation();
        while (take_word("and")) left = add_operation(Op::logical_and, left, negation());
        return left;
    }

    int negation() {
        skip_blanks();
        const int where = column();
        if (!take_word("not")) return comparison();
        return unary(Op::logical_not, where, &Parser::negation);
    }

    int comparison() {
        const int left = sum();
        const auto* found = take_one_of(comparisons);
        if (!found) return left;
        const int result = add_operation(found->op, left, sum());
        skip_blanks();
        const int where = column();
        if (take_one_of(comparisons)) fail(where, "a second comparison", "comparisons do not chain", "join two with `and`");
        return result;
    }

    int sum() {
        int left = product();
        while (const auto* found = take_one_of(sums)) left = add_operation(found->op, left, product());
        return left;
    }

    int product() {
        int left = factor();
        while (const auto* found = take_one_of(products)) left = add_operation(found->op, left, factor());
        return left;
    }

    int factor() {
        skip_blanks();
        const int where = column();
        return take("-") ? unary(Op::negate, where, &Parser::factor) : primary();
    }

    int unary(Op op, int where, int (Parser::*operand)()) {
        deeper(where);
        Node node;
        node.op = op;
        node.column = where;
        node.left = (this->*operand)();
        --depth_;
        return add(node);
    }

    void deeper(int where) {
        if (++depth_ > deepest) fail(where, "the expression is nested too deeply", fmt::format("the maximum is {} levels", deepest));
    }

    int primary() {
        skip_blanks();
        const int where = column();
        if (take("(")) {
            deeper(where);
            const int inner = disjunction();
            if (!take(")")) fail_unexpected("`)`");
            --depth_;
            return inner;
        }
        if (at_ < text().size() && (is_digit(text()[at_]) || text()[at_] == '.')) return number(where);
        const auto name = take_name();
        if (name.empty() || name == "and" || name == "or" || name == "not") {
            at_ = static_cast<std::size_t>(where) - 1;
            fail_unexpected("a number, a reduction or `step`");
        }
        return named(name, where);
    }

    int number(int where) {
        Node node;
        node.column = where;
        const char *begin = text().data() + at_, *const end = text().data() + text().size();
        const auto whole = std::from_chars(begin, end, node.integer);
        const auto real = std::from_chars(begin, end, node.number);
        if (real.ec == std::errc::invalid_argument) fail_unexpected("a number, a reduction or `step`");
        if (real.ec != std::errc{}) fail(where, "a number that no double holds");
        const bool is_whole = whole.ec != std::errc::invalid_argument && whole.ptr == real.ptr;
        if (is_whole && whole.ec != std::errc{})
            fail(where, "an integer above 2^63 - 1", "integers are signed and have 64 bits", "write it with a decimal point");
        node.op = is_whole ? Op::integer : Op::number;
        at_ += static_cast<std::size_t>(real.ptr - begin);
        return add(node);
    }

    int named(const std::string& name, int where) {
        if (take("(")) return reduction(name, where);
        if (take(".")) return attribute(name, where);
        Node node;
        node.column = where;
        node.op = name == "step" ? Op::step : Op::boolean;
        node.integer = name == "true" ? 1 : 0;
        if (name != "step" && name != "true" && name != "false") note_unknown(where, name);
        return add(node);
    }

    // `deaths(ant)`; the parenthesis is taken.
    int tally(Attribute::Kind kind, const std::string& name, int where) {
        if (in_reduction_) fail(where, fmt::format("`{}` within a reduction", name), "it is one number for all agents of a collection");
        skip_blanks();
        Attribute attribute{"", "", std::nullopt, column(), kind};
        attribute.collection = take_name();
        if (attribute.collection.empty()) fail_unexpected("the name of a collection of agents");
        if (!take(")")) fail_unexpected("`)`");
        Node node;
        node.op = Op::tally;
        node.column = where;
        node.attribute = static_cast<int>(result_.attributes.size());
        result_.attributes.push_back(std::move(attribute));
        return add(node);
    }

    // `ant` or `ant where ...`, if that is what comes next; -1 if not.
    int all_of_collection() {
        const auto begin = at_;
        skip_blanks();
        Attribute attribute{"", "", std::nullopt, column(), Attribute::Kind::presence};
        attribute.collection = take_name();
        skip_blanks();
        const bool ends = at_ < text().size() && text()[at_] == ')';
        if (attribute.collection.empty() || attribute.collection == "step" || attribute.collection == "true" ||
            attribute.collection == "false" || !(ends || take_word("where"))) {
            at_ = begin;
            return -1;
        }
        Node node;
        node.op = Op::attribute;
        node.column = attribute.column;
        node.attribute = static_cast<int>(result_.attributes.size());
        result_.attributes.push_back(std::move(attribute));
        const int all = add(node);
        return ends ? all : add_operation(Op::logical_and, all, disjunction());
    }

    int reduction(const std::string& name, int where) {
        for (const auto& [spelled, kind] : tallies)
            if (name == spelled) return tally(kind, name, where);
        std::vector<std::string> names;
        Node node;
        node.column = where;
        for (const auto& function : functions) {
            names.emplace_back(function.text);
            if (name == function.text) node.op = function.op;
        }
        for (const auto& [spelled, kind] : tallies) names.emplace_back(spelled);
        if (node.op == Op::integer)
            fail(where, fmt::format("unknown function `{}`", name), "known are " + listed(names), did_you_mean(name, names));
        if (in_reduction_) fail(where, fmt::format("`{}` within another reduction", name), "a reduction is over plain members");
        in_reduction_ = true;
        first_of_reduction_ = result_.attributes.size();
        skip_blanks();
        const auto begin = at_;
        node.left = node.op == Op::count ? all_of_collection() : -1;
        if (node.left < 0) node.left = disjunction();
        refuse_where(node.op, name, begin);
        if (!take(")")) fail_unexpected("an operator or `)`");
        if (first_of_reduction_ == result_.attributes.size())
            fail(where, fmt::format("`{}` without a member", name), "a reduction is over the places of a collection",
                 fmt::format("name a member, as in `{}(cell.alive)`", name));
        in_reduction_ = false;
        return add(node);
    }

    // From `begin` to `end`, in parentheses where it is more than a member.
    [[nodiscard]] std::string quoted(std::size_t begin, std::size_t end) const {
        auto part = text().substr(begin, end - begin);
        part.erase(part.find_last_not_of(" \t\r\n") + 1);
        const auto of_name = [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '[' || c == ']'; };
        return std::all_of(part.begin(), part.end(), of_name) ? part : "(" + part + ")";
    }

    // `mean(ant.sugar where ant.age > 3)`; `begin` is behind the parenthesis.
    void refuse_where(Op reduction, const std::string& name, std::size_t begin) {
        skip_blanks();
        const auto at = at_;
        if (!take_word("where")) return;
        skip_blanks();
        const auto first = at_;
        (void)disjunction();
        const auto value = quoted(begin, at), condition = quoted(first, at_);
        const auto instead = reduction == Op::sum ? fmt::format("write `sum({} * {})`", value, condition)
                             : reduction == Op::mean
                                 ? fmt::format("write `sum({} * {}) / count({})`", value, condition, text().substr(first, at_ - first))
                             : reduction == Op::count ? fmt::format("write `count({} and {})`", value, condition)
                                                      : std::string("let the model set a member for the agents that are meant");
        fail(static_cast<int>(at) + 1, fmt::format("`{}` has no `where`", name), "only `count(collection where condition)` has one",
             instead);
    }

    int attribute(const std::string& collection, int where) {
        Attribute attribute{collection, take_name(), std::nullopt, where};
        if (attribute.member.empty()) fail_unexpected(fmt::format("the name of a member of `{}`", collection));
        const auto name = collection + "." + attribute.member;
        if (take("[")) {
            skip_blanks();
            std::int64_t element = 0;
            const char* const begin = text().data() + at_;
            const auto [end, error] = std::from_chars(begin, text().data() + text().size(), element);
            if (error != std::errc{} || element < 0) fail_unexpected("the number of an element, from 0");
            at_ += static_cast<std::size_t>(end - begin);
            if (!take("]")) fail_unexpected("`]`");
            attribute.element = element;
        }
        if (!in_reduction_)
            fail(where, fmt::format("`{}` has a value for each place or agent", name), "one value is needed",
                 fmt::format("reduce it: `sum({0})`, `mean({0})`, `min({0})`, `max({0})` or `count({0} > 0)`", name));
        if (first_of_reduction_ < result_.attributes.size() && result_.attributes[first_of_reduction_].collection != collection)
            fail(where, fmt::format("`{}` and `{}` in one reduction", result_.attributes[first_of_reduction_].collection, collection),
                 "a reduction is over one collection");
        Node node;
        node.op = Op::attribute;
        node.column = where;
        node.attribute = static_cast<int>(result_.attributes.size());
        result_.attributes.push_back(std::move(attribute));
        return add(node);
    }

    const Origin& origin_;
    Expression result_;
    std::optional<Error> unknown_; // the first name
    std::size_t at_ = 0;
    int depth_ = 0;
    bool in_reduction_ = false;
    std::size_t first_of_reduction_ = 0; // of the attributes
};

} // namespace

Expression parse(const std::string& text, const Origin& origin) { return Parser(text, origin).parse(); }

bool Expression::is_condition() const noexcept {
    const auto op = nodes[static_cast<std::size_t>(root)].op;
    return op == Op::boolean || op == Op::logical_not || (op >= Op::equal && op <= Op::logical_or);
}

std::string Expression::text_of(int node) const {
    const auto& part = nodes[static_cast<std::size_t>(node)];
    return text.substr(static_cast<std::size_t>(part.column) - 1, static_cast<std::size_t>(part.end - part.column));
}

} // namespace tessera::expression
