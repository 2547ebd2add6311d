#include "host/model/description.hpp"

#include "device_runtime/error.hpp"
#include "jit/symbols.hpp"

#include <tessera/detail/records.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

namespace tessera::model {
namespace {

using RecordKind = record_kind;
using Header = record_header;

struct Record {
    Header header;
    std::string scope;
    std::span<const std::byte> body; // behind the header
};

[[noreturn]] void damaged(const std::string& path) {
    throw Error(Failure::plugin, "cannot read the description of " + path, "a record ends too early",
                "compile the model with the SDK of this version");
}

// Reads a record's body from front to back.
class Reader {
public:
    Reader(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path) {}

    std::span<const std::byte> take(std::size_t size) {
        if (size > bytes_.size() - at_) damaged(path_);
        const auto taken = bytes_.subspan(at_, size);
        at_ += size;
        return taken;
    }
    template<class T> T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    std::string text() { // up to the next zero
        std::string result;
        while (at_ < bytes_.size() && bytes_[at_] != std::byte{0}) result += static_cast<char>(bytes_[at_++]);
        ++at_;
        return result;
    }
    void align(std::size_t to) { at_ = (at_ + to - 1) / to * to; }

private:
    std::span<const std::byte> bytes_;
    std::string path_;
    std::size_t at_ = 0;
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
        if (unnamed || parts[i] == "tessera_model") continue;
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

Member read_member(Reader& reader) {
    Member member;
    reader.align(8);
    member.type = static_cast<Scalar>(reader.number<std::uint32_t>());
    member.elements = static_cast<int>(reader.number<std::uint32_t>());
    const auto value = reader.take(member.bytes());
    member.initial.assign(value.begin(), value.end());
    reader.align(8);
    return member;
}

Row read_row(const Record& record, const std::string& path) {
    Reader reader(record.body, path);
    Row row;
    row.scope = record.scope;
    for (std::uint32_t i = 0; i < record.header.count; ++i) row.members.push_back(read_member(reader));
    row.name = reader.text();
    const auto names = split_names(reader.text());
    if (names.size() != row.members.size()) damaged(path);
    for (std::size_t i = 0; i < names.size(); ++i) row.members[i].name = names[i];
    row.collection = snake_case(row.name);
    return row;
}

void check_member_names(const Row& row, const std::string& path) {
    static const std::set<std::string> taken = {"position", "size", "step", "random", "each", "at", "exists", "sum", "place", "neighbour"};
    for (const auto& member : row.members)
        if (taken.count(member.name) != 0)
            throw Error(Failure::plugin, fmt::format("{}: {}::{} cannot be a member's name", path, row.name, member.name),
                        fmt::format("`self.{}` is something else already", member.name), "rename the member");
}

Function read_function(const Record& record, const std::vector<Row>& rows, const std::string& path) {
    Reader reader(record.body, path);
    Function function;
    function.scope = record.scope;
    function.is_init = record.header.kind == RecordKind::init;
    for (std::uint32_t i = 0; i < record.header.count; ++i) {
        MemberAccess access{0, i, {}};
        auto& use = access.use;
        const auto bits = reader.number<std::uint8_t>();
        use.reads = (bits & access_read) != 0;
        use.around = (bits & access_around) != 0;
        use.writes = (bits & access_write) != 0;
        for (auto* reach : {&use.low, &use.high})
            for (auto& dimensions : *reach)
                for (auto& axis : dimensions) axis = reader.number<std::uint8_t>();
        if (use.reads || use.writes) function.accesses.push_back(access);
    }
    const std::string row = reader.text();
    function.name = reader.text();
    function.access = reader.text();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == row; });
    if (found == rows.end() || found->members.size() != record.header.count) damaged(path);
    function.row = static_cast<std::size_t>(found - rows.begin());
    for (auto& access : function.accesses) access.row = function.row;
    return function;
}

Parameter read_parameter(const Record& record, const std::string& path) {
    Reader reader(record.body, path);
    Parameter parameter;
    const auto low = reader.number<double>(), high = reader.number<double>();
    if (low <= high) parameter.range = {low, high};
    const Member value = read_member(reader);
    parameter.type = value.type;
    parameter.initial = value.initial;
    parameter.scope = record.scope;
    parameter.name = reader.text();
    parameter.doc = reader.text();
    return parameter;
}

void read_doc(const Record& record, std::vector<Row>& rows, const std::string& path) {
    Reader reader(record.body, path);
    const std::string what = reader.text(), text = reader.text();
    const auto colons = what.rfind("::");
    const std::string row = colons == std::string::npos ? "" : what.substr(0, colons), member = what.substr(colons + 2);
    for (auto& candidate : rows)
        if (candidate.name == row)
            if (const auto index = candidate.find(member)) {
                candidate.members[*index].doc = text;
                return;
            }
    throw Error(Failure::plugin, fmt::format("{}: TESSERA_DOC({}, ...) documents nothing", path, what), "there is no such member",
                "write Row::member as in its TESSERA_PLACE");
}

template<class List> void refuse_twins(const List& list, const char* what, const std::string& path) {
    std::set<std::string> seen;
    for (const auto& item : list)
        if (!seen.insert(item.name).second)
            throw Error(Failure::plugin, fmt::format("{}: two {}s are called {}", path, what, item.name), "run files name them",
                        "rename one");
}

} // namespace

std::optional<std::size_t> Row::find(const std::string& member) const {
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].name == member) return i;
    return std::nullopt;
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

Description read_description(std::span<const jit::DataSymbol> symbols, const std::string& path) {
    const auto records = collect(symbols);
    Description description;
    bool named = false;
    for (const auto& record : records)
        if (record.header.kind == RecordKind::place) description.rows.push_back(read_row(record, path));
    for (const auto& record : records) {
        Reader reader(record.body, path);
        switch (record.header.kind) {
        case RecordKind::place: break;
        case RecordKind::call:
        case RecordKind::init: description.functions.push_back(read_function(record, description.rows, path)); break;
        case RecordKind::parameter: description.parameters.push_back(read_parameter(record, path)); break;
        case RecordKind::defaults: description.defaults += reader.text() + "\n"; break;
        case RecordKind::doc: read_doc(record, description.rows, path); break;
        case RecordKind::model:
            named = true;
            description.name = reader.text();
            description.doc = reader.text();
            break;
        }
    }
    if (!named)
        throw Error(Failure::plugin, path + " declares no model", "TESSERA_MODEL is missing",
                    "add TESSERA_MODEL(name, \"what it is\"); as its last line");
    if (description.rows.empty())
        throw Error(Failure::plugin, path + " declares no places", "TESSERA_PLACE is missing",
                    "add TESSERA_PLACE(Row, members...); behind the struct");
    for (const auto& row : description.rows) check_member_names(row, path);
    refuse_twins(description.rows, "row type", path);
    refuse_twins(description.parameters, "parameter", path);
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        std::vector<Function> of_row;
        for (const auto& function : description.functions)
            if (function.row == r) of_row.push_back(function);
        refuse_twins(of_row, "function", path);
        refuse_twins(description.rows[r].members, "member", path);
    }
    return description;
}

} // namespace tessera::model
