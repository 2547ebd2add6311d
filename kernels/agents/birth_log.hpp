// Which birth requests of a source there are, of children in a list in the order of ids (ordered_list.hpp): how many, and behind that each
// one's number, in any order.
#pragma once

#include <tessera/kernels/agents/faults.hpp>

namespace tessera {

#if TESSERA_GPU
template<class Call> TESSERA_FN void log_note(const arguments_of_call<Call>&, void*, std::int32_t) {} // no list is in the order of ids
#else
inline void log_notes(std::int32_t* log, const std::int32_t* requests, std::int32_t count) {
    const auto before = __atomic_fetch_add(log, count, __ATOMIC_RELAXED);
    __builtin_memcpy(log + 1 + before, requests, static_cast<std::size_t>(count) * sizeof(*log));
}
// Requests of one thread, which it logs together: if it logged each by itself, threads would wait for each other at the count.
class birth_notes {
public:
    birth_notes() = default;
    birth_notes(const birth_notes&) = delete;
    birth_notes& operator=(const birth_notes&) = delete;
    ~birth_notes() { log_all(); }
    void put(std::int32_t* log, std::int32_t request) {
        if (log != log_ || count_ == most) log_all(), log_ = log;
        requests_[count_++] = request;
    }

private:
    void log_all() {
        if (count_ > 0) log_notes(log_, requests_, count_);
        count_ = 0;
    }

    static constexpr std::int32_t most = 128;
    std::int32_t* log_ = nullptr;
    std::int32_t count_ = 0;
    std::int32_t requests_[most];
};
// Functions of agents in a list in the order of ids get these, from call_agents alone.
template<class Call> struct noting_arguments : arguments_of_call<Call> { birth_notes* notes; };
template<class Call> constexpr bool notes_births() {
    if constexpr (same_type<typename Call::agents, void>)
        return false;
    else
        return Call::agents::is_ordered;
}
template<class Call> inline void log_note(const arguments_of_call<Call>& args, void* column, std::int32_t request) {
    auto* const log = static_cast<std::int32_t*>(column);
    if constexpr (notes_births<Call>())
        static_cast<const noting_arguments<Call>&>(args).notes->put(log, request);
    else
        log_notes(log, &request, 1);
}
#endif

} // namespace tessera
