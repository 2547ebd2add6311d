// Checks of what a caller hands to a device: our own promises to each other, hence Failure::internal.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/error.hpp"

#include <string>

namespace tessera {

// `thing` as the class that this kind of device makes; another kind's kernel, recording or mark is refused.
template<class Ours, class Theirs> [[nodiscard]] const Ours& made_by(const std::string& device, const Theirs& thing) {
    if (const auto* ours = dynamic_cast<const Ours*>(&thing)) return *ours;
    throw Error(Failure::internal, "the device \"" + device + "\" was given a kernel, recording or mark that another device made");
}

inline void check_shape(const Launch& launch) {
    if (launch.kernel == nullptr) throw Error(Failure::internal, "a launch names no kernel");
    if (launch.args.size() <= max_launch_args) return;
    throw Error(Failure::internal,
                "the arguments of \"" + launch.kernel->name() + "\" are " + std::to_string(launch.args.size()) + " bytes long",
                "at most " + std::to_string(max_launch_args) + " are possible");
}

} // namespace tessera
