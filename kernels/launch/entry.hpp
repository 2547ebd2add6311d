// Entry points of an image: how a kernel is started on a GPU and on a CPU. Views have headers of their own; an image includes those that it
// uses.
#pragma once

#include <tessera/kernels/launch/grid.hpp>
#include <tessera/kernels/launch/launch.hpp>

// TESSERA_ENTRY(symbol, Function, call<...>): a kernel that calls Function for every place. TESSERA_ENTRY_OF: by blocks of so many threads.
// TESSERA_PROGRAM(symbol, Program, bounds, call<...>): a kernel of several steps; on a GPU `bounds` is (threads of a block), or (threads,
// blocks that a multiprocessor is to have registers for).
// TESSERA_AGENTS(symbol, Call, call): a kernel of agents (agents.hpp).
// TESSERA_GEOMETRY(symbol, Columns, Bytes): a variable that the host sets before the first launch, a geometry_of<Columns> of so many bytes.
// TESSERA_TASK(symbol, Arguments, statements over `args`): a kernel of one thread.
#if TESSERA_GPU
#define TESSERA_GEOMETRY(symbol, Columns, Bytes)                   \
    static_assert(sizeof(tessera::geometry_of<Columns>) == Bytes); \
    extern "C" {                                                   \
    __constant__ tessera::geometry_of<Columns> symbol;             \
    }
#define TESSERA_ENTRY(symbol, Function, ...) TESSERA_ENTRY_OF(symbol, Function, 128, __VA_ARGS__)
#define TESSERA_ENTRY_OF(symbol, Function, threads, ...)                                                                         \
    extern "C" __global__ void __launch_bounds__(threads) symbol(const __grid_constant__ tessera::arguments_of<Function> args) { \
        tessera::follow_last_launch();                                                                                           \
        if (tessera::is_left_out(args)) return;                                                                                  \
        tessera::__VA_ARGS__(args);                                                                                              \
    }
#define TESSERA_PROGRAM(symbol, Program, bounds, ...)                                 \
    extern "C" __global__ void __launch_bounds__ bounds symbol(                       \
        const __grid_constant__ tessera::fused::arguments_of_program<Program> args) { \
        tessera::follow_last_launch();                                                \
        tessera::fused::__VA_ARGS__(args);                                            \
    }
#define TESSERA_AGENTS(symbol, Call, call)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256) symbol(const __grid_constant__ tessera::arguments_of_call<Call> args) { \
        tessera::follow_last_launch();                                                                                        \
        if (tessera::is_left_out(args)) return;                                                                               \
        tessera::call<Call>(args);                                                                                            \
    }
#define TESSERA_TASK(symbol, Arguments, ...)                                    \
    extern "C" __global__ void symbol(const __grid_constant__ Arguments args) { \
        tessera::follow_last_launch();                                          \
        if (tessera::is_left_out(args)) return;                                 \
        __VA_ARGS__;                                                            \
    }
#else
#define TESSERA_GEOMETRY(symbol, Columns, Bytes)                   \
    static_assert(sizeof(tessera::geometry_of<Columns>) == Bytes); \
    TESSERA_UNKNOWN_CONSTANT(#symbol, #Bytes)                      \
    extern const tessera::geometry_of<Columns> symbol TESSERA_NAMED(#symbol);
#define TESSERA_ENTRY(symbol, Function, ...)                                                                                 \
    extern "C" __attribute__((visibility("default"))) void symbol(const void* args, std::int64_t first, std::int64_t last) { \
        tessera::__VA_ARGS__(args, first, last);                                                                             \
    }
#define TESSERA_PROGRAM(symbol, Program, bounds, ...) TESSERA_ENTRY(symbol, , fused::__VA_ARGS__)
#define TESSERA_AGENTS(symbol, Call, call) TESSERA_ENTRY(symbol, , call<Call>)
#define TESSERA_TASK(symbol, Arguments, ...)                                                                          \
    extern "C" __attribute__((visibility("default"))) void symbol(const void* argument, std::int64_t, std::int64_t) { \
        const auto& args = *static_cast<const Arguments*>(argument);                                                  \
        __VA_ARGS__;                                                                                                  \
    }
#endif

TESSERA_TASK(tessera_advance, tessera::advance_arguments, *args.step += args.by)
