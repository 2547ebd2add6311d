// What goes wrong while the tuner tries candidates costs the run nothing: it makes the same steps, and holds no more than before.
// sanitizers: address, thread
#include "device_runtime/error.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/tune/tuner.hpp"
#include "host/views/candidates.hpp"
#include "jit/log.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/faulty_device.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tessera::test::tuner_faults_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::uint64_t endless = std::uint64_t{1} << 40;

bool is_fused(const Launch& launch) { return launch.kernel->name().rfind("fused_", 0) == 0; }

// Of a plate: it has one member.
void spoil_what_is_fused(const Launch& launch) {
    if (!is_fused(launch)) return;
    float* written = nullptr;
    std::memcpy(&written, launch.args.data() + offsets_of_arguments(1, 1).out, sizeof written);
    written[17] += 1;
}

[[noreturn]] void out_of_registers() {
    throw Error(Failure::device, "cuda:0 could not launch \"fused_plate\"",
                "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: too many resources requested for launch");
}

// A run on the CPU whose device fails. What it compiles is shared with other tests, what it notes is not.
class TunerFaults : public ::testing::Test {
protected:
    TunerFaults() {
        compiler(); // sets the log up
        before_ = logger();
        auto to_text = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_));
        to_text->set_level(spdlog::level::warn);
        set_logger(std::move(to_text));
    }
    ~TunerFaults() override { set_logger(before_); }

    WorldUnderTest world(const std::string& model = "heat2d", const std::string& collection = "plate", jit::Compiler& with = compiler(),
                         const std::vector<std::string>& keys = {}) {
        Options options;
        options.wrap = [this](std::unique_ptr<Device> device) { return std::make_unique<FaultyDevice>(std::move(device), faults_); };
        return {plugin(model), geometry(collection, reference::plane(301, 203, Boundary::torus)) + keys, options, with};
    }
    WorldUnderTest plate_with(const std::vector<std::string>& keys) { return world("heat2d", "plate", compiler(), keys); }

    // Steps until the tuner has decided, as a run does.
    std::string tuned(WorldUnderTest& world, jit::Compiler& with = compiler()) {
        Tuner tuner(world.setup(), info_, driver_, world.simulation(), with);
        while (tuner.verdict().empty()) {
            world.advance(world.step() + 512, [&](std::uint64_t) { return !tuner.ready(endless); });
            if (tuner.ready(endless)) tuner.work(world.step() + 512);
        }
        return tuner.verdict();
    }
    // That nothing is used, and that the run is what it is without a tuner.
    void expect_unharmed(WorldUnderTest& world, std::int64_t bytes, const std::string& model = "heat2d",
                         const std::string& collection = "plate") {
        EXPECT_EQ(world.simulation().fused_view(), "");
        EXPECT_EQ(faults_.bytes, bytes);
        world.step_to(world.step() + 300);
        WorldUnderTest straight(plugin(model), geometry(collection, reference::plane(301, 203, Boundary::torus)));
        straight.step_to(world.step());
        EXPECT_EQ(world.hash(), straight.hash());
    }
    void note(const WorldUnderTest& world, const std::string& text, jit::Compiler& with = compiler()) {
        with.note(kernels_job(world.setup(), world.simulation().views(), target_for(world.setup(), false, info_.architecture)),
                  Tuner::topic(world.setup(), info_, driver_), text);
    }

    [[nodiscard]] FusedView first_view(const WorldUnderTest& world) const {
        return possible_views(world.setup(), call_sequences(world.setup(), usual_phases(world.setup())).front(), info_, 0).front();
    }

    Faults faults_;
    std::ostringstream log_;
    const DeviceInfo info_ = open_device("cpu", 1)->info();
    const std::string driver_ =
        "driver of " + std::to_string(std::chrono::system_clock::now().time_since_epoch().count()); // no other run's

private:
    std::shared_ptr<spdlog::logger> before_;
};

