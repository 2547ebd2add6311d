// `tessera doctor`: does every device come to the states that are known?
#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/standard_output.hpp"
#include "host/execute/simulation.hpp"
#include "host/prepare/known_runs.hpp"
#include "host/world/state_hash.hpp"
#include "jit/cache.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

struct PreparedRun {
    const KnownRun& known;
    Prepared prepared;
};

// For devices of a kind.
std::vector<PreparedRun> prepare_known_runs(const RunRequest& search, DeviceKind kind, jit::Compiler& compiler) {
    std::vector<PreparedRun> runs;
    for (const auto& known : known_runs()) {
        RunRequest request{known.model, known.overrides, search.plugin_folders};
        request.allow_unsafe_plugins = search.allow_unsafe_plugins;
        request.overrides.push_back(fmt::format("run.steps={}", known.steps));
        request.on_one_cpu = kind == DeviceKind::cpu;
        runs.push_back({known, prepare(request, compiler)});
    }
    return runs;
}

std::uint64_t state_after(const PreparedRun& run, const std::string& device, jit::Compiler& compiler) {
    const auto opened = open_device(device, 0);
    ThreadPool pool(1);
    Simulation simulation(run.prepared.setup, *opened, compiler, pool);
    simulation.advance(run.known.steps, [](std::uint64_t) { return true; });
    return simulation.hash();
}

// Whether the device comes to the known state.
bool examine(const PreparedRun& run, const DeviceInfo& device, jit::Compiler& compiler) {
    std::string verdict = "ok";
    try {
        const auto hash = state_after(run, device.name, compiler);
        if (hash != run.known.state_hash)
            verdict = fmt::format("WRONG: state {} instead of {}", hash_text(hash), hash_text(run.known.state_hash));
    } catch (const Error& error) {
        verdict = fmt::format("FAILED: {}", error.what());
    }
    say(fmt::format("{:<8} {}: {}, {} steps: {}", device.name, device.description, run.known.title, run.known.steps, verdict));
    return verdict == "ok";
}

} // namespace

void doctor_command(const RunRequest& search) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    std::vector<DeviceInfo> devices{cpu_info(usable_threads())};
    const auto cuda = cuda_status();
    devices.insert(devices.end(), cuda.devices.begin(), cuda.devices.end());
    if (!cuda.available) say("no GPU: " + without_search(cuda.why_not));
    std::size_t wrong = 0;
    for (const auto& device : devices) {
        const auto runs = prepare_known_runs(search, device.kind, compiler);
        bool fine = true;
        for (const auto& run : runs) fine &= examine(run, device, compiler);
        wrong += fine ? 0 : 1;
    }
    if (wrong > 0) throw Error(Failure::mismatch, fmt::format("{} of {} devices cannot be used", wrong, devices.size()), "see above");
    say(fmt::format("{} device{} fine", devices.size(), devices.size() == 1 ? " is" : "s are"));
}

} // namespace tessera
