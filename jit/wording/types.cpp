// Types that a member cannot have, and what `self` is not.
#include "jit/wording/passage.hpp"
#include "jit/wording/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

// Where the struct's body begins: behind `struct Cell {`; nothing if it is not in this file.
std::optional<std::size_t> body_of(const Passage& passage, const std::string& row) {
    for (std::size_t i = 2; i < passage.tokens->size(); ++i)
        if (text_at(passage, i) == "{" && text_at(passage, i - 1) == row && text_at(passage, i - 2) == "struct") return i + 1;
    return std::nullopt;
}

bool is_of_a_number(const std::string& text) {
    static constexpr std::array<std::string_view, 10> words = {"bool",  "float", "double", "int",   "unsigned",
                                                               "short", "long",  "signed", "const", "std"};
    const bool fixed = (text.starts_with("int") || text.starts_with("uint")) && text.ends_with("_t");
    return fixed || text == ":" || std::find(words.begin(), words.end(), text) != words.end();
}

struct Declaration {
    std::size_t name; // the member's token
    std::string type;
    bool is_number = true;
};

// `Kind kind = Kind::a;`: what stands between the statement before it and the member's name.
std::optional<Declaration> declaration_of(const Passage& passage, std::size_t body, const std::string& member) {
    std::size_t begin = body;
    int depth = 0;
    for (auto i = body; i < passage.tokens->size() && depth >= 0; ++i) {
        const auto& text = text_at(passage, i);
        if (text == "{" || text == "(") ++depth;
        if (text == "}" || text == ")") --depth;
        if (depth == 0 && (text == ";" || text == "}")) begin = i + 1;
        if (depth != 0 || text != member || i == begin) continue;
        Declaration found{i, {}};
        for (auto t = begin; t < i; ++t) {
            const bool words = is_word(passage, t) && t > begin && is_word(passage, t - 1);
            found.type += (words ? " " : "") + text_at(passage, t);
            found.is_number = found.is_number && is_of_a_number(text_at(passage, t));
        }
        return found;
    }
    return std::nullopt;
}

// The type that a member of a row is declared with, where the struct is in this file.
std::optional<Declaration> declaration_of(const Passage& passage, const RowDeclaration* row, const std::string& member) {
    const auto body = has_member(row, member) ? body_of(passage, row->row) : std::nullopt;
    return body ? declaration_of(passage, *body, member) : std::nullopt;
}

// The row of the member that stands at this token, be it the function's own, one of the place below or of who is met.
const RowDeclaration* row_at(const Passage& passage, std::size_t i) {
    const auto& member = text_at(passage, i);
    if (const auto* met = met_row(passage, i); has_member(met, member)) return met;
    if (const auto* ground = ground_row(passage); !is_own(passage, i) && has_member(ground, member)) return ground;
    return row_with(passage, member);
}

// "std::uint8_t" -> "0 to 255"; nothing for other types than integers of up to 32 bits.
std::string range_of(std::string type) {
    if (type.starts_with("std::")) type.erase(0, 5);
    if (type == "int") type = "int32_t";
    if (type == "unsigned" || type == "unsigned int") type = "uint32_t";
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> ranges = {{{"int8_t", "-128 to 127"},
                                                                                             {"uint8_t", "0 to 255"},
                                                                                             {"int16_t", "-32768 to 32767"},
                                                                                             {"uint16_t", "0 to 65535"},
                                                                                             {"int32_t", "-2147483648 to 2147483647"},
                                                                                             {"uint32_t", "0 to 4294967295"}}};
    for (const auto& [name, range] : ranges)
        if (type == name) return std::string(range);
    return {};
}

bool is_enum_or_pointer(const Passage& passage, const std::string& type) {
    if (type.ends_with('*')) return true;
    for (std::size_t i = 1; i < passage.tokens->size(); ++i) {
        const auto before = text_at(passage, i - 1) == "class" || text_at(passage, i - 1) == "struct" ? i - 2 : i - 1;
        if (text_at(passage, i) == type && text_at(passage, before) == "enum") return true;
    }
    return false;
}

} // namespace

// `self` is of a type of the SDK, another one for each function and view.
std::optional<Wording> self_as_row(const Captures& row, const Passage& passage) {
    if (passage.outline->find_row(row[1]) == nullptr) return std::nullopt;
    const auto found =
        nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "self" && text_at(passage, i + 1) != "."; });
    if (found.empty()) return std::nullopt;
    return at_token(
        fmt::format("self is not a {} (it stands for a place, and has only the members of the access list) take it as `auto& self`",
                    row[1]),
        passage, found.front());
}

