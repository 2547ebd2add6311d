// The hooks of a run's library, called at the states that they are for.
#pragma once

#include "host/model/model.hpp"
#include "host/outputs/manifest.hpp"
#include "host/plugins/hook_library.hpp"
#include "host/session/pause.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Hooks : public Pause {
public:
    // Loads the model's library if it has hooks; else there are none. What is called is told in the log, and kept in the report. Throws
    // what load_hooks throws.
    Hooks(const model::Model& model, RunReport& report);

    // Of a run that goes on from a state at which they were called, so many times each by then.
    void go_on_at(std::uint64_t step, const std::vector<RunReport::Hook>& before);
    // Throws Failure::input for hooks of which more than the state decides what they do.
    void refuse_stateful() const;

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    // Calls those that are due at the state, once a state; at the last, those at the end. Whether one of them ends the run. Throws
    // Failure::model for a hook that fails, and what breaks meanwhile. One that crashes ends the process, in words.
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    // What hooks have done cannot be done again.
    [[nodiscard]] bool is_repeatable() const noexcept override { return hooks_.empty(); }

private:
    void call_due(Run& run);
    void call(std::size_t number, Run& run);

    std::string library_;
    std::vector<Hook> hooks_;
    RunReport& report_;
    bool told_of_arithmetic_ = false, had_stopped_ = false;
    std::optional<std::uint64_t> last_; // the state at which those due were called
};

} // namespace tessera
