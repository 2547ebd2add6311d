#include "host/bind/read_links_file.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "host/inputs/csv_records.hpp"
#include "host/inputs/parse_value.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

// The meaning of a column: an end, or an element of a member.
struct LinkColumn {
    enum class Kind { from, to, element } kind = Kind::from;
    std::size_t column = 0; // in LinkTable::columns
    int element = 0;
};

class LinksReader {
public:
    LinksReader(const std::string& path, const model::Row& row, const CollectionSetup& from, const CollectionSetup& to)
        : path_(path), row_(row), from_(from), to_(to), text_(read_bytes(path)) {}

    LinksFile read_csv() {
        CsvRecords records(text_, path_);
        line_ = records.line_of_names();
        for (const auto& name : records.names()) columns_.push_back(column_called(name));
        expect_columns(records.names().front());
        while (records.next()) {
            line_ = records.line();
            begin_link();
            for (std::size_t f = 0; f < columns_.size(); ++f) read_field(records.fields()[f], columns_[f]);
        }
        return std::move(file_);
    }

    LinksFile read_pairs() {
        Lines lines(text_);
        columns_ = {{LinkColumn::Kind::from, 0, 0}, {LinkColumn::Kind::to, 0, 0}};
        while (const auto line = lines.next()) {
            line_ = lines.number();
            const auto text = trimmed(without_comment(*line));
            if (!text.empty()) read_edge(text);
        }
        return std::move(file_);
    }

private:
    [[noreturn]] void fail(const CsvField& field, const std::string& problem, const std::string& why,
                           const std::string& suggestion = {}) const {
        run_file::fail_at({path_, static_cast<int>(line_), static_cast<int>(field.column) + 1}, problem, why, suggestion);
    }

    // ---- lists of edges: two numbers, and behind them a weight, or attributes as Python writes them

    struct Attribute {
        std::string_view name; // empty: of a weight
        CsvField value;
    };

    void read_edge(std::string_view text) {
        const auto brace = std::min(text.find('{'), text.size());
        auto ends = text.substr(0, brace);
        if (brace < text.size()) ends = ends.substr(0, ends.find_last_not_of(" \t,;") + 1);
        split_fields(ends, separator_of(ends), fields_);
        auto attributes = attributes_of(text, brace);
        if (brace == text.size() && fields_.size() == 3) {
            attributes.push_back({{}, fields_.back()});
            fields_.pop_back();
        }
        if (fields_.size() != 2)
            fail(fields_.empty() ? CsvField{text, 0} : fields_.front(),
                 fmt::format("{} field{} instead of two numbers", fields_.size(), fields_.size() == 1 ? "" : "s"),
                 "each line has the places that a link joins, and behind them a weight if there is one",
                 "use a .csv with names for members of the links");
        if (file_.links.size() == 0) add_columns(attributes);
        if (attributes.size() + 2 != columns_.size()) fail_attributes(fields_.front());
        begin_link();
        for (std::size_t f = 0; f < 2; ++f) read_field(fields_[f], columns_[f]);
        for (const auto& attribute : attributes) read_field(attribute.value, column_of(attribute));
    }

    // "{'weight': 0.5, 'age': 3}" from `at` on: names in quotes, and values up to the next comma.
    std::vector<Attribute> attributes_of(std::string_view text, std::size_t at) const {
        std::vector<Attribute> attributes;
        const auto skip = [&] { at = std::min(text.find_first_not_of(" \t", at), text.size()); };
        const auto is = [&](char c) { return at < text.size() && text[at] == c; };
        if (!is('{')) return attributes;
        ++at, skip();
        while (!is('}')) {
            const CsvField here{text.substr(at), at};
            const auto end = is('\'') || is('"') ? text.find(text[at], at + 1) : std::string_view::npos;
            const auto colon = end == std::string_view::npos ? end : text.find_first_not_of(" \t", end + 1);
            if (colon == std::string_view::npos || text[colon] != ':') fail_list(here);
            const auto name = text.substr(at + 1, end - at - 1);
            at = colon + 1, skip();
            const auto stop = std::min(text.find_first_of(",}", at), text.size());
            attributes.push_back({name, {trimmed(text.substr(at, stop - at)), at}});
            at = stop;
            if (is(',')) ++at, skip();
            if (at == text.size()) fail_list(here);
        }
        if (at + 1 != text.size()) fail_list({text.substr(at), at});
        return attributes;
    }
    [[noreturn]] void fail_list(const CsvField& field) const {
        fail(field, fmt::format("{} is no list of attributes", in_quotes(field.text.substr(0, 40))),
             "they are read as Python writes them: {'weight': 0.5}", "write the file without them (data=False), or a .csv with names");
    }

