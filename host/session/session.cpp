#include "host/session/session.hpp"

#include "device_runtime/devices.hpp"

#include <utility>

namespace tessera {
namespace {

std::vector<DeviceInfo> infos_of(const std::vector<Device*>& devices) {
    std::vector<DeviceInfo> infos;
    for (const auto* device : devices) infos.push_back(device->info());
    return infos;
}

} // namespace

Session::Session(std::vector<std::unique_ptr<Device>> devices, int threads, jit::Compiler& compiler, std::function<bool()> interrupted,
                 const Pacer& pacer)
    : owned_(std::move(devices)), devices_(pointers_to(owned_)), infos_(infos_of(devices_)), all_devices_(together(infos_)), pool_(threads),
      compiler_(compiler), interrupted_(std::move(interrupted)), pacer_(pacer) {}

} // namespace tessera
