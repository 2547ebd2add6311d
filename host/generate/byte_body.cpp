#include "host/generate/byte_body.hpp"

#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace tessera {
namespace {

using jit::Token;

struct Refused {
    std::string why;
};

// What an expression is: a number of the text, which has no place of its own, or numbers up to `most`.
struct Value {
    bool is_literal = false;
    int most = 0;
};

// What bytes may be, and what must not be exceeded.
struct Bounds {
    int most = 0, limit = 0;
};

int all_bits_of(int most) {
    int all = 0;
    while (all < most) all = 2 * all + 1;
    return all;
}

// Operators from the one that binds least to the one that binds most.
const std::vector<std::vector<std::string>>& levels() {
    static const std::vector<std::vector<std::string>> all{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
                                                           {"+"}};
    return all;
}

// Reads the statements of a body one after the other; whatever it does not know is refused.
class Reader {
public:
    Reader(std::vector<Token> tokens, const std::vector<std::string>& bools, const Bounds& bounds)
        : tokens_(std::move(tokens)), bools_(bools.begin(), bools.end()), bounds_(bounds) {}

    void read() {
        while (at_ < tokens_.size()) statement();
    }

private:
    [[nodiscard]] const std::string& text(std::size_t ahead = 0) const {
        static const std::string end;
        return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : end;
    }
    // An operator of one or two characters stands here, and no longer one.
    [[nodiscard]] bool is_here(const std::string& op) const {
        if (op.size() == 2) return text() == op.substr(0, 1) && text(1) == op.substr(1) && touches();
        if (text() != op) return false;
        const bool doubled = touches() && (text(1) == "=" || (text(1) == op && op != "(" && op != ")" && op != "!"));
        return !doubled;
    }
    [[nodiscard]] bool touches() const {
        return at_ + 1 < tokens_.size() && tokens_[at_].line == tokens_[at_ + 1].line && tokens_[at_].column + 1 == tokens_[at_ + 1].column;
    }
    [[noreturn]] void refuse() const { throw Refused{fmt::format("its text has `{}`", at_ < tokens_.size() ? text() : "no end")}; }
    void expect(const std::string& token) {
        if (text() != token) refuse();
        ++at_;
    }
    std::string name() {
        if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Kind::identifier) refuse();
        return tokens_[at_++].text;
    }
    Value within(const Value& value) const {
        if (value.most > bounds_.limit) throw Refused{"what it computes needs too many bits"};
        return value;
    }

    void statement() {
        if (text() == "self") {
            ++at_;
            expect(".");
            const auto member = name();
            if (written_.count(member) != 0) throw Refused{fmt::format("it assigns {} more than once", member)};
            expect_assignment();
            (void)expression(0); // a byte keeps the low bits of whatever it is
            written_.insert(member);
        } else {
            if (text() == "const") ++at_;
            if (text() != "auto") refuse();
            ++at_;
            declare(); // one: two of which need other fields have no type in common, as `auto` wants
        }
        expect(";");
    }
    void declare() {
        const auto local = name();
        expect_assignment();
        const auto value = expression(0);
        if (value.is_literal) throw Refused{fmt::format("{} is a number that is the same for all places", local)};
        locals_[local] = value;
    }
    void expect_assignment() {
        if (!is_here("=")) refuse();
        ++at_;
    }

