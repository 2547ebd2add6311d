#include "host/model/description.hpp"

#include "device_runtime/error.hpp"
#include "host/model/member_values.hpp"
#include "host/model/record_reader.hpp"
#include "host/model/where_declared.hpp"
#include "jit/symbols.hpp"

#include <tessera/detail/name_hash.hpp>
#include <tessera/detail/records.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

namespace tessera::model {
namespace {

using RecordKind = record_kind;
using Header = record_header;

struct Record {
    Header header;
    std::string scope;
    std::span<const std::byte> body; // after the header
};

// The namespaces of an Itanium-mangled name `_ZN4life5inner3fooE` without the last component: "life::inner". Unnamed ones, and the
// namespace that the compile step wraps around every model, need not be named to be found.
std::string scope_of(const std::string& symbol) {
    if (symbol.rfind("_ZN", 0) != 0) return {};
    std::vector<std::string> parts;
    for (std::size_t at = 3; at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at]));) {
        std::size_t length = 0;
        while (at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at])))
            length = length * 10 + static_cast<std::size_t>(symbol[at++] - '0');
        if (length > symbol.size() - at) break;
        parts.push_back(symbol.substr(at, length));
        at += length;
        if (at < symbol.size() && symbol[at] == 'L') ++at; // internal linkage
    }
    std::string scope;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const bool unnamed = parts[i].rfind("_GLOBAL__N", 0) == 0 || parts[i].rfind("_INTERNAL_", 0) == 0;
        if (unnamed || parts[i] == "tessera_model" || !is_cpp_name(parts[i])) continue;
        scope += (scope.empty() ? "" : "::") + parts[i];
    }
    return scope;
}

std::vector<Record> collect(std::span<const jit::DataSymbol> symbols) {
    std::vector<Record> records;
    for (const auto& symbol : symbols) {
        if (symbol.name.find("tessera_record_") == std::string::npos || symbol.bytes.size() < sizeof(Header)) continue;
        Record record;
        std::memcpy(&record.header, symbol.bytes.data(), sizeof(Header));
        if (std::memcmp(record.header.magic, record_magic, sizeof(record_magic)) != 0) continue;
        record.scope = scope_of(symbol.name);
        record.body = std::span(symbol.bytes).subspan(sizeof(Header));
        records.push_back(record);
    }
    return records;
}

std::vector<std::string> split_names(const std::string& list) {
    std::vector<std::string> names;
    std::string name;
    for (const char c : list + ",") {
        if (c != ',') {
            if (!std::isspace(static_cast<unsigned char>(c))) name += c;
        } else {
            names.push_back(name);
            name.clear();
        }
    }
    return names;
}

Row read_row(const Record& record, const std::string& path) {
    RecordReader reader(record.body, path);
    Row row;
    row.scope = record.scope;
    for (std::uint32_t i = 0; i < record.header.count; ++i) row.members.push_back(reader.member());
    row.name = reader.identifier();
    const auto list = reader.text();
    const auto names = list.empty() ? std::vector<std::string>{} : split_names(list);
    if (names.size() != row.members.size())
        reader.damaged(fmt::format("{} has {} members of {} names", row.name, row.members.size(), names.size()));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!is_cpp_name(names[i])) reader.damaged(fmt::format("`{}` is no name", names[i]));
        row.members[i].name = names[i];
    }
    row.collection = snake_case(row.name);
    return row;
}

// "Field" of "life:: Field".
std::string unqualified(const std::string& text) {
    std::string name;
    for (const char c : text) {
        if (c == ':')
            name.clear();
        else if (!std::isspace(static_cast<unsigned char>(c)))
            name += c;
    }
    return name;
}

// The row's name in "on<Field>", "in< life::Field >": how it is spelled where the agents are declared.
std::string name_of_ground(const std::string& where) {
    const auto open = where.find('<'), close = where.rfind('>');
    if (open == std::string::npos || close == std::string::npos || close < open) return {};
    return unqualified(where.substr(open + 1, close - open - 1));
}

