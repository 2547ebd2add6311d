#include "host/generate/leaving.hpp"

#include "host/generate/draws.hpp"
#include "host/generate/kernel_source.hpp"
#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

using Tokens = std::vector<jit::Token>;
// Some tokens that follow each other: from `begin` up to `end`.
struct Span {
    std::size_t begin = 0, end = 0;
};

bool is_open(const std::string& text) { return text == "(" || text == "[" || text == "{"; }
bool is_close(const std::string& text) { return text == ")" || text == "]" || text == "}"; }

// What expressions may name without being anything else than values.
class KnownValues {
public:
    KnownValues(const Setup& setup, const KernelSetup& kernel, const std::vector<Tokens>& files) : constants_(files) {
        const auto& description = setup.description();
        for (const auto& member : description.rows[setup.function_of(kernel).row].members)
            if (member.elements == 1) members_.insert(member.name);
        for (const auto& parameter : description.parameters) parameters_.insert(parameter.name);
        for (const auto& tokens : files)
            for (std::size_t i = 1; i < tokens.size(); ++i)
                if (tokens[i].in_directive && tokens[i - 1].text == "define") macros_.insert(tokens[i].text);
    }
    [[nodiscard]] bool have_member(const std::string& name) const { return members_.count(name) != 0 && macros_.count(name) == 0; }
    [[nodiscard]] bool have(const jit::Token& name) const {
        if (name.text == "true" || name.text == "false" || constants_.value({name})) return true;
        return parameters_.count(name.text) != 0 && macros_.count(name.text) == 0;
    }

private:
    jit::Constants constants_;
    std::set<std::string> members_, parameters_, macros_;
};

// The body of a function: its tokens, between its braces.
class Body {
public:
    Body(Tokens tokens, const KnownValues& values) : tokens_(std::move(tokens)), values_(values) {}

    [[nodiscard]] std::optional<std::string> condition() const {
        if (!is(0, "if") || !is(1, "(")) return std::nullopt;
        const auto close = matching(1);
        const Span asked{2, close};
        if (returns(close + 1)) return joined(leading(asked, "|"), "", " || ");
        if (end_of_statement(close + 1) != tokens_.size() || has_between(asked, "|")) return std::nullopt;
        return joined(leading(asked, "&"), "!", " || ");
    }

private:
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].text == text; }
    // Two marks that are one operator: written without anything between them.
    [[nodiscard]] bool is_pair(std::size_t i, std::string_view first, std::string_view second) const {
        return is(i, first) && is(i + 1, second) && tokens_[i].offset + 1 == tokens_[i + 1].offset;
    }
    // Of a bracket the one that closes it; the end where there is none.
    [[nodiscard]] std::size_t matching(std::size_t i) const {
        for (int depth = 0; i < tokens_.size(); ++i) {
            depth += is_open(tokens_[i].text) ? 1 : is_close(tokens_[i].text) ? -1 : 0;
            if (depth == 0) return i;
        }
        return i;
    }
    [[nodiscard]] bool returns(std::size_t i) const {
        if (is(i, "{")) return is(i + 1, "return") && is(i + 2, ";") && is(i + 3, "}") && !is(i + 4, "else");
        return is(i, "return") && is(i + 1, ";") && !is(i + 2, "else");
    }
    // Behind a block, or a statement that is an expression.
    [[nodiscard]] std::size_t end_of_statement(std::size_t i) const {
        if (is(i, "{")) return matching(i) + 1;
        static constexpr std::string_view others[] = {"if", "for", "while", "do", "switch", "else", "return"};
        if (std::any_of(std::begin(others), std::end(others), [&](auto word) { return is(i, word); })) return 0;
        for (; i < tokens_.size(); ++i) {
            if (is_open(tokens_[i].text)) i = matching(i);
            if (is(i, ";")) return i + 1;
        }
        return 0;
    }
    // Whether an operator of these two marks stands outside of brackets.
    [[nodiscard]] bool has_between(const Span& span, std::string_view mark) const { return operands(span, mark).size() > 1; }

    [[nodiscard]] std::vector<Span> operands(const Span& span, std::string_view mark) const {
        std::vector<Span> result{{span.begin, span.begin}};
        for (auto i = span.begin; i < span.end; ++i) {
            if (is_open(tokens_[i].text)) i = matching(i);
            if (!is_pair(i, mark, mark)) continue;
            result.back().end = i++;
            result.push_back({i + 1, i + 1});
        }
        result.back().end = span.end;
        return result;
    }
    // The operands up to the first that is not of values alone.
    [[nodiscard]] std::vector<Span> leading(const Span& span, std::string_view mark) const {
        auto result = operands(span, mark);
        result.erase(std::find_if(result.begin(), result.end(), [&](const Span& each) { return !is_of_values(each); }), result.end());
        return result;
    }
    [[nodiscard]] bool is_of_values(const Span& span) const {
        for (auto i = span.begin; i < span.end;) {
            const auto length = length_of_value_or_mark(i, span.end);
            if (length == 0) return false;
            i += length;
        }
        return span.begin < span.end;
    }
    // How many tokens a value or an operator has that changes nothing; 0: it is neither.
    [[nodiscard]] std::size_t length_of_value_or_mark(std::size_t i, std::size_t end) const {
        const auto& token = tokens_[i];
        if (token.kind == jit::Token::Kind::number) return 1;
        if (token.kind == jit::Token::Kind::identifier) {
            const bool is_called = i + 1 < end && (is(i + 1, "(") || is(i + 1, "{"));
            if (token.text != "self") return values_.have(token) && !is_called ? 1 : 0;
            const bool is_member = i + 2 < end && is(i + 1, ".") && values_.have_member(tokens_[i + 2].text);
            const bool goes_on = i + 3 < end && (is(i + 3, ".") || is(i + 3, "(") || is(i + 3, "["));
            return is_member && !goes_on ? 3 : 0;
        }
        if (token.kind != jit::Token::Kind::punctuation) return 0;
        for (const std::string_view first : {"=", "!", "<", ">"})
            if (is_pair(i, first, "=")) return is_pair(i + 1, "=", ">") ? 0 : 2; // <=> is no truth
        for (const std::string_view one : {"&", "|"})
            if (is_pair(i, one, one)) return 2;
        static constexpr std::string_view alone = "!<>+-*/%()";
        if (token.text.size() != 1 || alone.find(token.text[0]) == std::string_view::npos) return 0;
        const bool changes = is_pair(i, token.text, "=") ||
                             (token.text != "!" && token.text != "(" && token.text != ")" && is_pair(i, token.text, token.text));
        return changes ? 0 : 1;
    }
    [[nodiscard]] std::optional<std::string> joined(const std::vector<Span>& operands, const char* before, const char* between) const {
        if (operands.empty()) return std::nullopt;
        std::string text;
        for (const auto& operand : operands) {
            text += (text.empty() ? "" : between) + std::string(before) + "(";
            for (auto i = operand.begin; i < operand.end; ++i) {
                const bool is_beside = i > operand.begin && tokens_[i - 1].offset + tokens_[i - 1].text.size() == tokens_[i].offset;
                text += (i == operand.begin || is_beside ? "" : " ") + tokens_[i].text;
            }
            text += ")";
        }
        return text;
    }

    Tokens tokens_;
    const KnownValues& values_;
};

