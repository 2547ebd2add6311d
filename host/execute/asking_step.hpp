// A step in which repeats ask whether to go on: between its questions it is made as segments are, and the host waits for the answers. One
// GPU is given several rounds together where that pays (host/schedule/rounds_ahead.hpp).
#pragma once

#include "host/execute/loaded_model.hpp"
#include "host/execute/made_step.hpp"
#include "host/schedule/rounds_ahead.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class AskingStep {
public:
    // Queues tasks that begin at a placement; those of one placement and key are alike.
    using Start = std::function<void(std::vector<Task> tasks, const Placement& before, std::string key)>;
    // How many questions each repeat asked when it was met last, by the phase of its first.
    using Asked = std::map<std::size_t, std::size_t>;

    // All must outlive it. `model` has no answer under way.
    AskingStep(LoadedModel& model, std::uint64_t step, Asked& last, Start start);

    // Queues the step and what counts it. Throws what a device runs into. On return the answers to all questions are there.
    [[nodiscard]] MadeStep make();

private:
    void append(PhaseId phase);
    [[nodiscard]] bool ask();
    void queue_questions();
    void start_those();

    LoadedModel& model_;
    const std::uint64_t step_;
    Asked& last_;
    const Start start_;
    const std::string activity_;
    const bool is_ahead_; // whether rounds are queued together
    Placement before_;    // of `tasks_`
    std::vector<Task> tasks_;
    std::size_t first_ = 0, next_ = 0;           // their phases
    PhaseId phase_;                              // the last one that was to be made
    std::vector<QueuedQuestion> queued_;         // whose answer is known
    std::size_t of_queued_ = 0;                  // which of them is next
    std::optional<PhaseId> yes_;                 // the one whose answer is yes
    std::size_t first_question_ = 0, asked_ = 0; // of the repeat
};

} // namespace tessera
