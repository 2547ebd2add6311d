// Tasks as they are handed to the queues of several partitions: what waits for what, and whose fault is told.
#include "device_runtime/error.hpp"
#include "host/execute/executor.hpp"
#include "host/execute/step_words.hpp"
#include "host/schedule/schedule.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/hand_made_partitions.hpp"

#include <tessera/random.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace tessera::test::executor_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What a queue was asked for, in words, and what it does when it is waited for.
struct Log {
    std::vector<std::string> lines{};
    std::function<void(std::size_t)> at_wait{}; // of a queue
};

class LoggingQueue final : public Queue {
public:
    LoggingQueue(std::size_t number, Log& log) : number_(number), log_(log) {}

    void launch(const Launch& launch) override { note("launch " + std::to_string(launch.number)); }
    std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder&) override {
        note("record " + std::to_string(launches.size()));
        return std::make_unique<Recorded>(launches.size());
    }
    void replay(const Recording& recording) override { note("replay " + std::to_string(recording.launches())); }
    Mark mark(Timed timed) override {
        const auto name = std::to_string(number_) + "." + std::to_string(++marks_);
        note("mark " + name + (timed == Timed::yes ? " timed" : ""));
        return Mark(std::make_shared<const Named>(name, number_, log_));
    }
    void after(const Mark& mark) override { note("after " + dynamic_cast<const Named&>(*mark.point()).name); }
    void copy(const Copy& copy) override { note("copy " + std::to_string(copy.bytes)); }
    void write(void*, const void*, std::size_t) override {}
    void read(void*, const void*, std::size_t) override {}
    void synchronize() override {
        note("synchronize");
        if (log_.at_wait) log_.at_wait(number_);
    }

private:
    struct Recorded final : Recording {
        explicit Recorded(std::size_t of) : count(of) {}
        [[nodiscard]] std::size_t launches() const noexcept override { return count; }
        std::size_t count;
    };
    struct Named final : Mark::Point {
        Named(std::string called, std::size_t of, Log& to) : name(std::move(called)), queue(of), log(to) {}
        void wait() const override {
            if (log.at_wait) log.at_wait(queue);
        }
        bool done() const override { return true; }
        std::string name;
        std::size_t queue;
        Log& log;
    };
    void note(const std::string& what) { log_.lines.push_back(std::to_string(number_) + ": " + what); }

    std::size_t number_;
    Log& log_;
    int marks_ = 0;
};

// Two functions of a plane, one of which looks a row up and down.
HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b")});
    toy.function(cell, "look", {{"a", and_writes(looking({1, 1, 0}))}, {"b", writing()}});
    toy.function(cell, "cool", {{"b", changing()}});
    return toy;
}

class Executed : public ::testing::Test {
protected:
    explicit Executed(std::size_t partitions = 3, bool own_memory = false)
        : of_(partitions),
          setup_(over_devices(toy().bind({"places.cell.size = [9, 12]", "run.seed = 77"}), partitions, own_memory ? 1 : 0)) {
        make_step_words(of_.partitions, setup_);
        std::vector<StripeOwner> owners;
        for (auto& partition : of_.partitions) {
            queues_.push_back(std::move(partition.queue));
            owners.push_back({partition.device, queues_.back().get()});
        }
        world_ = std::make_unique<World>(setup_, owners, pool_);
        for (std::size_t p = 0; p < partitions; ++p) {
            auto& partition = of_.partitions[p];
            partition.queue = std::make_unique<LoggingQueue>(p, log_);
            for (const auto& kernel : setup_.kernels) {
                kernels_.push_back(std::make_unique<NamedKernel>(kernel.symbol));
                partition.kernels.calls.push_back(kernels_.back().get());
                partition.kernels.views.emplace_back();
            }
            kernels_.push_back(std::make_unique<NamedKernel>(advance_symbol));
            partition.kernels.advance = kernels_.back().get();
        }
        binder_ = std::make_unique<Binder>(setup_, *world_, of_.partitions);
        executor_ = std::make_unique<Executor>(of_.partitions, *binder_);
    }