std::optional<Scalar> type_of_positions(const std::string& where) {
    const auto how = unqualified(where.substr(0, where.find('<')));
    if (how == "in") return Scalar::f32;
    if (how == "in_double") return Scalar::f64;
    return std::nullopt;
}

// The row of places on which the agents of a row stand; all rows are known, and `is_place` has a value for each. Sets the position members
// of the agents as well.
std::size_t find_ground(const Record& record, const std::vector<Row>& rows, const std::vector<bool>& is_place,
                        std::optional<Scalar>& position, const WhereDeclared& declared, const std::string& path) {
    RecordReader reader(record.body, path);
    for (std::uint32_t i = 0; i < record.header.count; ++i) (void)reader.member();
    const auto name = reader.identifier();
    (void)reader.text();
    const auto where = reader.text(), ground = name_of_ground(where);
    position = type_of_positions(where);
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows[r].name == ground && is_place[r]) return r;
    throw Error(Failure::plugin,
                fmt::format("{}: {} stand {}, which are not places", declared.in_macro({"TESSERA_AGENT"}, {name}), name, where),
                "TESSERA_AGENT names a row of TESSERA_PLACE by its own name", fmt::format("write TESSERA_AGENT({}, on<PLACE>, ...)", name));
}

std::size_t require_place(const std::string& name, const std::vector<Row>& rows, const std::vector<RecordKind>& kinds,
                          const std::string& links, const WhereDeclared& declared) {
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows[r].name == name && kinds[r] == RecordKind::place) return r;
    throw Error(Failure::plugin,
                fmt::format("{}: {} joins {}, which are not places", declared.in_macro({"TESSERA_LINK"}, {links}), links, name),
                "TESSERA_LINK names rows of TESSERA_PLACE by their own names",
                fmt::format("write TESSERA_LINK({}, between<PLACE>, ...) or from<PLACE>::to<PLACE>", links));
}

// The rows of places that the links of a row join: "between<Person>", "from<life::Neuron>::to<Neuron>". All rows are known.
LinkEnds find_ends(const Record& record, const std::vector<Row>& rows, const std::vector<RecordKind>& kinds, const WhereDeclared& declared,
                   const std::string& path) {
    RecordReader reader(record.body, path);
    for (std::uint32_t i = 0; i < record.header.count; ++i) (void)reader.member();
    const auto name = reader.identifier();
    (void)reader.text();
    const auto text = reader.text();
    const auto first = text.find('<'), first_end = text.find('>');
    const auto last = text.rfind('<'), last_end = text.rfind('>');
    if (first == std::string::npos || first_end < first || last_end < last || last_end == std::string::npos)
        reader.damaged(fmt::format("`{}` are no ends of links", text));
    LinkEnds ends;
    ends.is_directed = unqualified(text.substr(0, first)) == "from";
    ends.from = require_place(unqualified(text.substr(first + 1, first_end - first - 1)), rows, kinds, name, declared);
    ends.to = require_place(unqualified(text.substr(last + 1, last_end - last - 1)), rows, kinds, name, declared);
    return ends;
}

// Why a member cannot have a name: it is taken.
std::string why_taken(const Row& row, const std::string& member, bool is_taken_below) {
    static const std::set<std::string> of_sites = {"at", "exists", "each"};
    if (member == "neighbour") return "the SDK has a type of that name";
    if (!row.ground)
        return is_taken_below && member != "meet" && member != "spawn"
                   ? fmt::format("agents see places with a `site.{}` that has another meaning", member)
                   : fmt::format("`self.{}` has another meaning already", member);
    if (member == "x" || member == "y" || member == "z") return "agents have a column of that name already, for their places";
    if (member == "away") return "`other.away` of agents that are met is the way to them";
    if (member == "sum") return "`self.sum` is a function of places";
    return fmt::format("`self.{}{}` has another meaning already", of_sites.count(member) != 0 ? "place." : "", member);
}

