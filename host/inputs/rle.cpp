#include "host/inputs/rle.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

namespace tessera {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool same_letters(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// A run of living cells; dead ones need no record.
struct Run {
    std::int64_t x, y, length;
    std::uint8_t state;
    std::size_t at; // where its cell stands in the text
};

struct Header {
    std::int64_t width = 0, height = 0;
    std::string_view rule;
};

constexpr std::int64_t most_cells = std::int64_t{1} << 32;

class RleParser {
public:
    RleParser(std::string_view text, const std::string& name, std::string_view expected_rule, const SizeCheck& check_size)
        : text_(text), name_(name), expected_rule_(expected_rule), check_size_(check_size) {}

    RlePattern parse() {
        read_header();
        read_body();
        RlePattern pattern;
        set_rule(pattern);
        check_rule(pattern.rule);
        check_states(pattern.rule);
        pattern.cells = make_array(Scalar::u8, {header_.width, header_.height, 1}, 2, 1, name_);
        const auto cells = pattern.cells.data<std::uint8_t>();
        for (const Run& run : runs_) std::fill_n(cells.begin() + (run.y * header_.width + run.x), run.length, run.state);
        return pattern;
    }

private:
    [[nodiscard]] Error error_at(std::size_t offset, const std::string& problem, const std::string& why = {},
                                 const std::string& suggestion = {}) const {
        const std::string_view before = text_.substr(0, offset);
        const std::size_t line_start = before.find_last_of('\n') + 1; // npos + 1 is 0
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        return Error(Failure::input, fmt::format("{}:{}:{}: {}", name_, line, offset - line_start + 1, problem), why, suggestion);
    }

    // Moves past a comment line, keeping a rule that it states ("#r 23/3").
    void skip_comment() {
        const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
        const std::string_view line = text_.substr(at_, end - at_);
        if (line.substr(0, 2) == "#r" && comment_rule_.empty()) comment_rule_ = trimmed(line.substr(2));
        at_ = end;
    }

    bool at_line_start() const {
        std::size_t i = at_;
        while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
        return i == 0 || text_[i - 1] == '\n' || text_[i - 1] == '\r';
    }

    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }

    void read_header() {
        if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3; // byte order mark
        for (skip_blanks(); at_ < text_.size() && text_[at_] == '#'; skip_blanks()) skip_comment();
        const std::size_t start = at_, end = std::min(text_.find_first_of("\r\n", at_), text_.size());
        header_.width = read_extent('x', end);
        header_.height = read_extent('y', end);
        read_rule(end);
        if (header_.width < 1 || header_.height < 1)
            throw error_at(start, fmt::format("the pattern is empty: it is {} x {} cells", header_.width, header_.height));
        if (header_.width > most_cells / header_.height)
            throw error_at(start, fmt::format("the header asks for {} x {} cells", header_.width, header_.height),
                           fmt::format("the maximum is {}", most_cells));
        if (check_size_) check_size_({header_.width, header_.height, 1});
        at_ = end;
    }

    void skip_separators(std::size_t end) {
        while (at_ < end && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == ',')) ++at_;
    }

    std::int64_t read_extent(char key, std::size_t end) {
        skip_separators(end);
        const std::size_t start = at_;
        const auto malformed = [&] {
            return error_at(start,
                            fmt::format("expected '{} = <cells>', found {}", key,
                                        in_quotes(text_.substr(start, std::min<std::size_t>(end - start, 40)))),
                            "an RLE file has a header such as 'x = 3, y = 3, rule = B3/S23'");
        };
        if (at_ >= end || lower(text_[at_]) != key) throw malformed();
        ++at_;
        skip_separators(end);
        if (at_ >= end || text_[at_] != '=') throw malformed();
        ++at_;
        skip_separators(end);
        std::int64_t value = 0;
        const auto [stop, failed] = std::from_chars(text_.data() + at_, text_.data() + end, value);
        if (failed != std::errc{} || value < 0) throw malformed();
        at_ = static_cast<std::size_t>(stop - text_.data());
        return value;
    }

    void read_rule(std::size_t end) {
        skip_separators(end);
        if (at_ == end) return;
        const std::string_view rest = text_.substr(at_, end - at_);
        const std::size_t equals = rest.find('=');
        if (equals == std::string_view::npos || !same_letters(trimmed(rest.substr(0, equals)), "rule"))
            throw error_at(at_, fmt::format("expected 'rule = <rule>' or the end of the line, found {}", in_quotes(rest.substr(0, 40))));
        header_.rule = trimmed(rest.substr(equals + 1));
        while (!header_.rule.empty() && header_.rule.back() == ',') header_.rule.remove_suffix(1);
    }

    void set_rule(RlePattern& pattern) const {
        std::string_view rule = header_.rule.empty() ? comment_rule_ : header_.rule;
        const std::size_t colon = rule.find(':');
        if (colon != std::string_view::npos) {
            pattern.bounds = rule.substr(colon + 1);
            rule = trimmed(rule.substr(0, colon));
        }
        pattern.rule = rule.empty() ? "B3/S23" : normalised_rule(rule); // what Golly takes for a file without a rule
    }

