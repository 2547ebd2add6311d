// Launches of a recording made in any order that they need not wait for: the bits of one after the other.
#include "device_runtime/devices.hpp"
#include "tests/support/leaving_out.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/shuffling_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tessera::test::side_by_side_test {
namespace {

struct Case {
    const char* name;
    std::string model;
    std::vector<std::string> keys;
};
std::ostream& operator<<(std::ostream& out, const Case& of) { return out << of.name; }

class SideBySide : public ::testing::TestWithParam<Case> {
protected:
    // The hash behind some steps, most of which are recorded, and what became of agents.
    static std::vector<std::uint64_t> made(const std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)>& wrap) {
        Options options;
        options.for_any_devices = true; // agents stand on CPUs as they do on GPUs
        options.wrap = wrap;
        auto keys = GetParam().keys;
        keys.insert(keys.end(), {"output=[]", "run.steps=100"});
        WorldUnderTest world(GetParam().model, keys, options);
        world.step_to(60);
        std::vector<std::uint64_t> all{world.hash()};
        for (const auto& collection : world.setup().collections)
            if (collection.agents) {
                const auto counts = world.counters(collection.name);
                all.insert(all.end(), {counts.born, counts.died, counts.moved, counts.refused_moves, counts.refused_births});
            }
        return all;
    }
};

TEST_P(SideBySide, HasTheBitsOfOneAfterTheOther) {
    const auto expected = made({});
    const auto shuffle = std::make_shared<Shuffle>(1u);
    LeavingOut gpu;
    const auto shuffled = [&](std::unique_ptr<Device> device) -> std::unique_ptr<Device> {
        return std::make_unique<ShufflingDevice>(gpu.in_front_of(std::move(device)), shuffle);
    };
    EXPECT_EQ(made(shuffled), expected);
}

std::vector<Case> cases() {
    return {Case{"children", plugin("wolf_sheep"), {"places.grass.size=[25,22]", "agents.sheep.count=300", "agents.wolf.count=60"}},
            Case{"told_parents", test_model("families"), {"places.land.size=[31,45]", "agents.hare={count=500,capacity=2}"}},
            Case{"questions", plugin("schelling"), {"places.home.size=[20,20]", "agents.person.count=300"}},
            Case{"anywhere", test_model("nomads"), {"places.land.size=[29,41]", "agents.nomad={count=500,capacity=2,on_edge=\"refuse\"}"}},
            Case{"lists",
                 test_model("hares_and_foxes"),
                 {"places.land.size=[37,43]", "agents.hare={count=500,capacity=\"unlimited\"}",
                  "agents.fox={count=60,capacity=\"unlimited\",on_edge=\"refuse\"}"}},
            Case{"reduces", test_model("auction"), {"places.stall.size=[31,43]"}},
            Case{"uniforms", test_model("tides"), {"places.shore.size=[23,19]"}},
            Case{"joined_slots", plugin("sugarscape"), {"places.field.size=[45,38]", "agents.ant.count=700"}},
            Case{"places", plugin("wave2d"), {"places.wave.size=[41,19]", "places.wave.init.now={random=\"uniform\",low=-1,high=1}"}}};
}

INSTANTIATE_TEST_SUITE_P(Models, SideBySide, ::testing::ValuesIn(cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace tessera::test::side_by_side_test