void check_member_names(const Row& row, bool is_ground, bool has_links, bool stands_at_links, const WhereDeclared& where) {
    static const std::set<std::string> taken = {"position", "size", "step", "random", "each",     "at",
                                                "exists",   "sum",  "get",  "place",  "neighbour"};
    static const std::set<std::string> taken_in_agents = {"id",         "x",       "y",      "z",     "count", "rank",    "migrate",
                                                          "migrate_to", "move_to", "kill",   "dying", "moved", "refused", "refused_births",
                                                          "meet",       "spawn",   "extent", "away"};
    // Of links, and of places that links join: what is seen along them, and what `self` does with lists of them.
    static const std::set<std::string> taken_by_links = {"link",  "id",   "from", "to",   "count", "any",
                                                         "least", "most", "pick", "send", "spawn"};
    // Of agents on places that links join: what `self` does with lists of them.
    static const std::set<std::string> taken_at_links = {"any", "least", "most", "pick"};
    // In places with agents: members of a site, and of `self` in a function of places.
    static const std::set<std::string> taken_below = {"offset", "distance", "count", "free", "here", "meet", "spawn"};
    for (const auto& member : row.members) {
        const bool is_taken_below = is_ground && taken_below.count(member.name) != 0;
        if (has_links && taken_by_links.count(member.name) != 0)
            throw Error(Failure::plugin,
                        fmt::format("{}: {}::{} cannot be a member's name",
                                    where.in_macro({"TESSERA_PLACE", "TESSERA_LINK"}, {row.name, member.name}), row.name, member.name),
                        "the word has another meaning where there are links", "rename the member");
        if (stands_at_links && taken_at_links.count(member.name) != 0)
            throw Error(Failure::plugin,
                        fmt::format("{}: {}::{} cannot be a member's name", where.in_macro({"TESSERA_AGENT"}, {row.name, member.name}),
                                    row.name, member.name),
                        fmt::format("links join the places that they stand on, and `self.{}` goes along these", member.name),
                        "rename the member");
        if (taken.count(member.name) == 0 && !(row.ground && taken_in_agents.count(member.name) != 0) && !is_taken_below) continue;
        throw Error(Failure::plugin,
                    fmt::format("{}: {}::{} cannot be a member's name",
                                where.in_macro({"TESSERA_PLACE", "TESSERA_AGENT", "TESSERA_LINK"}, {row.name, member.name}), row.name,
                                member.name),
                    why_taken(row, member.name, is_taken_below), "rename the member");
    }
}

Use read_use(RecordReader& reader) {
    Use use;
    const auto bits = reader.number<std::uint8_t>();
    use.reads = (bits & access_read) != 0;
    use.around = (bits & access_around) != 0;
    use.writes = (bits & access_write) != 0;
    use.folds = (bits & (access_adds | access_least | access_most)) != 0;
    use.along_axes = (bits & access_along_axes) != 0;
    for (auto* reach : {&use.low, &use.high})
        for (auto& dimensions : *reach)
            for (auto& axis : dimensions) axis = reader.number<std::uint8_t>();
    return use;
}

std::optional<std::size_t> row_called(std::uint64_t hash, const std::vector<Row>& rows) {
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (name_hash(rows[r].name.c_str()) == hash) return r;
    return std::nullopt;
}

void add_birth(std::vector<LinkBirth>& births, const LinkBirth& birth) {
    for (auto& known : births)
        if (known.row == birth.row) return void(known.most += birth.most);
    births.push_back(birth);
}

SentAs how_sent(std::uint32_t folds, const RecordReader& reader) {
    switch (folds) {
    case access_adds: return SentAs::sum;
    case access_least: return SentAs::least;
    case access_most: return SentAs::most;
    default: reader.damaged("a function sends along links in a way that there is not");
    }
}