// clang names the function that does not fit, and not the type: it is among the parameters of one of that name.
std::optional<Wording> self_to_function(const Captures& function, const Passage& passage) {
    for (std::size_t i = 0; i + 1 < passage.tokens->size(); ++i) {
        if (text_at(passage, i) != function[1] || text_at(passage, i + 1) != "(") continue;
        for (auto t = i + 2; t < passage.tokens->size() && text_at(passage, t) != ")"; ++t)
            if (auto wording = self_as_row({function[0], text_at(passage, t)}, passage)) return wording;
    }
    return std::nullopt;
}

// `self.flow = 1` of an array.
std::optional<Wording> whole_array(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        if (!is_word(passage, i) || i < 2 || text_at(passage, i - 1) != "." || text_at(passage, i + 1) == "[") return false;
        const auto declared = declaration_of(passage, row_at(passage, i), text_at(passage, i));
        return declared && text_at(passage, declared->name + 1) == "[";
    });
    if (found.empty()) return std::nullopt;
    const auto& member = text_at(passage, found.front());
    return at_token(fmt::format("{0}::{1} is an array, and is used as a number here (each of its elements is one) write {1}[0], say, or a "
                                "loop over all of them",
                                row_at(passage, found.front())->row, member),
                    passage, found.front());
}

// `self = c`
std::optional<Wording> assigned_self(const Captures&, const Passage& passage) {
    const auto found = nearest_tokens(passage, [&](std::size_t i) {
        return text_at(passage, i) == "self" && text_at(passage, i + 1) == "=" && text_at(passage, i + 2) != "=";
    });
    const auto below = nearest_tokens(passage, [&](std::size_t i) {
        return text_at(passage, i) == "place" && text_at(passage, i - 2) == "self" && text_at(passage, i + 1) == "=";
    });
    if (!below.empty())
        return at_token(
            "self.place cannot be set (it is the place that the agent stands on) write self.migrate(...) to go elsewhere, or set "
            "a member, self.place.MEMBER",
            passage, below.front());
    if (found.empty() || passage.function == nullptr) return std::nullopt;
    const auto* row = passage.outline->find_row(passage.function->row);
    return at_token(fmt::format("self cannot be set as a whole (it has only the members of the access list) set them one by one, as in "
                                "self.{} = ...",
                                row == nullptr || row->members.empty() ? "heat" : row->members.front()),
                    passage, found.front());
}

// `self.alive = 300`: what compilers say of a constant that its type does not hold.
std::optional<Wording> number_that_does_not_fit(const Passage& passage) {
    const auto set = nearest_tokens(passage, [&](std::size_t i) {
        return is_word(passage, i) && i > 1 && text_at(passage, i - 1) == "." && text_at(passage, i + 1) == "=" &&
               text_at(passage, i + 2) != "=";
    });
    for (const auto i : set) {
        const auto* row = row_at(passage, i);
        const auto declared = declaration_of(passage, row, text_at(passage, i));
        const auto range = declared ? range_of(declared->type) : std::string();
        if (!range.empty())
            return at_token(
                fmt::format("{}::{} cannot hold this number (its type, {}, goes from {}) set it to one of these, or give it a larger type",
                            row->row, text_at(passage, i), declared->type, range),
                passage, i);
    }
    Passage line = passage;
    line.column = 0;
    return at_token(
        "a number here does not fit into its type (another number would be stored) write a number that fits, or use a larger type", passage,
        first_of_statement(line));
}

// The assertion knows no names: the member is the one whose type is no number's.
std::optional<Wording> member_of_wrong_type(const Passage& passage) {
    const auto places = nearest_tokens(passage, [&](std::size_t i) { return text_at(passage, i) == "TESSERA_PLACE"; });
    const auto* row = places.empty() ? nullptr : passage.outline->find_row(text_at(passage, places.front() + 2));
    const auto body = row == nullptr ? std::nullopt : body_of(passage, row->row);
    if (!body) return std::nullopt;
    std::vector<Declaration> wrong;
    for (const auto& member : row->members)
        if (const auto found = declaration_of(passage, *body, member); found && !found->is_number) wrong.push_back(*found);
    if (wrong.size() > 1) // some of them may be other names of numbers
        std::erase_if(wrong, [&](const Declaration& each) { return !is_enum_or_pointer(passage, each.type); });
    if (wrong.size() != 1) return std::nullopt;
    return at_token(
        fmt::format("{}::{} is of type {} (a member is bool, an integer of 8 to 64 bits, float, double, or a fixed array of these) "
                    "choose one of them; an enum is kept as its number",
                    row->row, text_at(passage, wrong.front().name), wrong.front().type),
        passage, wrong.front().name);
}

} // namespace tessera::jit
