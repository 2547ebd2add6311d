#include "host/generate/leaving.hpp"

#include "host/generate/draws.hpp"
#include "host/generate/first_if.hpp"
#include "host/generate/kernel_source.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace tessera {
namespace {

using Tokens = std::vector<jit::Token>;

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
    return condition_to_do_nothing(std::move(body), text_->values, members);
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