    // Of so many steps.
    [[nodiscard]] std::vector<Task> tasks(std::uint64_t steps) {
        const Schedule schedule(setup_);
        std::vector<Task> tasks;
        for (std::uint64_t k = 0; k < steps; ++k)
            for (const auto phase : setup_.phases.ids()) schedule.append_phase(phase, k, k, world_->placement(), tasks);
        return tasks;
    }

    HandMadePartitions of_;
    Log log_;
    ThreadPool pool_{1};
    tessera::Setup setup_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::unique_ptr<World> world_;
    std::unique_ptr<Binder> binder_;
    std::unique_ptr<Executor> executor_;
};
class ExecutedAlone : public Executed {
protected:
    ExecutedAlone() : Executed(1) {}
};
class ExecutedInOwnMemory : public Executed {
protected:
    ExecutedInOwnMemory() : Executed(2, true) {}
};

// Which items are done before an item begins, by the order of its queue and by what it waits for.
std::vector<std::vector<bool>> done_before(const Work& work, std::size_t but_item, std::size_t but_wait) {
    std::vector<std::vector<bool>> before(work.items.size(), std::vector<bool>(work.items.size()));
    for (std::size_t i = 0; i < work.items.size(); ++i) {
        const auto add = [&](std::size_t other) {
            before[i][other] = true;
            for (std::size_t k = 0; k < other; ++k) before[i][k] = before[i][k] || before[other][k];
        };
        for (std::size_t other = 0; other < i; ++other)
            if (work.items[other].partition == work.items[i].partition) add(other);
        for (const auto other : work.items[i].behind)
            if (i != but_item || other != but_wait) add(other);
    }
    return before;
}

TEST_F(Executed, ItemsWaitForWhatTheirTasksComeAfterAndForNothingTwice) {
    auto all = tasks(4);
    const auto work = executor_->bind(all, {});
    ASSERT_EQ(work.items.size(), all.size());
    const auto none = work.items.size();
    const auto before = done_before(work, none, none);
    std::size_t waits = 0;
    std::vector<bool> awaited(work.items.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(work.items[i].partition, all[i].partition);
        EXPECT_EQ(work.items[i].launch.number, i);
        for (std::size_t other = 0; other < i; ++other)
            EXPECT_TRUE(before[i][other] || !collide(all[i], all[other])) << i << " is not behind " << other;
        for (const auto other : work.items[i].behind) {
            ++waits;
            awaited[other] = true;
            EXPECT_NE(work.items[other].partition, work.items[i].partition);
            EXPECT_FALSE(done_before(work, i, other)[i][other]) << i << " need not wait for " << other;
        }
    }
    EXPECT_GT(waits, 10u) << "stripes see each other's rows in each step";
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(work.items[i].awaited, awaited[i]) << i;
}

Task of_rows(std::size_t partition, const std::vector<int>& read, int written) {
    Task task;
    task.work = CallWork{};
    task.partition = partition;
    task.rows = {0, 4};
    for (const int buffer : read) {
        auto& touch = task.touches.emplace_back();
        touch.reads = true;
        touch.in = touch.out = buffer;
        touch.read = {{0, 4}};
    }
    auto& touch = task.touches.emplace_back();
    touch.writes = true;
    touch.in = touch.out = written;
    touch.written = {0, 4};
    return task;
}

// The second partition has waited for the first before it did what the third one waits for.
TEST_F(Executed, ItemsWaitForNothingThatAnotherQueueHasWaitedFor) {
    const auto& placement = world_->placement();
    const int x = placement.current_of(ColumnId(0)), y = placement.spare_of(ColumnId(0)), z = placement.current_of(ColumnId(1));
    const auto last = world_->add_buffer(ColumnId(1));
    const auto work = executor_->bind({of_rows(0, {}, x), of_rows(1, {x}, y), of_rows(1, {}, z), of_rows(2, {x, z}, last)}, {});
    EXPECT_THAT(work.items[1].behind, ElementsAre(0u));
    EXPECT_THAT(work.items[2].behind, IsEmpty());
    EXPECT_THAT(work.items[3].behind, ElementsAre(2u));
}