TEST_F(TunerFaults, CandidatesThatCannotBeLaunchedArePassedOver) {
    const auto refuse = [](const Launch& launch) {
        if (is_fused(launch)) out_of_registers();
    };
    for (const auto moment : {&Faults::at_record, &Faults::at_replay, &Faults::at_launch}) {
        faults_ = {};
        auto run = world();
        const auto bytes = faults_.bytes;
        faults_.*moment = refuse;
        const auto verdict = tuned(run);
        EXPECT_EQ(verdict, "one step at a time: nothing was faster");
        expect_unharmed(run, bytes);
        faults_.*moment = {};
        EXPECT_EQ(tuned(run), "one step at a time, as an earlier run found") << "a device has no more registers the next time";
        note(run, "to be looked for again");
    }
    EXPECT_THAT(log_.str(), IsEmpty());
}

TEST_F(TunerFaults, ARunThatEndsSoonCompilesNoMore) {
    auto run = world();
    int loaded = 0;
    faults_.at_load = [&] { ++loaded; };
    {
        Tuner tuner(run.setup(), info_, driver_, run.simulation(), compiler());
        const auto work = [&](std::uint64_t steps_left) {
            while (!tuner.ready(steps_left)) run.advance(run.step() + 512, [&](std::uint64_t) { return !tuner.ready(steps_left); });
            tuner.work(run.step() + 512);
        };
        work(endless); // begins
        EXPECT_THAT(tuner.verdict(), IsEmpty());
        work(0); // tries the first
        EXPECT_FALSE(tuner.verdict().empty());
    }
    EXPECT_EQ(loaded, 1);
    Tuner next(run.setup(), info_, driver_, run.simulation(), compiler());
    EXPECT_FALSE(next.ready(0)) << "nothing was noted: it has all candidates before it";
    EXPECT_THAT(next.verdict(), IsEmpty());
}

TEST_F(TunerFaults, OtherCandidatesAreTriedStill) {
    auto run = world();
    int loaded = 0;
    faults_.at_load = [&] { ++loaded; };
    faults_.at_record = [&](const Launch& launch) {
        if (is_fused(launch) && loaded == 1) throw KernelFault(launch.kernel->name(), 0, Ending::no_result);
    };
    int replayed = 0;
    faults_.at_replay = [&](const Launch& launch) { replayed += is_fused(launch); };
    tuned(run);
    EXPECT_GT(loaded, 1);
    EXPECT_GT(replayed, 0);
    run.step_to(run.step() + 300);
    WorldUnderTest straight(plugin("heat2d"), geometry("plate", reference::plane(301, 203, Boundary::torus)));
    straight.step_to(run.step());
    EXPECT_EQ(run.hash(), straight.hash());
}

TEST_F(TunerFaults, ADivisionByZeroInACandidateIsTheSingleStepsToTell) {
    auto run = world();
    const auto bytes = faults_.bytes;
    faults_.at_replay = [](const Launch& launch) {
        if (is_fused(launch)) throw KernelFault(launch.kernel->name(), 0, Ending::no_result);
    };
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
    expect_unharmed(run, bytes);
}

TEST_F(TunerFaults, AFaultOfTheRunsOwnStepsInATrialEndsIt) {
    auto run = world();
    bool tried = false;
    faults_.at_replay = [&](const Launch& launch) {
        tried |= is_fused(launch);
        if (tried && !is_fused(launch)) throw KernelFault(launch.kernel->name(), 0, Ending::no_result);
    };
    try {
        tuned(run);
        FAIL() << "the run went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::model);
        EXPECT_THAT(error.what(), StartsWith("plate.diffuse divided an integer by zero in step " + std::to_string(run.step())));
    }
}

TEST_F(TunerFaults, OtherValuesAreNotUsedAndWarnedOf) {
    auto run = world();
    const auto bytes = faults_.bytes;
    faults_.after_replay = spoil_what_is_fused;
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
    EXPECT_THAT(log_.str(), HasSubstr("gave other values than single steps and is not used"));
    expect_unharmed(run, bytes);
}

TEST_F(TunerFaults, WithoutMemoryForATrialNothingIsDecidedForOtherRuns) {
    auto run = world();
    const auto bytes = faults_.bytes;
    faults_.at_allocate = [](std::size_t) { throw Error(Failure::memory, "cuda:0 could not allocate", "out of memory"); };
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
    expect_unharmed(run, bytes);
    EXPECT_THAT(Tuner(run.setup(), info_, driver_, run.simulation(), compiler()).verdict(), IsEmpty()) << "another run may have the memory";
}

