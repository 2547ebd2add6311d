// Queues that run side by side: order, marks and faults, on CPUs, on GPUs behind the stand-in driver, and in drawn orders.
#include "device_runtime/error.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "unit/device_runtime/queue_program.hpp"
#include "unit/device_runtime/shuffling_device.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <thread>

namespace tessera::queue_test {
namespace {

using test::Step;
using test::Steps;

#if defined(__x86_64__)
constexpr bool faults_are_seen = true;
#else
constexpr bool faults_are_seen = false; // other processors divide by zero without a word
#endif

Steps some_steps(std::size_t queues, std::size_t queues_that_may_fault) {
    Steps steps;
    std::size_t marks = 0;
    const auto count = *rc::gen::inRange<std::size_t>(0, 40);
    for (std::size_t i = 0; i < count; ++i) {
        Step step;
        step.queue = *rc::gen::inRange<std::size_t>(0, queues);
        const int draw = *rc::gen::inRange(0, 100);
        if (draw < 45) {
            step.faulty = faults_are_seen && step.queue < queues_that_may_fault && draw < 3;
        } else if (draw < 70 || marks == 0) {
            step.kind = Step::Kind::mark;
            ++marks;
        } else {
            step.kind = Step::Kind::after;
            step.mark = *rc::gen::inRange<std::size_t>(0, marks);
        }
        steps.push_back(step);
    }
    return steps;
}

bool throws_a_fault(const std::function<void()>& action) {
    try {
        action();
        return false;
    } catch (const KernelFault& fault) {
        RC_ASSERT(fault.kernel() == "divide_by_zero");
        return true;
    }
}

// Queue i is one of device i % devices.
class Programs {
public:
    explicit Programs(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {
        for (const auto& device : devices_)
            programs_.push_back(
                device->load(device->info().kind == DeviceKind::cpu ? test::Images::kernels() : test::Images::kernels_for_fake()));
    }

    void run(const Steps& steps, std::size_t count) {
        std::vector<std::unique_ptr<Queue>> queues;
        for (std::size_t q = 0; q < count; ++q) queues.push_back(device(q).queue(q % 2 == 0 ? Priority::normal : Priority::high));
        std::vector<std::uint32_t> notes(3 + 2 * (steps.size() + count));
        std::vector<Mark> marks;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            auto& queue = *queues[steps[i].queue];
            if (steps[i].kind == Step::Kind::task) queue.launch(task(steps[i], i, notes));
            if (steps[i].kind == Step::Kind::mark) marks.push_back(queue.mark());
            if (steps[i].kind == Step::Kind::after) queue.after(marks[steps[i].mark]);
        }
        const auto expected = test::expected_of(steps, count);
        check_marks(steps, marks, expected);
        check_ends(steps, queues, expected);
        check_order(expected, notes);
        check_that_queues_go_on(steps.size(), queues, notes);
    }

private:
    [[nodiscard]] Device& device(std::size_t queue) const { return *devices_[queue % devices_.size()]; }

    Launch task(const Step& step, std::size_t number, std::vector<std::uint32_t>& notes) {
        auto& program = *programs_[step.queue % devices_.size()];
        return test::launch_over(program.kernel(step.faulty ? "divide_by_zero" : "note"), notes.data(), 1,
                                 static_cast<std::uint32_t>(number));
    }

    static void check_marks(const Steps& steps, const std::vector<Mark>& marks, const test::Expected& expected) {
        std::size_t mark = 0;
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i].kind == Step::Kind::mark) {
                for (int time = 0; time < 2; ++time) // a fault is told each time
                    RC_ASSERT(throws_a_fault([&] { marks[mark].wait(); }) == expected.faulty[i]);
                ++mark;
            }
    }

    static void check_ends(const Steps& steps, const std::vector<std::unique_ptr<Queue>>& queues, const test::Expected& expected) {
        for (std::size_t q = 0; q < queues.size(); ++q) {
            bool faulty = false;
            for (std::size_t i = 0; i < steps.size(); ++i) faulty = faulty || (steps[i].queue == q && expected.faulty[i]);
            RC_ASSERT(throws_a_fault([&] { queues[q]->synchronize(); }) == faulty);
        }
    }

