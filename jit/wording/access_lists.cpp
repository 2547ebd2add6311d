// How access lists are written, found without a message: compilers show the SDK's templates where a `>` or a comma is missing.
#include "jit/brackets.hpp"
#include "jit/wording.hpp"
#include "jit/wording/offers.hpp"
#include "jit/wording/passage.hpp"
#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

constexpr std::array<std::string_view, 11> entries = {"reads", "around", "writes", "sets",   "adds", "least",
                                                      "most",  "counts", "meets",  "spawns", "moves"}; // each with <...>
constexpr std::array<std::string_view, 4> of_neighbourhoods = {"around", "meets", "counts", "moves"};  // which they name first
constexpr std::array<std::string_view, 7> of_members = {"reads", "around", "writes", "sets", "adds", "least", "most"};

template<class Names> bool is_one_of(const Names& names, const std::string& word) {
    return std::find(names.begin(), names.end(), word) != names.end();
}

// Reads the arguments of one TESSERA_CALL, TESSERA_INIT or TESSERA_UNIFORM up to the first mistake.
class Head {
public:
    Head(const Passage& passage, const Brackets& brackets, std::size_t macro)
        : passage_(passage), brackets_(brackets), macro_(macro), close_(brackets.other(macro + 1)), at_(macro + 2) {}

    std::optional<Wording> mistake() {
        read();
        return wording_;
    }

private:
    [[nodiscard]] const std::string& text(std::size_t i) const { return text_at(passage_, i); }
    [[nodiscard]] bool word(std::size_t i) const { return i < close_ && is_word(passage_, i); }
    [[nodiscard]] bool is_uniform() const { return text(macro_) == "TESSERA_UNIFORM"; }

    // Each returns whether reading can go on: not behind a mistake, nor behind what is not understood.
    bool stop() { return false; }
    bool stop(std::string message, std::size_t token) {
        wording_ = at_token(std::move(message), passage_, token);
        return false;
    }
    // "a > is missing here", at the end of the token.
    bool missing(const char* what, std::size_t after, const std::string& why) {
        const auto& token = (*passage_.tokens)[after];
        wording_ = Wording{fmt::format("a {} is missing here ({})", what, why), token.line,
                           token.column + static_cast<int>(token.text.size()), true};
        return false;
    }

    bool read() { return (is_uniform() ? read_type() : read_row()) && read_name() && read_list(); }

    // `Cell`, `rules::Cell`
    bool read_row() {
        row_ = text(at_);
        if (!word(at_++)) return stop();
        while (text(at_) == ":" && text(at_ + 1) == ":" && word(at_ + 2)) row_ = text(at_ + 2), at_ += 3;
        if (word(at_)) return missing(",", at_ - 1, fmt::format("{} takes a row, and then the function's name", text(macro_)));
        return text(at_) == "," && at_++ < close_;
    }
    bool read_type() { // `float`, `float[9]`
        while (at_ < close_ && text(at_) != ",") ++at_;
        return at_++ < close_;
    }
    bool read_name() {
        if (!word(at_)) return stop();
        if (is_one_of(entries, text(at_)) && text(at_ + 1) == "<")
            return stop(fmt::format("the function has no row or no name ({0} takes a row, then the function's name, then the access list) "
                                    "write {0}(ROW, NAME, {1}<...>)",
                                    text(macro_), text(at_)),
                        macro_);
        ++at_;
        if (word(at_)) return missing(",", at_ - 1, "the access list follows the function's name");
        return at_ < close_ && text(at_) == ",";
    }

    bool read_list() {
        if (at_ + 1 == close_) return false; // an empty list, as some macro of the author's may write it
        while (at_ < close_) {
            const auto comma = at_++;
            if (at_ == close_ || text(at_) == ",")
                return stop(fmt::format("there is nothing after this , in the access list of {}", function()), comma);
            if (!read_entry()) return false;
            if (at_ == close_ || text(at_) == ",") continue;
            if (text(at_) == ">") return stop("this > closes nothing", at_);
            return word(at_) ? missing(",", at_ - 1, "it separates the entries of an access list") : stop();
        }
        return true;
    }
    [[nodiscard]] std::string function() const { return passage_.function == nullptr ? "the function" : passage_.function->function; }

