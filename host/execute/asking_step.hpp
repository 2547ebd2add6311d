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

// Some phases of a step: what they are made of, the questions that they end with, and what is where behind them.
struct PlannedPart {
    std::vector<Task> tasks;
    std::vector<QueuedQuestion> questions;
    Placement behind;
};

class AskingStep {
public:
    // Queues a part that begins at a placement; those of one placement and key are alike, and `plan` is called for the first of them. What
    // it returns is there until the step is made, but for the tasks.
    using Start = std::function<const PlannedPart&(const Placement& before, std::string key, const std::function<PlannedPart()>& plan)>;
    // How many questions each repeat asked when it was met last, by the phase of its first.
    using Asked = std::map<std::size_t, std::size_t>;

    // All must outlive it. `model` has no answer under way.
    AskingStep(LoadedModel& model, std::uint64_t step, Asked& last, Start start);

    // Queues the step and what counts it. Throws what a device runs into. On return the answers to all questions are there.
    [[nodiscard]] MadeStep make();

private:
    [[nodiscard]] bool is_queued() const { return queued_ != nullptr && of_queued_ < queued_->size(); } // the next question
    [[nodiscard]] bool ask();
    void queue_questions();
    // `expected`: questions, from the last phase on; 0: that is none.
    const PlannedPart& start_those(std::size_t expected);
    [[nodiscard]] PlannedPart planned(std::size_t expected) const;

    LoadedModel& model_;
    const std::uint64_t step_;
    Asked& last_;
    const Start start_;
    const std::string activity_;
    const bool is_ahead_;                                 // whether rounds are queued together
    bool is_begun_ = false;                               // a part was queued
    Placement before_;                                    // of `phases_`
    std::vector<PhaseId> phases_;                         // not queued yet
    PhaseId phase_;                                       // the last one that was to be made
    const std::vector<QueuedQuestion>* queued_ = nullptr; // whose answers are known
    std::size_t of_queued_ = 0;                           // which of them is next
    std::optional<PhaseId> yes_;                          // the one whose answer is yes
    std::size_t first_question_ = 0, asked_ = 0;          // of the repeat
};

} // namespace tessera