TEST_F(TunerFaults, WithoutMemoryForSpareBuffersNothingIsUsed) {
    auto run = world("wave2d", "wave");
    run.step_to(100);
    const auto bytes = faults_.bytes;
    const auto sequence = call_sequences(run.setup(), usual_phases(run.setup())).front();
    const FusedProgram program{sequence, first_view(run), "fused_wave"};
    const auto load = [&] {
        return run.simulation().load_programs(
            {program}, compile_programs(run.setup(), {program}, target_for(run.setup(), false, info_.architecture), compiler()));
    };
    int asked = 0;
    faults_.at_allocate = [&](std::size_t) { // the first of two is to be had
        if (++asked == 2) throw Error(Failure::memory, "cuda:0 could not allocate", "out of memory");
    };
    EXPECT_THROW(run.simulation().use(load()), Error);
    EXPECT_EQ(asked, 2);
    expect_unharmed(run, bytes, "wave2d", "wave");

    run.simulation().use(load()); // there is memory now
    EXPECT_GT(faults_.bytes, bytes);
    run.step_to(run.step() + 100);
    WorldUnderTest straight(plugin("wave2d"), geometry("wave", reference::plane(301, 203, Boundary::torus)));
    straight.step_to(run.step());
    EXPECT_EQ(run.hash(), straight.hash());
    EXPECT_GT(run.simulation().fused_steps(), 0u);
}

TEST_F(TunerFaults, ADeviceThatIsLostEndsTheRunAndTheCandidateIsNamed) {
    auto run = world();
    const auto lost = [] { throw Error(Failure::device, "cuda:0 could not finish the work queued on it", "CUDA_ERROR_ILLEGAL_ADDRESS"); };
    faults_.at_replay = [&](const Launch& launch) {
        if (is_fused(launch)) faults_.at_wait = lost;
    };
    EXPECT_THROW(tuned(run), Error);
    EXPECT_THAT(log_.str(), HasSubstr("cpu failed in a trial of blocks, 8 steps, "));
}

TEST_F(TunerFaults, ADamagedNoteIsNone) {
    auto run = world();
    for (const std::string text : {"", "single ", "sin", "blocks", "blocks:8x4096", "blocks:8x4096x203x1", "blocks:8x4096x203 ",
                                   "pipeline:0x0x0", "pipeline:8x2x64", "blocks:-8x4096x203", "heaps:8x4096x203", "pipeline:8x1x32x1",
                                   "blocks:999x4096x203", "blocks:08x4096x203", "blocks:99999999999x1x1", "\xff\xfe:1x2x3"}) {
        note(run, text);
        Tuner tuner(run.setup(), info_, driver_, run.simulation(), compiler());
        EXPECT_THAT(tuner.verdict(), IsEmpty()) << text;
        for (int i = 0; i < 20; ++i) EXPECT_FALSE(tuner.ready(0)) << text << ": it waits for a longer run";
    }
    note(run, "single");
    EXPECT_EQ(tuned(run), "one step at a time, as an earlier run found");
}

TEST_F(TunerFaults, ANotedChoiceThatCannotBeRunIsLookedForAgain) {
    auto run = world();
    const auto view = first_view(run);
    const auto text = spelled(view);
    const auto fail_at = [](auto& moment) {
        moment = [](const auto&... launch) {
            if ((is_fused(launch) && ...)) out_of_registers();
        };
    };
    note(run, text);
    EXPECT_EQ(tuned(run), to_string(view) + ", as an earlier run found") << "as long as nothing is wrong";

    auto second = world(), third = world();
    fail_at(faults_.at_launch);
    note(second, text);
    EXPECT_EQ(tuned(second), "one step at a time: nothing was faster");
    faults_ = {};
    fail_at(faults_.at_load);
    note(third, text);
    EXPECT_EQ(tuned(third), "one step at a time: nothing was faster");
}

