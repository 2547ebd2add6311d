// The pages that look at a run: what each looks at, and which of its frames it has shown.
#pragma once

#include "host/session/current_run.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/follow.hpp"
#include "host/viewer/inbox.hpp"
#include "host/viewer/look.hpp"
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

    void add(PageId page) { pages_[page] = {}; }
    void remove(PageId page) { pages_.erase(page); }
    [[nodiscard]] bool any() const noexcept { return !pages_.empty(); }

    // What a page says it looks at, inspects, follows, and has shown.
    void look(PageId page, Look look, const Setup& setup);
    void inspect(PageId page, std::optional<Look> place);
    void follow(PageId page, std::optional<Followed> agent);
    void shown(PageId page, std::uint32_t frame);
    // The ends of a member's colours; nothing: fitted to what is there.
    void set_range(const std::string& layer, std::optional<Range> range);
    void show_again();                        // the state is another one, of the same step
    void forget_ranges() { ranges_.clear(); } // of another run

    // Whether one has shown so many of its frames that it wants another one. With `forced`, only for a look that has not been answered.
    [[nodiscard]] bool wants_frame(bool forced) const;
    // A frame of the run's state for each that wants one; with `forced`, for looks alone that have not been answered.
    void make_frames(CurrentRun& run, bool forced);

    void tell(PageId page, const std::string& json) { server_.send_words(page, json); }
    void tell_all(const std::string& json);

private:
    struct Page {
        std::optional<Look> look, place; // the place that is inspected
        std::optional<Followed> followed;
        bool answered = true; // the look
        std::uint32_t made = 0, shown = 0;
        std::uint64_t step = UINT64_MAX; // of the last frame
    };
    [[nodiscard]] static bool wants(const Page& page, bool forced);
    void make_frame(CurrentRun& run, PageId id, Page& page);
    [[nodiscard]] Range range_of(const Layer& layer, const std::vector<double>& values);

    Server& server_;
    std::map<PageId, Page> pages_;
    struct Ends {
        Range range;
        bool is_given = false, is_known = false;
    };
    std::map<std::string, Ends> ranges_; // by layers
};

} // namespace tessera::viewer
