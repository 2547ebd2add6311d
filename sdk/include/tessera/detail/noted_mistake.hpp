// SPDX-License-Identifier: Apache-2.0
// Where a checked run writes down what it finds, and how the function that runs is left then. One thread of a CPU has a record of its own
// and stops at an instruction that the processor does not know; of the threads of a GPU each that finds something ends, and one record is
// what all of them found first.
#pragma once

#include <tessera/detail/mistake.hpp>

#if !defined(__clang__) && !TESSERA_GPU
namespace std {
struct source_location { // what g++ says of a place in the text is of this type, which it knows by its name
    struct __impl {
        const char* _M_file_name;
        const char* _M_function_name;
        unsigned _M_line, _M_column;
    };
};
} // namespace std
#endif

#if TESSERA_GPU
// By which the host finds it.
extern "C" {
__device__ __attribute__((used)) tessera::shared_mistake tessera_mistake = {tessera::shared_mistake::none};
}
#endif

namespace tessera {

// A place in the author's text: as a default argument, that of the call.
struct text_place {
    const char* file;
    unsigned line, column;

#if TESSERA_GPU
    static constexpr text_place here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) { return {file, line, 0}; }
#elif defined(__clang__)
    static constexpr text_place here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                     unsigned column = __builtin_COLUMN()) {
        return {file, line, column};
    }
#else
    static constexpr text_place here(decltype(__builtin_source_location()) at = __builtin_source_location()) {
        const auto* const known = static_cast<const std::source_location::__impl*>(at);
        return {known->_M_file_name, known->_M_line, known->_M_column};
    }
#endif
};

#if TESSERA_GPU
constexpr int most_threads_of_calls = 256; // a block

// This thread's.
TESSERA_FN noted_call_record& running_call() {
    __shared__ noted_call_record calls[most_threads_of_calls];
    return calls[threadIdx.x];
}

TESSERA_FN void copy_text(char (&to)[shared_mistake::longest_text], const char* from) {
    int i = 0;
    for (; from != nullptr && from[i] != 0 && i < shared_mistake::longest_text - 1; ++i) to[i] = from[i];
    to[i] = 0;
}

inline __noinline__ void note(const mistake_record& found) {
    auto& shared = tessera_mistake;
    auto* const least = reinterpret_cast<unsigned long long*>(&shared.least);
    const auto number = static_cast<unsigned long long>(found.call.number);
    if (atomicMin(least, number) <= number) return;
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(&shared.is_taken, 0u, 1u) != 0) continue;
        __threadfence();
        if (*static_cast<volatile unsigned long long*>(least) == number) { // else a lesser one is written, or will be
            shared.record = found;
            copy_text(shared.file, found.file);
            copy_text(shared.text, found.text);
            copy_text(shared.words, found.words);
        }
        __threadfence();
        atomicExch(&shared.is_taken, 0u);
        is_done = true;
    }
}

// Others of its block go on without it.
inline __noinline__ void leave_with(mistake what, mistake_record found, const text_place& at) {
    found.what = what;
    found.file = at.file;
    found.line = at.line;
    found.column = at.column;
    found.call = running_call();
    note(found);
    asm volatile("exit;");
}
#else
inline mistake_record noted_mistake{};

TESSERA_FN noted_call_record& running_call() { return noted_mistake.call; }

[[noreturn]] inline void leave_with(mistake what, const mistake_record& found, const text_place& at) {
    const auto call = noted_mistake.call;
    noted_mistake = found;
    noted_mistake.what = what;
    noted_mistake.file = at.file;
    noted_mistake.line = at.line;
    noted_mistake.column = at.column;
    noted_mistake.call = call;
    __builtin_trap();
}
#endif

// As long as it lives, this call runs.
struct noted_call {
    TESSERA_FN noted_call(std::int64_t x, std::int64_t y, std::int64_t z, std::uint64_t agent, std::int64_t number) {
        running_call() = {{x, y, z}, agent, number, 1, 0};
    }
    TESSERA_FN ~noted_call() { running_call().is_running = 0; }
    noted_call(const noted_call&) = delete;
    noted_call& operator=(const noted_call&) = delete;
};

} // namespace tessera
