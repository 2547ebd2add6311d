#include "host/bind/read_agents_file.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "host/inputs/csv_records.hpp"
#include "host/inputs/parse_value.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/value.hpp"
#include "kernels/agents/bins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera {
namespace {

constexpr const char* axes[] = {"x", "y", "z"};

std::size_t bytes_of(const model::Member& member) { return static_cast<std::size_t>(member.elements) * size_of(member.type); }

std::string element_name(const model::Member& member, int element) {
    return member.elements == 1 ? member.name : fmt::format("{}[{}]", member.name, element);
}

// The meaning of a column: ids, which are not used; a coordinate; or an element of a member.
struct Target {
    enum class Kind { id, coordinate, element } kind = Kind::id;
    std::size_t axis = 0;
    std::size_t column = 0; // in AgentsFile::columns
    int element = 0;
};

class Reader {
public:
    Reader(const run_file::Agents& agents, const std::string& path, const model::Row& row, const CollectionSetup& ground,
           const SpaceSetup* space)
        : agents_(agents), path_(path), row_(row), ground_(ground), space_(space), text_(read_bytes(path, most_bytes())),
          records_(text_, path) {}

    AgentsFile read() {
        find_targets();
        while (records_.next()) read_record();
        check_room();
        return std::move(file_);
    }

private:
    [[nodiscard]] std::size_t dimensions() const { return static_cast<std::size_t>(ground_.seen_dimensions()); }
    // What the columns are called that say where an agent is.
    [[nodiscard]] const char* axis_name(std::size_t axis) const { return ground_.has_shape() ? axes[axis] : "place"; }
    [[nodiscard]] std::vector<std::string> axis_names() const {
        std::vector<std::string> names;
        for (std::size_t axis = 0; axis < dimensions(); ++axis) names.emplace_back(axis_name(axis));
        return names;
    }

    // An upper limit for the bytes of a file: a value takes fewer than `a_value`; comments, blanks and names take fewer than `besides`.
    [[nodiscard]] std::uint64_t most_bytes() const {
        constexpr std::uint64_t a_value = 64, besides = 16u << 20, in_a_list = std::uint64_t{1} << 30;
        std::uint64_t values = 1 + dimensions();
        for (const auto& member : row_.members) values += static_cast<std::uint64_t>(member.elements);
        const auto slots = static_cast<std::uint64_t>(ground_.places()) * *agents_.capacity;
        const auto most = *agents_.capacity == run_file::unlimited ? (agents_.reserve ? **agents_.reserve : in_a_list) : slots;
        std::uint64_t bytes = 0;
        return __builtin_mul_overflow(most, values * a_value, &bytes) || bytes > any_size - besides ? any_size : bytes + besides;
    }

    [[nodiscard]] run_file::Where where(const CsvField& field, std::int64_t line) const {
        return {path_, static_cast<int>(line), static_cast<int>(field.column) + 1};
    }
    [[noreturn]] void fail(const CsvField& field, const std::string& problem, const std::string& why,
                           const std::string& suggestion = {}) const {
        run_file::fail_at(where(field, records_.line()), problem, why, suggestion);
    }

    // ---- the names

    [[nodiscard]] std::vector<std::string> known_names() const {
        auto known = axis_names();
        for (const auto& member : row_.members)
            for (int e = 0; e < member.elements; ++e) known.push_back(element_name(member, e));
        return known;
    }

    void find_targets() {
        std::map<std::string_view, std::size_t> seen;
        for (const auto& field : records_.names()) {
            if (const auto [twin, is_new] = seen.emplace(field.text, targets_.size()); !is_new)
                fail(field, fmt::format("two columns are called {}", in_quotes(field.text)),
                     fmt::format("the first is number {}", twin->second + 1), "remove one of them");
            targets_.push_back(target_of(field));
        }
        for (std::size_t axis = 0; axis < dimensions(); ++axis)
            if (!seen.contains(axis_name(axis)))
                fail(records_.names().front(), fmt::format("no column {}", axis_name(axis)),
                     fmt::format("{} {} where each agent {}", listed(axis_names()), dimensions() == 1 ? "says" : "say",
                                 space_ ? "is" : "stands"));
        for (std::size_t c = 0; c < file_.columns.size(); ++c) check_elements(file_.columns[c].member, c);
    }

    Target target_of(const CsvField& name) {
        if (name.text == "id") return {};
        for (std::size_t axis = 0; axis < dimensions(); ++axis)
            if (name.text == axis_name(axis)) return {Target::Kind::coordinate, axis, 0, 0};
        for (std::size_t m = 0; m < row_.members.size(); ++m)
            for (int e = 0; e < row_.members[m].elements; ++e)
                if (name.text == element_name(row_.members[m], e)) return {Target::Kind::element, 0, column_of(m), e};
        fail_unknown(name);
    }

