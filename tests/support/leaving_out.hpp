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

// The word that says whether a launch is left out; null: it never is.
inline const std::uint64_t* left_out_word_of(const std::string& kernel, const std::byte* args) {
    const std::uint64_t* word = nullptr;
    if (kernel == advance_symbol || kernel == parameters_symbol) return word;
    const bool joins = kernel.find("_join_") != std::string::npos;
    if (joins || kernel.find("_uniform_") != std::string::npos) {
        std::memcpy(&word, args + (joins ? offsetof(join_arguments, left_out) : offsetof(uniform_arguments, left_out)), sizeof(word));
        return word;
    }
    launch_arguments launch;
    std::memcpy(&launch, args + (kernel == "manageAll" ? sizeof(ListCall) : 0), sizeof(launch));
    return launch.left_out_at_yes != 0 ? launch.first_step + left_out_word : word;
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
        const auto* const word = left_out_word_of(name, launch.args.data());
        const bool is_left_out = word != nullptr && *word != 0;
        ++(is_left_out ? left_out : made);
        return is_left_out;
    }
};

} // namespace tessera::test