    // The columns that the first link has values for hold for all of them.
    void add_columns(const std::vector<Attribute>& attributes) {
        for (const auto& attribute : attributes) {
            const auto member = member_of(attribute);
            if (std::any_of(columns_.begin() + 2, columns_.end(),
                            [&](const auto& column) { return file_.links.columns[column.column].member == member; }))
                fail(attribute.value, fmt::format("two attributes are for {}", row_.members[member].name), "each link has one value of it",
                     "remove one of them");
            columns_.push_back({LinkColumn::Kind::element, column_of(member), 0});
        }
        line_of_columns_ = line_;
    }
    [[nodiscard]] const LinkColumn& column_of(const Attribute& attribute) const {
        const auto member = member_of(attribute);
        const auto found = std::find_if(columns_.begin() + 2, columns_.end(),
                                        [&](const LinkColumn& column) { return file_.links.columns[column.column].member == member; });
        if (found == columns_.end()) fail_attributes(attribute.value);
        return *found;
    }
    [[noreturn]] void fail_attributes(const CsvField& field) const {
        fail(field, "this link has values of other members", fmt::format("each has those of the first, in line {}", line_of_columns_),
             "give all links the same attributes");
    }
    // A weight is a value of the only member, whatever that is called.
    [[nodiscard]] std::size_t member_of(const Attribute& attribute) const {
        for (std::size_t m = 0; m < row_.members.size(); ++m)
            if (row_.members[m].elements == 1 && row_.members[m].name == attribute.name) return m;
        if (attribute.name.empty() || attribute.name == "weight") {
            if (const auto problem = problem_of_weights(row_); !problem.empty())
                fail(attribute.value, "the links have weights", problem,
                     "leave the weights out, or write a .csv with names for the columns");
            return 0;
        }
        fail(attribute.value, fmt::format("{} has no member {}", row_.name, in_quotes(attribute.name)),
             "attributes of links are values of members", "write the file without them (data=False)");
    }

    [[nodiscard]] static std::string element_of(const model::Member& member, int element) {
        return member.elements == 1 ? member.name : fmt::format("{}[{}]", member.name, element);
    }

    LinkColumn column_called(const CsvField& name) {
        if (!seen_.insert(std::string(name.text)).second)
            fail(name, fmt::format("two columns are called {}", in_quotes(name.text)), "each has a name of its own", "remove one of them");
        if (name.text == "from") return {LinkColumn::Kind::from, 0, 0};
        if (name.text == "to") return {LinkColumn::Kind::to, 0, 0};
        std::vector<std::string> known{"from", "to"};
        for (std::size_t m = 0; m < row_.members.size(); ++m)
            for (int e = 0; e < row_.members[m].elements; ++e) {
                known.push_back(element_of(row_.members[m], e));
                if (name.text == known.back()) return {LinkColumn::Kind::element, column_of(m), e};
            }
        fail(name, fmt::format("{} has no member {}", row_.name, in_quotes(name.text)), "there are " + listed(known),
             parse_number(name.text) ? "begin with a line of names, such as from,to" : did_you_mean(name.text, known));
    }

    std::size_t column_of(std::size_t member) {
        auto& columns = file_.links.columns;
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (columns[c].member == member) return c;
        columns.push_back({member, {}});
        return columns.size() - 1;
    }

