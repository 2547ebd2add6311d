// A model on a device, as tests step and look at it.
#pragma once

#include "device_runtime/devices.hpp"
#include "device_runtime/machine.hpp"
#include "host/execute/simulation.hpp"
#include "host/prepare/prepare.hpp"
#include "host/setup/names.hpp"
#include "host/views/blocks.hpp"
#include "host/views/patch.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/tile.hpp"
#include "host/world/agent_table.hpp"
#include "jit/cache.hpp"
#include "jit/log.hpp"
#include "tests/support/defects.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::test {

// One cache for the whole test program, so that a model compiles once. What it compiles is not told.
inline jit::Compiler& compiler() {
    static jit::Cache cache;
    static jit::Compiler instance(cache);
    [[maybe_unused]] static const bool once = [] {
        let_defects_fail();
        return true;
    }();
    set_log_level(LogLevel::warning);
    return instance;
}

inline std::string plugin(const std::string& name) { return test_shipped("plugins/" + name + "/" + name + ".cu").string(); }
inline std::string test_model(const std::string& name) { return test_data("models/" + name + "/" + name + ".cu").string(); }

// A request whose setup is for any devices: for tests that divide it, or compile it for others.
inline RunRequest for_any_devices(RunRequest request) {
    request.on_one_cpu = false;
    return request;
}

struct Options {
    std::string device = "cpu";
    int threads = 1;
    std::optional<ViewChoice> view{};                                       // of all kernels; else the engine's choice
    std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)> wrap{}; // puts another in front of the device
    bool check = false;                                                     // a checked run, on this device
    bool for_any_devices = false;                                           // a setup that several devices can share
};

class WorldUnderTest {
public:
    // `model` is the path of a source; `overrides` are keys of a run file, as "places.cell.size=[8,8]".
    WorldUnderTest(const std::string& model, std::vector<std::string> overrides, const Options& options = {},
                   jit::Compiler& with = compiler())
        : prepared_(make(model, std::move(overrides), options)), device_(open(options)), pool_(options.threads),
          simulation_(std::make_unique<Simulation>(prepared_.setup, *device_, with, pool_, views(options))) {}

    // From now on makes as many steps at a time, in each collection that can be fused. Returns why the view does not do for some.
    std::string fuse(const FusedView& view) {
        const auto& setup = prepared_.setup;
        std::vector<FusedProgram> programs;
        std::string obstacles;
        for (const auto& sequence : fusible_sequences(setup)) {
            obstacles += obstacle(setup, sequence, view);
            if (obstacle(setup, sequence, view).empty())
                programs.push_back({sequence, view, "fused_" + setup.collections[sequence.collection].name});
        }
        simulation_->fuse(programs, compiler());
        return obstacles;
    }

    void step_to(std::uint64_t step) {
        advance(step, [](std::uint64_t) { return true; });
    }
    void advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) { simulation_->advance(until, proceed); }
    [[nodiscard]] std::uint64_t step() const { return simulation_->step(); }

    [[nodiscard]] Array read(const std::string& collection, const std::string& member) const {
        const auto column = require_column(prepared_.setup, {{collection, member}, {}});
        return simulation_->read(column);
    }
    template<class T> [[nodiscard]] std::vector<T> values(const std::string& collection, const std::string& member) const {
        const auto array = read(collection, member);
        const auto span = array.data<T>();
        return {span.begin(), span.end()};
    }
    // Of agents, in the order of their ids.
    [[nodiscard]] AgentTable agents(const std::string& collection) const {
        return find_agents(prepared_.setup, require_collection(prepared_.setup, collection, {}), simulation_->reader());
    }
    template<class T>
    [[nodiscard]] std::vector<T> agent_values(const std::string& collection, const std::string& member, int element = 0) const {
        const auto column = require_column(prepared_.setup, {{collection, member}, {}});
        const auto bytes = tessera::agent_values(prepared_.setup, column, element, agents(collection), simulation_->reader());
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    // Along an axis, of agents in space.
    template<class T> [[nodiscard]] std::vector<T> positions(const std::string& collection, int axis) const {
        const auto column = prepared_.setup.positions_of(require_collection(prepared_.setup, collection, {}));
        const auto bytes = tessera::agent_values(prepared_.setup, column, axis, agents(collection), simulation_->reader());
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    [[nodiscard]] agent_counters counters(const std::string& collection) const {
        return simulation_->counters(require_collection(prepared_.setup, collection, {}));
    }
    [[nodiscard]] std::uint64_t hash() const { return simulation_->hash(); }
    [[nodiscard]] const Setup& setup() const { return prepared_.setup; }
    [[nodiscard]] const Simulation& simulation() const { return *simulation_; }
    [[nodiscard]] Simulation& simulation() { return *simulation_; }

private:
    static std::unique_ptr<Device> open(const Options& options) {
        const bool is_checked_cpu = options.check && options.device == "cpu";
        auto device = is_checked_cpu ? open_cpu_device(options.threads, Overruns::stop) : open_device(options.device, options.threads);
        return options.wrap ? options.wrap(std::move(device)) : std::move(device);
    }
    static Prepared make(const std::string& model, std::vector<std::string> overrides, const Options& options) {
        overrides.insert(overrides.begin(), {"output=[]", "run.steps=1"}); // tests say themselves how far it goes
        if (options.check) overrides.push_back("run.devices=\"" + options.device + "\"");
        RunRequest request{model, std::move(overrides), {}};
        request.check = options.check;
        request.on_one_cpu = options.device == "cpu" && !options.for_any_devices;
        return prepare(request, compiler());
    }
    [[nodiscard]] std::vector<ViewChoice> views(const Options& options) const {
        if (!options.view) return {};
        return std::vector<ViewChoice>(prepared_.setup.kernels.size(), *options.view);
    }

    Prepared prepared_;
    std::unique_ptr<Device> device_;
    ThreadPool pool_;
    std::unique_ptr<Simulation> simulation_;
};

// The devices to test on: the CPU, and each GPU. gpu_test.cpp fails without a GPU where REQUIRE_GPU=1.
inline std::vector<std::string> devices() {
    std::vector<std::string> names{"cpu"};
    for (const auto& device : cuda_status().devices) names.push_back(device.name);
    return names;
}

// A test that is the same on every device.
class OnDevice : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] static Options on_this() { return {GetParam(), usable_threads(), {}}; }
    [[nodiscard]] static bool on_cpu() { return GetParam() == "cpu"; }
};

// The name of a test that is instantiated for a device.
inline std::string device_test_name(const ::testing::TestParamInfo<std::string>& tested) {
    std::string name = tested.param;
    for (char& c : name)
        if (c == ':') c = '_';
    return name;
}

#define TESSERA_ON_EVERY_DEVICE(Suite) INSTANTIATE_TEST_SUITE_P(Devices, Suite, ::testing::ValuesIn(devices()), device_test_name)

} // namespace tessera::test
