// What kernels get at a launch, 8 bytes a field. For kernels, and for the host, which fills it in (host/execute/binder.cpp).
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

// What stands at `first_step`, on each partition: the step's number, behind it what phases `reduce` make, and behind that the uniforms of
// steps, a row of words for each (uniform_row). Words of 8 bytes.
enum step_word : int {
    step_number_word = 0,
    reduce_fault_word = 1, // what a reduce could not make: which launch (launch_number), 0: none; which of its values; what it would be
    answer_word = 4,       // the address of the word that gets the answer to an `until` (answer_to_until), which the host reads; 0: nobody
                           // does
    send_fault_word = 5,   // what was sent later than there is room for: which launch (launch_number, with the kernel's number from 1 for a
                           // phase's), 0: none; the complement of the least place, and of its least delay, in the lower half
    left_out_word = 7,     // whether the answer to the last question was yes: launches of later rounds are then left out
    first_value_word = 8   // the values, in the order of declaration
};
enum until_answer : std::uint64_t { no_answer = 0, answered_no = 1, answered_yes = 2 };
// With the phase that asks, by its number from 1: of several questions that are queued together, which one it is.
TESSERA_FN constexpr std::uint64_t answer_to_until(until_answer answer, std::uint64_t phase) { return phase << 8 | answer; }
TESSERA_FN constexpr std::uint64_t kind_of_answer(std::uint64_t word) { return word & 0xff; }
TESSERA_FN constexpr std::uint64_t phase_of_answer(std::uint64_t word) { return word >> 8; }
// As many steps as are queued together have a row of their own (Stepper::longest_segment): all of them can be made at once.
inline constexpr std::uint64_t uniform_rows = 256;
TESSERA_FN constexpr std::uint64_t uniform_row(std::uint64_t step_after_first) { return step_after_first % uniform_rows; }

// A launch makes the rows [first_row, end_row) of the grid's last axis (y, or z where there is one), and along the other axes everything.
struct launch_arguments {
    const std::uint64_t* first_step; // on the device
    std::uint32_t step_after_first;
    std::uint32_t left_out_at_yes; // of a GPU, 0 or 1: the launch does nothing where left_out_word behind first_step is not 0 (is_left_out)
    std::int64_t first_row, end_row;
};

// Of a function: the columns that it names, in the order of its row's members, and one key. Of a program of several steps: all columns, and
// a key for each call of a step.
template<int Columns, int Keys> struct arguments : launch_arguments {
    const void* in[Columns];
    void* out[Columns];
    std::uint64_t random_key[Keys];
};

// Where they begin, in bytes, of as many columns and keys as are known only when the host runs.
struct argument_offsets {
    std::size_t in, out, random_key, end;
};
constexpr argument_offsets offsets_of_arguments(std::size_t columns, std::size_t keys) {
    const std::size_t in = sizeof(launch_arguments), out = in + columns * sizeof(void*), key = out + columns * sizeof(void*);
    return {in, out, key, key + keys * sizeof(std::uint64_t)};
}
static_assert(offsets_of_arguments(3, 2).end == sizeof(arguments<3, 2>), "no field stands apart from the one before it");

// Of the kernel that adds to the device's step counter.
struct advance_arguments {
    std::uint64_t* step;
    std::uint64_t by;
};

// Of the kernel of a uniform: for which steps it is made.
struct uniform_arguments {
    std::uint64_t* step_words;
    std::uint64_t step_after_first, steps;
    const std::uint64_t* left_out = nullptr; // the launch does nothing where that word is not 0
};

// Of the kernel that joins what partitions have added up for a reduce (reduce.hpp): on each, the words of all of them, one partition's
// after the other's. What it makes stands at the partition's own step_word.
struct join_arguments {
    std::uint64_t* step_words;
    std::uint64_t step_after_first;
    std::uint64_t* words;
    std::uint64_t partitions;
    std::uint64_t phase;                     // its number, from 1
    std::uint64_t tells_no = 1;              // of a question: whether the host is told a no as well
    std::uint64_t is_stop = 0;               // of a question: it is `stop`, and what is wrong with it the host finds out itself
    const std::uint64_t* left_out = nullptr; // the launch does nothing where that word is not 0
};

// ---- of reduces that are given as data (reduce_code.hpp)

struct reduce_instruction;
struct reduce_part;
struct reduce_value;

// One of them, where it stands on a device. `words` are those of all its parts, of one partition.
struct reduce_code {
    const reduce_instruction* instructions;
    const reduce_part* parts;
    const reduce_value* values;
    std::int32_t part_count, value_count, words;
};

// Columns of a collection that it may read.
inline constexpr int most_reduce_columns = 64;
struct any_reduce_arguments : launch_arguments {
    reduce_code code;
    std::uint64_t* words;
    std::int64_t collection, places_a_line, lines_a_row; // a row of a volume is a plane of lines, else it is a line
    std::int64_t places;                                 // of its rows, of which the last may be short
    const void* in[most_reduce_columns];
};
struct any_join_arguments : join_arguments {
    reduce_code code;
};

// ---- of agents

// What an agent did that ends the run.
enum agent_fault : std::uint32_t {
    migrates_undeclared = 0,
    migrates_off_grid = 1,
    spawns_too_many = 2, // in one call
    spawns_off_grid = 3,
    births_too_often = 4, // cycles are more than an id can tell
    births_too_many = 5,  // on a place
    outgrows_room = 6,    // of a list; instead of an id, how many there would be
    spawns_undeclared = 7,
    migrates_to_no_number = 8,
    spawns_at_no_number = 9,
    links_to_nowhere = 10, // a place or agent spawns a link that leads to no place, or comes from none
    spawns_too_many_links = 11,
    agent_faults = 12
};

// Of a partition. The first launch that finds a fault says which it is; what comes behind it does nothing. Of each fault, the least id.
struct fault_record {
    std::uint64_t launch;            // 0: none; else as in agent_arguments
    std::uint64_t ids[agent_faults]; // all ones: none
};

// What became of the agents of a collection on a partition since the start.
struct agent_counters {
    std::uint64_t born, died, moved, refused_moves, refused_births;
};

// Instead of a phase: an init function of places that is to count the children that it has in lists, and to do nothing else.
inline constexpr std::uint64_t counts_children = 0xffffffff;

// What stands behind the arguments of a function of agents, and of a part of manageAll.
struct agent_pointers {
    fault_record* faults;
    agent_counters* counters;        // of a function of places: those of the first collection
    std::uint64_t phase;             // its number, from 1; 0: an init function
    std::int64_t first_own, end_own; // the partition's rows: what others want, they count
};
template<int Columns> struct agent_arguments : arguments<Columns, 1>, agent_pointers {};
static_assert(sizeof(agent_arguments<3>) == sizeof(arguments<3, 1>) + sizeof(agent_pointers), "nothing stands between them");

// Which launch a fault is of: the step, and the phase in its lower half.
constexpr std::uint64_t launch_number(std::uint64_t step, std::uint64_t phase) { return step << 32 | phase; }

} // namespace tessera
