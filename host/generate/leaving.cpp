#include "host/generate/leaving.hpp"

#include "host/generate/draws.hpp"
#include "host/generate/kernel_source.hpp"
#include "jit/integer_constants.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

} // namespace

// What expressions may name without being anything else than values.
class KnownValues {
public:
    KnownValues(const model::Description& description, const std::vector<Tokens>& files) : constants_(files) {
        for (const auto& parameter : description.parameters)
            if (parameter.scope.empty()) parameters_.insert(parameter.name);
        for (const auto& tokens : files)
            for (std::size_t i = 1; i < tokens.size(); ++i)
                if (tokens[i].in_directive && tokens[i - 1].text == "define")
                    macros_.insert(tokens[i].text);
                else if (tokens[i].in_directive && tokens[i - 1].text == "undef")
                    forgotten_.insert(tokens[i].text);
    }
    [[nodiscard]] bool is_macro(const std::string& name) const { return macros_.count(name) != 0 || forgotten_.count(name) != 0; }
    [[nodiscard]] bool have(const jit::Token& name) const {
        if (name.text == "true" || name.text == "false") return true;
        if (forgotten_.count(name.text) != 0) return false;
        return constants_.value({name}) || (parameters_.count(name.text) != 0 && !is_macro(name.text));
    }

private:
    jit::Constants constants_;
    std::set<std::string> parameters_, macros_, forgotten_;
};

namespace {

// The body of a function: its tokens, between its braces.
class Body {
public:
    Body(Tokens tokens, const KnownValues& values, const std::set<std::string>& members)
        : tokens_(std::move(tokens)), values_(values), members_(members) {}

    [[nodiscard]] std::optional<std::string> condition() const {
        if (!is(0, "if") || !is(1, "(")) return std::nullopt;
        const auto close = matching(1);
        const Span asked{2, close};
        if (binds_looser(asked)) return std::nullopt;
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
    // Behind a block, or a statement that is an expression of `self`; 0: it is neither.
    [[nodiscard]] std::size_t end_of_statement(std::size_t i) const {
        if (is(i, "{")) return matching(i) + 1;
        if (!is(i, "self") || !is(i + 1, ".")) return 0;
        for (; i < tokens_.size(); ++i) {
            if (is(i, "{") || values_.is_macro(tokens_[i].text)) return 0;
            if (is_open(tokens_[i].text)) i = matching(i);
            if (is(i, ";")) return i + 1;
        }
        return 0;
    }
    // Whether something stands outside of brackets that binds less than `||` and `&&`, or is another word for them.
    [[nodiscard]] bool binds_looser(const Span& span) const {
        static const std::set<std::string> marks = {"?", ":", ",", ";", "or", "and", "throw", "co_yield", "co_await"};
        for (auto i = span.begin; i < span.end; ++i) {
            if (is_open(tokens_[i].text)) i = matching(i);
            const bool compares = is_pair(i, "=", "=") || is_pair(i, "!", "=") || is_pair(i, "<", "=") || is_pair(i, ">", "=");
            if (compares)
                ++i;
            else if (is(i, "=") || (i < span.end && marks.count(tokens_[i].text) != 0))
                return true;
        }
        return false;
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
            const bool is_member =
                i + 2 < end && is(i + 1, ".") && members_.count(tokens_[i + 2].text) != 0 && !values_.is_macro(tokens_[i + 2].text);
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
    const std::set<std::string>& members_;
};

// Whether a call that returns at once stores what was there, where it was, and nothing else.
bool changes_nothing_at_once(const Setup& setup, const KernelSetup& kernel) {
    const auto& function = setup.function_of(kernel);
    const auto& columns = setup.collections[kernel.collection].columns;
    const auto changes = [&](const model::MemberAccess& access) {
        if (access.use.folds || !access.use.writes) return access.use.folds;
        return access.row != function.row || !access.use.reads || columns[access.member].has_spare;
    };
    return std::none_of(function.accesses.begin(), function.accesses.end(), changes) && !function.has_to_do_with_links() &&
           setup.lists_with_first_children(kernel).empty();
}

// Beyond its members and what became of its requests.
bool is_about_others(const model::Function& function) {
    return std::any_of(function.agent_uses.begin(), function.agent_uses.end(), [](const model::AgentUse& use) {
        return use.counts || use.moves || use.dies || use.refused_births || use.meets || use.spawns;
    });
}

// Texts in which something may be hidden, or mean something else than it seems.
bool is_plain(const std::vector<Tokens>& files) {
    static const std::set<std::string> conditional = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else"},
                                       words = {"self", "if", "else", "return", "true", "false"};
    for (const auto& tokens : files)
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto& token = tokens[i];
            const bool is_conditional = token.in_directive && conditional.count(token.text) != 0;
            if (token.text == "operator" || (&tokens == &files.front() && is_conditional)) return false;
            if (i > 0 && token.in_directive && tokens[i - 1].text == "define" && words.count(token.text) != 0) return false;
        }
    return true;
}

} // namespace

struct LeavingConditions::Text {
    std::vector<Tokens> files;
    std::vector<jit::CallSite> sites; // of all files
    std::size_t sites_of_main = 0;    // they come first
    KnownValues values;
    DrawingFunctions drawing;
    bool is_plain;

