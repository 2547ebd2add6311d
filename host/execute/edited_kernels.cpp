#include "host/execute/edited_kernels.hpp"

#include "host/generate/draws.hpp"
#include "jit/outline.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tessera {
namespace {

constexpr const char* topic = "the text that kernels were made of";

using Name = std::pair<std::string, std::string>; // of a function: its row's, and its own

Name name_of(const jit::CallSite& site) { return {site.row, site.function}; }

Name name_of(const Setup& setup, const model::Function& function) { return {setup.description().rows[function.row].name, function.name}; }

std::set<Name> functions_with_kernels(const Setup& setup) {
    std::set<Name> names;
    for (const auto& kernel : setup.kernels)
        if (kernel.is_function()) names.insert(name_of(setup, setup.function_of(kernel)));
    return names;
}

struct Body {
    Name function;
    std::string text;
};

// A model's text without the bodies of functions that have kernels, and these bodies in their order.
struct TakenApart {
    std::string rest;
    std::vector<Body> bodies;
};

// A body with a directive stays: what it defines holds behind it.
TakenApart take_apart(const std::string& text, const std::set<Name>& functions) {
    TakenApart result;
    std::size_t from = 0;
    for (const auto& site : jit::outline_of(text).functions) {
        if (functions.count(name_of(site)) == 0 || site.has_directives || site.body < from) continue;
        result.rest += text.substr(from, site.body - from) + "{}";
        result.bodies.push_back({name_of(site), text.substr(site.body, site.body_end - site.body)});
        from = site.body_end;
    }
    result.rest += text.substr(from);
    return result;
}

// A setup with another text of its model's main file.
class WithText {
public:
    WithText(const Setup& setup, std::string text) : model_(*setup.model), setup_(setup) {
        model_.source.main.text = std::move(text);
        setup_.model = &model_;
    }
    [[nodiscard]] const Setup& operator*() const noexcept { return setup_; }

private:
    model::Model model_;
    Setup setup_;
};

// Under which it is noted what was compiled: all but the bodies. `rest` must outlive it.
jit::Job key_of_rest(const WithText& rest, const std::vector<ViewChoice>& views, const jit::Target& target) {
    return kernels_job(*rest, views, target);
}

std::set<Name> changed_functions(const TakenApart& before, const TakenApart& now) {
    std::set<Name> changed;
    for (std::size_t i = 0; i < now.bodies.size(); ++i)
        if (before.bodies[i].text != now.bodies[i].text) changed.insert(now.bodies[i].function);
    return changed;
}

// Kernels that are of these functions, or name one of them.
std::vector<bool> kernels_of(const std::set<Name>& functions, const Setup& setup, const KernelTexts& texts) {
    std::set<std::string> types;
    for (const auto& kernel : setup.kernels)
        if (kernel.is_function() && functions.count(name_of(setup, setup.function_of(kernel))) != 0)
            types.insert(function_type(setup, kernel));
    std::vector<bool> result;
    for (const auto& text : texts.kernels)
        result.push_back(std::any_of(types.begin(), types.end(), [&](const auto& type) { return text.find(type) != std::string::npos; }));
    return result;
}

std::string share_of(const std::set<Name>& functions) {
    std::string text;
    for (const auto& [row, function] : functions) text += (text.empty() ? "" : ", ") + row + "." + function;
    return text;
}

// What all kernels stand on.
std::string common_text(const Setup& setup, const KernelTexts& texts) { return draws_source(setup) + texts.before + texts.behind; }

bool may_be_edited(const Setup& setup) { return !setup.modes().debug && !setup.modes().checked && setup.model->has_source(); }

} // namespace

std::optional<EditedKernels> edited_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target,
                                            jit::Compiler& compiler) {
    if (!may_be_edited(setup) || compiler.find(kernels_job(setup, views, target))) return std::nullopt;
    const auto functions = functions_with_kernels(setup);
    const auto now = take_apart(setup.model->source.main.text, functions);
    const WithText rest(setup, now.rest);
    const auto noted = compiler.noted(key_of_rest(rest, views, target), topic);
    if (!noted) return std::nullopt;
    const auto then = take_apart(*noted, functions);
    if (then.rest != now.rest || then.bodies.size() != now.bodies.size()) return std::nullopt;

    const WithText before(setup, *noted);
    auto job = kernels_job(setup, views, target);
    const auto whole = kernels_job(*before, views, target);
    const auto texts = kernel_texts(setup, views), old_texts = kernel_texts(*before, views);
    if (job.prelude != whole.prelude || common_text(setup, texts) != common_text(*before, old_texts)) return std::nullopt;
    const auto changed = changed_functions(then, now);
    auto kernels = kernels_of(changed, setup, texts);
    for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i] = kernels[i] || texts.kernels[i] != old_texts.kernels[i];
    const auto count = static_cast<std::size_t>(std::count(kernels.begin(), kernels.end(), true));
    if (2 * count > kernels.size()) return std::nullopt;
    auto image = compiler.find(whole);
    if (!image) return std::nullopt;
    return EditedKernels{std::move(*image), kernels, some_kernels_job(setup, texts, kernels, share_of(changed), target)};
}

void remember_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler) {
    if (!may_be_edited(setup)) return;
    const auto& text = setup.model->source.main.text;
    const WithText rest(setup, take_apart(text, functions_with_kernels(setup)).rest);
    compiler.note(key_of_rest(rest, views, target), topic, text);
}

} // namespace tessera
