// How launches over lists are cut for the threads of a CPU, and by how many places at a time a list's running sums are made (list.hpp). For
// kernels, and for the host, which launches them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr int items_a_chunk = 1024; // numbers, of one item for a CPU
constexpr std::int64_t items_of_numbers(std::int64_t most) { return (most + items_a_chunk - 1) / items_a_chunk; }
// With which of `count` numbers an item begins, of a launch over `most`. Those that there are are shared out, in chunks, and not those for
// which there is room: of these the first thread would have most that are there.
constexpr std::int64_t first_of_item(std::int64_t most, std::int64_t count, std::int64_t item) {
    if (count <= 0) return 0;
    const auto items = items_of_numbers(most), chunks = items_of_numbers(count);
    const auto first = (chunks * item + items - 1) / items * items_a_chunk;
    return first < count ? first : count;
}

// Of few places each block makes the sums of all before it by itself, without a launch more.
constexpr bool makes_sums_by_itself(std::int64_t places) { return places <= std::int64_t{1} << 14; }

// Few in a block keep all of a GPU busy with a small grid; of a large one there would be too many blocks, of which each sums up all.
constexpr int places_a_block(std::int64_t places) {
    return makes_sums_by_itself(places) ? 256 : places <= std::int64_t{1} << 20 ? 1024 : 4096;
}
constexpr std::int64_t blocks_of_places(std::int64_t places) { return (places + places_a_block(places) - 1) / places_a_block(places); }

// Of agents likewise, of so many for whom there is room (staying.hpp).
constexpr int agents_a_block(std::int64_t room) { return places_a_block(room); }
constexpr std::int64_t blocks_of_agents(std::int64_t room) { return (room + agents_a_block(room) - 1) / agents_a_block(room); }

} // namespace tessera
