// The hooks of a run's library, called at the states that they are for.
#pragma once

#include "host/model/model.hpp"
#include "host/outputs/manifest.hpp"
#include "host/plugins/hook_library.hpp"
#include "host/run/running.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Hooks {
public:
    // Loads the model's library if it has hooks; else there are none. What is called is told in the log, and kept in the report. Throws
    // what load_hooks throws.
    Hooks(const model::Model& model, RunReport& report);

    [[nodiscard]] bool empty() const noexcept { return hooks_.empty(); }

    // The first state at or behind `step` at which one is called; `end` if none before that.
    [[nodiscard]] std::uint64_t next_due(std::uint64_t step, std::uint64_t end) const;

    // Calls those that are due at the state that the run is in, once a state; whether one of them ends the run. Throws Failure::model for a
    // hook that fails, and what breaks meanwhile. One that crashes ends the process, in words.
    [[nodiscard]] bool call_due(Running& running);
    // Calls those at the end. The same failures.
    void call_last(Running& running);

private:
    void call(std::size_t number, Running& running);

    std::string library_;
    std::vector<Hook> hooks_;
    RunReport& report_;
    bool told_of_arithmetic_ = false;
    std::optional<std::uint64_t> last_; // the state at which those due were called
};

} // namespace tessera
