// Models of places and links that nobody thought of: functions of places that go along links, functions of links, and what is sent, in
// numbers of 32 bits without a sign; and plain loops that do the same over a list of links.
#pragma once

#include "tests/conformance/dice.hpp"
#include "tests/conformance/philox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::random_links {

using Word = std::uint32_t;

// What an expression may name, and how that is spelled in a function of places and in one of links.
enum Variable { own_a, own_b, got, own_id, step, there_a, there_b, there_id, link_w, link_v, variables };
using Values = std::array<Word, variables>;
inline constexpr std::array<const char*, variables> of_places{
    "a", "b", "got", "id", "step", "other.a", "other.b", "static_cast<Word>(other.id)", "other.link.w", "other.link.v"};
inline constexpr std::array<const char*, variables> of_links{"self.from.a", "self.from.b",
                                                             "7u",          "static_cast<Word>(self.from.id)",
                                                             "step",        "self.to.a",
                                                             "self.to.b",   "static_cast<Word>(self.to.id)",
                                                             "w",           "v"};

class Expression {
public:
    // Of the variables before `end`.
    Expression(Dice& dice, int depth, int end) : operation_(depth == 0 ? dice.below(2) : dice.below(8)) {
        number_ = operation_ == 0 ? static_cast<Word>(dice.below(1000)) : static_cast<Word>(dice.below(end));
        if (operation_ < 2) return;
        for (auto& each : parts_) each = std::make_shared<Expression>(dice, depth - 1, end);
    }
    [[nodiscard]] Word of(const Values& values) const {
        if (operation_ == 0) return number_;
        if (operation_ == 1) return values.at(number_);
        const Word x = parts_[0]->of(values), y = parts_[1]->of(values);
        switch (operation_) {
        case 2: return x + y;
        case 3: return x * y;
        case 4: return x ^ y;
        case 5: return x < y ? 1 : 0;
        case 6: return x >> (y % 7);
        default: return x - y;
        }
    }
    [[nodiscard]] std::string text(const std::array<const char*, variables>& names) const {
        if (operation_ == 0) return fmt::format("{}u", number_);
        if (operation_ == 1) return names.at(number_);
        const auto x = parts_[0]->text(names), y = parts_[1]->text(names);
        switch (operation_) {
        case 2: return fmt::format("({} + {})", x, y);
        case 3: return fmt::format("({} * {})", x, y);
        case 4: return fmt::format("({} ^ {})", x, y);
        case 5: return fmt::format("({} < {} ? 1u : 0u)", x, y);
        case 6: return fmt::format("({} >> ({} % 7u))", x, y);
        default: return fmt::format("({} - {})", x, y);
        }
    }

private:
    int operation_;
    Word number_;
    std::array<std::shared_ptr<Expression>, 2> parts_{};
};

// Links `Tie` have no direction, links `Arc` have one.
struct Links {
    std::vector<std::int32_t> from, to; // in their order: by `to`, then by `from`
    std::vector<Word> w, v;
};
struct State {
    std::vector<Word> a, b, got;
    std::array<std::vector<Word>, 4> under_way; // by the steps that are left
    Links ties, arcs;
};
enum class Side { ties, in, out };

inline Word first_a(std::size_t id) { return static_cast<Word>(id) * 2654435761u + 7; }
inline Word first_b(std::size_t id) { return static_cast<Word>(id) * static_cast<Word>(id) % 97; }
inline Word first_w(std::int32_t from, std::int32_t to) { return static_cast<Word>(from) * 31 + static_cast<Word>(to) * 17 + 3; }
inline Word first_v(std::int32_t from, std::int32_t to) { return (static_cast<Word>(from) ^ static_cast<Word>(to)) % 13; }