// A list of links, or behind it one of the members that are read or sent to along it; or what is asked for.
void read_link_use(RecordReader& reader, const std::vector<Row>& rows, Function& function) {
    auto& uses = function.link_uses;
    reader.align(alignof(link_use_record));
    const auto link = reader.number<std::uint64_t>(), of = reader.number<std::uint64_t>();
    const auto side_and_folds = reader.number<std::uint32_t>(), member = reader.number<std::uint32_t>();
    const auto side = side_of_sent(side_and_folds), folds = folds_of_sent(side_and_folds);
    if (side == 0) return;
    const auto row = row_called(link, rows);
    if (!row || !rows[*row].ends || side > link_spawns) reader.damaged("a function goes along links that the model does not have");
    if (side == link_dies) return void(function.ends_links = true);
    if (side == link_spawns) return add_birth(function.link_births, {*row, static_cast<int>(member)});
    const auto same = std::find_if(uses.begin(), uses.end(),
                                   [&](const LinkUse& use) { return use.row == *row && use.side == static_cast<LinkSide>(side); });
    auto& use = same == uses.end() ? uses.emplace_back() : *same;
    use.row = *row;
    use.side = static_cast<LinkSide>(side);
    use.has_agents |= folds == agents_at_ends;
    if (member == no_member) return;
    const auto owner = row_called(of, rows);
    if (!owner || member >= rows[*owner].members.size()) reader.damaged("a function reads along links what the model does not have");
    if (folds != 0) return use.sent.push_back({member, how_sent(folds, reader)});
    auto& members = *owner == *row ? use.link_members : use.end_members;
    if (std::find(members.begin(), members.end(), member) == members.end()) members.push_back(member);
}

std::size_t row_of_hash(std::uint64_t hash, const std::vector<Row>& rows, const RecordReader& reader) {
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (rows[r].ground && name_hash(rows[r].name.c_str()) == hash) return r;
    reader.damaged("a function asks for agents that the model does not have");
}

AgentUse read_agent_use(RecordReader& reader, const std::vector<Row>& rows) {
    reader.align(alignof(agent_use_record));
    const auto row = reader.number<std::uint64_t>();
    AgentUse use;
    const auto what = reader.number<std::uint32_t>();
    use.counts = (what & agent_counts) != 0;
    use.moves = (what & agent_moves) != 0;
    use.anywhere = (what & agent_anywhere) != 0;
    use.along_links = (what & agent_along_links) != 0;
    use.dies = (what & agent_dies) != 0;
    use.results = (what & agent_results) != 0;
    use.refused_births = (what & agent_refused_births) != 0;
    use.meets = (what & agent_meets) != 0;
    use.spawns = (what & agent_spawns) != 0;
    const auto member = reader.number<std::uint16_t>();
    use.most = reader.number<std::uint16_t>();
    for (auto* reach : {&use.low, &use.high})
        for (auto& dimensions : *reach)
            for (auto& axis : dimensions) axis = reader.number<std::uint8_t>();
    if (what != 0) use.row = row_of_hash(row, rows, reader);
    if (use.meets && member != no_member) use.member = member;
    if (use.member && *use.member >= rows[use.row].members.size()) reader.damaged("a function meets agents of which the model knows less");
    reader.align(alignof(agent_use_record));
    return use;
}

void add_once(std::vector<std::size_t>& numbers, std::size_t number) {
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

template<class Named> std::optional<std::size_t> find_hash(const std::vector<Named>& list, std::uint64_t hash) {
    const auto found = std::find_if(list.begin(), list.end(), [hash](const Named& each) { return name_hash(each.name.c_str()) == hash; });
    return found == list.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - list.begin()));
}

// The values of the step that a function or a uniform reads, into its `values` and `uniforms`.
template<class Reader> void read_values_read(RecordReader& reader, std::uint32_t count, const Description& description, Reader& into) {
    reader.align(alignof(std::uint64_t));
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto hash = reader.number<std::uint64_t>();
        if (hash == 0) continue;
        const auto value = find_hash(description.values, hash), uniform = find_hash(description.uniforms, hash);
        if (value) add_once(into.values, *value);
        if (uniform) add_once(into.uniforms, *uniform);
        if (uniform)
            for (const auto below : description.uniforms[*uniform].values) add_once(into.values, below);
        if (!value && !uniform) reader.damaged("a function reads a value that the model does not have");
    }
}

