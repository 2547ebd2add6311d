#include "host/generate/sure_draws.hpp"

#include "host/generate/kernel_source.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using Tokens = std::vector<jit::Token>;

bool follows(const Tokens& tokens, std::size_t i, const char* text) { return i < tokens.size() && tokens[i].text == text; }

// Behind the bracket that closes the one at `i`.
std::size_t behind_brackets(const Tokens& tokens, std::size_t i, const char* opening, const char* closing) {
    for (int depth = 0; i < tokens.size(); ++i) {
        if (tokens[i].text == opening) ++depth;
        if (tokens[i].text == closing && --depth == 0) return i + 1;
    }
    return i;
}

int draws_of(const std::string& method) {
    static const std::map<std::string, int> draws = {{"bits", 1},      {"uniform", 1},   {"below", 1},
                                                     {"bernoulli", 1}, {"uniform64", 2}, {"normal", 2}};
    const auto found = draws.find(method);
    return found == draws.end() ? 0 : found->second;
}

// Behind it something may be done or not. Of an operator of two characters the lexer gives each by itself.
bool may_branch(const Tokens& tokens, std::size_t i) {
    static const std::set<std::string> words = {"if", "else", "for", "while", "do", "switch", "case", "goto", "and", "or", "?", "["};
    const auto& token = tokens[i];
    return token.in_directive || words.count(token.text) != 0 ||
           ((token.text == "&" || token.text == "|") && follows(tokens, i + 1, token.text.c_str()));
}

} // namespace

struct SureDraws::Text {
    // Tokens of a file, between two braces.
    struct Body {
        const Tokens* file;
        std::size_t begin, end;
    };
    std::vector<Tokens> files;
    std::map<std::string, Body> helpers;
    std::map<std::pair<std::string, std::string>, Body> functions;
    std::set<std::string> macros;

    explicit Text(const jit::ModelSource& model) {
        files.reserve(1 + model.headers.size()); // bodies point into it
        add(model.main);
        for (const auto& header : model.headers) add(header);
    }
    void add(const jit::SourceFile& file) {
        const auto& tokens = files.emplace_back(jit::tokens_of(file.text));
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
            if (tokens[i].in_directive && tokens[i].text == "define") macros.insert(tokens[i + 1].text);
        const auto at = [&](std::size_t offset) {
            const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const auto& token) { return token.offset >= offset; });
            return static_cast<std::size_t>(found - tokens.begin());
        };
        for (const auto& site : jit::outline_of(file.text).functions)
            functions.insert_or_assign({site.row, site.function}, Body{&tokens, at(site.body) + 1, at(site.body_end) - 1});
        add_helpers(tokens);
    }
    // The functions that a file defines outside of others, by name: NAME(...) { ... }, perhaps with a word or a type between. Of a name
    // that several have, the first.
    void add_helpers(const Tokens& tokens) {
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            if (tokens[i].in_directive) continue;
            if (tokens[i].text == "namespace") { // what stands in it is looked at
                while (i < tokens.size() && tokens[i].text != "{" && tokens[i].text != ";") ++i;
                continue;
            }
            if (tokens[i].text == "{") {
                i = behind_brackets(tokens, i, "{", "}") - 1;
                continue;
            }
            if (tokens[i].kind != jit::Token::Kind::identifier || !follows(tokens, i + 1, "(")) continue;
            auto at = behind_brackets(tokens, i + 1, "(", ")");
            while (at < tokens.size() && tokens[at].text != "{" && tokens[at].text != ";" && tokens[at].text != "(") ++at;
            if (!follows(tokens, at, "{")) continue;
            const auto end = behind_brackets(tokens, at, "{", "}");
            helpers.emplace(tokens[i].text, Body{&tokens, at + 1, end - 1});
            i = end - 1;
        }
    }

    // Adds the draws of a body, up to its first `return`; whether all of that was read.
    bool add_draws(const Body& body, int& draws, int depth) const {
        const auto& tokens = *body.file;
        bool returns = false;
        for (auto i = body.begin; i < body.end && !(returns && tokens[i].text == ";"); ++i) {
            const auto& text = tokens[i].text;
            returns |= text == "return";
            if (may_branch(tokens, i) || macros.count(text) != 0) return false;
            if (text == "random" && follows(tokens, i + 1, ".") && follows(tokens, i + 3, "(")) draws += draws_of(tokens[i + 2].text);
            const auto helper = follows(tokens, i + 1, "(") && i > 0 && tokens[i - 1].text != "." ? helpers.find(text) : helpers.end();
            if (helper != helpers.end() && (depth == 0 || !add_draws(helper->second, draws, depth - 1))) return false;
        }
        return true;
    }
};

SureDraws::SureDraws(const jit::ModelSource& model) : text_(std::make_unique<const Text>(model)) {}
SureDraws::~SureDraws() = default;

int SureDraws::of(const std::string& row, const std::string& function) const {
    const auto found = text_->functions.find({row, function});
    int draws = 0;
    if (found != text_->functions.end()) text_->add_draws(found->second, draws, 4); // helpers that call each other, so deep
    return draws;
}

std::string sure_draws_source(const Setup& setup) {
    const auto is_ordered = [&](const KernelSetup& kernel) {
        const auto& agents = setup.collections[kernel.collection].agents;
        return kernel.is_function() && agents && agents->storage->is_ordered();
    };
    if (std::none_of(setup.kernels.begin(), setup.kernels.end(), is_ordered)) return {};
    const SureDraws draws(setup.model->source);
    std::string text;
    for (const auto& kernel : setup.kernels) {
        if (!is_ordered(kernel)) continue;
        const auto& function = setup.function_of(kernel);
        const int sure = draws.of(setup.description().rows[function.row].name, function.name);
        if (sure == 0) continue;
        text +=
            fmt::format("struct tessera_call_of_{0};\ntemplate<> inline constexpr int tessera::sure_draws<tessera_call_of_{0}> = {1};\n",
                        kernel.symbol, std::min(sure, 2));
    }
    return text.empty() ? text : "#include <tessera/kernels/agents/first_draws.hpp>\n" + text;
}

} // namespace tessera
