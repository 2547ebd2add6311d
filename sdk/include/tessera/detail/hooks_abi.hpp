// SPDX-License-Identifier: Apache-2.0
// What passes between a library's hooks and the program that calls them: plain C, so that neither has to be made by the other's compiler or
// standard library.
//
// A library with hooks exports one symbol, `tessera_hooks_v1`, a tessera_hooks. Every struct begins with its size as it was written and has
// members added at its end alone, so that either side knows what the other has. Texts end in a zero byte and belong to who hands them over;
// they last until the call returns, those of a tessera_hook for ever. Functions give 0 where all went well. No exception passes.
#pragma once

#include <cstdint>

#define TESSERA_HOOKS_MAJOR 1
#define TESSERA_HOOKS_MINOR 0

extern "C" {

// What a member is, or, without a member, a collection. `type` is as in records (bool 1, int8, uint8, int16, uint16, int32, uint32, int64,
// uint64, float, double 11); 0 of a collection.
struct tessera_column {
    std::uint32_t struct_size, type;
    std::int32_t elements;     // of an array member; else 1
    std::int32_t is_of_agents; // then `size` is that of the places that they stand on
    std::int64_t count;        // places, or agents
    std::int64_t size[3];
};

// Places from `from` to before `to`, along x, y and z.
struct tessera_box {
    std::int64_t from[3], to[3];
};

// What a hook may ask, while it is called and in the thread in which it is. `run` is handed to each function.
struct tessera_host {
    std::uint32_t struct_size;
    std::uint16_t abi_major, abi_minor;
    void* run;
    std::int64_t step; // steps made
    // Why the last function gave something else than 0.
    const char* (*why)(void* run);
    std::int32_t (*find)(void* run, const char* collection, const char* member, tessera_column* found);
    // `count` values of `type`, x fastest, then y, z and the elements of an array member; of agents in the order of their ids. Without a
    // box all of them; agents have none.
    std::int32_t (*read)(void* run, const char* collection, const char* member, const tessera_box* box, std::uint32_t type, void* values,
                         std::uint64_t count);
    std::int32_t (*write)(void* run, const char* collection, const char* member, const tessera_box* box, std::uint32_t type,
                          const void* values, std::uint64_t count);
    std::int32_t (*parameter)(void* run, const char* name, std::uint32_t type, void* value);
    void (*log)(void* run, std::int32_t is_warning, const char* text);
    void (*stop)(void* run, const char* why); // once all hooks of this state were called
    void (*fail)(void* run, const char* why); // what a hook says before it gives something else than 0
};

enum { tessera_at_start = 1, tessera_every = 2, tessera_at_end = 3 }; // tessera_hook::when
enum { tessera_stateful = 1 };                                        // tessera_hook::flags: what it does depends on earlier calls of it

struct tessera_hook {
    std::uint32_t struct_size, when;
    std::uint32_t flags, reserved;
    std::uint64_t every; // of tessera_every: at the states 0, every, 2 every...
    const char* name;
    std::int32_t (*call)(const tessera_host* host);
};

struct tessera_hooks {
    std::uint32_t struct_size;
    std::uint16_t abi_major, abi_minor;
    std::uint64_t (*count)(void);
    const tessera_hook* (*hook)(std::uint64_t number); // in the order in which they are called
};

} // extern "C"
