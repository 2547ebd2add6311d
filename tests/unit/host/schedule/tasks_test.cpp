// Tasks: calls cut at any rows and made in any order that what they touch allows give the state of one call after the other.
#include "host/execute/initialise.hpp"
#include "host/generate/march.hpp"
#include "host/schedule/task.hpp"
#include "host/world/state_hash.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/shuffled_tasks.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

namespace tessera::test::tasks_test {
namespace {

using ::testing::ElementsAre;

CollectionSetup grid(run_file::Boundary boundary, int dimensions = 2) {
    CollectionSetup collection;
    collection.dimensions = dimensions;
    collection.size = dimensions == 3 ? Extents{7, 9, 10} : Extents{7, 10, 1};
    collection.boundary.fill(boundary);
    return collection;
}

model::Use around(int low, int high, int dimensions = 2) {
    model::Use use;
    use.reads = use.around = true;
    const auto dims = static_cast<std::size_t>(dimensions - 1), axis = static_cast<std::size_t>(dimensions == 3 ? 2 : 1);
    use.low[dims][axis] = low;
    use.high[dims][axis] = high;
    return use;
}

TEST(RowsRead, AreThoseThatWhatIsSeenComesFrom) {
    using run_file::Boundary;
    EXPECT_THAT(rows_read(grid(Boundary::torus), around(1, 2), {3, 5}), ElementsAre(RowRange{2, 7}));
    EXPECT_THAT(rows_read(grid(Boundary::torus), around(1, 2), {0, 2}), ElementsAre(RowRange{0, 4}, RowRange{9, 10}));
    EXPECT_THAT(rows_read(grid(Boundary::torus), around(1, 2), {9, 10}), ElementsAre(RowRange{8, 10}, RowRange{0, 2}));
    EXPECT_THAT(rows_read(grid(Boundary::torus), around(8, 8), {4, 5}), ElementsAre(RowRange{0, 10}, RowRange{6, 10}, RowRange{0, 3}))
        << "some rows twice";
    EXPECT_THAT(rows_read(grid(Boundary::reflect), around(2, 0), {0, 1}), ElementsAre(RowRange{0, 1}, RowRange{0, 2}))
        << "a mirror at row 0";
    EXPECT_THAT(rows_read(grid(Boundary::reflect), around(0, 2), {9, 10}), ElementsAre(RowRange{9, 10}, RowRange{8, 10}));
    EXPECT_THAT(rows_read(grid(Boundary::fixed), around(2, 2), {0, 10}), ElementsAre(RowRange{0, 10})) << "constants are nobody's";
    EXPECT_THAT(rows_read(grid(Boundary::open), around(2, 2), {8, 9}), ElementsAre(RowRange{6, 10}));
    EXPECT_THAT(rows_read(grid(Boundary::torus, 3), around(1, 0, 3), {0, 2}), ElementsAre(RowRange{0, 2}, RowRange{9, 10}))
        << "rows along z";
}

// Against the definition: row by row, the place where the value of each offset comes from.
RC_GTEST_PROP(RowsRead, CoverWhatARowByRowLookFinds, ()) {
    const auto boundary = *rc::gen::element(run_file::Boundary::torus, run_file::Boundary::reflect, run_file::Boundary::open);
    const int low = *rc::gen::inRange(0, 6), high = *rc::gen::inRange(0, 6);
    const auto collection = grid(boundary);
    const std::int64_t n = 10, first = *rc::gen::inRange(0, 10), end = *rc::gen::inRange<std::int64_t>(first + 1, 11);
    const auto read = rows_read(collection, around(low, high), {first, end});
    for (auto row = first - low; row < end + high; ++row) {
        std::int64_t from = row;
        if (boundary == run_file::Boundary::torus) from = (row + n) % n;
        if (boundary == run_file::Boundary::reflect) from = row < 0 ? -1 - row : row >= n ? 2 * n - 1 - row : row;
        if (from < 0 || from >= n) continue;
        RC_ASSERT(std::any_of(read.begin(), read.end(), [&](const RowRange& band) { return band.first <= from && from < band.end; }));
    }
}

Touch touch(bool reads, bool writes, int in, int out, RowRange read, RowRange written) {
    Touch one;
    one.reads = reads;
    one.writes = writes;
    one.in = in;
    one.out = out;
    one.read = {read};
    one.written = written;
    return one;
}
Task task(Touch touch) {
    Task one;
    one.work = CallWork{};
    one.touches = {std::move(touch)};
    return one;
}

TEST(Tasks, WaitForWhatTheyTouchAlone) {
    const auto reads_0 = task(touch(true, true, 0, 1, {0, 6}, {0, 5})), writes_0_below = task(touch(false, true, 2, 0, {}, {6, 9})),
               writes_0_there = task(touch(false, true, 2, 0, {}, {5, 9})), reads_1 = task(touch(true, false, 1, 1, {4, 8}, {})),
               writes_1 = task(touch(false, true, 3, 1, {}, {4, 5})), reads_0_too = task(touch(true, true, 0, 4, {0, 6}, {0, 5}));
    EXPECT_FALSE(collide(reads_0, writes_0_below)) << "other rows";
    EXPECT_TRUE(collide(reads_0, writes_0_there)) << "what is read is written then";
    EXPECT_TRUE(collide(writes_0_there, reads_0));
    EXPECT_TRUE(collide(reads_0, reads_1)) << "what was written is read";
    EXPECT_TRUE(collide(reads_0, writes_1)) << "both write it";
    EXPECT_FALSE(collide(reads_0, reads_0_too)) << "both read it";
}

TEST(Tasks, AreBehindEachOtherOnce) {
    std::vector<Task> tasks{task(touch(false, true, 0, 0, {}, {0, 1})), task(touch(true, true, 0, 1, {0, 1}, {0, 1})),
                            task(touch(true, false, 1, 1, {0, 1}, {})), task(touch(false, true, 0, 7, {}, {0, 1}))};
    order_by_touches(tasks);
    EXPECT_THAT(tasks[0].after, ElementsAre());
    EXPECT_THAT(tasks[1].after, ElementsAre(0u));
    EXPECT_THAT(tasks[2].after, ElementsAre(1u)) << "behind 0 through 1";
    EXPECT_THAT(tasks[3].after, ElementsAre()) << "touches nothing of theirs";
}

struct Case {
    const char* name;
    std::string model;
    std::vector<std::string> keys;
};

class ShuffledTasks : public ::testing::TestWithParam<Case> {
protected:
    static constexpr std::uint64_t steps = 5;

