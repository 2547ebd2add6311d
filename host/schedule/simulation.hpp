// A run on one device: compiled, initialised, stepped.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/kernel_fault.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/schedule/step_plan.hpp"
#include "host/world/kernel_source.hpp"
#include "host/world/world.hpp"
#include "jit/compiler.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Time that a phase takes on the device, from steps that were run phase by phase now and then.
struct PhaseTiming {
    std::string name;
    std::string view; // how its kernel goes over the places; empty if it has none
    std::uint64_t runs = 0;
    std::uint64_t samples = 0;
    double sampled_seconds = 0; // sum over the samples
};

// Programs as they are run, and what must live as long.
struct LoadedPrograms {
    std::vector<FusedKernel> kernels;
    jit::Image image;
    std::unique_ptr<Program> program;
};

enum class Timed { no, yes };

struct Trial {
    std::string obstacle;   // why the programs cannot be run; then nothing else is known
    bool no_memory = false; // and whether that is for want of memory
    bool same = false;      // bit for bit, in all places
    // The least of several samples, taken by turns, where these are the same and as many steps were to be made; else of one each.
    double fused_step_seconds = 0, single_step_seconds = 0;
};

class Simulation {
public:
    using Clock = std::chrono::steady_clock;

    // Compiles the kernels, allocates the columns and makes state 0. Everything handed over must outlive the simulation.
    // Throws Failure::compile, Failure::memory, Failure::device, and Failure::input for initial values that cannot be had.
    // `views` has one for each of Setup::kernels; empty: those that choose_view gives.
    Simulation(const Setup& setup, Device& device, jit::Compiler& compiler, ThreadPool& pool, std::vector<ViewChoice> views = {});
    ~Simulation();

    // Loads compiled programs, all of one depth.
    [[nodiscard]] LoadedPrograms load_programs(const std::vector<FusedProgram>& programs, jit::Image image);

    // Makes the next steps one at a time, as many as the programs make at once, and by the programs as well, on the side. Nothing if these
    // are not all usual steps before state `until`. Timed, it goes on with more steps before that, for the sake of the clock. What the
    // programs run into is the trial's obstacle: the run goes on without them. Throws what the single steps run into.
    [[nodiscard]] std::optional<Trial> try_programs(const LoadedPrograms& loaded, std::uint64_t until, Timed timed = Timed::yes);
    // The same with the programs in use.
    [[nodiscard]] std::optional<Trial> try_programs_in_use(std::uint64_t until) { return try_programs(fused_, until); }

    // From now on makes steps by these programs wherever as many usual steps follow each other, or, where a program divides by zero, until
    // then. Throws Failure::memory where there is no room for the second buffers that they need, and what launching them once, on the side,
    // runs into. Then steps are made as before.
    void use(LoadedPrograms loaded);

    // Compiles, loads and uses.
    void fuse(const std::vector<FusedProgram>& programs, jit::Compiler& compiler);

    // Waits for all that was asked of the device, and throws what that ran into.
    void synchronize() { device_.synchronize(); }

    // Number of the state: steps made.
    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }

    // Makes steps until state `until`, or until `proceed(steps queued)` says no. It is asked many times a second; at most about 100 ms of
    // work is queued at a time. On return the steps counted by step() are done.
    void advance(std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed);

    [[nodiscard]] Array read(std::size_t collection, std::size_t member) const { return world_.read(collection, member); }
    [[nodiscard]] std::uint64_t hash() const;

    // What a step took lately, in seconds; 0 before the first were made.
    [[nodiscard]] double step_seconds() const noexcept { return step_seconds_; }
    // The programs in use; empty if steps are made one at a time.
    [[nodiscard]] const std::vector<FusedKernel>& fused() const noexcept { return fused_.kernels; }
    // How steps are fused: "pipeline, 8 steps, ..."; empty if they are not.
    [[nodiscard]] std::string fused_view() const;

    [[nodiscard]] std::vector<PhaseTiming> timings() const;
    // How many of the steps were made several at a time.
    [[nodiscard]] std::uint64_t fused_steps() const noexcept { return fused_steps_; }
    [[nodiscard]] const std::vector<ViewChoice>& views() const noexcept { return views_; }
    [[nodiscard]] const jit::Image& image() const noexcept { return image_; }
    [[nodiscard]] double initialise_seconds() const noexcept { return initialise_seconds_; }

