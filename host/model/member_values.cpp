#include "host/model/member_values.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "host/model/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

namespace tessera::model {
namespace {

class ValueNames {
public:
    ValueNames(const std::string& what, const std::string& list, const WhereDeclared& where) : what_(what), list_(list), where_(where) {}

    void give_to(Description& description) const {
        auto* const member = member_of(description);
        if (member == nullptr)
            refuse({}, "names values of nothing", "there is no such member", "write Row::member as in its TESSERA_PLACE or TESSERA_AGENT");
        if (member->type == Scalar::f32 || member->type == Scalar::f64)
            refuse({}, "cannot name values",
                   fmt::format("{} is {}, and only whole numbers have names", member->name, name_of(member->type)),
                   "make it an integer or a bool");
        if (!member->values.empty()) refuse({}, "is there twice", "the values of a member have one list of names", "join the two");
        std::int64_t next = 0;
        for (const auto& item : items()) {
            auto value = read(item, next);
            check(*member, value);
            next = value.code < std::numeric_limits<std::int64_t>::max() ? value.code + 1 : value.code;
            member->values.push_back(std::move(value));
        }
    }

private:
    [[nodiscard]] Member* member_of(Description& description) const {
        const auto colons = what_.rfind("::");
        if (colons == std::string::npos) return nullptr;
        for (auto& row : description.rows)
            if (row.name == what_.substr(0, colons))
                if (const auto member = row.find(what_.substr(colons + 2))) return &row.members[*member];
        return nullptr;
    }
    // What stands between the commas.
    [[nodiscard]] std::vector<std::string> items() const {
        std::vector<std::string> all;
        for (std::size_t at = 0; at <= list_.size();) {
            const auto end = std::min(list_.find(',', at), list_.size());
            all.push_back(trimmed(list_.substr(at, end - at)));
            at = end + 1;
        }
        return all;
    }
    [[nodiscard]] static std::string trimmed(const std::string& text) {
        const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
        return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
    }
    // "tree = 4", or "tree" for `next`.
    [[nodiscard]] NamedValue read(const std::string& item, std::int64_t next) const {
        const auto equals = item.find('=');
        NamedValue value{trimmed(item.substr(0, equals)), next};
        if (!is_cpp_name(value.name))
            refuse(value.name, fmt::format("has `{}`", shown(item)), "that is no name",
                   "write names with commas between them: bare, tree = 4");
        if (equals == std::string::npos) return value;
        const auto number = trimmed(item.substr(equals + 1));
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value.code);
        if (error != std::errc() || end != number.data() + number.size())
            refuse(value.name, fmt::format("has `{}`", shown(item)), fmt::format("`{}` is no whole number", shown(number)),
                   "write the value with digits: tree = 4");
        return value;
    }
    void check(const Member& member, const NamedValue& value) const {
        for (const auto& other : member.values) {
            if (other.name == value.name)
                refuse(value.name, fmt::format("names two values {}", value.name), "a name stands for one value", "rename one");
            if (other.code == value.code)
                refuse(value.name, fmt::format("calls {} both {} and {}", value.code, other.name, value.name), "a value has one name",
                       "leave one out");
        }
        const bool fits = with_type(member.type, [&](auto kind) {
            using T = decltype(kind);
            const auto held = static_cast<T>(value.code);
            return static_cast<std::int64_t>(held) == value.code && (std::numeric_limits<T>::is_signed || value.code >= 0);
        });
        if (!fits)
            refuse(value.name, fmt::format("calls {} {}", value.code, value.name),
                   fmt::format("{} is {}, which does not hold it", member.name, name_of(member.type)),
                   "name values that it holds, or give it a larger type");
    }
    [[noreturn]] void refuse(const std::string& word, const std::string& problem, const std::string& why,
                             const std::string& suggestion) const {
        std::vector<std::string> words;
        for (std::size_t at = 0; at < what_.size();) {
            const auto end = std::min(what_.find("::", at), what_.size());
            if (end > at) words.push_back(what_.substr(at, end - at));
            at = end + 2;
        }
        if (!word.empty() && (words.empty() || words.back() != word)) words.push_back(word);
        throw Error(Failure::plugin,
                    fmt::format("{}: TESSERA_VALUES({}, ...) {}", where_.in_macro({"TESSERA_VALUES"}, words), what_, problem), why,
                    suggestion);
    }

    const std::string &what_, &list_;
    const WhereDeclared& where_;
};

} // namespace

void name_values(const std::string& what, const std::string& list, Description& description, const WhereDeclared& where) {
    ValueNames(what, list, where).give_to(description);
}

} // namespace tessera::model
