// Partitions on CPUs without a kernel: what of a run's machinery can be looked at without compiling one.
#pragma once

#include "device_runtime/devices.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/execute/partition.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

class NamedKernel final : public Kernel {
public:
    explicit NamedKernel(std::string name) : name_(std::move(name)) {}
    [[nodiscard]] const std::string& name() const noexcept override { return name_; }

private:
    std::string name_;
};

// Each with a queue whose work is done by who asks.
class HandMadePartitions {
public:
    explicit HandMadePartitions(std::size_t count) {
        for (std::size_t p = 0; p < count; ++p) {
            devices_.push_back(open_device("cpu", 1));
            Partition partition;
            partition.device = devices_.back().get();
            partition.queue = partition.device->queue(Priority::normal, Execution::inline_);
            partitions.push_back(std::move(partition));
        }
    }
    [[nodiscard]] std::vector<std::unique_ptr<Device>>& devices() { return devices_; }

private:
    std::vector<std::unique_ptr<Device>> devices_; // which partitions' memory is of

public:
    Partitions partitions;
};

} // namespace tessera::test
