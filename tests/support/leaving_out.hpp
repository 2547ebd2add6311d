// A CPU in the place of a GPU that is given rounds of a repeat before it is known whether they are made: it looks, as the kernels of a GPU
// do by themselves, which launches are left out.
#pragma once

#include "host/generate/kernel_source.hpp"
#include "host/generate/reduce_source.hpp"
#include "host/manage/ordered_list.hpp"
#include "host/setup/uniforms.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/faulty_device.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace tessera::test {

// Where the address of the word stands in a launch's arguments.
inline std::size_t left_out_of(const std::string& kernel) {
    if (kernel.find("_join_") != std::string::npos) return offsetof(join_arguments, left_out);
    if (kernel.find("_uniform_") != std::string::npos) return offsetof(uniform_arguments, left_out);
    return offsetof(launch_arguments, left_out) + (kernel == "manageAll" ? sizeof(ListCall) : 0);
}

struct LeavingOut {
    int made = 0, left_out = 0;
    Faults faults{};

    LeavingOut() {
        faults.leaves_out = [this](const Launch& launch) { return leaves_out(launch); };
    }
    std::unique_ptr<Device> in_front_of(std::unique_ptr<Device> device) {
        return std::make_unique<FaultyDevice>(std::move(device), faults);
    }

private:
    bool leaves_out(const Launch& launch) {
        const auto& name = launch.kernel->name();
        const std::uint64_t* word = nullptr;
        if (name != advance_symbol && name != parameters_symbol) std::memcpy(&word, launch.args.data() + left_out_of(name), sizeof(word));
        const bool is_left_out = word != nullptr && *word != 0;
        ++(is_left_out ? left_out : made);
        return is_left_out;
    }
};

} // namespace tessera::test
