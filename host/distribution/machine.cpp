#include "host/distribution/machine.hpp"

namespace tessera {

Machine sharing_machine(const std::vector<std::string>& names) {
    Machine machine;
    machine.is_assumed = true;
    for (std::size_t d = 0; d < names.size(); ++d) machine.devices.push_back({names[d], names[d] != "cpu", ~std::uint64_t{0}, Owner{0, d}});
    machine.pairs.resize(names.size() * names.size());
    return machine;
}

Machine assumed_machine(const std::vector<std::string>& names) {
    auto machine = sharing_machine(names);
    for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = 0; b < names.size(); ++b)
            machine.pair(a, b).share_memory = machine.devices[a].is_gpu == machine.devices[b].is_gpu;
    return machine;
}

} // namespace tessera