    [[noreturn]] void fail_unknown(const CsvField& name) const {
        if (name.text.empty())
            fail(name, "a column has no name", "the first line names all columns", "give the column a name, or remove it");
        if (parse_number(name.text))
            fail(name, fmt::format("{} is not the name of a column", in_quotes(name.text)), "the first line has the names",
                 fmt::format("begin with a line such as {}", fmt::join(known_names(), ",")));
        for (std::size_t axis = dimensions(); ground_.has_shape() && axis < 3; ++axis)
            if (name.text == axes[axis])
                fail(name, fmt::format("there is no {} on {}", axes[axis], ground_.name),
                     fmt::format("its `size` has {} extent{}", dimensions(), dimensions() == 1 ? "" : "s"), "remove the column");
        if (const auto member = row_.find(std::string(name.text)))
            fail(name, fmt::format("{} needs a column for each element", in_quotes(name.text)),
                 fmt::format("it has {}", row_.members[*member].elements),
                 fmt::format("call these columns {} and so on", element_name(row_.members[*member], 0)));
        const auto known = known_names();
        const std::vector<std::string> members(known.begin() + ground_.seen_dimensions(), known.end());
        fail(name, fmt::format("{} has no member {}", row_.name, in_quotes(name.text)),
             members.empty() ? "it has none" : "it has " + listed(members), did_you_mean(name.text, known));
    }

    std::size_t column_of(std::size_t member) {
        for (std::size_t c = 0; c < file_.columns.size(); ++c)
            if (file_.columns[c].member == member) return c;
        file_.columns.push_back({member, {}});
        return file_.columns.size() - 1;
    }

    // An array member needs columns for all of its elements, or for none.
    void check_elements(std::size_t member, std::size_t column) const {
        const auto& array = row_.members[member];
        for (int e = 0; e < array.elements; ++e) {
            const auto is_this = [&](const Target& target) {
                return target.kind == Target::Kind::element && target.column == column && target.element == e;
            };
            if (std::none_of(targets_.begin(), targets_.end(), is_this))
                fail(records_.names().front(), fmt::format("no column {}", element_name(array, e)),
                     fmt::format("{} has {} elements, and there are columns for others", array.name, array.elements), "add it");
        }
    }

    // ---- a record

    void read_record() {
        Extents here{0, 0, 0};
        std::array<double, 3> at{};
        for (auto& column : file_.columns) column.values.resize(column.values.size() + bytes_of(row_.members[column.member]));
        for (std::size_t f = 0; f < targets_.size(); ++f) {
            const auto& field = records_.fields()[f];
            const auto& target = targets_[f];
            if (target.kind == Target::Kind::element) read_element(field, target);
            if (target.kind != Target::Kind::coordinate) continue;
            if (space_)
                at[target.axis] = read_position(field, target.axis), here[target.axis] = place_at(at[target.axis], target.axis);
            else
                here[target.axis] = read_place(field, target.axis);
        }
        file_.places.push_back(ground_.has_shape() ? (here[2] * ground_.size[1] + here[1]) * ground_.size[0] + here[0] : here[0]);
        if (space_) file_.positions.push_back(at);
        lines_.push_back(records_.line());
    }

    void read_element(const CsvField& field, const Target& target) {
        auto& [number, values] = file_.columns[target.column];
        const auto& member = row_.members[number];
        const auto behind = static_cast<std::size_t>(member.elements - target.element) * size_of(member.type);
        const auto what = [&] { return fmt::format("{}.{}", *agents_.name, element_name(member, target.element)); };
        const auto parsed = parse_value(field.text, member.type, values.data() + values.size() - behind);
        if (parsed == Parsed::no_number) fail_number(field, what());
        if (parsed == Parsed::not_held)
            fail(field, fmt::format("{} cannot be {}", what(), shown(field.text, 40)), fmt::format("its type is {}", name_of(member.type)),
                 "write a number that the type holds");
    }

    [[nodiscard]] std::int64_t read_place(const CsvField& field, std::size_t axis) const {
        std::int64_t place = -1;
        const auto parsed = parse_value(field.text, Scalar::i64, reinterpret_cast<std::byte*>(&place));
        const auto size = ground_.seen_size()[axis];
        if (parsed == Parsed::no_number) fail_number(field, axis_name(axis));
        if (parsed == Parsed::not_held || place < 0 || place >= size)
            fail(field, fmt::format("{} is {}", axis_name(axis), shown(field.text, 40)),
                 fmt::format("{} has places 0 to {}{}", ground_.name, size - 1,
                             ground_.has_shape() ? fmt::format(" along {}", axes[axis]) : ""));
        return place;
    }