TEST_F(Executed, WorkIsQueuedBehindMarksOfWhatItWaitsFor) {
    auto work = executor_->bind(tasks(1), {}); // `look` of three stripes, and `cool`
    ASSERT_EQ(work.items.size(), 6u);
    for (auto& item : work.items) item.behind.clear(), item.awaited = false;
    work.items[4].behind = {0, 2};
    work.items[0].awaited = work.items[2].awaited = true;
    executor_->start(work);
    EXPECT_THAT(log_.lines, ElementsAre("0: launch 0", "0: mark 0.1", "1: launch 1", "2: launch 2", "2: mark 2.1", "0: launch 3",
                                        "1: after 0.1", "1: after 2.1", "1: launch 4", "2: launch 5"));
}

// What is started next is behind all of it, on every queue.
TEST_F(Executed, QueuesWaitForEachOtherBetweenWorks) {
    Work nothing;
    executor_->start(nothing);
    EXPECT_THAT(log_.lines, IsEmpty()) << "nothing was queued before";
    const auto moment = executor_->now();
    EXPECT_EQ(moment.size(), 3u);
    const std::vector<std::string> joined{"0: mark 0.1",  "1: mark 1.1",  "2: mark 2.1",  "0: after 1.1", "0: after 2.1",
                                          "1: after 0.1", "1: after 2.1", "2: after 0.1", "2: after 1.1"};
    auto expected = joined;
    for (const std::string end : {"0: mark 0.2 timed", "1: mark 1.2 timed", "2: mark 2.2 timed"}) expected.push_back(end);
    EXPECT_EQ(log_.lines, expected);
    log_.lines.clear();
    executor_->start(nothing);
    EXPECT_THAT(log_.lines, IsEmpty()) << "they have joined already";
    log_.lines.clear();
    (void)executor_->end_of_each();
    EXPECT_THAT(log_.lines, ElementsAre("0: mark 0.3 timed", "1: mark 1.3 timed", "2: mark 2.3 timed")) << "each behind its own";
}

TEST_F(Executed, SeveralAreNotRecorded) {
    auto work = executor_->bind(tasks(1), {});
    executor_->record(work);
    EXPECT_EQ(work.recording, nullptr);
}

TEST_F(ExecutedAlone, WaitsForNothingAndIsReplayed) {
    auto work = executor_->bind(tasks(2), {});
    for (const auto& item : work.items) EXPECT_TRUE(item.behind.empty() && !item.awaited);
    executor_->start(work);
    executor_->record(work);
    executor_->start(work);
    EXPECT_THAT(log_.lines, ElementsAre("0: launch 0", "0: launch 1", "0: launch 2", "0: launch 3", "0: record 4", "0: replay 4"));
}

// Of several partitions' faults the first that was launched is told; a device that fails is worse than any.
TEST_F(Executed, TheFaultOfTheFirstItemIsTold) {
    const auto moment = executor_->now();
    log_.at_wait = [](std::size_t queue) {
        if (queue != 1) throw KernelFault("tick", queue == 0 ? 9 : 4, Ending::no_result);
    };
    try {
        executor_->wait(moment);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const KernelFault& fault) {
        EXPECT_EQ(fault.launch(), 4u);
    }
    EXPECT_EQ(std::count(log_.lines.begin(), log_.lines.end(), "1: synchronize"), 1) << "what was queued is waited for and forgotten";
    log_.at_wait = [](std::size_t queue) {
        if (queue == 2) throw Error(Failure::device, "cuda:1 is lost");
        throw KernelFault("tick", 1, Ending::no_result);
    };
    EXPECT_EQ(what_fails([&] { executor_->synchronize(); }), "device 3 of 3: cuda:1 is lost");
}

TEST_F(ExecutedAlone, ADeviceIsNotToldFromItself) {
    log_.at_wait = [](std::size_t) { throw Error(Failure::device, "cuda:1 is lost"); };
    EXPECT_EQ(what_fails([&] { executor_->synchronize(); }), "cuda:1 is lost");
}

// ---- launches

