#include "jit/diagnostics.hpp"

#include "jit/lexer.hpp"
#include "jit/outline.hpp"
#include "jit/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace tessera::jit {
namespace {

constexpr std::size_t shown_at_most = 3;

std::string line_of(const std::string& text, int line) {
    std::size_t at = 0;
    for (int i = 1; i < line && at != std::string::npos; ++i) {
        at = text.find('\n', at);
        if (at != std::string::npos) ++at;
    }
    return at == std::string::npos ? std::string() : text.substr(at, text.find('\n', at) - at);
}

// What is known about the author's files, gathered once for all messages.
class Author {
public:
    explicit Author(const ModelSource& model) : model_(model) {
        add(model.main);
        for (const auto& header : model.headers) add(header);
    }

    // The place of a message in the author's text: its own, or the innermost on its trail.
    [[nodiscard]] const Location* place_of(const CompilerMessage& message) const {
        if (model_.find(message.at.file) != nullptr) return &message.at;
        for (const auto& step : message.trail)
            if (model_.find(step.file) != nullptr) return &step;
        return nullptr;
    }

    [[nodiscard]] std::size_t rank(const std::string& path) const {
        const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& file) { return file.source->path == path; });
        return static_cast<std::size_t>(found - files_.begin());
    }

    struct Told {
        Diagnostic diagnostic;
        bool has_consequences = false;
    };
    [[nodiscard]] Told tell(const CompilerMessage& message, const Location& at, Toolchain toolchain) const {
        const auto& file = files_[rank(at.file)];
        const Passage passage{&everything_, file.outline.function_at(at.line), &file.tokens, at.line, at.column};
        Told told{{at.file, at.line, at.column, message.text, {}, false}};
        if (const auto wording = message.is_warning ? warning_in_our_words(message, passage) : in_our_words(message, toolchain, passage)) {
            told.diagnostic.message = wording->message;
            told.diagnostic.normalised = true;
            told.has_consequences = wording->has_consequences;
            if (wording->line > 0) {
                told.diagnostic.line = wording->line;
                told.diagnostic.column = wording->column;
            }
        }
        told.diagnostic.message = without_model_namespace(told.diagnostic.message);
        told.diagnostic.source_line = line_of(file.source->text, told.diagnostic.line);
        return told;
    }

    // For a compiler that refuses the model and does not say where.
    [[nodiscard]] std::optional<Told> guess() const {
        return first([&](const File& file) { return undeclared_in_a_sum(everything_, file.outline, file.tokens); });
    }
    // What is wrong by how it is written, in the order of the text.
    [[nodiscard]] std::vector<Told> misspelt() const {
        std::vector<Told> found;
        for (const auto& file : files_)
            for (const auto& each : {wrong_macros(everything_, file.tokens), wrong_access_lists(everything_, file.outline, file.tokens)})
                for (const auto& wording : each) found.push_back(told_in(file, wording));
        return found;
    }
    [[nodiscard]] std::optional<Told> radius() const {
        return first([&](const File& file) { return radius_out_of_range(everything_, file.tokens); });
    }

    static std::string without_model_namespace(std::string text) {
        constexpr std::string_view inner = "tessera_model::";
        for (auto at = text.find(inner); at != std::string::npos; at = text.find(inner, at)) text.erase(at, inner.size());
        return text;
    }

private:
    struct File {
        const SourceFile* source;
        Outline outline;
        std::vector<Token> tokens;
    };

    static Told told_in(const File& file, const Wording& wording) {
        return {{file.source->path, wording.line, wording.column, wording.message, line_of(file.source->text, wording.line), true}, false};
    }

    // The first file in which something is found.
    template<class Find> [[nodiscard]] std::optional<Told> first(const Find& find) const {
        for (const auto& file : files_)
            if (const std::optional<Wording> wording = find(file)) return told_in(file, *wording);
        return std::nullopt;
    }

    void add(const SourceFile& source) {
        files_.push_back({&source, outline_of(source.text), tokens_of(source.text)});
        const auto& outline = files_.back().outline;
        everything_.functions.insert(everything_.functions.end(), outline.functions.begin(), outline.functions.end());
        everything_.rows.insert(everything_.rows.end(), outline.rows.begin(), outline.rows.end());
    }

    const ModelSource& model_;
    std::vector<File> files_;
    Outline everything_;
};

