// A model on a device, as tests step and look at it.
#pragma once

#include "device_runtime/devices.hpp"
#include "device_runtime/machine.hpp"
#include "host/run/prepare.hpp"
#include "host/schedule/simulation.hpp"
#include "host/world/names.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test {

// One cache for the whole test program, so that a model compiles once.
inline jit::Compiler& compiler() {
    static jit::Cache cache;
    static jit::Compiler instance(cache);
    return instance;
}

inline std::string plugin(const std::string& name) { return test_shipped("plugins/" + name + "/" + name + ".cu").string(); }
inline std::string test_model(const std::string& name) { return test_data("models/" + name + "/" + name + ".cu").string(); }

struct Options {
    std::string device = "cpu";
    int threads = 1;
    std::vector<ViewChoice> views{}; // one a kernel; empty: the engine's choice
};

class WorldUnderTest {
public:
    // `model` is the path of a source; `overrides` are keys of a run file, as "places.cell.size=[8,8]".
    WorldUnderTest(const std::string& model, std::vector<std::string> overrides, const Options& options = {})
        : prepared_(make(model, std::move(overrides))), device_(open_device(options.device, options.threads)), pool_(options.threads),
          simulation_(std::make_unique<Simulation>(prepared_.setup, *device_, compiler(), pool_, options.views)) {}

    void step_to(std::uint64_t step) {
        simulation_->advance(step, [](std::uint64_t) { return true; });
    }
    // "cell.alive"
    [[nodiscard]] Array read(const std::string& collection, const std::string& member) const {
        const auto column = require_column(prepared_.setup, {{collection, member}, {}});
        return simulation_->read(column.collection, column.member);
    }
    template<class T> [[nodiscard]] std::vector<T> values(const std::string& collection, const std::string& member) const {
        const auto array = read(collection, member);
        const auto span = array.data<T>();
        return {span.begin(), span.end()};
    }
    [[nodiscard]] std::uint64_t hash() const { return simulation_->hash(); }
    [[nodiscard]] const Setup& setup() const { return prepared_.setup; }

private:
    static Prepared make(const std::string& model, std::vector<std::string> overrides) {
        overrides.emplace_back("output=[]");
        return prepare({model, std::move(overrides), {}}, compiler());
    }
    Prepared prepared_;
    std::unique_ptr<Device> device_;
    ThreadPool pool_;
    std::unique_ptr<Simulation> simulation_;
};

// The devices to test on: the CPU, and each GPU. Without one, and with REQUIRE_GPU=1, tests fail.
inline std::vector<std::string> devices() {
    std::vector<std::string> names{"cpu"};
    for (const auto& device : cuda_status().devices) names.push_back(device.name);
    return names;
}


// The name of a test that is instantiated for a device.
inline std::string device_test_name(const testing::TestParamInfo<std::string>& tested) {
    std::string name = tested.param;
    for (char& c : name)
        if (c == ':') c = '_';
    return name;
}

} // namespace tessera::test