    explicit Text(const Setup& setup)
        : files(tokens_of_files(setup.model->source)), values(setup.description(), files), drawing(setup.model->source),
          is_plain(tessera::is_plain(files)) {
        const auto add = [&](const jit::SourceFile& file) {
            auto outline = jit::outline_of(file.text);
            std::move(outline.functions.begin(), outline.functions.end(), std::back_inserter(sites));
        };
        add(setup.model->source.main);
        sites_of_main = sites.size();
        for (const auto& header : setup.model->source.headers) add(header);
    }
    static std::vector<Tokens> tokens_of_files(const jit::ModelSource& source) {
        std::vector<Tokens> files{jit::tokens_of(source.main.text)};
        for (const auto& header : source.headers) files.push_back(jit::tokens_of(header.text));
        return files;
    }

    // The only one of that name, if it is in the main file.
    [[nodiscard]] const jit::CallSite* site_of(const std::string& row, const std::string& function) const {
        const auto is_it = [&](const jit::CallSite& each) { return each.row == row && each.function == function; };
        const auto found = std::find_if(sites.begin(), sites.end(), is_it);
        const bool is_one = std::count_if(sites.begin(), sites.end(), is_it) == 1;
        return is_one && found < sites.begin() + static_cast<std::ptrdiff_t>(sites_of_main) ? &*found : nullptr;
    }
};

LeavingConditions::LeavingConditions(const Setup& setup) : setup_(setup), text_(std::make_unique<const Text>(setup)) {}
LeavingConditions::~LeavingConditions() = default;

std::optional<std::string> LeavingConditions::of(const KernelSetup& kernel) const {
    const auto& function = setup_.function_of(kernel);
    const auto& row = setup_.description().rows[function.row];
    if (!text_->is_plain || !function.scope.empty() || !changes_nothing_at_once(setup_, kernel)) return std::nullopt;
    if (!is_about_others(function) && !text_->drawing.include(row.name, function.name)) return std::nullopt;
    const auto* const site = text_->site_of(row.name, function.name);
    const auto& text = setup_.model->source.main.text;
    if (site == nullptr || site->has_directives) return std::nullopt;
    if (text.substr(site->body, site->body_end - site->body).find("\\\n") != std::string::npos) return std::nullopt; // within an operator
    Tokens body;
    for (const auto& token : text_->files.front())
        if (token.offset > site->body && token.offset + 1 < site->body_end) body.push_back(token);
    std::set<std::string> members;
    for (const auto& member : row.members)
        if (member.elements == 1) members.insert(member.name);
    return Body(std::move(body), text_->values, members).condition();
}

std::string leaving_source(const Setup& setup) {
    const auto is_ordered = [&](const KernelSetup& kernel) {
        const auto& agents = setup.collections[kernel.collection].agents;
        return kernel.is_function() && agents && agents->storage->is_ordered();
    };
    if (setup.modes().debug || setup.modes().checked || std::none_of(setup.kernels.begin(), setup.kernels.end(), is_ordered)) return {};
    const LeavingConditions conditions(setup);
    std::string text;
    for (const auto& kernel : setup.kernels) {
        const auto condition = is_ordered(kernel) ? conditions.of(kernel) : std::nullopt;
        if (!condition) continue;
        // A type of the function's, so that names are what they are in its body.
        text +=
            fmt::format("namespace tessera_model {{\nstruct tessera_leaving_{0} : {1} {{\n    template<class Self> static TESSERA_FN bool "
                        "is_left_by([[maybe_unused]] const Self& self) {{ return {2}; }}\n}};\n}}\nstruct tessera_call_of_{0};\n"
                        "template<> struct tessera::leaving<tessera_call_of_{0}> {{\n    static constexpr bool is_known = true;\n"
                        "    using condition = tessera_model::tessera_leaving_{0};\n}};\n",
                        kernel.symbol, function_type(setup, kernel), *condition);
    }
    return text.empty() ? text : "#include <tessera/kernels/agents/leaving.hpp>\n" + text;
}

} // namespace tessera