void sort_by_place(std::vector<Author::Told>& told, const Author& author) {
    std::stable_sort(told.begin(), told.end(), [&](const auto& a, const auto& b) {
        const auto key = [&](const Author::Told& each) {
            return std::tuple(author.rank(each.diagnostic.file), each.diagnostic.line, !each.has_consequences, each.diagnostic.column);
        };
        return key(a) < key(b);
    });
}

void keep_each_once(std::vector<Author::Told>& told) {
    const auto same = [](const auto& a, const auto& b) {
        return a.diagnostic.file == b.diagnostic.file && a.diagnostic.line == b.diagnostic.line &&
               a.diagnostic.message == b.diagnostic.message;
    };
    told.erase(std::unique(told.begin(), told.end(), same), told.end());
}

void keep_what_matters(std::vector<Author::Told>& told, const Author& author) {
    sort_by_place(told, author);
    const bool any = std::any_of(told.begin(), told.end(), [](const auto& each) { return each.diagnostic.normalised; });
    if (any) std::erase_if(told, [](const auto& each) { return !each.diagnostic.normalised; });
    const auto fatal = std::find_if(told.begin(), told.end(), [](const auto& each) { return each.has_consequences; });
    if (fatal != told.end()) told.erase(fatal + 1, told.end());
    keep_each_once(told);
}

std::string caret_below(const std::string& line, int column) {
    std::string result;
    for (int i = 0; i + 1 < column && i < static_cast<int>(line.size()); ++i) {
        const char c = line[static_cast<std::size_t>(i)];
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) result += c == '\t' ? '\t' : ' '; // one column for a UTF-8 sequence
    }
    return result + '^';
}

// A brace too many or too few makes compilers complain anywhere; found lexically, where no #if makes the text ambiguous.
std::optional<Diagnostic> unbalanced_brace(const SourceFile& file) {
    std::vector<Token> open;
    for (const auto& token : tokens_of(file.text)) {
        if (token.in_directive && (token.text == "if" || token.text == "ifdef" || token.text == "ifndef")) return std::nullopt;
        if (token.in_directive) continue;
        if (token.text == "{") open.push_back(token);
        if (token.text != "}") continue;
        if (open.empty())
            return Diagnostic{file.path, token.line, token.column, "this } closes nothing", line_of(file.text, token.line), true};
        open.pop_back();
    }
    if (open.empty()) return std::nullopt;
    // the outermost one left open is the function's or struct's that the author forgot to close
    const auto& token = open.front();
    return Diagnostic{file.path, token.line, token.column, "this { is never closed", line_of(file.text, token.line), true};
}

// The same of ( and [, where braces are balanced: a statement or a body that ends within them has left them open.
std::optional<Diagnostic> unbalanced_parenthesis(const SourceFile& file) {
    std::vector<Token> open;
    const auto at = [&](const Token& token, const char* what) {
        return Diagnostic{file.path, token.line, token.column, fmt::format("this {} {}", token.text, what), line_of(file.text, token.line),
                          true};
    };
    const auto tokens = tokens_of(file.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& token = tokens[i];
        if (token.in_directive && (token.text == "if" || token.text == "ifdef" || token.text == "ifndef")) return std::nullopt;
        if (token.in_directive || token.kind != Token::Kind::punctuation) continue;
        const bool left_open = !open.empty() && open.back().text != "{";
        const bool in_for = left_open && open.back().in_directive; // as below: whose round brackets have semicolons
        if (left_open && !in_for && (token.text == ";" || token.text == "}")) return at(open.back(), "is never closed");
        if (token.text == "{" || token.text == "(" || token.text == "[") {
            open.push_back(token);
            open.back().in_directive = token.text == "(" && i > 0 && tokens[i - 1].text == "for";
        } else if (token.text == "}" || token.text == ")" || token.text == "]") {
            const std::string opening = token.text == "}" ? "{" : token.text == ")" ? "(" : "[";
            if (open.empty() || (open.back().text == "{" && opening != "{")) return at(token, "closes nothing");
            if (open.back().text != opening) return at(open.back(), "is never closed");
            open.pop_back();
        }
    }
    return open.empty() || open.back().text == "{" ? std::nullopt : std::optional(at(open.back(), "is never closed"));
}