    ShuffledTasks()
        : prepared_(prepare(for_any_devices({GetParam().model, GetParam().keys + std::vector<std::string>{"output=[]", "run.steps=5"}, {}}),
                            compiler())) {}

    // The hash of the state behind the steps, made by tasks that are cut anywhere, in an order that is drawn: any that `after` allows.
    std::uint64_t shuffled(ViewChoice::Kind kind, bool obey = true) {
        const auto setup = arranged(prepared_.setup, cut_at(prepared_.setup, some_cuts(prepared_.setup, dice_)));
        std::vector<ViewChoice> views;
        for (const auto& kernel : setup.kernels) {
            const auto& collection = setup.collections[kernel.collection];
            const bool marches = kind == ViewChoice::Kind::march && collection.dimensions == 3;
            views.push_back(kind == ViewChoice::Kind::window   ? window_view(collection, 2, 3)
                            : kind == ViewChoice::Kind::direct ? direct_view(collection)
                            : marches                          ? march_view(collection, 2, 2, 3)
                                                               : ViewChoice{});
        }
        const auto device = open_device("cpu", 1);
        ThreadPool pool(1);
        LoadedModel model(setup, std::vector<Device*>(setup.partitions(), device.get()), compiler(), pool, views);
        initialise(model);
        const Schedule& schedule = model.schedule();
        std::vector<Task> tasks;
        Placement placement = model.world().placement();
        for (std::uint64_t k = 0; k < steps; ++k)
            for (const auto phase : setup.phases.ids()) schedule.append_phase(phase, k, k, placement, tasks);
        order_by_touches(tasks);
        const auto queue = device->queue(Priority::normal, Execution::inline_);
        for (const auto number : drawn_order(tasks, dice_, obey)) queue->launch(model.binder().bind(tasks[number], {}));
        model.world().placement() = placement;
        return state_hash(State(setup, 0, model.world().reader()), pool);
    }

    std::uint64_t one_after_the_other() {
        const auto device = open_device("cpu", 1);
        ThreadPool pool(1);
        Simulation simulation(prepared_.setup, *device, compiler(), pool);
        simulation.advance(steps, [](std::uint64_t) { return true; });
        return simulation.hash();
    }

    QuickCompiler quick_{};
    Prepared prepared_;
    std::mt19937 dice_{20};
};

TEST_P(ShuffledTasks, GiveTheSameState) {
    const auto expected = one_after_the_other();
    for (const auto kind : {ViewChoice::Kind::rows, ViewChoice::Kind::direct, ViewChoice::Kind::window, ViewChoice::Kind::march})
        for (int again = 0; again < 4; ++again) ASSERT_EQ(shuffled(kind), expected) << static_cast<int>(kind) << ", " << again;
}

TEST_P(ShuffledTasks, GiveAnotherOneInAnOrderThatTheirTouchesForbid) {
    const auto expected = one_after_the_other();
    bool differs = false;
    for (int again = 0; again < 4; ++again) differs |= shuffled(ViewChoice::Kind::rows, false) != expected;
    EXPECT_TRUE(differs);
}

INSTANTIATE_TEST_SUITE_P(
    Models, ShuffledTasks,
    ::testing::Values(
        Case{
            "torus", plugin("life"), {"places.cell.size=[37,23]", "places.cell.boundary=\"torus\"", "places.cell.init.alive={random=0.4}"}},
        Case{"draws", test_model("random_walk_field"), {"places.field.size=[29,31]"}},
        Case{"fixed", plugin("wave2d"), {"places.wave.size=[41,19]", "places.wave.init.now={random=\"uniform\",low=-1,high=1}"}},
        Case{"mirrors", test_model("mirrors"), {}}, Case{"planes", test_model("crystal"), {}}),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace tessera::test::tasks_test
