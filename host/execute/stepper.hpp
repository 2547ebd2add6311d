// Makes steps: segments of several steps, recorded when met again, so many queued that the device is busy and so few that one can stop it.
#pragma once

#include "device_runtime/kernel_fault.hpp"
#include "host/execute/asking_step.hpp"
#include "host/execute/loaded_model.hpp"
#include "host/execute/pacer.hpp"
#include "host/execute/phase_timer.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

class Stepper {
public:
    static constexpr std::uint64_t longest_segment = 256; // steps: a graph of more nodes gains nothing and takes longer to make

    // All must outlive the stepper. The model's state is that of step `step`.
    Stepper(LoadedModel& model, PhaseTimer& timer, std::uint64_t step, const Pacer& pacer);
    ~Stepper(); // waits for what is queued
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;

    // Number of the state: steps made, or queued while `advance` runs.
    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
    // Makes steps until state `until`, or until `proceed(steps queued)` says no. It is asked many times a second; at most about 100 ms of
    // work is queued at a time. On return the steps counted by step() are done, also where it throws. Failure::device names the steps that
    // were under way.
    void advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed);
    // Waits for all steps that are queued, and throws what they ran into.
    void drain();

    // From now on `advance` ends as well at the first new state for which this question (host/bind/stop_question.hpp) is answered yes, of
    // one GPU. Programs are not used then.
    void stop_at(ReductionId question) { stop_ = question; }

    // From now on makes steps by these programs wherever as many usual steps follow each other, or, where a program ends in a fault, until
    // then. Throws Failure::memory where there is no room for the second buffers that they need, and what launching them once, on the side,
    // runs into. Then steps are made as before.
    void use(LoadedPrograms programs);
    [[nodiscard]] const LoadedPrograms& programs() const noexcept { return programs_; }
    // How many of the steps were made several at a time.
    [[nodiscard]] std::uint64_t fused_steps() const noexcept { return fused_steps_; }

    void count_on_from(const Stepper& before) noexcept { count_on_from(before.fused_steps_); }
    void count_on_from(std::uint64_t fused_steps) noexcept { fused_steps_ += fused_steps; }

    // Makes the next steps one at a time, whatever programs are in use, with nothing queued. Returns what a step takes in seconds, of the
    // phases that `programs` would make: those of other collections are not counted.
    [[nodiscard]] double make_timed_steps(std::uint64_t count, const LoadedPrograms& programs);
    // The same, and each is a sample of the timer.
    void sample_steps(std::uint64_t count);
    // How many steps in a row from `step` on run the usual phases, at most so many.
    [[nodiscard]] std::uint64_t usual_steps_from(std::uint64_t step, std::uint64_t most) const;

    // What a step took lately, in seconds; 0 before the first were made.
    [[nodiscard]] double step_seconds() const noexcept { return step_seconds_; }

private:
    using Clock = Pacer::Clock;
    struct Segment { // some steps in a row from a placement, recorded when met again
        std::uint64_t met = 0;
        std::uint64_t count = 0, fused_steps = 0; // steps
        Work ahead;                               // programs that have to end before the rest begins (waits_for_faults_)
        Work work;
        Placement after;
        // For each item of the work its (first) step, counted from the segment's first; kept while it is queued.
        std::shared_ptr<const std::vector<std::uint64_t>> steps;
    };
    struct Part {
        Segment segment;
        PlannedPart planned; // its tasks are gone
    };
    struct Stoppable { // steps behind each of which `stop` is asked
        Segment segment;
        std::vector<Placement> behind; // each
    };
    struct GivenUp {           // thrown where a program ends in a fault
        std::uint64_t counted; // its first step, from the segment's first
    };
    struct Queued {
        Moment end;
        Clock::time_point begun;
        std::uint64_t first, steps;
        std::shared_ptr<const std::vector<std::uint64_t>> steps_of_items;
        Clock::duration launching{}; // of a queue that does its work at once: what that took
    };

    [[nodiscard]] std::uint64_t programs_from(std::uint64_t step, std::uint64_t left) const;
    [[nodiscard]] std::uint64_t programs_a_cycle() const;
    [[nodiscard]] std::uint64_t steps_to_plan(std::uint64_t count) const;
    [[nodiscard]] Segment& segment_of(std::uint64_t count);
    void append_step(std::uint64_t counted, Placement& placement, std::vector<Task>& tasks,
                     const std::function<bool(PhaseId)>& wanted) const;
    [[nodiscard]] bool is_fused(const LoadedPrograms& programs, PhaseId phase) const;
    void plan(Segment& segment, std::uint64_t count) const;
    void plan_singly(Segment& segment, std::uint64_t count, Placement placement, const std::function<bool(PhaseId)>& wanted) const;
    void bind(Segment& segment, std::vector<Task> tasks, const LoadedPrograms& programs) const;
    void launch_aside(const LoadedPrograms& programs);
    void make_some(std::uint64_t until);
    void make_asking_step();
    void make_stoppable_steps(std::uint64_t until);
    [[nodiscard]] Stoppable& stoppable_of(std::uint64_t count, bool asks_last);
    void ask_stop();
    void check_asking_steps();
    void wait_for_queued();
    const PlannedPart& start_part(const Placement& before, std::string key, const std::function<PlannedPart()>& plan);
    void queue_steps(std::uint64_t count);
    void start(const Segment& segment, std::uint64_t first);
    void start_ahead(const Segment& segment);
    [[noreturn]] void fail(const KernelFault& fault, std::uint64_t first, std::uint64_t counted) const;
    [[noreturn]] void lose_steps(const Error& error);
    void make_singly_from(const GivenUp& given_up);
    void check_agents();
    void wait_for_oldest();
    void wait(const Queued& queued);
    void pace(const Queued& done);
    void count(const Segment& made, std::uint64_t times);

    LoadedModel& model_;
    PhaseTimer& timer_;
    const Pacer& pacer_;
    const std::vector<bool> usual_phases_;
    // Whether what several devices make may end in a fault, of which only waiting tells.
    const bool waits_for_faults_;
    // How many launches a plan has that is made again and again (steps_to_plan; 0: none is), and of how many a step is.
    const std::uint64_t launches_of_a_plan_;
    std::uint64_t launches_a_step_ = 0;
    LoadedPrograms programs_;
    std::uint64_t step_, fused_steps_ = 0;
    std::map<std::pair<Placement, std::string>, Segment> segments_;
    std::map<std::pair<Placement, std::string>, Part> parts_; // of steps that ask the state
    AskingStep::Asked asked_;
    std::optional<ReductionId> stop_;
    bool is_stopped_ = false; // its answer was yes
    std::map<std::pair<Placement, std::string>, Stoppable> stoppable_;
    std::vector<Queued> queued_;
    std::uint64_t unchecked_steps_ = 0; // that asked the state, of which nobody has looked yet whether something went wrong (check_agents)
    Clock::time_point last_check_{};
    std::uint64_t segment_steps_ = 1; // how many are queued at a time
    int made_of_these_ = 0;           // segments of so many, in a row
    Clock::time_point last_done_{};
    double step_seconds_ = 0, measured_seconds_ = 0;
    std::uint64_t measured_steps_ = 0; // in measured_seconds_, since step_seconds_ was told
};

} // namespace tessera