    bool read_entry() {
        if (text(at_) == "tessera" && text(at_ + 1) == ":") at_ += 3;
        if (text(at_) == "&") return member_without_entry();
        if (!word(at_)) return stop();
        const auto entry = text(at_);
        if (entry == "dies") return read_dies();
        if (entry == "moves" && declares_places())
            return stop(
                fmt::format("places do not move: {} is a function of places (agents alone go elsewhere) write moves<...> in a function "
                            "of agents",
                            function()),
                at_);
        if (!is_one_of(entries, entry)) return skip_entry();
        if (text(at_ + 1) == "<") return read_arguments();
        if (text(at_ + 1) == "(" || text(at_ + 1) == ":") return stop(); // round brackets have a rule; `reads::` is another's
        if (at_ + 1 < close_ && text(at_ + 1) != ",")
            return missing("<", at_, fmt::format("{}<...> names what it is for between < and >", entry));
        return stop(fmt::format("{} names nothing (an entry of an access list says what it is for) write {}<...>", entry, entry), at_);
    }
    // Something of the author's own, or misspelt: the compiler knows which.
    bool skip_entry() {
        int depth = 0;
        for (; at_ < close_ && (depth > 0 || text(at_) != ","); ++at_) depth += text(at_) == "<" ? 1 : text(at_) == ">" ? -1 : 0;
        return true;
    }
    bool member_without_entry() {
        const auto name = word(at_ + 1) && text(at_ + 2) == ":" ? fmt::format("&{}::{}", text(at_ + 1), text(at_ + 4)) : "&ROW::MEMBER";
        return stop(fmt::format("{0} stands in no entry (an access list says what is done with a member) write reads<{0}> to read it, or "
                                "writes<{0}> to change it",
                                name),
                    at_);
    }

    // `dies<Fish>`, and `dies` of places.
    bool read_dies() {
        const auto token = at_++;
        if (declares_places()) return stop(what_ends(), token);
        if (text(at_) != "<") return true;
        return stop("dies stands alone (it lets the function's own agent or link die, and no function ends another's) write dies, in a "
                    "function of the agents or links that are to die",
                    token);
    }
    [[nodiscard]] bool declares_places() const { return passage_.outline->find_row(row_) != nullptr && macro_of(row_) == "TESSERA_PLACE"; }
    [[nodiscard]] std::string macro_of(const std::string& row) const {
        for (std::size_t i = 0; i < passage_.tokens->size(); ++i)
            if (declares_a_row(passage_, i) && text(i + 2) == row) return text(i);
        return {};
    }
    [[nodiscard]] std::string what_ends() const {
        const auto links = links_of(row_), agents = agents_on(row_);
        const auto begin = fmt::format("places do not die: {} is a function of places (links die by functions of links, and agents by "
                                       "functions of agents) ",
                                       function());
        return begin + (links.empty() ? how_places_kill(row_, agents) : how_places_end_links(row_, links));
    }
    // The links that the function names, or that join its places.
    [[nodiscard]] std::string links_of(const std::string& row) const {
        for (auto i = macro_; passage_.function != nullptr && (*passage_.tokens)[i].line <= passage_.function->last_line; ++i) {
            if (names_links(passage_, i) && text(i + 1) == "<") return text(i + 2);
            if (i + 1 == passage_.tokens->size()) break;
        }
        return agents_on(row).empty() ? row_declared_on(passage_, "TESSERA_LINK", row) : std::string();
    }
    [[nodiscard]] std::string agents_on(const std::string& row) const { return row_declared_on(passage_, "TESSERA_AGENT", row); }

    // From the entry's word to behind its `>`.
    bool read_arguments() {
        open_.assign(1, text(at_));
        entry_ = at_;
        for (at_ += 2; !open_.empty(); ++at_) {
            if (at_ >= close_) return missing(">", close_ - 1, fmt::format("{}<...> is not closed", text(entry_)));
            if (text(at_) == ">")
                open_.pop_back();
            else if (!(text(at_) == "&" ? read_member() : text(at_) == "<" ? read_opening() : read_argument()))
                return false;
        }
        return true;
    }
    [[nodiscard]] bool begins_argument() const { return text(at_ - 1) == "<" || text(at_ - 1) == ","; }
    [[nodiscard]] bool is_first() const { return open_.size() == 1 && at_ == entry_ + 2; }
    [[nodiscard]] bool is_whole() const { return text(at_ + 1) == "," || text(at_ + 1) == ">"; }

