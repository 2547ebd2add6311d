// Finds a faster way of making the same steps while a run goes on.
//
// Candidates are compiled on a thread of their own; steps are made one at a time meanwhile. Each is tried on the run's own state: it makes
// the next steps on the side, and what it made is compared with what one step at a time makes, bit for bit. A candidate that does not
// compile, does not load, cannot be launched or differs is passed over; where that is no fault of the author's text, a warning says so and
// nothing is remembered. The best is timed once more beside single steps, and if it still is
// faster, the choice is kept with the compiled images: the next run of the same model, geometry, phases and device compares it with single
// steps and uses it at once. A run that is short is not tuned.
#pragma once

#include "device_runtime/error.hpp"
#include "host/execute/simulation.hpp"
#include "host/views/candidates.hpp"

#include <atomic>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Tuner {
public:
    // Everything must outlive the tuner. `device` is that of the run, or several taken together; `driver` names its driver: a choice holds
    // for that one.
    Tuner(const Setup& setup, const DeviceInfo& device, const std::string& driver, Simulation& simulation, jit::Compiler& compiler);
    // What a choice is noted under, beside the job that compiles the kernels: the device, and in which steps what runs and where they end.
    [[nodiscard]] static std::string topic(const Setup& setup, const DeviceInfo& device, const std::string& driver);
    ~Tuner(); // a compilation that is under way is cancelled, or waited for where its compiler cannot be

    // Whether `work` has something to do; to be asked between steps. `steps_left` is how many will be made, as far as is known.
    [[nodiscard]] bool ready(std::uint64_t steps_left);
    // Does it, with no steps queued: begins, tries what was compiled, decides. Makes steps, but none beyond state `until`. Throws what
    // these steps run into, and Failure::device where a trial leaves no device to make steps with.
    void work(std::uint64_t until);

    // What was found, in a line; empty before the end.
    [[nodiscard]] const std::string& verdict() const noexcept { return verdict_; }

private:
    using Clock = Pacer::Clock;
    enum class State { waiting, compiling, recalling, timing_again, done };

    [[nodiscard]] bool worth_beginning(std::uint64_t steps_left) const;
    void begin();
    void recall();
    void compile_next();
    void add_neighbours();
    void try_compiled(std::uint64_t until);
    void try_recalled(std::uint64_t until);
    void restart_search();
    [[nodiscard]] bool try_loaded(LoadedPrograms loaded, std::uint64_t until);
    void time_again(std::uint64_t until);
    [[nodiscard]] bool put_off(std::uint64_t until);
    [[nodiscard]] bool put_off(LoadedPrograms loaded, std::uint64_t until);
    void tell_of_other_values() const;
    [[nodiscard]] std::optional<LoadedPrograms> load_compiled();
    [[nodiscard]] bool take_up(LoadedPrograms loaded);
    [[nodiscard]] bool is_possible(const FusedView& view) const;
    [[nodiscard]] bool is_hopeless(const FusedView& view) const;
    void reject(const FusedView& view, const std::string& why);
    void warn_of(const FusedView& view, const Error& error);
    void decide();
    void end();
    [[nodiscard]] int bits_of_state() const;
    [[nodiscard]] jit::Job job() const;

    const Setup& setup_;
    const DeviceInfo& device_;
    Simulation& simulation_;
    jit::Compiler& compiler_;
    const std::string topic_;
    std::vector<CallSequence> sequences_; // that can be fused at all
    const Clock::time_point begun_;
    State state_ = State::done;
    std::vector<FusedView> candidates_;
    std::size_t next_ = 0;
    std::size_t halfway_ = 0; // through the candidates that were ranked
    int refined_ = 0;         // how often those beside the best one were put among them
    Lateness lateness_;
    double ranking_seconds_ = 0;     // of a single step, when they were ranked
    double single_step_seconds_ = 0; // the least that was seen
    int times_put_off_ = 0;          // for the steps of a trial were not there
    std::uint64_t retry_from_ = 0;   // the state behind the output that came first
    std::future<jit::Image> compiling_;
    std::atomic<bool> cancel_ = false; // the compilation
    Clock::time_point compilation_began_{};
    double longest_compilation_ = 0; // seconds
    std::uint64_t steps_left_ = 0;
    struct Best {
        FusedView view;
        Trial trial;
    };
    std::optional<Best> best_; // the programs in use
    bool warned_ = false;      // of a candidate that did not compile, though the author did nothing wrong
    bool cut_short_ = false;   // for the run ends soon
    bool left_out_ = false;    // whether a candidate was, by what is of this run alone
    std::string verdict_;
};

} // namespace tessera
