// SPDX-License-Identifier: Apache-2.0
// The flat parts of a model's description, as they stand in a compiled image: what the SDK writes and the host reads, by one text.
//
// A record is a constant whose symbol contains `tessera_record_`. It begins with a record_header; what follows is said with its kind. There
// are no pointers in it, so that it can be read from an object file or a cubin without running it. Texts end in a zero byte.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr char record_magic[8] = {'T', 'E', 'S', 'S', 'E', 'R', 'A', '6'}; // the last character is the format

// What follows the header of each. The uses of a function are one a member of its row, and then one a member of the row of the places that
// its agents stand on, or an empty one where there are none.
enum class record_kind : std::uint32_t {
    place = 1, // a row: count members (type, elements, default; each aligned to 8 bytes), its name, their names with commas between them
    call = 2,  // a function of phases: function_counts, use_records, agent_use_records (aligned to 8 bytes), link_use_records and
               // name_hashes of the values that it reads (likewise); row, function, access list
    init = 3,  // the same, before the first step
    parameter = 4, // the range, 1 and 0 for any value (two doubles), a member with the default, name, documentation
    model = 5,     // name, documentation
    defaults = 6,  // run-file text
    doc = 7,       // what is documented, "Row::member"; documentation
    agent = 8,     // a row of agents: as a place's, and then what they stand on, "on<Field>"
    value = 9,     // of a step, made by reduce: a member, for its type; name, documentation
    uniform = 10,  // made once a step: a member, for its type; count name_hashes of what it reads (aligned to 8 bytes; there is one at
                   // least, 0); name, access list
    link = 12,     // a row of links: as a place's, and then what they join, "between<Person>" or "from<Neuron>::to<Neuron>"
    values = 11,   // a member whose values have names, "Row::member"; the names with commas between them, each with " = 3" where it says so
};

struct record_header {
    char magic[8];
    record_kind kind;
    std::uint32_t line;  // of the macro
    std::uint32_t size;  // of the row in bytes, where the record is about one
    std::uint32_t count; // of the entries that follow
    std::uint64_t file;  // name_hash of the path that the line is in: which of the model's files it is
};

// How a function uses a member; the values are part of the model description.
enum access_bits : unsigned char {
    access_none = 0,
    access_read = 1,
    access_around = 2,
    access_write = 4,
    access_adds = 8,
    access_least = 16,
    access_most = 32,
    access_along_axes = 64, // in a record alone: of the places of a volume that it sees, none is further along two axes
};

// How a function uses a member, and how far it reads around itself in grids of 1, 2 and 3 dimensions.
struct use_record {
    std::uint8_t bits;                  // access_bits
    std::uint8_t low[3][3], high[3][3]; // [dims - 1][axis]
};

// How many records follow of what lies outside of the function's own row.
struct function_counts {
    std::uint32_t ground, agent_uses, links, values;
};

// What a function does with agents beyond their members; the values are part of the model description.
enum agent_use_bits : std::uint32_t {
    agent_counts = 1,
    agent_moves = 2,
    agent_dies = 4,
    agent_results = 8,
    agent_meets = 16,
    agent_spawns = 32,
    agent_anywhere = 64, // and agent_moves
    agent_refused_births = 128,
    agent_along_links = 256, // and one of counts, moves and meets: where links of the place lead
};
inline constexpr int no_member = 0xffff;

// That of one entry of its access list with the agents of one row, and over how far.
struct agent_use_record {
    std::uint64_t row;                  // name_hash of its name
    std::uint32_t what;                 // agent_use_bits
    std::uint16_t member;               // of the row, that is met; else no_member
    std::uint16_t most;                 // children that a call may have
    std::uint8_t low[3][3], high[3][3]; // [dims - 1][axis]
};

// What a function asks for of links stands in place of a side; of link_spawns `member` is how many a call may have.
inline constexpr std::uint32_t link_dies = 6, link_spawns = 7;

// What a function reads along links on one side of a place, or sends along them: for each list a record with no member, behind it one for
// each member. One with no member that is sent in the way `agents_at_ends` says that the function has to do with agents there.
struct link_use_record {
    std::uint64_t link, row;    // name_hashes: of the links' name, and of that of the row that has the member, else 0
    std::uint32_t side, member; // link_side, 0: there is nothing, and how it is sent (sent_side); of the row, or no_member
};
inline constexpr int agents_at_ends = 64;
constexpr std::uint32_t sent_side(std::uint32_t side, int folds) { return side | static_cast<std::uint32_t>(folds) << 8; }
constexpr std::uint32_t side_of_sent(std::uint32_t side) { return side & 0xff; }
constexpr std::uint32_t folds_of_sent(std::uint32_t side) { return side >> 8; } // access_bits; 0: it is read

} // namespace tessera
