// From what the user named to a checked Setup: run file, model, devices. Shared by `run`, `check`, `info` and `doctor`.
#pragma once

#include "device_runtime/device.hpp"
#include "host/bind/bind.hpp"
#include "host/checkpoint/store.hpp"
#include "host/plugins/registry.hpp"
#include "jit/compiler.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct RunRequest {
    std::string what;                   // a run file (a path that ends in .toml), or a model: a name, or a path to its source
    std::vector<std::string> overrides; // key=value
    std::vector<std::string> plugin_folders;
    bool debug = false; // kernels for a debugger: on the CPU, by one thread
    bool check = false; // kernels that tell what the model does wrong: there too
    // Whether agents are stored as one CPU has them that makes a run alone; absent: where the run's devices are one CPU.
    std::optional<bool> on_one_cpu{};
    bool allow_unsafe_plugins = false; // files of the plugin path that somebody else can write (plugins/trust.hpp)
    std::string fallback{};            // TOML, of what neither the model's defaults nor the run file nor an override says
};

struct Prepared : Bound {
    std::unique_ptr<model::Model> model; // owned here, because setup points to it
    std::string name;                    // of the run: that of its file or model
    // What it begins with, in place of first values; absent: these, or a state that somebody else has.
    std::shared_ptr<const checkpoint::Elsewhere> start{};
};

// Throws what reading, compiling the description and binding throw; nothing has been run or written then. `adjust` may change what the run
// file says before it is bound.
[[nodiscard]] Prepared prepare(const RunRequest& request, jit::Compiler& compiler, Functions functions = Functions::called,
                               const std::function<void(run_file::RunFile&)>& adjust = {});

// The run by itself, of which nothing has been looked at beside the model: prepare() may still refuse it.
[[nodiscard]] run_file::RunFile read_run(const RunRequest& request, jit::Compiler& compiler);

// The source file of the model that `request.what` names (no run file). Throws Failure::plugin.
[[nodiscard]] std::filesystem::path locate_model(const RunRequest& request);

// The devices that the run asks for, by name, whatever its grids: `auto` is the first GPU, else the CPU. For its grids: choose_devices.hpp.
// A GPU is for models that bring code for it, or that can be compiled here.
[[nodiscard]] std::vector<std::string> choose_devices(const Wishes& wishes, const model::Model& model);

// Threads for CPU work: as many as are wanted, else as many as can run at once.
[[nodiscard]] int choose_threads(const Wishes& wishes);
// The same for one run: else as many as pay on its largest collection.
[[nodiscard]] int choose_threads(const Setup& setup);

} // namespace tessera
