// The pages that look at a run: what each looks at, and which of its frames it has shown.
#pragma once

#include "host/session/current_run.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/follow.hpp"
#include "host/viewer/frame.hpp"
#include "host/viewer/inbox.hpp"
#include "host/viewer/look.hpp"
#include "host/viewer/ranges.hpp"
#include "host/viewer/server.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace tessera::viewer {

// On the run's thread alone.
class Pages {
public:
    using Clock = std::chrono::steady_clock;

    explicit Pages(Server& server) : server_(server) {}

    void add(PageId page, bool steers) { pages_[page].steers = steers; }
    void remove(PageId page) { pages_.erase(page); }
    [[nodiscard]] bool any() const noexcept { return !pages_.empty(); }
    // Whether a page may do more than look.
    [[nodiscard]] bool steers(PageId page) const;

    // What a page says it looks at, inspects, follows, and has shown; and at which steps it wants frames: every so-manieth, or at none (0).
    void look(PageId page, Look look, const Setup& setup);
    void show_every(PageId page, std::int64_t steps);
    void inspect(PageId page, std::optional<Look> place, std::optional<Followed> agent);
    void follow(PageId page, std::optional<Followed> agent);
    void shown(PageId page, std::uint32_t frame);
    // The ends of a layer's colours (range_key); nothing: fitted to what is there.
    void set_range(const std::string& layer, std::optional<Range> range);
    void show_again();                         // the state is another one, of the same step
    void forget_ranges() { ranges_.forget(); } // of another run

    // Whether one has shown so many of its frames that it wants another one. With `forced`, only for a look that has not been answered, ten
    // times a second at most.
    [[nodiscard]] bool wants_frame(bool forced) const;
    // The next state that one asks for by its step; UINT64_MAX: none does.
    [[nodiscard]] std::uint64_t next_step(std::uint64_t step) const noexcept;
    // A frame of the run's state for each that wants one; with `forced`, for looks alone that have not been answered. Of a run that is
    // paused there is time for any; of another one a CPU looks at some of the places alone, where there are many.
    int make_frames(CurrentRun& run, bool forced, bool paused); // how many
    // Instead, where none can be made yet. Whether one of them waits since now.
    [[nodiscard]] bool put_off_frames();

    void tell(PageId page, const std::string& json) { server_.send_words(page, json); }
    void tell_all(const std::string& json);

private:
    struct Page {
        bool steers = false;
        std::optional<Look> look, place;          // the place that is inspected
        std::optional<Followed> picked, followed; // picked: of the agents that stand there
        bool answered = true;                     // the look
        bool is_coarse = false;                   // the last frame
        std::uint32_t made = 0, shown = 0;
        std::int64_t every = 1;                   // steps
        std::uint64_t step = UINT64_MAX;          // of the last frame
        Clock::time_point looked_at{}, made_at{}; // that something else was looked at; the last frame
        Clock::time_point crowded_until{};        // more agents were in sight than are sent one by one
        std::string shades;                       // the ends of agents' colours, as it was told of them last
    };
    [[nodiscard]] static bool wants(const Page& page, bool forced);
    [[nodiscard]] static bool is_due(const Page& page, std::uint64_t step, bool paused);
    void make_frame(CurrentRun& run, PageId id, Page& page, bool paused);
    // The places of a look, of which `head` then says how they are shown; nothing of a look at agents alone.
    [[nodiscard]] std::string places_of(CurrentRun& run, const Page& page, bool paused, FrameHead& head);
    // Agents one by one where they are few; of a volume places too.
    void put_agents(CurrentRun& run, PageId id, Page& page, FramePixels& pixels);
    [[nodiscard]] FramePoints places_of_volume(CurrentRun& run, const Look& look, FrameHead& head);
    [[nodiscard]] ShownAgents shown_agents(CurrentRun& run, PageId id, Page& page);

    Server& server_;
    std::map<PageId, Page> pages_;
    Ranges ranges_;
};

} // namespace tessera::viewer