// Of each place the links along a side, in the order of the list, with the place at the other end.
using Lists = std::vector<std::vector<std::pair<std::size_t, std::size_t>>>;
inline Lists lists_of(const Links& links, Side side, std::size_t places) {
    Lists lists(places);
    for (std::size_t i = 0; i < links.from.size(); ++i) {
        const auto from = static_cast<std::size_t>(links.from[i]), to = static_cast<std::size_t>(links.to[i]);
        if (side != Side::out) lists[to].emplace_back(i, from);
        if (side == Side::out || (side == Side::ties && from != to)) lists[from].emplace_back(i, to);
    }
    for (auto& list : lists) // those of the same ends stay in the order of their age
        std::stable_sort(list.begin(), list.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    return lists;
}

class Model {
public:
    explicit Model(unsigned seed) : dice_(seed), places_(static_cast<std::size_t>(dice_.of<int>({1, 2, 40, 1023, 1024, 1500, 2700}))) {
        const int functions = dice_.between(2, 4);
        for (int i = 0; i < functions; ++i) functions_.push_back(function(i));
        sends_ = dice_.percent(50);
        if (sends_) functions_.insert(functions_.begin() + dice_.below(functions + 1), sender());
    }

    [[nodiscard]] std::size_t places() const { return places_; }
    [[nodiscard]] bool sends() const { return sends_; }
    [[nodiscard]] std::string source() const {
        std::string text = R"(#include <tessera/model.hpp>
using Word = std::uint32_t;
struct Node { Word a = 0, b = 0, got = 0; };
TESSERA_PLACE(Node, a, b, got);
struct Tie { Word w = 0, v = 0; };
TESSERA_LINK(Tie, between<Node>, w, v);
struct Arc { Word w = 0, v = 0; };
TESSERA_LINK(Arc, from<Node>::to<Node>, w, v);
TESSERA_INIT(Node, begin, sets<&Node::a, &Node::b>) {
    const Word id = static_cast<Word>(self.id);
    self.a = id * 2654435761u + 7u;
    self.b = id * id % 97u;
}
)";
        for (const char* const link : {"Tie", "Arc"})
            text += fmt::format(R"(TESSERA_INIT({0}, begin, around<ends, &Node::a>, sets<&{0}::w, &{0}::v>) {{
    const Word from = static_cast<Word>(self.from.id), to = static_cast<Word>(self.to.id);
    self.w = from * 31u + to * 17u + 3u;
    self.v = (from ^ to) % 13u;
}}
)",
                                link);
        std::string phases;
        for (const auto& each : functions_) {
            text += each.text;
            phases += fmt::format("{}{{ callAll = \"{}\" }}", phases.empty() ? "" : ", ", each.name);
        }
        return text + "TESSERA_MODEL(drawn, \"drawn\");\n" +
               fmt::format("TESSERA_DEFAULTS(R\"toml(run.steps = 5\nschedule.exchange = \"auto\"\nplaces.node.count = {}\n{}phase = "
                           "[{}]\n)toml\");\n",
                           places_, links_, phases);
    }
    // Draws how places are joined. Before `source`.
    void draw_links() {
        for (const char* const name : {"tie", "arc"}) {
            const bool parallel = dice_.percent(50), loops = dice_.percent(50);
            links_ += fmt::format("links.{} = {{ parallel = {}, loops = {}, delays = 4, generate = {{ {} }} }}\n", name, parallel, loops,
                                  rule(parallel, loops));
        }
    }

    [[nodiscard]] State begin(Links ties, Links arcs) const {
        State state;
        for (std::size_t i = 0; i < places_; ++i) state.a.push_back(first_a(i)), state.b.push_back(first_b(i));
        state.got.assign(places_, 0);
        for (auto& plane : state.under_way) plane.assign(places_, 0);
        for (auto* const links : {&ties, &arcs})
            for (std::size_t i = 0; i < links->from.size(); ++i) {
                links->w.push_back(first_w(links->from[i], links->to[i]));
                links->v.push_back(first_v(links->from[i], links->to[i]));
            }
        state.ties = std::move(ties), state.arcs = std::move(arcs);
        return state;
    }
    void make_step(State& state, std::uint64_t k) const {
        for (const auto& each : functions_) {
            if (each.of_links)
                change_links(state, each, k);
            else if (each.of_sending)
                send(state, each, k);
            else
                change_places(state, each, k);
        }
    }

