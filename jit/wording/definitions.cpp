// What is defined twice, or not as the macro that declares a row needs it.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::jit {
namespace {

Wording with_consequences(Wording wording) {
    wording.has_consequences = true;
    return wording;
}

// What a macro of the SDK defines goes by names of its own; the author sees the macro twice.
std::optional<Wording> declared_twice(const std::string& name, const Passage& passage) {
    for (const auto& site : passage.outline->functions)
        if (site.row + "_" + site.function == name)
            return at_token(
                fmt::format("{} has a function called {} already, at line {} (run files call functions by their names) rename one",
                            site.row, site.function, site.first_line),
                passage, token_named(passage, site.function, false));
    if (name == "tessera_record_model")
        return at_token("this is the second TESSERA_MODEL (a file is one model) remove one", passage,
                        token_named(passage, "TESSERA_MODEL", false));
    const auto macros = nearest_tokens(passage, [&](std::size_t i) { return declares_a_row(passage, i); });
    if (const std::string members = "tessera_members_of_"; name.starts_with(members) && !macros.empty())
        return at_token(fmt::format("{} has a {} already", name.substr(members.size()), text_at(passage, macros.front())), passage,
                        macros.front());
    const std::string index = "index_"; // of what the macro makes for each member; it lists them by their own names too
    const auto member = name.starts_with(index) ? name.substr(index.size()) : name;
    auto found = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == member; });
    if (!macros.empty() && found.size() > 1)
        return at_token(fmt::format("{} is listed twice", member), passage, *std::max_element(found.begin(), found.end()));
    return std::nullopt;
}

} // namespace

// The macro takes the struct apart by all the names that it is given.
std::optional<Wording> not_all_listed(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) { return declares_a_row(passage, i); });
    if (found.empty()) return std::nullopt;
    return with_consequences(
        at_token(fmt::format("{} has members that its {} does not list (only listed members are stored) list every member",
                             text_at(passage, found.front() + 2), text_at(passage, found.front())),
                 passage, found.front()));
}

std::optional<Wording> defined_twice(const Captures& found, const Passage& passage) {
    if (auto declared = declared_twice(found[1], passage)) return with_consequences(*declared);
    const auto token = token_named(passage, found[1], false);
    if (!token) return std::nullopt;
    return with_consequences(at_token(fmt::format("{} is defined already", found[1]), passage, token));
}

} // namespace tessera::jit
