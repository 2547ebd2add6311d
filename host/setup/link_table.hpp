// The links of a collection as a file has them, or as a rule makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// What the columns of both ends are called among those of a collection of links.
inline constexpr const char* link_from_name = "(from)";
inline constexpr const char* link_to_name = "(to)";

// In the order in which they stand in their collection: of where they lead to, where they come from, and their age. Of links without a
// direction each leads to the higher of its ends.
struct LinkTable {
    struct Column {
        std::size_t member = 0;        // in Row::members
        std::vector<std::byte> values; // of link after link
    };
    std::vector<std::int32_t> from, to; // numbers of places
    std::vector<Column> columns;        // what a file has of their members
    std::int64_t left_out = 0;          // links that a rule asks for and that could not be

    [[nodiscard]] std::size_t size() const noexcept { return from.size(); }
    [[nodiscard]] const Column* find(std::size_t member) const noexcept {
        for (const auto& column : columns)
            if (column.member == member) return &column;
        return nullptr;
    }
};

} // namespace tessera