TEST_F(Executed, ACallIsLaunchedWithItsColumnsRowsAndNumbers) {
    auto all = tasks(2);
    const auto& task = all.at(4); // the second stripe's `cool`
    const auto launch = binder_->bind(task, {});
    EXPECT_EQ(launch.kernel->name(), "tessera_4_cell_cool");
    EXPECT_EQ(launch.items, 4) << "rows 4 to 8";
    arguments<1, 1> args;
    ASSERT_EQ(launch.args.size(), sizeof(args));
    std::memcpy(&args, launch.args.data(), sizeof(args));
    EXPECT_EQ(args.first_step, of_.partitions[1].step_counter());
    EXPECT_EQ(args.step_after_first, 0u);
    EXPECT_EQ(args.first_row, 4);
    EXPECT_EQ(args.end_row, 8);
    const auto column = world_->origin(world_->placement().current_of(ColumnId(1)), 1);
    EXPECT_EQ(args.in[0], column);
    EXPECT_EQ(args.out[0], column);
    EXPECT_EQ(args.random_key[0], stream_key(77, name_hash("cell.cool"), 0));
}

// What is seen around and written goes into the other buffer, and back in the next step.
TEST_F(Executed, ACallThatLooksAroundWritesTheSpare) {
    auto all = tasks(2);
    arguments<2, 1> first, second;
    std::memcpy(&first, binder_->bind(all.at(0), {}).args.data(), sizeof(first));
    std::memcpy(&second, binder_->bind(all.at(6), {}).args.data(), sizeof(second));
    EXPECT_NE(first.in[0], first.out[0]);
    EXPECT_EQ(second.in[0], first.out[0]);
    EXPECT_EQ(second.out[0], first.in[0]);
    EXPECT_EQ(second.step_after_first, 1u);
    EXPECT_EQ(first.random_key[0], second.random_key[0]) << "the step is in what is drawn, not in the key";
}

TEST_F(Executed, AnAdvanceIsOfThePartitionsCounter) {
    auto advances = Schedule(setup_).advance(5);
    ASSERT_EQ(advances.size(), 3u);
    advance_arguments args;
    std::memcpy(&args, binder_->bind(advances[2], {}).args.data(), sizeof(args));
    EXPECT_EQ(args.step, of_.partitions[2].step_counter());
    EXPECT_EQ(args.by, 5u);
}

TEST_F(ExecutedAlone, RowsOfWhatIsCompiledForAllAreRefused) {
    auto task = tasks(1).front();
    task.rows = {2, 5};
    EXPECT_THAT(what_fails([&] { (void)binder_->bind(task, {}); }), ::testing::HasSubstr("cell.look was compiled for the whole grid"));
}

// A row of the other stripe, into the ghost rows of one's own memory.
TEST_F(ExecutedInOwnMemory, RowsAreCopiedFromWhereTheyAreMade) {
    const auto buffer = world_->placement().current_of(ColumnId(0));
    Task task;
    task.work = CopyWork{5};
    task.partition = 1;
    task.rows = {5, 6};
    Touch touch;
    touch.in = touch.out = buffer;
    touch.in_of = 0;
    touch.out_of = 1;
    task.touches = {touch};
    const auto copies = binder_->copies(task);
    ASSERT_EQ(copies.size(), 1u) << "one element";
    const auto& layout = setup_[ColumnId(0)].layout;
    const auto row = [&](std::size_t partition, std::int64_t number) {
        return static_cast<const std::byte*>(world_->origin(buffer, partition)) + number * layout.row * 4;
    };
    const auto offset = static_cast<const std::byte*>(copies[0].from) - row(0, 5);
    EXPECT_EQ(static_cast<const std::byte*>(copies[0].to) - row(1, 5), offset);
    EXPECT_LE(offset, -4) << "with the ghosts beside it";
    EXPECT_GE(static_cast<std::int64_t>(copies[0].bytes) + offset, (9 + 1) * 4);
    EXPECT_LE(copies[0].bytes, static_cast<std::size_t>(layout.row * 4));
    EXPECT_THAT(what_fails([&] { (void)binder_->bind(task, {}); }), ::testing::HasSubstr("rows that are copied were to be launched"));
}

} // namespace
} // namespace tessera::test::executor_test
