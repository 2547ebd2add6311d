#include "host/cli/first_parents.hpp"

#include <fmt/format.h>

namespace tessera {

std::string first_parents(const Setup& setup, CollectionId agents) {
    std::string text;
    for (const auto number : setup.init_kernels) {
        const auto& kernel = setup.kernels[number];
        if (!kernel.is_function()) continue;
        for (const auto& use : setup.function_of(kernel).agent_uses)
            if (use.spawns && setup.agents_of_row(use.row, kernel.collection) == agents)
                text += fmt::format(", and those that `{}` makes", kernel.name);
    }
    return text;
}

} // namespace tessera