private:
    static constexpr std::uint64_t longest_segment = 256; // steps: a graph of more nodes gains nothing and takes longer to make

    struct Segment { // some steps in a row from a placement, recorded when met again
        std::uint64_t met = 0;
        std::uint64_t fused_steps = 0;
        std::unique_ptr<Recording> recording;
        std::vector<std::uint64_t> steps; // for each launch, its (first) step, counted from the segment's first
        Placement after;
    };
    struct GivenUp {           // thrown where a program divides by zero
        std::uint64_t counted; // its first step, from the segment's first
    };
    struct Queued {
        std::unique_ptr<Mark> end;
        Clock::time_point begun;
        std::uint64_t steps;
    };

    void load_kernels(jit::Compiler& compiler);
    std::unique_ptr<Program> load(const jit::Image& image);
    [[nodiscard]] std::uint64_t fused_depth() const;                                            // 1: no fused steps
    [[nodiscard]] std::uint64_t usual_steps_from(std::uint64_t step, std::uint64_t most) const; // in a row
    [[nodiscard]] std::uint64_t programs_from(std::uint64_t step, std::uint64_t left) const;
    void launch_aside(const LoadedPrograms& loaded);
    [[nodiscard]] std::optional<std::uint64_t> steps_before_trial(const FusedView& view, std::uint64_t until) const;
    [[nodiscard]] std::uint64_t times_for_trial(const FusedView& view, std::uint64_t until) const;
    [[nodiscard]] double sample_of(const std::vector<Launch>& launches, std::size_t times);
    [[nodiscard]] std::uint64_t steps_for_sample(double step_seconds, std::uint64_t least, std::uint64_t until) const;
    [[nodiscard]] double make_timed_steps(std::uint64_t count);
    [[nodiscard]] bool same_values(const LoadedPrograms& loaded, const Placement& a, const Placement& b, const Memory& differ);
    void append_step(std::uint64_t step, std::uint64_t counted, Placement& placement, std::vector<Launch>& launches,
                     bool beside_programs = false) const;
    [[nodiscard]] std::vector<Launch> launches_of(Segment& segment, std::uint64_t count, bool singly = false) const;
    void set_parameters(Program& program);
    void initialise();
    void run_init_kernels();
    void queue_steps(std::uint64_t count);
    void launch_steps(const std::vector<Launch>& launches, const Segment& segment);
    void replay_steps(const Segment& segment);
    void run_sampled_step();
    [[noreturn]] void fail(const KernelFault& fault, std::uint64_t counted) const; // steps from step_ on
    void make_singly_from(const GivenUp& given_up);
    void wait_for_oldest();
    void pace(const Queued& done);
    void count_runs(std::uint64_t count);

    const Setup& setup_;
    Device& device_;
    ThreadPool& pool_;
    std::vector<ViewChoice> views_;
    jit::Image image_;
    std::unique_ptr<Program> program_;
    Kernels kernels_;
    World world_;
    StepPlan plan_;
    std::vector<bool> usual_phases_;
    LoadedPrograms fused_;

    std::uint64_t step_ = 0, fused_steps_ = 0;
    std::map<std::pair<Placement, std::string>, Segment> segments_;
    std::vector<Queued> queue_;
    std::uint64_t segment_steps_ = 1; // how many are queued at a time
    Clock::time_point last_done_{}, next_sample_{};
    std::vector<PhaseTiming> timings_;
    double initialise_seconds_ = 0, step_seconds_ = 0, measured_seconds_ = 0;
    std::uint64_t measured_steps_ = 0; // in measured_seconds_, since step_seconds_ was told
};

} // namespace tessera
