// Which devices a run takes that leaves it to the program.
#pragma once

#include "device_runtime/cuda_driver.hpp"
#include "device_runtime/device.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

// Of a grid, with which a GPU is busy: with fewer, what devices do for each other costs more than a second one gains.
inline constexpr std::int64_t least_places_a_gpu = std::int64_t{4} << 20;

struct ChosenDevices {
    std::vector<std::string> names;
    std::string why; // these and no others; empty where the run file names them
    // Those that were asked for their memory. As long as they are here, opening them again is quick.
    std::vector<std::unique_ptr<Device>> asked{};
};

// Those that the run file names. For "auto" the CPU, if there is no GPU that can be used, else as choose_gpus.
[[nodiscard]] ChosenDevices choose_devices(const Setup& setup);

// The first GPU of the driver, and of those that are equal to it (name and memory) and share memory with it and with each other as many as
// get least_places_a_gpu of the grids that are cut, or, if that is more, as many as are needed to hold them. There is at least one.
[[nodiscard]] ChosenDevices choose_gpus(const Setup& setup, const CudaSearch& search);

} // namespace tessera
