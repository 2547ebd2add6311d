// What a kernel of agents, or a part of a manageAll, is given, and what it tells: faults, and counts.
#pragma once

#include <tessera/kernels/launch/arguments.hpp>
#include <tessera/kernels/launch/memory.hpp>

namespace tessera {

template<class Call> using arguments_of_call = agent_arguments<Call::columns>;

template<class Call> TESSERA_FN std::uint64_t step_of(const arguments_of_call<Call>& args) {
    return *args.first_step + args.step_after_first;
}

// A kernel as part number Number of a chain of several (chained.hpp).
template<class Call, int Number> struct part_of_chain : Call {};
template<class Call> inline constexpr int number_in_chain = -1;
template<class Call, int Number> inline constexpr int number_in_chain<part_of_chain<Call, Number>> = Number;

// Whether an earlier launch has found a fault: later launches then do nothing. A chain asks once.
template<class Call> TESSERA_FN bool is_given_up(const arguments_of_call<Call>& args) {
    if constexpr (number_in_chain<Call> >= 0) return false;
    const std::uint64_t launch = peek(&args.faults->launch);
    return launch != 0 && launch != launch_number(step_of<Call>(args), args.phase);
}

// A part of a chain has a record of its own, so many behind the partition's, which only says then that there is a fault.
template<class Call>
TESSERA_FN void report_of_phase(const arguments_of_call<Call>& args, agent_fault fault, std::uint64_t id, std::uint64_t phase) {
    const std::uint64_t launch = launch_number(step_of<Call>(args), phase);
    poke(&args.faults->launch, launch);
    if constexpr (number_in_chain<Call> >= 0) {
        fault_record* const all = args.faults - 1 - number_in_chain<Call>;
        if (peek(&all->launch) == 0) poke(&all->launch, launch);
    }
#if TESSERA_GPU
    atomicMin(reinterpret_cast<unsigned long long*>(&args.faults->ids[fault]), static_cast<unsigned long long>(id));
#else
    std::uint64_t* const least = &args.faults->ids[fault];
    for (std::uint64_t before = peek(least); id < before;)
        if (__atomic_compare_exchange_n(least, &before, id, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
#endif
}
template<class Call> TESSERA_FN void report(const arguments_of_call<Call>& args, agent_fault fault, std::uint64_t id) {
    report_of_phase<Call>(args, fault, id, args.phase);
}

#if TESSERA_GPU
// By all threads of a warp; GPUs before sm_80 have no instruction for it.
TESSERA_FN std::uint32_t sum_of_warp(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(~0u, value, d);
    return value;
#endif
}
#endif

// Adds a thread's counts, each to a total of its own. On a GPU all threads of a block add together, since adding to one number is slow when
// many threads do.
struct counted {
    std::uint64_t* total;
    std::uint32_t count;
};
template<class... Counted> TESSERA_FN void add_up_counted(const Counted&... each) {
#if TESSERA_GPU
    constexpr unsigned numbers = sizeof...(Counted);
    __shared__ std::uint32_t of_block[numbers];
    if (threadIdx.x < numbers) of_block[threadIdx.x] = 0;
    const std::uint32_t of_warp[] = {sum_of_warp(each.count)...};
    std::uint32_t any = 0;
#pragma unroll
    for (unsigned i = 0; i < numbers; ++i) any |= of_warp[i];
    if (!__syncthreads_or(any != 0)) return;
#pragma unroll
    for (unsigned i = 0; i < numbers; ++i)
        if (of_warp[i] != 0 && threadIdx.x % 32 == 0) atomicAdd(&of_block[i], of_warp[i]);
    __syncthreads();
    unsigned number = 0;
    const auto add = [&](std::uint64_t* total) {
        if (threadIdx.x == number && of_block[number] != 0)
            atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(of_block[number]));
        ++number;
    };
    (add(each.total), ...);
    __syncthreads();
#else
    const auto add = [](const counted& number) {
        if (number.count != 0) __atomic_fetch_add(number.total, std::uint64_t{number.count}, __ATOMIC_RELAXED);
    };
    (add(each), ...);
#endif
}

} // namespace tessera
