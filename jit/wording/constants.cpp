// What cannot be changed and is.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tessera::jit {
namespace {

// What the line assigns to, by its token: `x.heat = 1`, `x.heat[2] += 1`, `++x.heat`; `rate = 2`.
bool is_assigned(const Passage& passage, std::size_t i) {
    if (!is_word(passage, i) || i < 1) return false;
    const bool member = text_at(passage, i - 1) == ".";
    auto next = i + 1;
    for (int depth = 0; text_at(passage, next) == "[" || depth > 0; ++next) {
        if (next >= passage.tokens->size()) return false;
        if (text_at(passage, next) == "[") ++depth;
        if (text_at(passage, next) == "]") --depth;
    }
    const auto first = text_at(passage, next), second = text_at(passage, next + 1), third = text_at(passage, next + 2);
    const bool compound = first.size() == 1 && std::string_view("+-*/%&|^").find(first[0]) != std::string_view::npos && second == "=";
    const bool shift = (first == "<" || first == ">") && second == first && third == "=";
    const bool counted = (first == "+" || first == "-") && second == first;
    const auto before = member ? i - 2 : i; // `++self.heat`, `++rate`
    const bool counted_before = before >= 2 && (text_at(passage, before - 1) == "+" || text_at(passage, before - 1) == "-") &&
                                text_at(passage, before - 2) == text_at(passage, before - 1);
    return (first == "=" && second != "=") || compound || shift || counted || counted_before;
}

// `other.link.weight = 1`, `self.from.opinion = 1`
std::optional<Wording> of_a_link(const Passage& passage, std::size_t i) {
    const auto& member = text_at(passage, i);
    const bool of_an_end = is_of_an_end(passage, i);
    const auto* const row = passage.function == nullptr ? nullptr : row_with(passage, member);
    if (row == nullptr || (!of_an_end && (i < 4 || text_at(passage, i - 2) != "link" || text_at(passage, i - 3) != ".")))
        return std::nullopt;
    return at_token(of_an_end
                        ? fmt::format("{}::{} of a link's end cannot be changed in {} (a function of links changes only its own link)",
                                      row->row, member, passage.function->function)
                        : fmt::format("{0}::{1} of a link cannot be changed in {2} (a function changes only its own place) change it in a "
                                      "function of links, TESSERA_CALL({0}, ...)",
                                      row->row, member, passage.function->function),
                    passage, i);
}

} // namespace

std::optional<Wording> read_only(const Captures&, const Passage& passage) {
    const auto written = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i - 1) == "." && is_assigned(passage, i); });
    for (const auto i : written) {
        const auto& member = text_at(passage, i);
        if (const auto* met = met_row(passage, i); has_member(met, member) && passage.function != nullptr)
            return at_token(fmt::format("a met agent's {}::{} cannot be changed in {} (a function changes only its own members)", met->row,
                                        member, passage.function->function),
                            passage, i);
        if (auto wording = of_a_link(passage, i)) return wording;
        const auto* ground = is_own(passage, i) ? nullptr : ground_row(passage);
        const auto* row = has_member(ground, member) ? ground : row_with(passage, member);
        if (row == nullptr || passage.function == nullptr) continue;
        const auto name = row->row + "::" + member;
        const auto& function = *passage.function;
        if (ground != nullptr && !is_of_ground(passage, i))
            return at_token(fmt::format("a site's {} cannot be changed in {} (an agent changes only the place that it stands on)", name,
                                        function.function),
                            passage, i);
        if (!is_own(passage, i) && ground == nullptr)
            return at_token(
                fmt::format("a neighbour's {} cannot be changed in {} (a function changes only its own place)", name, function.function),
                passage, i);
        const auto entry = entry_with(function, name);
        if (!entry || entry->starts_with("writes<") || entry->starts_with("sets<")) continue;
        return at_token(fmt::format("{} is only read in {} (its access list says {}) use writes<&{}> to change it", name, function.function,
                                    *entry, name),
                        passage, i);
    }
    if (!written.empty()) return at_token("a constant cannot be changed", passage, written.front());
    const auto named = nearest_tokens(passage, [&](std::size_t i) { return is_assigned(passage, i); });
    if (named.empty()) return at_token("a constant cannot be changed", passage, std::nullopt);
    const auto& name = text_at(passage, named.front());
    if (is_parameter(passage, name))
        return at_token(fmt::format("the parameter {} cannot be changed by the model (run files set it)", name), passage, named.front());
    return at_token(fmt::format("{} is const and cannot be changed", name), passage, named.front());
}

} // namespace tessera::jit
