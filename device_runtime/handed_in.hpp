// Checks of what a caller hands to a device: our own promises to each other, hence Failure::internal.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/error.hpp"

#include <string>

namespace tessera {

[[noreturn]] inline void made_by_another(const std::string& device) {
    throw Error(Failure::internal,
                "the device \"" + device + "\" was given memory, a kernel, a recording or a mark that another device made");
}

// `thing` as the class that this kind of device makes; another kind's kernel or recording is refused.
template<class Ours, class Theirs> [[nodiscard]] const Ours& made_by(const std::string& device, const Theirs& thing) {
    if (const auto* ours = dynamic_cast<const Ours*>(&thing)) return *ours;
    made_by_another(device);
}
template<class Ours> [[nodiscard]] const Ours& made_by(const std::string& device, const Mark& mark) {
    if (const auto* ours = dynamic_cast<const Ours*>(mark.point().get())) return *ours;
    made_by_another(device);
}
template<class Ours> [[nodiscard]] Ours& made_by(const std::string& device, const Memory& memory) {
    if (auto* ours = dynamic_cast<Ours*>(memory.block())) return *ours;
    made_by_another(device);
}

inline void check_shape(const Launch& launch) {
    if (launch.kernel == nullptr) throw Error(Failure::internal, "a launch names no kernel");
    if (launch.args.size() <= max_launch_args) return;
    throw Error(Failure::internal,
                "the arguments of \"" + launch.kernel->name() + "\" are " + std::to_string(launch.args.size()) + " bytes long",
                "at most " + std::to_string(max_launch_args) + " are possible");
}

[[noreturn]] inline void does_not_reach(const DeviceInfo& device, const DeviceInfo& other) {
    throw Error(Failure::device, "\"" + device.name + "\" and \"" + other.name + "\" cannot share memory", "one does not reach the other's",
                "name GPUs that have access to each other, or CPUs alone");
}

} // namespace tessera
