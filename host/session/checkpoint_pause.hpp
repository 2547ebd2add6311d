// A run's state kept on the disk now and then, so that it can go on from there.
#pragma once

#include "host/checkpoint/store.hpp"
#include "host/session/pause.hpp"
#include "host/world/column_copies.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// What is wished of a run beside its run file; asked on its thread.
struct KeepingWishes {
    std::function<bool()> keep;        // whether the state is to be kept soon; asked as often as one likes
    std::function<void()> kept;        // it was
    std::function<bool()> out_of_time; // whether what ends the run is that its time is over
    std::optional<double> time_limit;  // seconds from the process's start
};

class CheckpointPause : public Pause {
public:
    using Clock = std::chrono::steady_clock;

    // Of the run of that number, which began in this process at `process_start`, from the state `first`; `saved`: as that is kept already.
    CheckpointPause(std::uint64_t number, Clock::time_point process_start, std::uint64_t first, const checkpoint::Saved* saved,
                    KeepingWishes wishes);

    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    // A checkpoint that is due is captured, and written while the run goes on. One that cannot be written is a warning, and is tried again
    // when the next one is due; the run waits for one under way before that. Where there is no memory for the state, the run waits. Stops
    // the run where its time is over, early enough for what the last checkpoint took. Throws Failure::output where outputs up to here do
    // not come to the disk.
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    // At the end of a run that somebody or its time ends, or where the run file asks for one there, before what else is written there. A
    // run whose time is over is "paused" from then on. Throws Failure::output where the state cannot be written, and where a run has made
    // no step within its limit of time.
    [[nodiscard]] bool resumes(CurrentRun& run) override;
    [[nodiscard]] std::optional<KeptRun> saved(const CurrentRun& run) const override;

private:
    // What is written beside the state.
    struct Contents {
        checkpoint::Record record;
        std::string run_file;
        std::function<OutputPositions()> positions;
        std::vector<std::string> files; // of edits
        checkpoint::Keeping keeping;
        checkpoint::Unchanging known; // from an earlier one
    };
    // One that is being written; `is_done` says that nobody writes into the rest any more.
    struct Attempt {
        Attempt(std::uint64_t step_, Clock::time_point begun_) : step(step_), begun(begun_) {}
        std::uint64_t step;
        Clock::time_point begun, ended{};
        bool is_kept = false;
        std::string why_not{};
        checkpoint::Unchanging unchanging{}; // of one that is kept
        std::atomic<bool> is_done{false};
    };
    // Whatever comes of it.
    class Done {
    public:
        explicit Done(Attempt& attempt) : attempt_(attempt) {}
        ~Done() { attempt_.ended = Clock::now(), attempt_.is_done = true; }
        Done(const Done&) = delete;
        Done& operator=(const Done&) = delete;

    private:
        Attempt& attempt_;
    };
    [[nodiscard]] bool is_kept(std::uint64_t step) const;
    [[nodiscard]] bool is_due(const CurrentRun& run) const;
    [[nodiscard]] bool is_time_due(const CurrentRun& run) const;
    [[nodiscard]] bool is_time_over() const;
    [[nodiscard]] bool is_paused(const CurrentRun& run) const;
    void keep_at_end(CurrentRun& run);
    [[nodiscard]] std::optional<State> captured(CurrentRun& run, const State& state);
    void write(CurrentRun& run);
    void wait(CurrentRun& run);
    void settle(CurrentRun& run);
    [[nodiscard]] Contents contents_of(CurrentRun& run, Clock::time_point begun) const;
    static void commit(const ResultFolder& folder, const State& state, Contents& contents, Attempt& attempt);
    // Each of them once.
    void tell_of_time(double seconds);
    void tell_of_waiting();
    void tell_of_standing_still(CurrentRun& run, std::size_t bytes);

    const std::uint64_t number_;
    const Clock::time_point process_start_;
    const std::uint64_t first_;
    const KeepingWishes wishes_;
    std::optional<std::uint64_t> written_;
    std::shared_ptr<const Attempt> under_way_;
    Clock::time_point last_ = Clock::now(); // when the last one was done
    double took_ = 0, waited_ = 0;          // seconds: the last one; for those before, when one was due
    checkpoint::Unchanging known_;          // of the last one, if the run was the same then
    int known_replacements_ = 0;            // of a run with so many (CurrentRun)
    std::optional<ColumnCopies> copies_;    // of that run, on a GPU
    bool time_is_over_ = false, told_of_time_ = false, told_of_waiting_ = false, told_of_standing_still_ = false;
};

// What a run file names that is another one where it is kept.
[[nodiscard]] RunReport::Begun names_of(const Setup& setup, const run_file::RunFile& run_file);

// A run file of the same run whose model is among the kept sources, in the folder `sources` as seen from where it is to stand.
[[nodiscard]] std::string kept_run_file(const Setup& setup, const run_file::RunFile& run_file, const std::string& sources);

} // namespace tessera