    static void check_order(const test::Expected& expected, const std::vector<std::uint32_t>& notes) {
        const auto begin = [&](std::size_t task) { return notes[1 + 2 * task]; };
        const auto end = [&](std::size_t task) { return notes[2 + 2 * task]; };
        for (std::size_t i = 0; i < expected.before.size(); ++i) {
            RC_ASSERT((end(i) > 0) == (expected.done.count(i) == 1)); // what stands behind a fault is skipped, and nothing else
            if (expected.done.count(i) == 0) continue;
            for (const auto other : expected.before[i]) RC_ASSERT(end(other) < begin(i));
        }
        RC_ASSERT(notes[0] == 2 * expected.done.size()); // each once
    }

    void check_that_queues_go_on(std::size_t number, const std::vector<std::unique_ptr<Queue>>& queues, std::vector<std::uint32_t>& notes) {
        for (std::size_t q = 0; q < queues.size(); ++q, ++number) {
            Step step;
            step.queue = q;
            queues[q]->launch(task(step, number, notes));
            queues[q]->synchronize();
            RC_ASSERT(notes[2 + 2 * number] > 0);
        }
    }

    std::vector<std::unique_ptr<Device>> devices_;
    std::vector<std::unique_ptr<Program>> programs_;
};

constexpr std::size_t queues = 5;

TEST(Queues, OfTwoCpusKeepTheOrderThatMarksGive) {
    Programs programs(open_devices({"cpu", "cpu"}, 4));
    EXPECT_TRUE(rc::check("two CPUs", [&] { programs.run(some_steps(queues, queues), queues); }));
}

TEST(Queues, ShuffledKeepTheOrderThatMarksGive) {
    EXPECT_TRUE(rc::check("drawn orders", [] {
        const auto shuffle = std::make_shared<test::Shuffle>(*rc::gen::arbitrary<unsigned>());
        std::vector<std::unique_ptr<Device>> devices;
        for (int i = 0; i < 2; ++i) devices.push_back(std::make_unique<test::ShufflingDevice>(open_cpu_device(1), shuffle));
        Programs(std::move(devices)).run(some_steps(queues, queues), queues);
    }));
}

TEST(Queues, OfTwoGpusKeepTheOrderThatMarksGive) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    Programs programs(open_devices({"cuda:0", "cuda:1"}, 0, test::search_fake()));
    EXPECT_TRUE(rc::check("two GPUs", [&] { programs.run(some_steps(queues, 0), queues); }));
}

TEST(Queues, OfCpusAndGpusKeepTheOrderThatMarksGive) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const test::Setting two("FAKE_CUDA_DEVICES", "2");
    Programs programs(open_devices({"cpu", "cpu", "cuda:0", "cuda:1", "cuda:1"}, 2, test::search_fake()));
    EXPECT_TRUE(rc::check("CPUs and GPUs", [&] { programs.run(some_steps(queues, 2), queues); }));
}

// A task that does not end before the test lets it.
class Gate {
public:
    void open() { open_.store(true); }
    [[nodiscard]] Mark mark() {
        const auto point = std::make_shared<Point>(open_);
        return Mark(point);
    }

private:
    struct Point final : Mark::Point {
        explicit Point(const std::atomic<bool>& open) : opened(open) {}
        void wait() const override {
            while (!opened.load()) std::this_thread::yield();
        }
        bool done() const override { return opened.load(); }
        const std::atomic<bool>& opened;
    };
    std::atomic<bool> open_{false};
};

TEST(Queues, DoNotBlockTheHostNorEachOther) {
    const auto device = open_cpu_device(2);
    const auto waiting = device->queue(), free = device->queue();
    Gate gate;
    waiting->after(gate.mark());
    const auto behind = waiting->mark();
    free->mark().wait();
    free->synchronize();
    EXPECT_FALSE(behind.done());
    gate.open();
    behind.wait();
    EXPECT_TRUE(behind.done());
}

