#include "host/bind/read_network_file.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/csv_fields.hpp"
#include "host/inputs/input_file.hpp"
#include "host/inputs/npy.hpp"
#include "host/inputs/parse_value.hpp"
#include "host/run_file/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera {
namespace {

constexpr std::int64_t most_links_of_file = 0x7fffffff;

// What readers of text share: the fields of one line after the other, numbers of places that begin with 1, and links.
class NetworkReader {
public:
    NetworkReader(const std::string& path, const LinksToRead& to_read, char comment)
        : path_(path), to_read_(to_read), comment_(comment), text_(read_bytes(path)), lines_(text_) {}

protected:
    // The next line that is no comment. False at the end of the file.
    bool next_line() {
        while (const auto line = lines_.next()) {
            const auto text = trimmed(*line);
            if (!text.empty() && text.front() == comment_) continue;
            fields_.clear();
            if (!text.empty()) split_fields(text, ' ', fields_);
            return true;
        }
        return false;
    }
    [[noreturn]] void fail(const std::string& problem, const std::string& why, const std::string& suggestion = {}) const {
        run_file::fail_at({path_, std::max(1, static_cast<int>(lines_.number())), 1}, problem, why, suggestion);
    }
    [[nodiscard]] std::int64_t whole(const CsvField& field, const char* what) const {
        std::int64_t number = 0;
        if (parse_value(field.text, Scalar::i64, reinterpret_cast<std::byte*>(&number)) != Parsed::value)
            fail(fmt::format("{} is no whole number", in_quotes(field.text.substr(0, 40))), fmt::format("it is {}", what));
        return number;
    }
    [[nodiscard]] std::int64_t place(const CsvField& field, const CollectionSetup& places) const {
        const auto number = whole(field, "the number of a place");
        if (number < 1 || number > places.places())
            fail(fmt::format("there is no place {}", number),
                 fmt::format("such files count from 1, and {} has {} places", places.name, places.places()));
        return number - 1;
    }
    void expect_places(std::int64_t count, const CollectionSetup& places, const char* what) const {
        if (count != places.places())
            fail(fmt::format("the file has {} {}", count, what), fmt::format("{} has {} places", places.name, places.places()),
                 fmt::format("give {} that count", places.name));
    }

    // The member that weights are for.
    void expect_one_member() {
        if (const auto problem = problem_of_weights(to_read_.row); !problem.empty())
            fail("the links have weights", problem, "write a .csv with names for the columns, or leave the weights out");
        if (file_.links.columns.empty()) file_.links.columns.push_back({0, {}});
    }
    void add(std::int64_t from, std::int64_t to, const CsvField* weight) {
        if (static_cast<std::int64_t>(file_.links.size()) == most_links_of_file)
            fail("there are too many links", "a collection has fewer than 2^31");
        file_.links.from.push_back(static_cast<std::int32_t>(from));
        file_.links.to.push_back(static_cast<std::int32_t>(to));
        file_.lines.push_back(lines_.number());
        if (weight == nullptr) return;
        const auto& member = to_read_.row.members.front();
        auto& values = file_.links.columns.front().values;
        values.resize(values.size() + member.bytes());
        read_weight(*weight, values.data() + values.size() - member.bytes());
    }
    // A value of the only member.
    void read_weight(const CsvField& weight, std::byte* into) const {
        const auto& member = to_read_.row.members.front();
        const auto problem = [&] { return fmt::format("{} cannot be {}", member.name, in_quotes(weight.text.substr(0, 40))); };
        if (parse_value(weight.text, member.type, into) != Parsed::value)
            fail(problem(), fmt::format("its type is {}", name_of(member.type)), "write a number that the type holds");
        if (is_nan(weight.text)) fail(problem(), "that is no number", "write the value of this link");
    }

    const std::string& path_;
    const LinksToRead& to_read_;
    char comment_;
    std::string text_;
    Lines lines_;
    std::vector<CsvField> fields_;
    LinksFile file_;
};

class MatrixMarketReader : public NetworkReader {
public:
    MatrixMarketReader(const std::string& path, const LinksToRead& to_read) : NetworkReader(path, to_read, '%') {}

