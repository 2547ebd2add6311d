// Reductions over agents, in slots and in lists: reduce.hpp.
#pragma once

#include <tessera/kernels/agents/agents.hpp>
#include <tessera/kernels/reduce/reduce.hpp>

namespace tessera {

// An agent, as an expression sees it.
template<class Reduction> struct agent_element {
    using agents = typename Reduction::agents;
    using members = typename agents::members;
    const typename Reduction::launch* args;
    place_in_memory place;
    int slot;

    template<int I, int E> TESSERA_FN auto at() const {
        return static_cast<const scalar_in<members, I>*>(
            args->in[Reduction::arguments[I]])[agent_cell<agents, I>(place, slot, elements_in<members, I>) +
                                               E * agents::grid::columns[I].element];
    }
};

#if TESSERA_GPU
template<class Reduction> TESSERA_FN void reduce_agents(const typename Reduction::launch& args) {
    using agents = typename Reduction::agents;
    if (is_given_up<Reduction>(args)) return;
    add_up<Reduction>(args, [&](auto&& add) {
        if constexpr (agents::is_list) {
            const auto segment = segment_of<Reduction>(args);
            for_each_number_of_many(segment.end - segment.first, [&](int i) {
                add(agent_element<Reduction>{&args, place_in_memory{}, segment.first + i});
            });
        } else
            for_each_code<slots_of<agents>, 1>(args,
                                               plain_codes<slots_of<agents>>(args, args.in[Reduction::arguments[code_column<agents>]]),
                                               [&](int x, int y, int z, int slot) {
                                                   add(agent_element<Reduction>{&args, place_in_memory{x, y, z, true}, slot});
                                               });
    });
}
#else
template<class Reduction> inline void reduce_agents(const void* argument, std::int64_t first, std::int64_t last) {
    using agents = typename Reduction::agents;
    const auto& args = *static_cast<const typename Reduction::launch*>(argument);
    if (is_given_up<Reduction>(args)) return;
    add_up<Reduction>(args, [&](auto&& add) {
        if constexpr (agents::is_list) {
            const auto segment = segment_of<Reduction>(args);
            for_each_number_of(agents::capacity, segment.end - segment.first, first, last, [&](int i) {
                add(agent_element<Reduction>{&args, place_in_memory{}, segment.first + i});
            });
        } else
            for_each_code<slots_of<agents>, 1>(args,
                                               plain_codes<slots_of<agents>>(args, args.in[Reduction::arguments[code_column<agents>]]),
                                               first, last, [&](int x, int y, int z, int slot) {
                                                   add(agent_element<Reduction>{&args, place_in_memory{x, y, z, true}, slot});
                                               });
    });
}
#endif

} // namespace tessera