    bool read_opening() { // a second `<`, by what stands before it
        const auto& name = text(at_ - 1);
        if (!word(at_ - 1)) return stop();
        if (name == "moore" || name == "von_neumann") return stop(with_radius(name), at_ - 1);
        if (is_one_of(entries, name)) {
            const bool apart = text(at_ - 2) == ",";
            return missing(apart ? ">" : ">,", at_ - (apart ? 3 : 2), fmt::format("{}<...> ends before the next entry", text(entry_)));
        }
        open_.push_back(name);
        return true;
    }
    static std::string with_radius(const std::string& name) {
        return fmt::format("{0} has no radius (it is the places that are next to one) write {0}_of<2>, say", name);
    }

    bool read_member() {
        const bool of_entry = is_one_of(entries, open_.back());
        if (!begins_argument()) return of_entry ? missing(",", at_ - 1, "it separates what an entry names") : stop();
        if (!of_entry)
            return text(at_ - 1) == "," ? missing(">", at_ - 2, fmt::format("{}<...> ends before the members", open_.back())) : stop();
        if (is_first() && is_one_of(of_neighbourhoods, text(entry_))) return stop(names_no_neighbourhood(), at_);
        if (!word(at_ + 1)) return stop();
        auto row = text(at_ + 1);
        auto& i = ++at_;
        for (; text(i + 1) == ":" && text(i + 2) == ":"; i += 3) row = text(i);
        const bool dotted = text(i + 1) == "." || (text(i + 1) == ":" && text(i + 2) != ":");
        if (dotted) return stop(fmt::format("a member is named by its row and two colons; write &{}::{}", row, text(i + 2)), i - 1);
        if (text(i) == row && is_whole() && has_own(row))
            return stop(fmt::format("{1} is named without its row (an access list says whose member it is) write &{0}::{1}", row_, row), i);
        if (const auto other = of_another_row(row, text(i)); !other.empty()) return stop(other, i);
        return true;
    }
    // `reads<&Person::taste>` of a function of links, `writes<&Fish::strength>` of one of sharks.
    [[nodiscard]] std::string of_another_row(const std::string& row, const std::string& member) const {
        const auto& entry = text(entry_);
        if (row == row_ || (entry != "reads" && entry != "writes" && entry != "sets")) return {};
        const auto mine = macro_of(row_), its = macro_of(row);
        const bool of_ends = mine == "TESSERA_LINK" && its == "TESSERA_PLACE", of_links = !mine.empty() && its == "TESSERA_LINK";
        const bool of_agents = (mine == "TESSERA_PLACE" || mine == "TESSERA_AGENT") && its == "TESSERA_AGENT";
        if (!of_ends && !of_links && !of_agents) return {};
        if (entry != "reads")
            return fmt::format("{0}::{1} cannot be changed in {2} (a function changes members of its own row, which is {3}) change it in a "
                               "function of {0}, TESSERA_CALL({0}, NAME, writes<&{0}::{1}>)",
                               row, member, function(), row_);
        const auto instead = of_ends    ? fmt::format("around<ends, &{}::{}>", row, member)
                             : of_links ? fmt::format("around<links<{0}>, &{0}::{1}>", row, member)
                                        : fmt::format("meets<here, &{}::{}>", row, member);
        return fmt::format("{}::{} cannot be read by reads<...> in {} (it is of {}, and the function's own row is {}) write {}, say", row,
                           member, function(),
                           of_ends                   ? "the places that the link joins"
                           : of_links                ? "links"
                           : mine == "TESSERA_PLACE" ? "agents"
                                                     : "other agents",
                           row_, instead);
    }
    [[nodiscard]] bool has_own(const std::string& member) const { return has_member(passage_.outline->find_row(row_), member); }
    [[nodiscard]] std::string names_no_neighbourhood() const {
        const auto members = word(at_ + 1) && text(at_ + 2) == ":" ? fmt::format(", &{}::{}", text(at_ + 1), text(at_ + 4)) : std::string();
        return fmt::format("{0}<...> begins with a neighbourhood (it says how far the function looks or goes) write {0}<moore{1}>, say",
                           text(entry_), members);
    }

