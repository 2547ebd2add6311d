#include "host/generate/draws.hpp"

#include "host/generate/kernel_source.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <algorithm>
#include <vector>

namespace tessera {
namespace {

using Words = std::set<std::string>;

// A part of a model's text: a function of the model, something else that stands by itself, or all directives.
struct Part {
    enum class Kind { function, helper, directives } kind = Kind::helper;
    std::string row, function;
    Words names; // of a helper, those by which it may be called
    Words words; // all of its identifiers
};

// Parts one after the other. A namespace is no part, but what stands in it.
class Parts {
public:
    explicit Parts(const jit::SourceFile& file) : outline_(jit::outline_of(file.text)), tokens_(jit::tokens_of(file.text)) {
        Part directives{Part::Kind::directives, {}, {}, {}, {}};
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].in_directive)
                add_word(directives, i);
            else
                add(i);
        end();
        parts_.push_back(std::move(directives));
    }

    [[nodiscard]] std::vector<Part> all() && { return std::move(parts_); }

private:
    void add(std::size_t i) {
        const auto& text = tokens_[i].text;
        if (const auto* const function = outline_.function_at(tokens_[i].line); function != function_) {
            end();
            function_ = function;
            if (function != nullptr) part_.kind = Part::Kind::function, part_.row = function->row, part_.function = function->function;
        }
        add_word(part_, i);
        if (function_ != nullptr) return;
        if (text == "(" && depth_ == 0 && i > 0 && tokens_[i - 1].kind == jit::Token::Kind::identifier)
            part_.names.insert(tokens_[i - 1].text);
        if (text == "{" && depth_ == 0 && part_.words.count("namespace") != 0) return end();
        if (text == "{") ++depth_;
        if (text == "}") --depth_;
        if (depth_ <= 0 && (text == "}" || text == ";")) end();
    }
    void add_word(Part& part, std::size_t i) const {
        const bool pastes = i > 0 && tokens_[i].text == "#" && tokens_[i - 1].text == "#";
        if (pastes || tokens_[i].kind == jit::Token::Kind::identifier) part.words.insert(pastes ? "##" : tokens_[i].text);
    }
    void end() {
        if (!part_.words.empty()) parts_.push_back(std::move(part_));
        part_ = {};
        depth_ = 0;
        function_ = nullptr;
    }

    jit::Outline outline_;
    std::vector<jit::Token> tokens_;
    std::vector<Part> parts_;
    Part part_;
    const jit::CallSite* function_ = nullptr;
    int depth_ = 0;
};

} // namespace

DrawingFunctions::DrawingFunctions(const jit::ModelSource& model) {
    std::vector<Part> left = Parts(model.main).all();
    for (const auto& header : model.headers)
        for (auto& part : Parts(header).all()) left.push_back(std::move(part));
    Words drawing{"random", "##"};
    const auto draws = [&](const Part& part) {
        return std::any_of(part.words.begin(), part.words.end(), [&](const auto& word) { return drawing.count(word) != 0; });
    };
    for (auto found = left.begin(); !all_ && (found = std::find_if(left.begin(), left.end(), draws)) != left.end(); left.erase(found)) {
        if (found->kind == Part::Kind::function)
            functions_.emplace(found->row, found->function);
        else if (found->names.empty())
            all_ = true;
        drawing.merge(found->names);
    }
}

bool DrawingFunctions::include(const std::string& row, const std::string& function) const {
    return all_ || functions_.count({row, function}) != 0;
}

std::string draws_source(const Setup& setup) {
    const DrawingFunctions drawing(setup.model->source);
    std::string text;
    std::set<std::string> said; // a function of several collections has several kernels
    for (const auto& kernel : setup.kernels) {
        if (!kernel.is_function()) continue;
        const auto& function = setup.description().functions[kernel.function];
        const auto type = function_type(setup, kernel);
        if (!drawing.include(setup.description().rows[function.row].name, function.name) && said.insert(type).second)
            text += "template<> inline constexpr bool tessera::draws_numbers<" + type + "> = false;\n";
    }
    return text.empty() ? text : "#include <tessera/kernels/launch/draws.hpp>\n" + text;
}

} // namespace tessera
