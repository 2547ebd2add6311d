#include "host/generate/draws.hpp"

#include "host/generate/kernel_source.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <set>
#include <utility>

namespace tessera {
namespace {

// The functions whose bodies name `random`, or all, where something else of the model does: a helper, a macro, a name made by pasting.
struct Drawing {
    std::set<std::pair<std::string, std::string>> functions; // row, name
    bool all = false;

    void look_at(const jit::SourceFile& file) {
        const auto outline = jit::outline_of(file.text);
        const auto tokens = jit::tokens_of(file.text);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const bool pastes = i > 0 && tokens[i].text == "#" && tokens[i - 1].text == "#";
            if (tokens[i].text != "random" && !pastes) continue;
            if (const auto* const function = outline.function_at(tokens[i].line); function != nullptr && !tokens[i].in_directive)
                functions.emplace(function->row, function->function);
            else
                all = true;
        }
    }
};

} // namespace

std::string draws_source(const Setup& setup) {
    Drawing drawing;
    drawing.look_at(setup.model->source.main);
    for (const auto& header : setup.model->source.headers) drawing.look_at(header);
    std::string text;
    std::set<std::string> said; // a function of several collections has several kernels
    for (const auto& kernel : setup.kernels) {
        if (kernel.work == KernelWork::reduction || setup.is_among_agents(kernel)) continue; // agents draw one by one
        const auto& function = setup.description().functions[kernel.function];
        const auto type = function_type(setup, kernel);
        const bool draws = drawing.all || drawing.functions.count({setup.description().rows[function.row].name, function.name}) != 0;
        if (!draws && said.insert(type).second) text += "template<> inline constexpr bool tessera::draws_numbers<" + type + "> = false;\n";
    }
    return text.empty() ? text : "#include <tessera/kernels/draws.hpp>\n" + text;
}

} // namespace tessera