    // What is neither a member nor a bracket of the kind < >.
    bool read_argument() {
        if (text(at_) == "(") return read_round();
        if ((*passage_.tokens)[at_].kind == Token::Kind::string)
            return stop(fmt::format("a neighbourhood is a name, and not a text; write {}<moore, ...>, say", text(entry_)), at_);
        if (!word(at_) || !begins_argument() || open_.size() > 1) return true;
        if (text(at_) == "agents" && text(entry_) != "meets" && text(at_ + 1) == "<" && text(at_ + 3) == ">")
            return stop(fmt::format("{0}<...> names the row of agents itself; write {1} for agents<{1}>", text(entry_), text(at_ + 2)),
                        at_);
        return is_whole() ? read_word() : true;
    }
    bool read_round() {
        const auto& name = text(at_ - 1);
        if (name == "moore" || name == "von_neumann") return stop(with_radius(name), at_ - 1);
        at_ = std::min(brackets_.other(at_), close_ - 1);
        return true;
    }
    // One word between commas.
    bool read_word() {
        const auto &name = text(at_), &entry = text(entry_);
        const auto declared = macro_of(name);
        if (is_one_of(of_neighbourhoods, entry) && is_first() && declared == "TESSERA_LINK")
            return stop(fmt::format("{1} is the row of the links (a neighbourhood says which of them are meant) write {0}<links<{1}>, ...>",
                                    entry, name),
                        at_);
        if (is_one_of(of_neighbourhoods, entry) && is_first() && !declared.empty())
            return stop(
                fmt::format("{0}<...> begins with a neighbourhood (it says how far the function looks or goes) write {0}<here, {1}>, "
                            "say",
                            entry, entry == "meets" ? fmt::format("agents<{}>", name) : name),
                at_);
        if (entry == "meets" && declared == "TESSERA_AGENT")
            return stop(fmt::format("meets<...> names members of agents, or agents<{0}> for all that are met; write agents<{0}>", name),
                        at_);
        if (is_one_of(of_members, entry) && !is_first_of_around() && has_own(name) && !declares_value(name))
            return stop(fmt::format("{1} is named without its row (an access list says whose member it is) write &{0}::{1}", row_, name),
                        at_);
        return true;
    }
    [[nodiscard]] bool is_first_of_around() const { return is_first() && text(entry_) == "around"; }
    // TESSERA_GLOBAL(double, heat), TESSERA_UNIFORM(float, heat): `reads<heat>` is right then.
    [[nodiscard]] bool declares_value(const std::string& name) const {
        for (std::size_t i = 0; i + 4 < passage_.tokens->size(); ++i) {
            if (text(i) != "TESSERA_GLOBAL" && text(i) != "TESSERA_UNIFORM") continue;
            while (i < passage_.tokens->size() && text(i) != ",") ++i;
            if (text(i + 1) == name) return true;
        }
        return false;
    }

    const Passage& passage_;
    const Brackets& brackets_;
    std::size_t macro_, close_, at_;
    std::string row_;
    std::size_t entry_ = 0;
    std::vector<std::string> open_; // what stands before each `<` that is open
    std::optional<Wording> wording_;
};

} // namespace

std::vector<Wording> wrong_access_lists(const Outline& everything, const Outline& file, const std::vector<Token>& tokens) {
    const Brackets brackets(tokens, Directives::skipped);
    std::vector<Wording> found;
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
        const auto& name = tokens[i].text;
        const bool is_head = name == "TESSERA_CALL" || name == "TESSERA_INIT" || name == "TESSERA_UNIFORM";
        const auto close = brackets.other(i + 1);
        if (tokens[i].in_directive || !is_head || tokens[i + 1].text != "(" || close >= tokens.size()) continue;
        const Passage passage{&everything, file.function_at(tokens[i].line), &tokens, tokens[i].line, 0};
        if (auto wording = Head(passage, brackets, i).mistake()) found.push_back(std::move(*wording));
    }
    return found;
}

} // namespace tessera::jit