// A function of links knows both of its ends, whether it reads members there or not: in this order.
void add_ends(Function& function) {
    auto& uses = function.link_uses;
    for (const auto side : {LinkSide::from, LinkSide::to})
        if (std::none_of(uses.begin(), uses.end(), [&](const LinkUse& use) { return use.side == side; }))
            uses.push_back({function.row, side, {}, {}, {}});
}

Function read_function(const Record& record, const Description& description, const std::string& path) {
    const auto& rows = description.rows;
    RecordReader reader(record.body, path);
    Function function;
    function.scope = record.scope;
    function.is_init = record.header.kind == RecordKind::init;
    const auto others = reader.number<function_counts>();
    std::vector<Use> uses;
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(std::uint64_t{record.header.count} + others.ground, 1); ++i)
        uses.push_back(read_use(reader));
    for (std::uint32_t i = 0; i < others.agent_uses; ++i)
        if (const auto agent_use = read_agent_use(reader, rows); agent_use.counts || agent_use.moves || agent_use.dies ||
                                                                 agent_use.results || agent_use.refused_births || agent_use.meets ||
                                                                 agent_use.spawns)
            function.agent_uses.push_back(agent_use);
    for (std::uint32_t i = 0; i < others.links; ++i) read_link_use(reader, rows, function);
    read_values_read(reader, others.values, description, function);
    const std::string row = reader.identifier();
    function.name = reader.identifier();
    function.access = reader.text();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == row; });
    if (found == rows.end() || found->members.size() != record.header.count ||
        others.ground != (found->ground ? rows[*found->ground].members.size() : 0))
        reader.damaged(fmt::format("{} is no function of {} as the model has it", function.name, row));
    function.row = static_cast<std::size_t>(found - rows.begin());
    if (found->ends) add_ends(function);
    for (std::size_t i = 0; i < std::size_t{record.header.count} + others.ground; ++i) {
        const bool own = i < record.header.count;
        if (uses[i].reads || uses[i].writes || uses[i].folds)
            function.accesses.push_back({own ? function.row : *found->ground, own ? i : i - record.header.count, uses[i]});
    }
    return function;
}

StepValue read_value(const Record& record, const std::string& path) {
    RecordReader reader(record.body, path);
    StepValue value;
    value.type = reader.member().type;
    value.name = reader.identifier();
    value.doc = reader.text();
    return value;
}

Uniform read_uniform(const Record& record, const Description& description, const std::string& path) {
    RecordReader reader(record.body, path);
    Uniform uniform;
    const Member value = reader.member();
    uniform.type = value.type;
    uniform.elements = value.elements;
    uniform.scope = record.scope;
    read_values_read(reader, record.header.count, description, uniform);
    uniform.name = reader.identifier();
    uniform.access = reader.text();
    return uniform;
}

Parameter read_parameter(const Record& record, const std::string& path) {
    RecordReader reader(record.body, path);
    Parameter parameter;
    const auto low = reader.number<double>(), high = reader.number<double>();
    if (low != 1 || high != 0) parameter.range = {low, high}; // these two stand for no range (sdk/include/tessera/detail/describe.hpp)
    const Member value = reader.member();
    if (value.elements != 1) reader.damaged(fmt::format("a parameter of {} values", value.elements));
    parameter.type = value.type;
    parameter.initial = value.initial;
    parameter.scope = record.scope;
    parameter.name = reader.identifier();
    parameter.doc = reader.text();
    return parameter;
}

// "Cell", "heat" of "Cell::heat".
std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : name + ":") {
        if (c != ':' && !std::isspace(static_cast<unsigned char>(c))) word += c;
        if (c == ':' && !word.empty()) words.push_back(std::exchange(word, {}));
    }
    return words;
}

// Where the text of a TESSERA_DOC belongs: a member, a function, or the model itself; nowhere for any other name.
std::string* documented_by(const std::string& what, Description& description) {
    if (!what.empty() && what == description.name) return &description.about;
    for (auto& uniform : description.uniforms)
        if (uniform.name == what) return &uniform.doc;
    const auto colons = what.rfind("::");
    if (colons == std::string::npos) return nullptr;
    const auto row = what.substr(0, colons), name = what.substr(colons + 2);
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        if (description.rows[r].name != row) continue;
        if (const auto member = description.rows[r].find(name)) return &description.rows[r].members[*member].doc;
        if (const auto function = description.find_function(r, name)) return &description.functions[*function].doc;
    }
    return nullptr;
}

