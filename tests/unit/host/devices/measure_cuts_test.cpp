// Cuts by what the first steps take on each device: devices that take as long as the test says.
#include "host/devices/measure_cuts.hpp"
#include "tests/support/faulty_device.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>

namespace tessera::test::measure_cuts_test {
namespace {

using ::testing::ElementsAre;

// The stripes of 30 rows on two devices, of which the second one takes so many times as long; each has memory of its own.
std::vector<RowRange> measured(double times, std::vector<std::string> keys) {
    keys.insert(keys.end(), {"output=[]", "places.cell.size=[40,30]", "run.devices=[\"cpu\",\"cpu\"]", "schedule.halo=1"});
    const auto prepared = prepare({plugin("life"), keys, {}}, compiler());
    const auto setup = over_cpus_apart(prepared.setup, 2);
    Faults faults[2];
    faults[0].duration = [] { return 1; };
    faults[1].duration = [&] { return times; };
    std::vector<std::unique_ptr<Device>> devices;
    for (auto& fault : faults) devices.push_back(std::make_unique<FaultyDevice>(open_device("cpu", 1), fault));
    ThreadPool pool(1);
    const auto speeds = has_cuts_to_measure(setup) ? measure_speeds(setup, pointers_to(devices), compiler(), pool) : std::vector<double>{};
    return distribute(prepared.setup, cpus_apart(2), speeds).distribution.stripes.front();
}

TEST(MeasureCuts, EachDeviceGetsWhatTakesItAsLong) {
    const std::vector<std::string> keys{"places.cell.cuts=\"measured\"", "run.steps=100"};
    EXPECT_THAT(measured(1, keys), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
    EXPECT_THAT(measured(2, keys), ElementsAre(RowRange{0, 20}, RowRange{20, 30}));
    EXPECT_THAT(measured(0.25, keys), ElementsAre(RowRange{0, 6}, RowRange{6, 30}));
}

TEST(MeasureCuts, BeginWithTheWeights) { // 20 rows in 1 s beside 10 in 2 s
    EXPECT_THAT(measured(2, {"places.cell.cuts=\"measured\"", "run.steps=100", "run.weights=[2,1]"}),
                ElementsAre(RowRange{0, 24}, RowRange{24, 30}));
}

TEST(MeasureCuts, StayWhereNothingIsToBeMeasuredOrTooLittleCanBe) {
    EXPECT_THAT(measured(2, {"run.steps=100"}), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
    EXPECT_THAT(measured(2, {"run.steps=100", "places.cell.cuts=[4]"}), ElementsAre(RowRange{0, 4}, RowRange{4, 30}));
    EXPECT_THAT(measured(2, {"places.cell.cuts=\"measured\"", "run.steps=5"}), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
    EXPECT_THAT(measured(0, {"places.cell.cuts=\"measured\"", "run.steps=100"}), ElementsAre(RowRange{0, 15}, RowRange{15, 30}));
}

} // namespace
} // namespace tessera::test::measure_cuts_test