    // Rounded to the type of positions. On a torus the end of space is its beginning; elsewhere the end is inside.
    [[nodiscard]] double read_position(const CsvField& field, std::size_t axis) const {
        double position = -1;
        float single = -1;
        const bool is_float = space_->number == Scalar::f32;
        const auto parsed = parse_value(field.text, space_->number,
                                        is_float ? reinterpret_cast<std::byte*>(&single) : reinterpret_cast<std::byte*>(&position));
        if (parsed == Parsed::no_number) fail_number(field, axes[axis]);
        if (is_float) position = static_cast<double>(single);
        if (parsed == Parsed::not_held || !(position >= 0 && position <= space_->extent[axis]))
            fail(field, fmt::format("{} is {}", axes[axis], shown(field.text, 40)),
                 fmt::format("{} goes from 0 to {} along {}", ground_.name, readable(space_->number, space_->extent[axis]), axes[axis]));
        return position == space_->extent[axis] && ground_.boundary[axis] == run_file::Boundary::torus ? 0 : position;
    }

    [[nodiscard]] std::int64_t place_at(double position, std::size_t axis) const {
        return bin_of(position, space_->extent[axis] / static_cast<double>(ground_.size[axis]), ground_.size[axis]);
    }

    [[noreturn]] void fail_number(const CsvField& field, const std::string& what) const {
        fail(field, field.text.empty() ? "a value is missing" : in_quotes(field.text.substr(0, 40)) + " is no number",
             fmt::format("it is for {}", what), records_.has_decimal_comma(field) ? "write decimals with a point" : "");
    }

    // ---- all records

    // Fails at the first line with an agent whose place is full.
    void check_room() const {
        const auto capacity = *agents_.capacity;
        if (capacity == run_file::unlimited) return;
        std::vector<std::size_t> order(file_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return file_.places[a] < file_.places[b]; });
        std::optional<std::size_t> first; // in `order`
        for (std::size_t i = capacity; i < order.size(); ++i)
            if (file_.places[order[i]] == file_.places[order[i - capacity]] && (!first || order[i] < order[*first])) first = i;
        if (first) fail_room(order, *first);
    }

    [[noreturn]] void fail_room(const std::vector<std::size_t>& order, std::size_t at) const {
        const auto capacity = *agents_.capacity;
        std::vector<std::string> lines, place;
        for (auto i = at - capacity; i < at; ++i) lines.push_back(std::to_string(lines_[order[i]]));
        auto rest = file_.places[order[at]];
        for (std::size_t axis = 0; axis < dimensions(); rest /= ground_.seen_size()[axis++])
            place.push_back(std::to_string(rest % ground_.seen_size()[axis]));
        throw Error(Failure::input,
                    fmt::format("{}:{}: place ({}) has no room for another agent of {}", path_, lines_[order[at]], fmt::join(place, ", "),
                                *agents_.name),
                    capacity == 1 ? fmt::format("`capacity` is 1, and the agent of line {} stands there", lines[0])
                                  : fmt::format("`capacity` is {}, and the agents of lines {} stand there", capacity, listed(lines)),
                    "remove one of them, or give a larger `capacity`");
    }

    const run_file::Agents& agents_;
    const std::string& path_;
    const model::Row& row_;
    const CollectionSetup& ground_;
    const SpaceSetup* space_;
    std::string text_;
    CsvRecords records_;
    std::vector<Target> targets_;     // of the columns, as they stand in the file
    std::vector<std::int64_t> lines_; // of the agents
    AgentsFile file_;
};

} // namespace

AgentsFile read_agents_file(const run_file::Agents& agents, const std::string& path, const model::Row& row, const CollectionSetup& ground,
                            const SpaceSetup* space) {
    try {
        const auto ending = std::filesystem::path(path).extension();
        if (ending != ".csv" && ending != ".txt")
            throw Error(Failure::input, fmt::format("{} is no table of agents", in_quotes(path)),
                        "such tables are text, and their names end in .csv or .txt",
                        ending == ".npy" ? "write agents = \"NAME-{step}.csv\"" : "");
        return Reader(agents, path, row, ground, space).read();
    } catch (const Error& error) {
        run_file::fail_at(agents.file->where, fmt::format("cannot place {}", *agents.name), error.what());
    }
}

} // namespace tessera