std::vector<Diagnostic> diagnostics_of(std::vector<Author::Told> told) {
    std::vector<Diagnostic> result;
    for (auto& each : told) result.push_back(std::move(each.diagnostic));
    return result;
}

std::string last_lines(std::string_view log) {
    constexpr std::size_t most = 2000;
    while (log.ends_with('\n')) log.remove_suffix(1);
    if (log.size() > most) log = log.substr(log.find('\n', log.size() - most) + 1);
    return std::string(log);
}

} // namespace

std::vector<Diagnostic> diagnose(std::string_view log, Toolchain toolchain, const ModelSource& model) {
    if (auto brace = unbalanced_brace(model.main)) return {*brace};
    for (const auto& header : model.headers)
        if (auto brace = unbalanced_brace(header)) return {*brace};
    if (auto bracket = unbalanced_parenthesis(model.main)) return {*bracket};
    for (const auto& header : model.headers)
        if (auto bracket = unbalanced_parenthesis(header)) return {*bracket};
    const Author author(model);
    if (auto misspelt = author.misspelt(); !misspelt.empty()) {
        sort_by_place(misspelt, author);
        return diagnostics_of(std::move(misspelt));
    }
    const auto errors = errors_in(log, toolchain);
    const bool of_radius = std::any_of(errors.begin(), errors.end(), [](const auto& error) {
        return error.text.find("a neighbourhood's radius must be") != std::string::npos;
    });
    if (of_radius)
        if (auto found = author.radius()) return {std::move(found->diagnostic)};
    std::vector<Author::Told> told;
    for (const auto& error : errors)
        if (const auto* place = author.place_of(error)) told.push_back(author.tell(error, *place, toolchain));
    if (told.empty() && toolchain == Toolchain::nvrtc)
        if (auto guess = author.guess()) told.push_back(std::move(*guess));
    keep_what_matters(told, author);
    return diagnostics_of(std::move(told));
}

std::vector<Diagnostic> diagnose_warnings(std::string_view log, Toolchain toolchain, const ModelSource& model) {
    const Author author(model);
    std::vector<Author::Told> told;
    for (const auto& message : messages_in(log, toolchain))
        if (message.is_warning && model.find(message.at.file) != nullptr) told.push_back(author.tell(message, message.at, toolchain));
    std::erase_if(told, [](const auto& each) { return each.diagnostic.message.empty(); }); // which nobody needs to know
    sort_by_place(told, author);
    keep_each_once(told);
    return diagnostics_of(std::move(told));
}

std::string render(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (std::size_t i = 0; i < std::min(diagnostics.size(), shown_at_most); ++i) {
        const auto& each = diagnostics[i];
        if (i > 0) text += '\n';
        text += fmt::format("{}:{}:{}: {}", each.file, each.line, std::max(each.column, 1), each.message);
        if (!each.source_line.empty()) text += fmt::format("\n{}\n{}", each.source_line, caret_below(each.source_line, each.column));
    }
    if (diagnostics.size() > shown_at_most) text += fmt::format("\nand {} more", diagnostics.size() - shown_at_most);
    return text;
}

namespace {

// The first error decides: the others may be its consequences.
DoesNotCompile::At place_of_first(std::string_view log, Toolchain toolchain, const ModelSource& model) {
    const auto errors = errors_in(log, toolchain);
    const bool has_place = !errors.empty() && Author(model).place_of(errors.front()) != nullptr;
    return has_place ? DoesNotCompile::At::the_authors_line : DoesNotCompile::At::our_text;
}

} // namespace

DoesNotCompile compile_error(std::string_view log, Toolchain toolchain, const ModelSource& model, const std::string& compiler) {
    const auto found = diagnose(log, toolchain, model);
    const auto at = place_of_first(log, toolchain, model);
    if (!found.empty()) return {at, render(found)};
    return {at, fmt::format("{} does not compile, although no error is in its own text", model.main.path),
            fmt::format("{} said:\n{}", compiler, Author::without_model_namespace(last_lines(log))),
            "if every function and row of the model is complete, this is a defect of Tessera"};
}

} // namespace tessera::jit