// Whether a call that returns at once stores what was there, and nothing else.
bool changes_nothing_at_once(const Setup& setup, const KernelSetup& kernel) {
    const auto& function = setup.function_of(kernel);
    const auto changes = [&](const model::MemberAccess& access) {
        const bool is_own = access.row == function.row;
        return access.use.folds || (access.use.writes && !(is_own && access.use.reads));
    };
    return std::none_of(function.accesses.begin(), function.accesses.end(), changes) && !function.has_to_do_with_links() &&
           setup.lists_with_first_children(kernel).empty();
}

bool minds_its_own_agent_alone(const Setup& setup, const KernelSetup& kernel) {
    const auto& function = setup.function_of(kernel);
    const auto is_more = [](const model::AgentUse& use) {
        return use.counts || use.moves || use.dies || use.refused_births || use.meets || use.spawns;
    };
    const DrawingFunctions drawing(setup.model->source);
    return std::none_of(function.agent_uses.begin(), function.agent_uses.end(), is_more) &&
           !drawing.include(setup.description().rows[function.row].name, function.name);
}

} // namespace

std::optional<std::string> leaving_condition(const Setup& setup, const KernelSetup& kernel) {
    const auto& source = setup.model->source;
    const auto& function = setup.function_of(kernel);
    if (!changes_nothing_at_once(setup, kernel) || minds_its_own_agent_alone(setup, kernel)) return std::nullopt;
    const auto outline = jit::outline_of(source.main.text);
    const auto site = std::find_if(outline.functions.begin(), outline.functions.end(), [&](const jit::CallSite& each) {
        return each.row == setup.description().rows[function.row].name && each.function == function.name;
    });
    if (site == outline.functions.end() || site->has_directives) return std::nullopt;
    std::vector<Tokens> files{jit::tokens_of(source.main.text)};
    for (const auto& header : source.headers) files.push_back(jit::tokens_of(header.text));
    Tokens body;
    for (const auto& token : files.front())
        if (token.offset > site->body && token.offset + 1 < site->body_end) body.push_back(token);
    const KnownValues values(setup, kernel, files);
    return Body(std::move(body), values).condition();
}

LeavingSource leaving_source(const Setup& setup, const KernelSetup& kernel) {
    const auto condition = leaving_condition(setup, kernel);
    if (!condition) return {};
    constexpr std::string_view space = "tessera_model::";
    auto function = function_type(setup, kernel);
    if (!function.starts_with(space)) return {};
    function.erase(0, space.size());
    const auto type = "tessera_leaving_" + kernel.symbol; // of the function, so that names are what they are in its body
    return {fmt::format("namespace tessera_model {{\nstruct {} : {} {{\n    template<class Self> static TESSERA_FN bool "
                        "is_left_by([[maybe_unused]] const Self& self) {{ return {}; }}\n}};\n}}\n",
                        type, function, *condition),
            std::string(space) + type};
}

} // namespace tessera
