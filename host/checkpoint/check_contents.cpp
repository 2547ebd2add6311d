#include "host/checkpoint/check_contents.hpp"

#include "device_runtime/error.hpp"
#include "host/setup/link_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

namespace tessera::checkpoint {
namespace {

[[noreturn]] void disagrees(const std::string& why) { throw Error(Failure::input, why); }

void check_names(const Record& record) {
    std::set<std::string> columns, files, agents;
    for (const auto& column : record.columns) {
        if (!columns.insert(column.collection + "." + column.member).second)
            disagrees(fmt::format("it has {}.{} twice", column.collection, column.member));
        if (!files.insert(column.file.name).second) disagrees(fmt::format("two of its columns have the file {}", column.file.name));
    }
    for (const auto& each : record.agents)
        if (!agents.insert(each.past.collection).second) disagrees(fmt::format("it has the numbers of {} twice", each.past.collection));
}

// The columns of one collection.
class Collection {
public:
    Collection(const Record& record, const Snapshot& state, std::string name) : record_(record), state_(state), name_(std::move(name)) {}

    void check() const {
        if (find(link_from_name) != nullptr || find(link_to_name) != nullptr) check_links();
        if (find(start_name) != nullptr) check_list();
    }

private:
    static constexpr const char *count_name = "(count)", *start_name = "(start)";

    [[nodiscard]] const SnapshotPiece* find(const std::string& member) const {
        for (const auto& piece : state_.pieces)
            if (piece.collection == name_ && piece.member == member) return &piece;
        return nullptr;
    }
    // One that is there, of one number for each of its rows.
    [[nodiscard]] const SnapshotPiece& numbers(const char* member, Scalar type) const {
        const auto* const piece = find(member);
        if (piece == nullptr) disagrees(fmt::format("it has no {}.{}", name_, member));
        if (piece->shape.type != type || piece->shape.elements != 1)
            disagrees(fmt::format("its {}.{} are not numbers of type {}", name_, member, name_of(type)));
        return *piece;
    }
    template<class T> [[nodiscard]] static T value_at(const SnapshotPiece& piece, std::int64_t row) {
        T value{};
        piece.read(0, {row, row + 1}, reinterpret_cast<std::byte*>(&value));
        return value;
    }
    // All but one have a row for each of so many.
    void check_rows(const char* but, std::int64_t count, const char* of_what) const {
        for (const auto& piece : state_.pieces)
            if (piece.collection == name_ && piece.member != but && piece.shape.places() != count)
                disagrees(
                    fmt::format("its {}.{} has {} rows, and there are {} {}", name_, piece.member, piece.shape.places(), count, of_what));
    }
    void check_links() const {
        const auto links = numbers(link_from_name, Scalar::i32).shape.places();
        (void)numbers(link_to_name, Scalar::i32);
        check_rows(count_name, links, "links");
        if (find(count_name) == nullptr) return;
        const auto& counted = numbers(count_name, Scalar::i64);
        if (counted.shape.places() != 1) disagrees(fmt::format("its {}.{} has {} numbers", name_, count_name, counted.shape.places()));
        if (const auto count = value_at<std::int64_t>(counted, 0); count != links)
            disagrees(fmt::format("its {}.{} says that there are {} links, and its arrays have {}", name_, count_name, count, links));
    }
    void check_list() const {
        const auto& starts = numbers(start_name, Scalar::i32);
        if (starts.shape.places() < 1) disagrees(fmt::format("its {}.{} is empty", name_, start_name));
        const std::int64_t count = value_at<std::int32_t>(starts, starts.shape.places() - 1);
        check_rows(start_name, count, "agents");
        for (const auto& each : record_.agents)
            if (each.past.collection == name_ && each.room != 0 && each.room < static_cast<std::uint64_t>(count))
                disagrees(fmt::format("it has {} agents of {} in a memory for {}", count, name_, each.room));
    }

    const Record& record_;
    const Snapshot& state_;
    const std::string name_;
};

} // namespace

void check_contents(const Record& record, const Snapshot& state) {
    check_names(record);
    std::set<std::string> collections;
    for (const auto& column : record.columns) collections.insert(column.collection);
    for (const auto& name : collections) Collection(record, state, name).check();
    for (const auto& each : record.agents)
        if (collections.count(each.past.collection) == 0) disagrees(fmt::format("it has no columns of {}", each.past.collection));
}

} // namespace tessera::checkpoint