void read_doc(const Record& record, Description& description, const WhereDeclared& where, const std::string& path) {
    RecordReader reader(record.body, path);
    const std::string what = reader.text(), text = reader.text();
    auto* const documented = documented_by(what, description);
    if (documented == nullptr)
        throw Error(Failure::plugin,
                    fmt::format("{}: TESSERA_DOC({}, ...) documents nothing", where.in_macro({"TESSERA_DOC"}, words_of(what)), what),
                    "there is no such member or function",
                    "write Row::member as in its TESSERA_PLACE, Row::function, a TESSERA_UNIFORM, or the model's name");
    *documented = text;
}

void read_values(const Record& record, Description& description, const WhereDeclared& where, const std::string& path) {
    RecordReader reader(record.body, path);
    const std::string what = reader.text(), list = reader.text();
    name_values(what, list, description, where);
}

// `macros` declare what has two of a name, with these words before it.
template<class List>
void refuse_twins(const List& list, const char* what, const std::vector<std::string_view>& macros, std::vector<std::string> words,
                  const WhereDeclared& where) {
    std::set<std::string> seen;
    for (const auto& item : list) {
        if (seen.insert(item.name).second) continue;
        words.push_back(item.name);
        throw Error(Failure::plugin, fmt::format("{}: two {}s are called {}", where.in_macro(macros, words), what, item.name),
                    "run files name them", "rename one");
    }
}

} // namespace

std::optional<std::size_t> Row::find(const std::string& member) const {
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].name == member) return i;
    return std::nullopt;
}

bool Function::spawns() const noexcept {
    return !link_births.empty() || std::any_of(agent_uses.begin(), agent_uses.end(), [](const AgentUse& use) { return use.spawns; });
}

bool Function::sends() const noexcept {
    return std::any_of(link_uses.begin(), link_uses.end(), [](const LinkUse& use) { return !use.sent.empty(); });
}

std::optional<std::size_t> Description::find_function(std::size_t row, const std::string& wanted) const {
    for (std::size_t i = 0; i < functions.size(); ++i)
        if (functions[i].row == row && functions[i].name == wanted) return i;
    return std::nullopt;
}

std::string snake_case(const std::string& name) {
    std::string result;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto upper = [&](std::size_t at) { return at < name.size() && std::isupper(static_cast<unsigned char>(name[at])); };
        const bool word_starts =
            upper(i) && i > 0 && name[i - 1] != '_' && (!upper(i - 1) || (i + 1 < name.size() && !upper(i + 1) && name[i + 1] != '_'));
        if (word_starts) result += '_';
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return result;
}

