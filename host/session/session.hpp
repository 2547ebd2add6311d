// What runs are made with. A process may have several sessions, each in a thread of its own.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/execute/pacer.hpp"
#include "jit/compiler.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tessera {

class Session {
public:
    // `devices` are those of its runs, in the order of their partitions; `threads` are the host's. `interrupted` says whether somebody
    // wants the run to end; it is asked from any thread. Its threads compute as the one that makes it does (DefaultArithmetic). The
    // compiler and the pacer must outlive the session.
    Session(std::vector<std::unique_ptr<Device>> devices, int threads, jit::Compiler& compiler, std::function<bool()> interrupted = {},
            const Pacer& pacer = Pacer::of_one_process());
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const std::vector<Device*>& devices() const noexcept { return devices_; }
    [[nodiscard]] const std::vector<DeviceInfo>& infos() const noexcept { return infos_; } // of each device
    [[nodiscard]] const DeviceInfo& all_devices() const noexcept { return all_devices_; }  // taken together
    [[nodiscard]] jit::Compiler& compiler() const noexcept { return compiler_; }
    [[nodiscard]] ThreadPool& pool() noexcept { return pool_; }
    [[nodiscard]] const Pacer& pacer() const noexcept { return pacer_; }
    [[nodiscard]] bool interrupted() const { return pacer_.any(interrupted_ && interrupted_()); }

private:
    std::vector<std::unique_ptr<Device>> owned_;
    std::vector<Device*> devices_;
    std::vector<DeviceInfo> infos_;
    DeviceInfo all_devices_;
    ThreadPool pool_;
    jit::Compiler& compiler_;
    std::function<bool()> interrupted_;
    const Pacer& pacer_;
};

} // namespace tessera
