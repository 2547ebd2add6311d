// What a run stands still for: when it is asked, in which order, and what it may do.
#include "host/run/run_to_end.hpp"
#include "host/session/session.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::pause_test {
namespace {

using ::testing::ElementsAre;

// Keeps the states at which it was asked, and does what it is told at one of them.
class Toy : public Pause {
public:
    explicit Toy(std::uint64_t every) : every_(every) {}

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override { return (run.step() / every_ + 1) * every_; }
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override {
        seen.push_back(std::to_string(run.step()) + (arrival.is_last ? " last" : arrival.ends ? " end" : arrival.is_new ? "" : " again"));
        if (!arrival.is_last && arrival.is_new && run.step() == writes_at) write(run);
        return !arrival.is_last && run.step() == stops_at ? Outcome::stop : Outcome::go_on;
    }
    [[nodiscard]] bool resumes(CurrentRun&) override { return std::exchange(resumes_once, false); }

    // Of the middle place, as hot as none was.
    static void heat(Simulation& simulation, const Setup& setup, const std::function<void(ColumnId, const ArraySource&)>& write) {
        const auto column = require_column(setup, {{"plate", "heat"}, {}});
        auto values = simulation.read(column);
        values.data<float>()[values.places() / 2] = 1000;
        write(column, [&](const PlaceRange& places, std::byte* into) {
            std::memcpy(into, values.data<float>().data() + places.first, static_cast<std::size_t>(places.count()) * sizeof(float));
        });
    }

    std::optional<std::uint64_t> writes_at{}, stops_at{};
    bool resumes_once = false;
    std::vector<std::string> seen{};

private:
    static void write(CurrentRun& run) {
        heat(run.run().simulation(), run.setup(), [&](ColumnId column, const ArraySource& values) { run.run().write(column, values); });
    }

    std::uint64_t every_;
};

class PausedRun : public ::testing::Test {
protected:
    [[nodiscard]] static Prepared plate(std::vector<std::string> more = {}) {
        std::vector<std::string> keys{"output=[]", "run.steps=12", "run.devices=\"cpu\"", "places.plate.size=[19,11]"};
        keys.insert(keys.end(), more.begin(), more.end());
        return prepare({plugin("heat2d"), keys, {}}, compiler());
    }
    RunResult run(const Prepared& prepared, std::vector<Pause*> pauses) {
        std::vector<std::unique_ptr<Device>> devices;
        devices.push_back(open_device("cpu", 1));
        Session session(std::move(devices), 1, compiler());
        RunOptions options;
        options.out = folder_.path() / "out";
        options.overwrite = options.quiet = true;
        options.pauses = std::move(pauses);
        return tessera::run(prepared, session, options);
    }

    TemporaryFolder folder_;
};

TEST_F(PausedRun, IsAskedAtItsFirstStateWhereItIsDueAndAtItsLast) {
    Toy fives(5), sevens(7);
    const auto result = run(plate(), {&fives, &sevens});
    EXPECT_EQ(result.report.status, "finished");
    EXPECT_THAT(fives.seen, ElementsAre("0", "5", "7", "10", "12 end", "12 last")) << "whoever has the run stand still, all are asked";
    EXPECT_EQ(sevens.seen, fives.seen);
}

TEST_F(PausedRun, GoesOnFromWhatIsWritten) {
    Toy toy(4);
    toy.writes_at = 8;
    const auto result = run(plate(), {&toy});
    WorldUnderTest straight(plugin("heat2d"), {"places.plate.size=[19,11]"});
    straight.step_to(8);
    const auto before = straight.hash();
    Toy::heat(straight.simulation(), straight.setup(),
              [&](ColumnId column, const ArraySource& values) { straight.simulation().write(column, values); });
    EXPECT_NE(straight.hash(), before);
    straight.step_to(12);
    EXPECT_EQ(result.report.state_hash, straight.hash());
}

TEST_F(PausedRun, ShowsWhatIsWrittenInTheNextRowOfATable) {
    Toy toy(4);
    toy.writes_at = 8;
    const auto prepared = plate({"output=[{every=4,csv=\"hot.csv\",columns={hot=\"max(plate.heat)\"}}]"});
    const auto result = run(prepared, {&toy});
    std::ifstream file(result.folder / "hot.csv");
    std::vector<double> hottest;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);) hottest.push_back(std::stod(line.substr(line.find(',') + 1)));
    ASSERT_EQ(hottest.size(), 4U);
    EXPECT_LT(hottest[2], 20) << "outputs are written before";
    EXPECT_GT(hottest[3], 20) << "and see it at the next state that is written";
}

TEST_F(PausedRun, IsStoppedAndTheOthersAreAskedOnceMore) {
    Toy first(3), second(100);
    first.stops_at = 6;
    const auto result = run(plate(), {&first, &second});
    EXPECT_EQ(result.report.status, "stopped");
    EXPECT_EQ(result.report.steps, 6U);
    EXPECT_THAT(first.seen, ElementsAre("0", "3", "6", "6 last"));
    EXPECT_THAT(second.seen, ElementsAre("0", "3", "6 end", "6 last")) << "the second knows that the run ends";
}

TEST_F(PausedRun, GoesOnBehindItsEnd) {
    Toy toy(100);
    toy.resumes_once = true;
    const auto result = run(plate(), {&toy});
    EXPECT_THAT(toy.seen, ElementsAre("0", "12 end", "12 end", "12 last")) << "asked again as at a new state, which is the last one";
    EXPECT_EQ(result.report.status, "finished");
}

TEST_F(PausedRun, IsNotMadeAgainFromItsBeginningBehindOneThatCannotBeAskedAgain) {
    struct Unrepeatable : Toy {
        Unrepeatable() : Toy(100) {}
        [[nodiscard]] bool is_repeatable() const noexcept override { return false; }
    } once;
    Toy often(100);
    Pauses pauses;
    pauses.add(often);
    EXPECT_TRUE(pauses.are_repeatable());
    pauses.add(once);
    EXPECT_FALSE(pauses.are_repeatable());
}

} // namespace
} // namespace tessera::test::pause_test