namespace {

bool is_row(RecordKind kind) { return kind == RecordKind::place || kind == RecordKind::agent || kind == RecordKind::link; }

// Reads the row types, and finds the places of each type of agents, and of links.
void read_rows(const std::vector<Record>& records, Description& description, const WhereDeclared& where, const std::string& path) {
    std::vector<const Record*> of_rows;
    std::vector<RecordKind> kinds;
    std::vector<bool> is_place;
    for (const auto& record : records)
        if (is_row(record.header.kind)) {
            description.rows.push_back(read_row(record, path));
            of_rows.push_back(&record);
            kinds.push_back(record.header.kind);
            is_place.push_back(record.header.kind == RecordKind::place);
        }
    for (std::size_t r = 0; r < of_rows.size(); ++r) {
        if (kinds[r] == RecordKind::agent)
            description.rows[r].ground = find_ground(*of_rows[r], description.rows, is_place, description.rows[r].position, where, path);
        if (kinds[r] == RecordKind::link) description.rows[r].ends = find_ends(*of_rows[r], description.rows, kinds, where, path);
    }
}

// Reads a record, and returns whether it names the model. Rows, values of a step and documentation are read in other passes, and skipped
// here.
bool read_record(const Record& record, Description& description, const std::string& path) {
    RecordReader reader(record.body, path);
    switch (record.header.kind) {
    case RecordKind::place:
    case RecordKind::agent:
    case RecordKind::link:
    case RecordKind::value:
    case RecordKind::uniform:
    case RecordKind::values:
    case RecordKind::doc: return false;
    case RecordKind::call:
    case RecordKind::init: description.functions.push_back(read_function(record, description, path)); return false;
    case RecordKind::parameter: description.parameters.push_back(read_parameter(record, path)); return false;
    case RecordKind::defaults: description.defaults += reader.text() + "\n"; return false;
    case RecordKind::model:
        description.name = reader.text();
        description.doc = reader.text();
        return true;
    default: reader.damaged(fmt::format("there is no record of kind {}", static_cast<std::uint32_t>(record.header.kind)));
    }
}

void expect_whole(const Description& description, bool named, const std::string& path) {
    if (!named)
        throw Error(Failure::plugin, path + " declares no model", "TESSERA_MODEL is missing",
                    "add TESSERA_MODEL(name, \"what it is\"); as its last line");
    if (description.rows.empty())
        throw Error(Failure::plugin, path + " declares no places", "TESSERA_PLACE is missing",
                    "add TESSERA_PLACE(Row, members...); after the struct");
}

void check_names(const Description& description, const WhereDeclared& where) {
    const auto& rows = description.rows;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto is_joined = [&](std::size_t place) {
            return std::any_of(rows.begin(), rows.end(),
                               [place](const Row& row) { return row.ends && (row.ends->from == place || row.ends->to == place); });
        };
        const bool is_ground = std::any_of(rows.begin(), rows.end(), [r](const Row& row) { return row.ground == r; });
        check_member_names(rows[r], is_ground, rows[r].ends || is_joined(r), rows[r].ground && is_joined(*rows[r].ground), where);
    }
    refuse_twins(description.rows, "row type", {"TESSERA_PLACE", "TESSERA_AGENT", "TESSERA_LINK"}, {}, where);
    refuse_twins(description.parameters, "parameter", {"TESSERA_PARAM"}, {}, where);
    refuse_twins(description.values, "global value", {"TESSERA_GLOBAL"}, {}, where);
    auto of_steps = description.values;
    for (const auto& uniform : description.uniforms) of_steps.push_back({uniform.name, uniform.doc, uniform.type});
    refuse_twins(of_steps, "value", {"TESSERA_UNIFORM"}, {}, where);
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        std::vector<Function> of_row;
        for (const auto& function : description.functions)
            if (function.row == r) of_row.push_back(function);
        const auto& row = description.rows[r];
        refuse_twins(of_row, "function", {"TESSERA_CALL", "TESSERA_INIT"}, {row.name}, where);
        refuse_twins(row.members, "member", {"TESSERA_PLACE", "TESSERA_AGENT", "TESSERA_LINK"}, {row.name}, where);
    }
}

} // namespace

Description read_description(std::span<const jit::DataSymbol> symbols, const std::string& path, const jit::ModelSource& source) {
    const WhereDeclared where(source, path);
    const auto records = collect(symbols);
    Description description;
    read_rows(records, description, where, path);
    for (const auto& record : records)
        if (record.header.kind == RecordKind::value) description.values.push_back(read_value(record, path));
    for (const auto& record : records) // each reads those before it
        if (record.header.kind == RecordKind::uniform) description.uniforms.push_back(read_uniform(record, description, path));
    bool named = false;
    for (const auto& record : records) named |= read_record(record, description, path);
    for (const auto& record : records)
        if (record.header.kind == RecordKind::doc) read_doc(record, description, where, path);
    for (const auto& record : records)
        if (record.header.kind == RecordKind::values) read_values(record, description, where, path);
    expect_whole(description, named, path);
    check_names(description, where);
    return description;
}

} // namespace tessera::model