TEST_F(TunerFaults, ANotedChoiceIsComparedBeforeItIsUsed) {
    auto run = world();
    const auto bytes = faults_.bytes;
    note(run, spelled(first_view(run)));
    faults_.after_replay = spoil_what_is_fused;
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
    EXPECT_THAT(log_.str(), HasSubstr("gave other values than single steps and is not used"));
    expect_unharmed(run, bytes);
}

TEST_F(TunerFaults, AChoiceIsNotedForThePhasesAndHaltsOfItsRunAlone) {
    auto run = world();
    note(run, "single");
    const auto is_found = [&](const std::vector<std::string>& keys) {
        auto other = plate_with(keys);
        return !Tuner(other.setup(), info_, driver_, other.simulation(), compiler()).verdict().empty();
    };
    const std::string call = "{callAll=\"plate.diffuse\"}", exchange = "{exchangeAll=\"plate\"}",
                      csv = "csv=\"a.csv\", columns={m=\"max(plate.heat)\"}";
    EXPECT_TRUE(is_found({}));
    EXPECT_TRUE(is_found({"run.steps=700", "run.seed=8"}));
    EXPECT_TRUE(is_found({"phase=[" + exchange + "," + exchange + "," + call + "]"})) << "an exchange more moves nothing";
    EXPECT_FALSE(is_found({"phase=[" + exchange + "," + call + "," + exchange + ",{callAll=\"plate.diffuse\", every=3}]"}));
    EXPECT_FALSE(is_found({"phase=[" + exchange + "," + call + "," + exchange + "," + call + "]"}));
    EXPECT_FALSE(is_found({"phase=[" + exchange + ",{callAll=\"plate.diffuse\", from=5}]"}));
    EXPECT_FALSE(is_found({"output=[{every=3, " + csv + "}]"}));
    EXPECT_FALSE(is_found({"run.stop=\"max(plate.heat) < 0.5\"", "run.stop_every=3"}));
    auto rare = plate_with({"output=[{every=1000, " + csv + "}]"});
    note(rare, "single");
    EXPECT_TRUE(is_found({"output=[{every=5000, " + csv + "}]"}));
}

// A device with a clock of its own: what a launch takes, the test says.
TEST_F(TunerFaults, ASlowSampleOfSingleStepsIsNotTheirTime) {
    double now = 0;
    bool cold = false, warmed = false; // single steps behind a load take five times as long, until a sample of them was taken
    faults_.clock = [&] {
        if (warmed) cold = false;
        return now;
    };
    faults_.at_load = [&] { cold = true, warmed = false; };
    const auto take_time = [&](const Launch& launch) {
        if (is_fused(launch))
            now += 20e-9; // for 16 steps at most
        else if (launch.kernel->name() != advance_symbol)
            now += cold ? 5e-9 : 1e-9, warmed = true;
    };
    faults_.at_replay = faults_.at_launch = take_time;
    auto run = world();
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
}

TEST_F(TunerFaults, WhatIsNoFasterWhenTimedAgainIsNotUsedAndNotNoted) {
    double now = 0;
    bool loaded = false;
    faults_.clock = [&] { return now; };
    faults_.at_load = [&] { loaded = true; };
    faults_.at_replay = [&](const Launch& launch) {
        if (is_fused(launch))
            now += loaded ? 1e-9 : 100e-9;
        else if (launch.kernel->name() != advance_symbol)
            now += 1e-9;
    };
    auto run = world();
    bool was_used = false;
    {
        Tuner tuner(run.setup(), info_, driver_, run.simulation(), compiler());
        while (tuner.verdict().empty()) {
            run.advance(run.step() + 512, [&](std::uint64_t) { return !tuner.ready(endless); });
            loaded = false;
            if (tuner.ready(endless)) tuner.work(run.step() + 512);
            was_used |= !run.simulation().fused_view().empty();
        }
        EXPECT_EQ(tuner.verdict(), "one step at a time: nothing was faster");
    }
    EXPECT_TRUE(was_used);
    EXPECT_EQ(run.simulation().fused_view(), "");
    EXPECT_THAT(Tuner(run.setup(), info_, driver_, run.simulation(), compiler()).verdict(), IsEmpty());
    run.step_to(run.step() + 300);
    WorldUnderTest straight(plugin("heat2d"), geometry("plate", reference::plane(301, 203, Boundary::torus)));
    straight.step_to(run.step());
    EXPECT_EQ(run.hash(), straight.hash());
}