    LinksFile read() {
        read_head();
        if (!next_entry() || fields_.size() != 3) fail("the line of sizes is missing", "it has the numbers of rows, columns and entries");
        expect_places(whole(fields_[0], "the number of rows"), to_read_.from, "rows");
        expect_places(whole(fields_[1], "the number of columns"), to_read_.to, "columns");
        const auto entries = whole(fields_[2], "the number of entries");
        std::int64_t found = 0;
        for (; next_entry(); ++found) read_entry();
        if (found != entries) fail(fmt::format("the file has {} entries", found), fmt::format("its line of sizes says {}", entries));
        return std::move(file_);
    }

private:
    bool next_entry() {
        while (next_line())
            if (!fields_.empty()) return true;
        return false;
    }
    void read_head() {
        Lines lines(text_);
        const auto line = lines.next().value_or(std::string_view());
        std::vector<CsvField> words;
        split_fields(trimmed(line), ' ', words);
        const auto is = [&](std::size_t i, std::initializer_list<std::string_view> any) {
            return words.size() == 5 &&
                   std::any_of(any.begin(), any.end(), [&](std::string_view each) { return lower(words[i].text) == each; });
        };
        if (!is(0, {"%%matrixmarket"}) || !is(1, {"matrix"}) || !is(2, {"coordinate"}) ||
            !is(3, {"pattern", "real", "integer", "double"}) || !is(4, {"general", "symmetric"}))
            run_file::fail_at({path_, 1, 1}, fmt::format("{} is no matrix that can be links", in_quotes(line.substr(0, 80))),
                              "links are read from `%%MatrixMarket matrix coordinate`, `pattern`, `real` or `integer`, and `general` or "
                              "`symmetric`");
        has_weights_ = !is(3, {"pattern"}), is_integer_ = is(3, {"integer"}), is_symmetric_ = is(4, {"symmetric"});
        if (has_weights_) expect_one_member();
    }
    static std::string lower(std::string_view text) {
        std::string result(text);
        for (auto& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return result;
    }
    void read_entry() {
        if (fields_.size() != (has_weights_ ? 3U : 2U))
            fail(fmt::format("{} numbers in a line", fields_.size()),
                 has_weights_ ? "an entry is row, column, value" : "an entry is row, column");
        const auto from = place(fields_[0], to_read_.from), to = place(fields_[1], to_read_.to);
        const auto* const weight = has_weights_ ? &fields_[2] : nullptr;
        std::array<std::byte, 8> integer{};
        if (is_integer_ && parse_value(weight->text, Scalar::i64, integer.data()) == Parsed::not_held &&
            parse_value(weight->text, Scalar::u64, integer.data()) == Parsed::not_held)
            fail(fmt::format("{} is no integer of 64 bits", in_quotes(weight->text.substr(0, 40))), "the first line says `integer`",
                 "write `real` there, or integers");
        add(from, to, weight);
        if (is_symmetric_ && to_read_.is_directed && from != to) add(to, from, weight);
    }

    bool has_weights_ = false, is_integer_ = false, is_symmetric_ = false;
};

class MetisReader : public NetworkReader {
public:
    MetisReader(const std::string& path, const LinksToRead& to_read) : NetworkReader(path, to_read, '%') {}

    LinksFile read() {
        const auto edges = read_head();
        for (std::int64_t from = 0; from < to_read_.from.places(); ++from) {
            if (!next_line())
                fail(fmt::format("the file has lines for {} places", from), fmt::format("its first line says {}", to_read_.from.places()));
            read_place(from);
        }
        while (next_line())
            if (!fields_.empty()) fail("there are more lines than places", "each place has one line");
        expect_both();
        if (stands_ != 2 * edges)
            fail(fmt::format("the lines name {} neighbours", stands_),
                 fmt::format("{} links of which each stands twice are {}", edges, 2 * edges));
        return std::move(file_);
    }

private:
    // A link as one of its places has it. Its weight as bytes of the member.
    struct Half {
        std::int64_t low, high;
        std::uint64_t weight;
        std::int64_t line;
        friend bool operator<(const Half& a, const Half& b) {
            return std::tie(a.low, a.high, a.weight) < std::tie(b.low, b.high, b.weight);
        }
    };
    static std::pair<std::int64_t, std::int64_t> ends_of(const Half& half) { return {half.low, half.high}; }

