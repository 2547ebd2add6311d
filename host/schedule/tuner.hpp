// Finds a faster way of making the same steps while a run goes on.
//
// Candidates are compiled on a thread of their own; steps are made one at a time meanwhile. Each is tried on the run's own state: it makes the next
// steps on the side, and what it made is compared with what one step at a time makes, bit for bit. A candidate that does not compile, does not load,
// cannot be launched or differs is passed over. The choice is kept with the compiled images and used at once by the next run of the same model, geometry and
// device. A run that is short is not tuned.
#pragma once

#include "host/schedule/simulation.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Tuner {
public:
    // Everything must outlive the tuner. `driver` names the device's driver: a choice holds for that one.
    Tuner(const Setup& setup, const DeviceInfo& device, const std::string& driver, Simulation& simulation, jit::Compiler& compiler);
    ~Tuner(); // waits for a compilation that is under way

    // Whether `work` has something to do; to be asked between steps. `steps_left` is how many will be made, as far as is known.
    [[nodiscard]] bool ready(std::uint64_t steps_left);
    // Does it, with no steps queued: begins, tries what was compiled, decides. Makes steps, but none beyond state `until`.
    void work(std::uint64_t until);

    // What was found, in a line; empty before the end.
    [[nodiscard]] const std::string& verdict() const noexcept { return verdict_; }

private:
    using Clock = std::chrono::steady_clock;
    enum class State { waiting, compiling, recalling, done };

    [[nodiscard]] bool worth_beginning(std::uint64_t steps_left) const;
    void begin();
    void recall();
    void compile_next();
    void try_compiled(std::uint64_t until);
    void pass_over(const std::string& why);
    void decide();
    [[nodiscard]] int bits_of_state() const;
    [[nodiscard]] jit::Job job() const;

    const Setup& setup_;
    const DeviceInfo& device_;
    Simulation& simulation_;
    jit::Compiler& compiler_;
    const std::string topic_;
    std::vector<CallSequence> sequences_; // that can be fused at all
    const Clock::time_point begun_ = Clock::now();
    State state_ = State::done;
    std::vector<FusedView> candidates_;
    std::size_t next_ = 0;
    int put_off_ = 0; // how often the steps for a trial were not there
    std::future<jit::Image> compiling_;
    std::optional<Trial> best_; // of the programs in use
    std::string verdict_;
};

} // namespace tessera