    Value expression(int level) {
        if (level == static_cast<int>(levels().size())) return unary();
        auto left = expression(level + 1);
        for (;;) {
            const auto& here = levels()[static_cast<std::size_t>(level)];
            const auto op = std::find_if(here.begin(), here.end(), [&](const std::string& each) { return is_here(each); });
            if (op == here.end()) return left;
            at_ += op->size();
            left = combined(*op, left, expression(level + 1));
        }
    }
    [[nodiscard]] Value combined(const std::string& op, const Value& a, const Value& b) const {
        const bool compares = op == "==" || op == "!=" || op.front() == '<' || op.front() == '>';
        if (a.is_literal && b.is_literal) throw Refused{"it computes with numbers of its text alone"};
        if (compares) return {false, 1};
        if (a.is_literal || b.is_literal) throw Refused{fmt::format("its text has a number beside `{}`", op)};
        if (op == "&&" || op == "||") return {false, 1};
        if (op == "+") return within({false, a.most + b.most});
        if (op == "&") return {false, std::min(a.most, b.most)};
        return within({false, all_bits_of(std::max(a.most, b.most))});
    }
    Value unary() {
        if (is_here("!")) {
            ++at_;
            if (unary().is_literal) refuse();
            return {false, 1};
        }
        return primary();
    }
    Value primary() {
        if (text() == "(") {
            ++at_;
            const auto value = expression(0);
            expect(")");
            return value;
        }
        if (at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::number) return number();
        if (text() == "self") return of_place();
        if (text() == "select" && text(1) == "(") return choice();
        const auto word = name();
        if (word == "true" || word == "false") return {false, 1};
        const auto local = locals_.find(word);
        if (local == locals_.end()) throw Refused{fmt::format("its text has `{}`", word)};
        return local->second;
    }
    Value number() {
        int value = 0;
        const auto& digits = text();
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || value > 255 || (digits.size() > 1 && digits.front() == '0'))
            refuse();
        ++at_;
        return {true, value};
    }
    // select(mask, a, b)
    Value choice() {
        at_ += 2;
        if (expression(0).is_literal) throw Refused{"it computes with numbers of its text alone"};
        expect(",");
        const auto a = expression(0);
        expect(",");
        const auto b = expression(0);
        expect(")");
        if (a.is_literal || b.is_literal) throw Refused{"its text has a number in `select`"};
        return {false, std::max(a.most, b.most)};
    }
    Value member(const std::string& member) const { return {false, bools_.count(member) != 0 ? 1 : bounds_.most}; }
    // self.alive, self.at(west).alive, self.sum(moore, &Cell::alive)
    Value of_place() {
        ++at_;
        expect(".");
        const auto what = name();
        if (text() != "(") {
            if (written_.count(what) != 0) throw Refused{fmt::format("it reads {} after it assigned it", what)};
            return member(what);
        }
        if (what == "sum") return sum();
        if (what != "at") throw Refused{fmt::format("its text has `self.{}`", what)};
        skip_bracket();
        expect(".");
        return member(name());
    }
    void skip_bracket() {
        int depth = 0;
        do {
            if (at_ >= tokens_.size()) refuse();
            depth += text() == "(" ? 1 : text() == ")" ? -1 : 0;
            ++at_;
        } while (depth > 0);
    }
    // Of a neighbourhood whose size is known.
    Value sum() {
        ++at_;
        const bool here = text() == "with_here";
        if (here) {
            ++at_;
            expect("<");
        }
        const auto neighbourhood = name();
        const int count = neighbourhood == "moore" ? 26 : neighbourhood == "von_neumann" ? 6 : 0;
        if (count == 0) throw Refused{fmt::format("it sums over `{}`", neighbourhood)};
        if (here) expect(">");
        for (const char* const token : {",", "&"}) expect(token);
        (void)name();
        for (const char* const token : {":", ":"}) expect(token);
        const auto of = member(name());
        expect(")");
        return within({false, (count + (here ? 1 : 0)) * of.most});
    }

    const std::vector<Token> tokens_;
    const std::set<std::string> bools_;
    const Bounds bounds_;
    std::size_t at_ = 0;
    std::map<std::string, Value> locals_{};
    std::set<std::string> written_{};
};

// Names of the SDK that a model may give a meaning of its own.
bool is_redefined(const std::vector<Token>& tokens) {
    static const std::set<std::string> known{"moore", "von_neumann", "with_here", "select"};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].in_directive && tokens[i].text == "define") return true;
        const bool declared = i > 0 && tokens[i - 1].kind == Token::Kind::identifier && tokens[i - 1].text != "return";
        if (declared && known.count(tokens[i].text) != 0) return true;
    }
    return false;
}

// The tokens between the braces of the one function of this name; nothing where there are several, or none.
std::optional<std::vector<Token>> body_of(const std::string& text, const NamedFunction& named) {
    const auto outline = jit::outline_of(text);
    const jit::CallSite* site = nullptr;
    for (const auto& each : outline.functions)
        if (each.row == named.row && each.function == named.function)
            site = site == nullptr ? &each : throw Refused{"its name is not the only one"};
    if (site == nullptr) return {};
    std::vector<Token> body;
    int macros = 0;
    for (const auto& token : jit::tokens_of(text)) {
        if (token.line < site->first_line || token.line > site->last_line) continue;
        if (token.in_directive) throw Refused{"its text has a directive"};
        macros += token.text.starts_with("TESSERA_") ? 1 : 0;
        body.push_back(token);
    }
    if (macros != 1) throw Refused{"its text shares a line with another"};
    const auto open = std::find_if(body.begin(), body.end(), [](const Token& token) { return token.text == "{"; });
    const auto close = std::find_if(body.rbegin(), body.rend(), [](const Token& token) { return token.text == "}"; }).base();
    if (open == body.end() || close <= open + 1) throw Refused{"its text has no body"};
    return std::vector<Token>(open + 1, close - 1);
}

std::vector<Token> only_body(const jit::ModelSource& model, const NamedFunction& named) {
    std::vector<const std::string*> texts{&model.main.text};
    for (const auto& header : model.headers) texts.push_back(&header.text);
    std::optional<std::vector<Token>> found;
    for (const auto* text : texts) {
        if (is_redefined(jit::tokens_of(*text))) throw Refused{"the model's text defines macros or names of the SDK"};
        if (auto body = body_of(*text, named)) {
            if (found) throw Refused{"its name is not the only one"};
            found = std::move(body);
        }
    }
    if (!found) throw Refused{"its text was not found"};
    return *found;
}

} // namespace

ByteBody byte_body(const jit::ModelSource& model, const NamedFunction& named, const std::vector<std::string>& bools) {
    constexpr int seven_bits = 127, fifteen_bits = 32767, byte = 255;
    try {
        const auto body = only_body(model, named);
        Reader(body, bools, {byte, fifteen_bits}).read();
        for (int most = seven_bits; most > 0; most /= 2) try {
                Reader(body, bools, {most, seven_bits}).read();
                return {most, {}};
            } catch (const Refused&) {}
        Reader(body, bools, {1, seven_bits}).read();
    } catch (const Refused& refused) {
        return {0, refused.why};
    }
    return {};
}

} // namespace tessera