    std::int64_t read_head() {
        if (!next_line() || fields_.size() < 2 || fields_.size() > 4)
            fail("the first line is missing", "it has the numbers of places and links, and which weights there are");
        expect_places(whole(fields_[0], "the number of places"), to_read_.from, "places");
        expect_places(whole(fields_[0], "the number of places"), to_read_.to, "places");
        const auto kinds = fields_.size() > 2 ? whole(fields_[2], "which weights there are") : 0;
        has_weights_ = kinds % 10 == 1;
        skipped_ = kinds / 100 % 10;
        if (kinds / 10 % 10 == 1) skipped_ += fields_.size() > 3 ? whole(fields_[3], "the number of weights of a place") : 1;
        if (has_weights_) expect_one_member();
        const auto edges = whole(fields_[1], "the number of links");
        if (edges < 0 || edges > most_links_of_file)
            fail(fmt::format("there cannot be {} links", edges), "a collection has fewer than 2^31");
        return edges;
    }
    // Weights of the place itself come first; nothing here has them.
    void read_place(std::int64_t from) {
        const std::size_t first = static_cast<std::size_t>(skipped_), width = has_weights_ ? 2 : 1;
        if (fields_.size() < first || (fields_.size() - first) % width != 0)
            fail(fmt::format("the line of place {} has {} numbers", from + 1, fields_.size()),
                 has_weights_ ? "each neighbour has a weight" : "the weights of the place come first");
        for (std::size_t f = first; f < fields_.size(); f += width) {
            const auto to = place(fields_[f], to_read_.to);
            ++stands_;
            Half half{std::min(from, to), std::max(from, to), 0, lines_.number()};
            if (has_weights_ && !to_read_.is_directed) read_weight(fields_[f + 1], reinterpret_cast<std::byte*>(&half.weight));
            (from < to ? forth_ : back_).push_back(half);
            if (to_read_.is_directed || from < to) add(from, to, has_weights_ ? &fields_[f + 1] : nullptr);
            if (from == to) fail(fmt::format("place {} is joined to itself", from + 1), "such a graph has no loops", "remove it");
        }
    }
    // Each link in the lines of both of its places; without a direction, with the same weight.
    void expect_both() {
        std::sort(forth_.begin(), forth_.end()), std::sort(back_.begin(), back_.end());
        for (std::size_t i = 0; i < std::max(forth_.size(), back_.size()); ++i) {
            if (i == back_.size() || (i < forth_.size() && ends_of(forth_[i]) < ends_of(back_[i]))) fail_alone(forth_[i], true);
            if (i == forth_.size() || ends_of(back_[i]) < ends_of(forth_[i])) fail_alone(back_[i], false);
        }
        for (std::size_t i = 0; i < forth_.size(); ++i)
            if (forth_[i].weight != back_[i].weight)
                run_file::fail_at({path_, static_cast<int>(back_[i].line), 1},
                                  fmt::format("the link between places {} and {} has two weights", forth_[i].low + 1, forth_[i].high + 1),
                                  fmt::format("that in line {} is another, and the links have no direction", forth_[i].line),
                                  "write the same in both lines");
    }
    [[noreturn]] void fail_alone(const Half& half, bool is_of_first) const {
        const auto low = half.low + 1, high = half.high + 1;
        fail(fmt::format("the line of place {} names {}", is_of_first ? low : high, is_of_first ? high : low),
             "but not the other way round, and each link stands in both lines");
    }

    bool has_weights_ = false;
    std::vector<Half> forth_, back_; // as the line of the lower, and of the higher, has it
    std::int64_t skipped_ = 0, stands_ = 0;
};

} // namespace

bool is_nan(std::string_view text) {
    const auto number = parse_number(text);
    return number && std::isnan(*number);
}

std::string problem_of_weights(const model::Row& row) {
    if (row.members.size() == 1 && row.members.front().elements == 1) return {};
    return fmt::format("{} has {}, and weights are values of the only one", row.name,
                       row.members.empty()      ? "no member"
                       : row.members.size() > 1 ? "several members"
                                                : "an array as its member");
}

LinksFile read_matrix_market(const std::string& path, const LinksToRead& to_read) { return MatrixMarketReader(path, to_read).read(); }

LinksFile read_metis(const std::string& path, const LinksToRead& to_read) { return MetisReader(path, to_read).read(); }

LinksFile read_link_array(const std::string& path, const LinksToRead& to_read) {
    if (const auto shape = npy_shape(path); shape.size() == 2 && shape[0] == 0 && shape[1] == 2) return {};
    const auto array = read_npy(path);
    if (array.dimensions != 2 || array.size[0] != 2)
        throw Error(Failure::input, fmt::format("{} is no array of links", in_quotes(path)), "it has rows of two integers: from, to");
    const auto numbers = array.converted(Scalar::i64, path);
    const auto values = numbers.data<std::int64_t>();
    LinksFile file;
    for (std::int64_t row = 0; row < array.size[1]; ++row) {
        for (const int end : {0, 1}) {
            const auto& places = end == 0 ? to_read.from : to_read.to;
            const auto number = values[static_cast<std::size_t>(2 * row + end)];
            if (number < 0 || number >= places.places())
                throw Error(Failure::input, fmt::format("{}: {} of row {} is {}", path, end == 0 ? "from" : "to", row + 1, number),
                            fmt::format("the places of {} have numbers from 0 to {}", places.name, places.places() - 1));
            (end == 0 ? file.links.from : file.links.to).push_back(static_cast<std::int32_t>(number));
        }
        file.lines.push_back(row + 1);
    }
    return file;
}

} // namespace tessera