    void expect_columns(const CsvField& first) const {
        for (const char* const end : {"from", "to"})
            if (!seen_.contains(end)) fail(first, fmt::format("no column {}", end), "from and to say which places a link joins");
        for (const auto& column : file_.links.columns)
            for (int e = 0; e < row_.members[column.member].elements; ++e)
                if (!seen_.contains(element_of(row_.members[column.member], e)))
                    fail(first, fmt::format("no column {}", element_of(row_.members[column.member], e)),
                         "there are columns for other elements of the member", "add it");
    }

    void begin_link() {
        constexpr std::size_t most = 0x7fffffff;
        if (file_.links.size() == most)
            run_file::fail_at({path_, static_cast<int>(line_), 1}, "there are too many links", "a collection has fewer than 2^31");
        file_.links.from.push_back(0);
        file_.links.to.push_back(0);
        file_.lines.push_back(line_);
        for (auto& column : file_.links.columns) column.values.resize(column.values.size() + row_.members[column.member].bytes());
    }

    void read_field(const CsvField& field, const LinkColumn& column) {
        if (column.kind == LinkColumn::Kind::from) file_.links.from.back() = read_place(field, "from", from_);
        if (column.kind == LinkColumn::Kind::to) file_.links.to.back() = read_place(field, "to", to_);
        if (column.kind != LinkColumn::Kind::element) return;
        auto& [number, values] = file_.links.columns[column.column];
        const auto& member = row_.members[number];
        const auto behind = static_cast<std::size_t>(member.elements - column.element) * size_of(member.type);
        const auto name = element_of(member, column.element);
        const auto parsed = parse_value(field.text, member.type, values.data() + values.size() - behind);
        if (parsed == Parsed::no_number) fail_number(field, name);
        if (parsed == Parsed::not_held)
            fail(field, fmt::format("{} cannot be {}", name, shown(field.text, 40)), fmt::format("its type is {}", name_of(member.type)),
                 "write a number that the type holds");
        if (is_nan(field.text))
            fail(field, fmt::format("{} cannot be {}", name, shown(field.text, 40)), "that is no number", "write the value of this link");
    }

    [[nodiscard]] std::int32_t read_place(const CsvField& field, const char* what, const CollectionSetup& places) const {
        std::int64_t place = -1;
        const auto parsed = parse_value(field.text, Scalar::i64, reinterpret_cast<std::byte*>(&place));
        if (parsed == Parsed::no_number) fail_number(field, what);
        if (parsed == Parsed::not_held || place < 0 || place >= places.places())
            fail(field, fmt::format("{} is {}", what, shown(field.text, 40)),
                 fmt::format("the places of {} have numbers from 0 to {}", places.name, places.places() - 1));
        return static_cast<std::int32_t>(place);
    }

    [[noreturn]] void fail_number(const CsvField& field, const std::string& what) const {
        fail(field, field.text.empty() ? "a value is missing" : in_quotes(field.text.substr(0, 40)) + " is no number",
             fmt::format("it is for {}", what));
    }

    const std::string& path_;
    const model::Row& row_;
    const CollectionSetup &from_, &to_;
    std::string text_;
    std::vector<LinkColumn> columns_; // as they stand in the file
    std::vector<CsvField> fields_;    // of a line of an edge list
    std::int64_t line_of_columns_ = 0;
    std::set<std::string, std::less<>> seen_;
    std::int64_t line_ = 0;
    LinksFile file_;
};

} // namespace

LinksFile read_links_file(const std::string& path, const LinksToRead& to_read) {
    const auto ending = std::filesystem::path(path).extension();
    if (ending == ".csv") return LinksReader(path, to_read.row, to_read.from, to_read.to).read_csv();
    if (ending == ".txt") return LinksReader(path, to_read.row, to_read.from, to_read.to).read_pairs();
    if (ending == ".mtx") return read_matrix_market(path, to_read);
    if (ending == ".graph") return read_metis(path, to_read);
    if (ending == ".npy") return read_link_array(path, to_read);
    throw Error(Failure::input, fmt::format("{} is no table of links", in_quotes(path)),
                "their names end in .csv (with a line of names), .txt (two numbers a line, and a weight), .mtx (Matrix Market), .graph "
                "(METIS) or .npy");
}

} // namespace tessera
