#include "host/viewer/steering.hpp"

#include <algorithm>

namespace tessera::viewer {

void Steering::set(const std::string& parameter, const std::string& value) {
    const auto known = std::find_if(given_.begin(), given_.end(), [&](const auto& each) { return each.first == parameter; });
    if (known != given_.end())
        known->second = value;
    else
        given_.emplace_back(parameter, value);
}

std::vector<std::string> Steering::take() {
    std::vector<std::string> overrides;
    for (const auto& [parameter, value] : std::exchange(given_, {})) overrides.push_back("params." + parameter + "=" + value);
    return overrides;
}

} // namespace tessera::viewer
