// A run that somebody looks at and steers from a page: it goes on, stands still, and shows itself as the page asks.
#pragma once

#include "host/session/pause.hpp"
#include "host/viewer/curves.hpp"
#include "host/viewer/inbox.hpp"
#include "host/viewer/open_browser.hpp"
#include "host/viewer/pages.hpp"
#include "host/viewer/server.hpp"
#include "host/viewer/steering.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::viewer {

// Of one run after the other, if the page wants it set up again. Looking changes no state.
class ViewerPause : public Pause {
public:
    // Inbox, server and steering must outlive it. `name` is what the page calls the run. It begins paused, or goes on at once.
    ViewerPause(Inbox& inbox, Server& server, Steering& steering, std::string name, bool begins_paused);

    [[nodiscard]] Outcome begin(CurrentRun& run) override;
    [[nodiscard]] std::uint64_t next(const CurrentRun& run) const override;
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;
    [[nodiscard]] bool resumes(CurrentRun& run) override;
    [[nodiscard]] bool is_repeatable() const noexcept override { return true; } // it changes nothing: edits do

    // What the page wants in place of a run that ended: one from the beginning, with that seed if it names one.
    [[nodiscard]] bool begins_again() const noexcept { return begins_again_; }
    [[nodiscard]] const std::string& seed() const noexcept { return seed_; }
    // Tells the pages that the run has failed, at the last state that they saw.
    void tell_failure(const std::string& why);
    // To be called before each run.
    void begin_run();
    // When the first run begins, a browser is opened on it.
    void open_browser() noexcept { opens_browser_ = true; }

private:
    using Clock = std::chrono::steady_clock;
    using Json = nlohmann::json;

    [[nodiscard]] Outcome stand(CurrentRun& run);
    void serve(CurrentRun& run, bool stands_still);
    [[nodiscard]] bool hears_lookers() const;
    void hear_pages(CurrentRun& run);
    void hear(CurrentRun& run, const Letter& letter);
    void obey(CurrentRun& run, PageId page, const Json& message);
    [[nodiscard]] bool obey_moves(CurrentRun& run, const std::string& what, const Json& message);
    void obey_changes(const std::string& what, const Json& message);
    void obey_looks(const Setup& setup, PageId page, const std::string& what, const Json& message);
    void go_on(const CurrentRun& run);
    void run_until(CurrentRun& run, const std::string& condition, std::int64_t every);
    void ask_condition(CurrentRun& run);
    void tell_message(const char* level, const std::string& text);
    void show(CurrentRun& run, bool stands_still);
    void make_frames(CurrentRun& run, bool forced);
    void put_off_frames();
    void set_range(const Setup& setup, PageId page, const Json& message);
    void greet(CurrentRun& run, PageId page);
    void tell_state(CurrentRun& run, bool now);
    void tell_changes(CurrentRun& run);
    void note_edits(const CurrentRun& run);
    [[nodiscard]] std::string edits_text() const;
    [[nodiscard]] bool waits(const CurrentRun& run) const; // for the page, or for the time of the next step
    [[nodiscard]] std::string state_text(const CurrentRun& run) const;

    Inbox& inbox_;
    Server& server_;
    Steering& steering_;
    Pages pages_;
    Curves curves_;
    const std::string name_;
    std::string seed_, status_;
    LeadingPage leading_page_;
    bool opens_browser_ = false;
    bool paused_, ends_ = false, begins_again_ = false, has_begun_ = false;
    std::uint64_t first_ = 0;            // the state at which the run began
    int replacements_ = 0;               // of the run, that were told
    std::optional<std::uint64_t> until_; // the state at which it pauses
    struct Condition {
        run_file::Located<expression::Expression> condition;
        std::uint64_t every = 1;
    };
    std::optional<Condition> condition_; // when it holds the run pauses; asked every so many steps
    double steps_per_second_ = 0;        // at most; 0: as many as it makes
    Clock::time_point paced_since_{};    // from state `paced_from_` on
    std::uint64_t paced_from_ = 0;
    Clock::time_point next_hearing_{}; // of pages that look alone
    Clock::time_point next_frame_{}, next_point_{}, next_state_{}, rated_at_{};
    std::uint64_t rated_step_ = 0, step_ = 0; // the last that was told
    double rate_ = 0, frame_seconds_ = 0;     // of all frames
    std::uint64_t frames_ = 0;
    double point_seconds_ = 0, last_point_seconds_ = 0; // what points of the curves take: the lesser of the last two; and the last one
    std::vector<std::string> edits_;                    // of parameters, as pages are told
    std::map<std::string, std::string> values_;         // of parameters, by names
};

} // namespace tessera::viewer