    void check_rule(const std::string& rule) const {
        if (!expected_rule_.empty() && normalised_rule(expected_rule_) != rule)
            throw Error(Failure::input, fmt::format("{}: an RLE file of another rule, {}", name_, in_quotes(rule)),
                        fmt::format("{} was expected", normalised_rule(expected_rule_)));
    }

    // A rule that neither the file nor the run file says is anybody's.
    void check_states(const std::string& rule) const {
        const auto states = states_of(rule);
        if (!states || (header_.rule.empty() && comment_rule_.empty() && expected_rule_.empty())) return;
        const auto beyond = std::find_if(runs_.begin(), runs_.end(), [&](const Run& run) { return run.state >= *states; });
        if (beyond != runs_.end())
            throw error_at(beyond->at, fmt::format("a cell is in state {}", beyond->state),
                           fmt::format("{} has {} states, from 0 to {}", rule, *states, *states - 1));
    }

    void read_body() {
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (std::isspace(static_cast<unsigned char>(c))) continue;
            if (c == '#' && at_line_start()) {
                skip_comment();
                --at_;
            } else if (is_digit(c)) {
                add_digit(c);
            } else if (c == '!') {
                if (count_ > 0) throw error_at(at_, fmt::format("the run count {} has nothing to repeat", count_));
                return;
            } else {
                add_run(c);
            }
        }
        throw error_at(text_.size(), "the pattern does not end with '!'", "the file may be cut off");
    }

    void add_digit(char c) {
        constexpr std::int64_t most = std::int64_t{1} << 40;
        if (count_ == 0) {
            if (c == '0') throw error_at(at_, "a run count begins with 0", "counts start from 1");
            count_at_ = at_;
        }
        count_ = count_ * 10 + (c - '0');
        if (count_ > most) throw error_at(count_at_, fmt::format("the run count is larger than {}", most));
    }

    void add_run(char c) {
        const std::size_t start = count_ > 0 ? count_at_ : at_;
        const std::int64_t length = count_ > 0 ? count_ : 1;
        count_ = 0;
        if (c == '$') {
            y_ = std::min(y_ + length, header_.height); // beyond the height only dead cells are allowed
            x_ = 0;
            return;
        }
        const std::size_t cell = at_;
        const std::uint8_t state = read_state(c);
        if (state != 0) {
            if (y_ >= header_.height || x_ > header_.width - length)
                throw error_at(start, fmt::format("living cells at x {} to {}, y {} lie outside the pattern", x_, x_ + length - 1, y_),
                               fmt::format("its header says {} x {}", header_.width, header_.height));
            runs_.push_back({x_, y_, length, state, cell});
        }
        x_ = std::min(x_ + length, header_.width);
    }

    // One state: b and . are 0; o and A are 1, to X 24; then pA 25, to yO 255. Leaves at_ on its last character.
    std::uint8_t read_state(char c) {
        if (c == 'b' || c == '.') return 0;
        if (c == 'o') return 1;
        if (c >= 'A' && c <= 'X') return static_cast<std::uint8_t>(c - 'A' + 1);
        if (c >= 'p' && c <= 'y' && at_ + 1 < text_.size() && text_[at_ + 1] >= 'A' && text_[at_ + 1] <= 'X') {
            const int state = (c - 'p' + 1) * 24 + (text_[at_ + 1] - 'A' + 1);
            if (state <= 255) {
                ++at_;
                return static_cast<std::uint8_t>(state);
            }
        }
        throw error_at(at_, fmt::format("{} is no cell", in_quotes(text_.substr(at_, 1))),
                       "cells are b, o, '.', A to X, and pA to yO; $ ends a row and ! the pattern");
    }

    std::string_view text_;
    const std::string& name_;
    std::string_view expected_rule_;
    const SizeCheck& check_size_;
    Header header_;
    std::string_view comment_rule_;
    std::vector<Run> runs_;
    std::size_t at_ = 0, count_at_ = 0;
    std::int64_t x_ = 0, y_ = 0, count_ = 0;
};

// Digits 0 to 8, sorted and each once; false if there is anything else.
bool neighbour_counts(std::string_view text, std::string& counts) {
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '8'; })) return false;
    counts = text;
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return true;
}

// The whole number that `text` is.
std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    if (text.empty() || !is_digit(text[0])) return std::nullopt;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return stop == end && error == std::errc{} ? std::optional(value) : std::nullopt;
}

// "30", "30+5", "30*": an extent of a bounded grid, and how its edges are joined.
bool read_bound(std::string_view text, std::int64_t& extent, bool& is_shifted) {
    text = trimmed(text);
    if (!text.empty() && text.back() == '*') text.remove_suffix(1), is_shifted = true;
    const std::size_t sign = text.find_first_of("+-");
    if (sign != std::string_view::npos) {
        auto shift = text.substr(sign + 1);
        if (!shift.empty() && shift.back() == '*') shift.remove_suffix(1);
        if (!whole(shift)) return false;
        is_shifted = is_shifted || *whole(shift) != 0;
        text = text.substr(0, sign);
        if (!text.empty() && text.back() == '*') text.remove_suffix(1), is_shifted = true;
    }
    const auto value = whole(text);
    extent = value.value_or(0);
    return value.has_value();
}