private:
    enum class Word_ { each, sum, count, any, least, most, degree, pick, all };
    struct Statement {
        Word_ word = Word_::each;
        std::vector<Expression> value;
    };
    struct Function {
        std::string name, text;
        bool of_links = false, of_sending = false;
        Side side = Side::ties;
        std::vector<Statement> statements;
        std::vector<Expression> values;
    };

    static const char* spelled(Side side) {
        return side == Side::ties ? "links<Tie>" : side == Side::in ? "in_links<Arc>" : "out_links<Arc>";
    }
    std::string rule(bool parallel, bool loops) {
        const auto n = static_cast<int>(places_), pairs = n * (n - 1) / 2 + (loops ? n : 0);
        if (pairs == 0) return "rule = \"random\", chance = 0";
        switch (dice_.below(n < 10 ? 2 : 4)) {
        case 0: return "rule = \"random\", chance = 0";
        case 1: return fmt::format("rule = \"random\", links = {}", dice_.between(1, parallel ? 4 * n : std::min(pairs, 4 * n)));
        case 2: return "rule = \"regular\", degree = 4";
        default: return "rule = \"preferential\", degree = 2";
        }
    }

    Function function(int number) {
        Function made;
        if (dice_.percent(25)) return function_of_links(number);
        made.side = dice_.of<Side>({Side::ties, Side::in, Side::out});
        made.name = fmt::format("node.f{}", number);
        const auto* const link = made.side == Side::ties ? "Tie" : "Arc";
        made.text = fmt::format("TESSERA_CALL(Node, f{}, around<{}, &Node::a, &Node::b, &{}::w, &{}::v>, writes<&Node::a, &Node::b>, "
                                "reads<&Node::got>) {{\n    const Word a = self.a, b = self.b, got = self.got, id = "
                                "static_cast<Word>(self.id), step = static_cast<Word>(self.step);\n    Word all = a;\n",
                                number, spelled(made.side), link, link);
        for (int i = dice_.between(1, 4); i > 0; --i) {
            made.statements.push_back(statement());
            made.text += text_of(made.statements.back(), spelled(made.side));
        }
        made.text += "    self.b = a ^ b;\n    self.a = all;\n    static_cast<void>(got + id + step);\n}\n";
        return made;
    }
    Function function_of_links(int number) {
        Function made;
        made.of_links = true;
        made.side = dice_.percent(50) ? Side::ties : Side::out;
        const auto* const link = made.side == Side::ties ? "Tie" : "Arc";
        made.name = fmt::format("{}.f{}", made.side == Side::ties ? "tie" : "arc", number);
        for (int i = 0; i < 2; ++i) made.values.emplace_back(dice_, 3, variables);
        made.text = fmt::format("TESSERA_CALL({0}, f{1}, around<ends, &Node::a, &Node::b>, writes<&{0}::w, &{0}::v>) {{\n"
                                "    const Word w = self.w, v = self.v, step = static_cast<Word>(self.step);\n"
                                "    self.w = {2};\n    self.v = {3};\n    static_cast<void>(w + v + step);\n}}\n",
                                link, number, made.values[0].text(of_links), made.values[1].text(of_links));
        return made;
    }
    Function sender() {
        Function made;
        made.of_sending = true;
        made.side = dice_.of<Side>({Side::ties, Side::in, Side::out});
        made.name = "node.give";
        const auto* const link = made.side == Side::ties ? "Tie" : "Arc";
        made.values.emplace_back(dice_, 2, there_a); // whether
        made.values.emplace_back(dice_, 2, variables);
        made.values.emplace_back(dice_, 2, variables);
        auto at_once = made.values[1].text(of_places), later = made.values[2].text(of_places);
        made.text = fmt::format("TESSERA_CALL(Node, give, around<{0}, &Node::a, &Node::b, &{1}::w, &{1}::v>, reads<&Node::a, &Node::b, "
                                "&Node::got>, adds<{0}, &Node::got>) {{\n    const Word a = self.a, b = self.b, got = self.got, id = "
                                "static_cast<Word>(self.id), step = static_cast<Word>(self.step);\n"
                                "    if ({2} % 3u == 0u) return;\n    self.send({0}, [&](const auto& other) {{\n        other.got += {3};\n"
                                "        other.got.after(static_cast<int>(other.link.v % 4u)) += {4};\n    }});\n"
                                "    static_cast<void>(a + b + got + id + step);\n}}\n",
                                spelled(made.side), link, made.values[0].text(of_places), at_once, later);
        return made;
    }
    Statement statement() {
        Statement made;
        made.word = static_cast<Word_>(dice_.below(static_cast<int>(Word_::all)));
        made.value.emplace_back(dice_, 3, variables);
        return made;
    }
    static std::string text_of(const Statement& statement, const char* along) {
        const auto value = statement.value.front().text(of_places);
        const auto give = [&](const char* word, const char* more) {
            return fmt::format("self.{}({}, {}[&](const auto& other) {{ return {}", word, along, more, value);
        };
        switch (statement.word) {
        case Word_::each: return fmt::format("    self.each({}, [&](const auto& other) {{ all = all * 31u + {}; }});\n", along, value);
        case Word_::sum: return fmt::format("    all += {}; }});\n", give("sum", ""));
        case Word_::count: return fmt::format("    all += static_cast<Word>({} % 3u == 1u; }}));\n", give("count", ""));
        case Word_::any: return fmt::format("    all ^= {} % 5u == 2u; }}) ? 40503u : 9u;\n", give("any", ""));
        case Word_::least: return fmt::format("    all += {}; }});\n", give("least", "Word{4000000000u}, "));
        case Word_::most: return fmt::format("    all ^= {}; }});\n", give("most", "Word{5}, "));
        case Word_::degree: return fmt::format("    all += static_cast<Word>(self.count({})) * {};\n", along, "1000003u");
        default: return fmt::format("    self.pick({}, [&](const auto& other) {{ all += {}; }});\n", along, value);
        }
    }

    [[nodiscard]] static const Links& along(const State& state, Side side) { return side == Side::ties ? state.ties : state.arcs; }
    [[nodiscard]] static Values values_of(const State& state, std::size_t i, std::uint64_t k) {
        Values values{};
        values[own_a] = state.a[i], values[own_b] = state.b[i], values[got] = state.got[i];
        values[own_id] = static_cast<Word>(i), values[step] = static_cast<Word>(k);
        return values;
    }
    static void look(Values& values, const State& state, const Links& links, std::size_t link, std::size_t there) {
        values[there_a] = state.a[there], values[there_b] = state.b[there], values[there_id] = static_cast<Word>(there);
        values[link_w] = links.w[link], values[link_v] = links.v[link];
    }

    void change_places(State& state, const Function& function, std::uint64_t k) const {
        const auto& links = along(state, function.side);
        const auto lists = lists_of(links, function.side, places_);
        auto a = state.a, b = state.b;
        for (std::size_t i = 0; i < places_; ++i) {
            auto values = values_of(state, i, k);
            Stream stream(key_of(1, function.name, 0), i, k);
            Word all = state.a[i];
            for (const auto& statement : function.statements) {
                std::vector<Word> seen;
                for (const auto& [link, there] : lists[i]) {
                    look(values, state, links, link, there);
                    seen.push_back(statement.value.front().of(values));
                }
                all = with(statement.word, all, seen, stream);
            }
            a[i] = all, b[i] = state.a[i] ^ state.b[i];
        }
        state.a = std::move(a), state.b = std::move(b);
    }
    static Word with(Word_ word, Word all, const std::vector<Word>& seen, Stream& stream) {
        const auto count = [&](Word of, Word is) {
            return static_cast<Word>(std::count_if(seen.begin(), seen.end(), [&](Word each) { return each % of == is; }));
        };
        Word least = 4000000000u, most = 5;
        for (const auto each : seen) least = std::min(least, each), most = std::max(most, each);
        switch (word) {
        case Word_::each:
            for (const auto each : seen) all = all * 31 + each;
            return all;
        case Word_::sum:
            for (const auto each : seen) all += each;
            return all;
        case Word_::count: return all + count(3, 1);
        case Word_::any: return all ^ (count(5, 2) > 0 ? 40503u : 9u);
        case Word_::least: return all + least;
        case Word_::most: return all ^ most;
        case Word_::degree: return all + static_cast<Word>(seen.size()) * 1000003u;
        default: return seen.empty() ? all : all + seen[stream.below(seen.size())];
        }
    }
    void change_links(State& state, const Function& function, std::uint64_t k) const {
        auto& links = function.side == Side::ties ? state.ties : state.arcs;
        for (std::size_t i = 0; i < links.from.size(); ++i) {
            auto values = values_of(state, static_cast<std::size_t>(links.from[i]), k);
            values[got] = 7;
            look(values, state, links, i, static_cast<std::size_t>(links.to[i]));
            links.w[i] = function.values[0].of(values), links.v[i] = function.values[1].of(values);
        }
    }
    void send(State& state, const Function& function, std::uint64_t k) const {
        const auto& links = along(state, function.side);
        const auto lists = lists_of(links, function.side, places_);
        auto& planes = state.under_way;
        for (std::size_t i = 0; i < places_; ++i) {
            auto values = values_of(state, i, k);
            if (function.values[0].of(values) % 3 == 0) continue;
            for (const auto& [link, there] : lists[i]) {
                look(values, state, links, link, there);
                planes[0][there] += function.values[1].of(values);
                planes[links.v[link] % 4][there] += function.values[2].of(values);
            }
        }
        state.got = planes[0];
        std::rotate(planes.begin(), planes.begin() + 1, planes.end());
        planes.back().assign(places_, 0);
    }

    Dice dice_;
    std::size_t places_;
    bool sends_ = false;
    std::vector<Function> functions_;
    std::string links_;
};

} // namespace tessera::test::random_links