TEST_F(TunerFaults, OtherValuesOfFastFloatsAreNoDefectAndNotUsed) {
    auto run = plate_with({"run.float=fast"});
    int spoilt = 0;
    faults_.after_replay = [&](const Launch& launch) {
        spoil_what_is_fused(launch);
        spoilt += is_fused(launch);
    };
    Tuner tuner(run.setup(), info_, driver_, run.simulation(), compiler());
    for (const std::uint64_t steps_left : {endless, std::uint64_t{0}}) { // begins; tries the first
        while (!tuner.ready(steps_left)) run.advance(run.step() + 512, [&](std::uint64_t) { return !tuner.ready(steps_left); });
        tuner.work(run.step() + 512);
    }
    EXPECT_GT(spoilt, 0);
    EXPECT_EQ(tuner.verdict(), "one step at a time: nothing was faster");
    EXPECT_EQ(run.simulation().fused_view(), "");
    EXPECT_THAT(log_.str(), IsEmpty());
}

// Time goes by as the test says: whatever agents take in a step, sand by itself takes less than any program.
TEST_F(TunerFaults, WhatAgentsTakeIsNoReasonToFusePlacesBesideThem) {
    double now = 0;
    faults_.clock = [&] { return now; };
    faults_.at_replay = faults_.at_launch = [&](const Launch& launch) {
        const auto& name = launch.kernel->name();
        now += is_fused(launch) ? 20e-6 : name.find("sand") != std::string::npos ? 1e-6 : 1e-3;
    };
    Options options;
    options.wrap = [this](std::unique_ptr<Device> device) { return std::make_unique<FaultyDevice>(std::move(device), faults_); };
    WorldUnderTest run(test_model("dunes"), {}, options);
    EXPECT_EQ(tuned(run), "one step at a time: nothing was faster");
}

class TunerAndABrokenCompiler : public TunerFaults {
protected:
    // From now on it refuses what is fused, for an error in our own text.
    void break_it() { std::ofstream{broken_}; }

    TemporaryFolder folder_;
    const std::filesystem::path broken_ = folder_.path() / "broken";
    const std::string command_ = std::getenv("CXX") != nullptr ? std::getenv("CXX") : "c++";
    const std::filesystem::path script_ =
        folder_.write("c++", "#!/bin/sh\nif [ -e " + broken_.string() +
                                 " ] && grep -q tessera_program_ main.cpp; then\n"
                                 "echo \"tessera-generated:7:8: error: redefinition of 'struct tessera::twice'\" >&2; exit 1\nfi\nexec " +
                                 command_ + " \"$@\"\n");
    jit::Cache cache_{folder_.path() / "cache"};
    jit::Compiler fresh_{cache_};

    void SetUp() override {
        std::filesystem::permissions(script_, std::filesystem::perms::owner_all);
        setenv("CXX", script_.c_str(), 1);
    }
    void TearDown() override {
        if (command_ == "c++")
            unsetenv("CXX");
        else
            setenv("CXX", command_.c_str(), 1);
    }
};

TEST_F(TunerAndABrokenCompiler, IsWarnedOfOnceAndNothingIsRemembered) {
    auto run = world("heat2d", "plate", fresh_);
    note(run, spelled(first_view(run)), fresh_);
    break_it();
    EXPECT_EQ(tuned(run, fresh_), "one step at a time: nothing was faster") << "what was noted does not compile, nor does anything else";
    const std::string warning = "could not be compiled and is not used; this is a defect of Tessera: ";
    EXPECT_THAT(log_.str(), HasSubstr(warning));
    EXPECT_EQ(log_.str().find(warning), log_.str().rfind(warning));
    note(run, "to be looked for again", fresh_);
    EXPECT_EQ(tuned(run, fresh_), "one step at a time: nothing was faster");
    EXPECT_THAT(Tuner(run.setup(), info_, driver_, run.simulation(), fresh_).verdict(), IsEmpty()) << "it is looked for again";
}

} // namespace
} // namespace tessera::test::tuner_faults_test