// Letters and digits that a part of a rule for two states is made of: neighbour counts, with Hensel's letters for their shapes.
bool is_counts(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '8') || std::string_view("-cekainyqjrtwz").find(c) != std::string_view::npos;
    });
}

// "R5,C0,M1,S34..58,B34..45,NM", Larger than Life: 0 and 1 stand for two states.
std::optional<int> states_of_large_neighbourhood(std::string_view rule) {
    const std::size_t comma = rule.find(',');
    if (comma == std::string_view::npos || comma < 2 || lower(rule[0]) != 'r' || !whole(rule.substr(1, comma - 1))) return std::nullopt;
    const auto second = rule.substr(comma + 1, rule.find(',', comma + 1) - comma - 1);
    if (second.size() < 2 || lower(second[0]) != 'c') return std::nullopt;
    const auto states = whole(second.substr(1));
    return states && *states <= 256 ? std::optional(std::max(static_cast<int>(*states), 2)) : std::nullopt;
}

} // namespace

std::optional<RleUniverse> universe_of(std::string_view bounds) {
    bounds = trimmed(bounds);
    RleUniverse result;
    if (bounds.empty()) return std::nullopt;
    result.shape = static_cast<char>(std::toupper(static_cast<unsigned char>(bounds[0])));
    if (std::string_view("PTKCS").find(result.shape) == std::string_view::npos) return std::nullopt;
    bounds.remove_prefix(1);
    const std::size_t comma = bounds.find(',');
    if (!read_bound(bounds.substr(0, comma), result.width, result.is_shifted)) return std::nullopt;
    result.height = result.width; // a square
    if (comma != std::string_view::npos && !read_bound(bounds.substr(comma + 1), result.height, result.is_shifted)) return std::nullopt;
    return result;
}

std::optional<int> states_of(std::string_view rule) {
    std::vector<std::string_view> parts;
    for (std::string_view rest = rule;;) {
        const std::size_t slash = rest.find('/');
        parts.push_back(trimmed(rest.substr(0, slash)));
        if (slash == std::string_view::npos) break;
        rest.remove_prefix(slash + 1);
    }
    if (parts.size() == 1 && rule.size() > 1 && lower(rule[0]) == 'w' && whole(rule.substr(1))) return 2; // Wolfram's
    if (rule.size() > 3 && same_letters(rule.substr(0, 3), "map")) return 2;                              // a table of all neighbourhoods
    if (const auto states = states_of_large_neighbourhood(rule)) return states;
    if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
    auto last = parts[1];
    if (parts.size() == 2 && !last.empty() && (last.back() == 'V' || last.back() == 'H')) last.remove_suffix(1); // another neighbourhood
    for (auto part : {parts[0], last}) {
        if (!part.empty() && (lower(part[0]) == 'b' || lower(part[0]) == 's')) part.remove_prefix(1);
        if (!is_counts(part)) return std::nullopt;
    }
    if (parts.size() == 2) return 2;
    auto count = parts[2];
    if (!count.empty() && (lower(count[0]) == 'c' || lower(count[0]) == 'g')) count.remove_prefix(1);
    const auto states = whole(count);
    return states && *states >= 2 && *states <= 256 ? std::optional(static_cast<int>(*states)) : std::nullopt;
}

std::string normalised_rule(std::string_view written) {
    const std::string_view rule = trimmed(written);
    if (same_letters(rule, "Life")) return "B3/S23";
    std::string birth, survival;
    const std::size_t slash = rule.find('/');
    const std::size_t second = slash == std::string_view::npos ? rule.find_first_of("bBsS", 1) : slash + 1;
    if (second == std::string_view::npos) return std::string(rule);
    const std::string_view first_part = rule.substr(0, slash == std::string_view::npos ? second : slash), second_part = rule.substr(second);
    const auto letter = [](std::string_view part) { return part.empty() || is_digit(part[0]) ? '\0' : lower(part[0]); };
    const char a = letter(first_part), b = letter(second_part);
    bool known = false;
    if (a == 'b' && b == 's')
        known = neighbour_counts(first_part.substr(1), birth) && neighbour_counts(second_part.substr(1), survival);
    else if (a == 's' && b == 'b')
        known = neighbour_counts(first_part.substr(1), survival) && neighbour_counts(second_part.substr(1), birth);
    else if (a == '\0' && b == '\0')
        known = neighbour_counts(first_part, survival) && neighbour_counts(second_part, birth);
    return known ? "B" + birth + "/S" + survival : std::string(rule);
}

RlePattern parse_rle(std::string_view text, const std::string& name, std::string_view expected_rule, const SizeCheck& check_size) {
    return RleParser(text, name, expected_rule, check_size).parse();
}

RlePattern read_rle(const std::filesystem::path& path, std::string_view expected_rule, const SizeCheck& check_size,
                    std::uint64_t most_bytes) {
    return parse_rle(read_bytes(path, most_bytes), path.string(), expected_rule, check_size);
}

} // namespace tessera