TEST(Queues, OfAGpuDoNotBlockTheHostForAMarkOfTheCpu) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    const auto device = test::open_fake();
    const auto program = device->load(test::Images::kernels_for_fake());
    const auto memory = device->allocate(4);
    Gate gate;
    const auto waiting = device->queue(), other = device->queue();
    waiting->after(gate.mark());
    waiting->launch(test::launch_over(program->kernel("double_and_add"), memory.address(), 1, 7));
    const auto behind = waiting->mark();
    other->after(behind);
    const auto far_behind = other->mark();
    EXPECT_FALSE(behind.done());
    EXPECT_FALSE(far_behind.done());
    std::uint32_t value = 1;
    const auto third = device->queue();
    third->read(&value, memory.address(), sizeof value);
    EXPECT_EQ(value, 0u);
    gate.open();
    far_behind.wait();
    third->read(&value, memory.address(), sizeof value);
    EXPECT_EQ(value, 21u);
}

TEST(Queues, ARecordingMayEndWhileItsReplayIsQueued) {
    const auto device = open_cpu_device(1);
    const auto memory = device->allocate(4);
    const auto queue = device->queue();
    Gate gate;
    queue->after(gate.mark());
    {
        const auto program = device->load(test::Images::kernels());
        const auto launch = test::launch_over(program->kernel("double_and_add"), memory.address(), 1, 7);
        const auto recording = queue->record({&launch, 1});
        queue->replay(*recording);
        queue->launch(launch);
    }
    gate.open();
    std::uint32_t value = 0;
    queue->read(&value, memory.address(), sizeof value);
    EXPECT_EQ(value, 63u);
}

TEST(Queues, ADefaultMarkIsReached) {
    EXPECT_TRUE(Mark().done());
    Mark().wait();
    const auto device = open_cpu_device(1);
    const auto queue = device->queue();
    queue->after(Mark());
    queue->synchronize();
}

#if defined(__x86_64__)
TEST(Queues, AnInlineQueueThrowsAtTheLaunchAndGoesOn) {
    const auto device = open_cpu_device(2);
    const auto program = device->load(test::Images::kernels());
    const auto queue = device->queue(Priority::normal, Execution::inline_);
    std::vector<std::uint32_t> notes(10);
    EXPECT_THROW(queue->launch(test::launch_over(program->kernel("divide_by_zero"), notes.data(), 1, 0)), KernelFault);
    queue->mark().wait();
    queue->synchronize();
    queue->launch(test::launch_over(program->kernel("note"), notes.data(), 1, 1));
    EXPECT_GT(notes[4], 0u);
}

TEST(Queues, AFaultSkipsCopiesBehindIt) {
    const auto device = open_cpu_device(1);
    const auto program = device->load(test::Images::kernels());
    const auto queue = device->queue();
    std::vector<std::uint32_t> notes(10);
    std::uint32_t value = 5;
    queue->launch(test::launch_over(program->kernel("divide_by_zero"), notes.data(), 1, 0));
    EXPECT_THROW(queue->write(notes.data(), &value, sizeof value), KernelFault);
    EXPECT_EQ(notes[0], 0u);
    EXPECT_THROW(queue->synchronize(), KernelFault);
    queue->write(notes.data(), &value, sizeof value);
    EXPECT_EQ(notes[0], 5u);
}

TEST(Queues, SynchronizeWaitsForWhatAGpuWasGivenBeforeAFault) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    Programs{open_devices({"cpu", "cuda:0"}, 1, test::search_fake())}.run(
        {{Step::Kind::task, 0, 0, true}, {Step::Kind::mark, 0}, {Step::Kind::task, 1}, {Step::Kind::after, 1, 0}}, 2);
}
#endif

} // namespace
} // namespace tessera::queue_test
