#include "host/viewer/pages.hpp"

#include "host/outputs/colour_map.hpp"
#include "host/setup/names.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/frame.hpp"
#include "host/viewer/inspect.hpp"

#include <algorithm>

namespace tessera::viewer {
namespace {

const Layer* find_layer(const std::vector<Layer>& layers, const Look& look) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& each) { return each.places == look.places && each.member == look.member; });
    return found == layers.end() ? nullptr : &*found;
}

} // namespace

void Pages::look(PageId page, Look look, const Setup& setup) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return;
    for (const auto id : setup.collections.ids())
        if (const auto& collection = setup.collections[id];
            collection.name == look.places && collection.are_places() && collection.has_shape()) {
            found->second.look = within_grid(collection, std::move(look));
            found->second.answered = false;
            found->second.looked_at = Clock::now();
            return;
        }
}

void Pages::inspect(PageId page, std::optional<Look> place) {
    if (const auto found = pages_.find(page); found != pages_.end()) {
        found->second.place = std::move(place);
        found->second.answered = false;
    }
}

void Pages::follow(PageId page, std::optional<Followed> agent) {
    if (const auto found = pages_.find(page); found != pages_.end()) {
        found->second.followed = std::move(agent);
        found->second.answered = false;
    }
}

void Pages::shown(PageId page, std::uint32_t frame) {
    if (const auto found = pages_.find(page); found != pages_.end() && frame <= found->second.made) found->second.shown = frame;
}

void Pages::show_every(PageId page, std::int64_t steps) {
    if (const auto found = pages_.find(page); found != pages_.end()) found->second.every = std::max<std::int64_t>(steps, 0);
}

void Pages::set_range(const std::string& layer, std::optional<Range> range) {
    ranges_[layer] = range ? Ends{*range, true, true} : Ends{};
    for (auto& [id, page] : pages_) page.answered = false;
}

void Pages::show_again() {
    for (auto& [id, page] : pages_) page.answered = false;
    for (auto& [layer, ends] : ranges_) ends.step = UINT64_MAX, ends.found_at = {};
}

bool Pages::wants(const Page& page, bool forced) {
    constexpr std::uint32_t most_under_way = 2;
    if (!page.look || page.made - page.shown >= most_under_way) return false;
    if (forced) return !page.answered && Clock::now() - page.made_at >= std::chrono::milliseconds(100);
    return page.every > 0 || !page.answered;
}

bool Pages::wants_frame(bool forced) const {
    return std::any_of(pages_.begin(), pages_.end(), [&](const auto& each) { return wants(each.second, forced); });
}

std::uint64_t Pages::next_step(std::uint64_t step) const noexcept {
    std::uint64_t next = UINT64_MAX;
    for (const auto& [id, page] : pages_)
        if (page.every > 1)
            next = std::min(next, step - step % static_cast<std::uint64_t>(page.every) + static_cast<std::uint64_t>(page.every));
    return next;
}

// Whether there is something to show that it has not seen.
bool Pages::is_due(const Page& page, std::uint64_t step, bool paused) {
    if (!page.answered) return true;
    if (page.step == step) return page.is_coarse && paused && Clock::now() - page.looked_at >= std::chrono::milliseconds(150);
    return page.every == 1 || (page.every > 1 && (paused || step % static_cast<std::uint64_t>(page.every) == 0));
}

int Pages::make_frames(CurrentRun& run, bool forced, bool paused) {
    int made = 0;
    for (auto& [id, page] : pages_)
        if (wants(page, forced) && is_due(page, run.step(), paused)) make_frame(run, id, page, paused), ++made;
    return made;
}

void Pages::make_frame(CurrentRun& run, PageId id, Page& page, bool paused) {
    const auto& setup = run.setup();
    const auto& look = *page.look;
    FrameHead head;
    head.number = ++page.made, head.step = run.step();
    const auto places = places_of(run, page, paused, head);
    const auto agents = agents_in(setup, look);
    const bool any = std::any_of(agents.begin(), agents.end(), [](const auto& each) { return each.has_value(); });
    const auto view = view_of(setup.collections[require_collection(setup, look.places, {})], look);
    const auto over = any ? run.run().simulation().frames(run.session().compiler()).agents(view, agents, look.fine) : std::string();
    server_.send_picture(id, framed(head, look, places, over));
    if (page.place) server_.send_words(id, inspected(setup, *page.place, run.run().view()));
    if (page.followed) {
        const auto told = told_of(setup, *page.followed, run.run().view());
        server_.send_words(id, told.json);
        if (told.is_gone) page.followed.reset();
    }
    page.answered = true;
    page.is_coarse = head.is_coarse;
    page.step = run.step();
    page.made_at = Clock::now();
}

std::string Pages::places_of(CurrentRun& run, const Page& page, bool paused, FrameHead& head) {
    constexpr double many = 4e6; // a CPU takes some milliseconds to look at them
    const auto& setup = run.setup();
    auto look = *page.look;
    const auto layers = layers_of(run);
    const auto* const layer = find_layer(layers, look);
    if (layer == nullptr) return {};
    const bool categorical = colour_map(layer->colours).categorical;
    if (categorical) look.is_through = false, look.by = frame_reduction::nearest;
    const auto column = require_column(setup, {{look.places, look.member}, {}});
    const auto view = view_of(setup.collections[setup.columns[column].collection], look);
    const auto& infos = run.session().infos();
    const bool on_cpu = std::any_of(infos.begin(), infos.end(), [](const DeviceInfo& info) { return info.kind == DeviceKind::cpu; });
    const bool has_time = paused && page.answered && Clock::now() - page.looked_at >= std::chrono::milliseconds(150);
    head.is_coarse = on_cpu && !has_time && !look.is_through && look.by != frame_reduction::nearest && places_in(view) > many;
    head.by = head.is_coarse || (look.across == 1 && !look.is_through) ? frame_reduction::nearest : look.by;
    if (!categorical) head.range = range_of(run, *layer, look.element, head.is_given);
    return run.run()
        .simulation()
        .frames(run.session().compiler())
        .places(view, {column, look.element, head.by, head.range.low, head.range.high, categorical});
}

// Found twice a second; what a run file says of one end stays.
Range Pages::range_of(CurrentRun& run, const Layer& layer, int element, bool& is_given) {
    auto& ends = ranges_[range_key(layer.name(), element)];
    is_given = ends.is_given || (layer.low && layer.high);
    if (ends.is_given) return ends.range;
    if (is_given) return {*layer.low, *layer.high};
    const auto now = Clock::now();
    if (!ends.is_known || (ends.step != run.step() && now - ends.found_at >= std::chrono::milliseconds(500))) {
        const auto column = require_column(run.setup(), {{layer.places, layer.member}, {}});
        if (const auto found = run.run().simulation().frames(run.session().compiler()).ends(column, element)) {
            ends.range = ends.is_known ? Range{std::min(ends.range.low, found->low), std::max(ends.range.high, found->high)}
                                       : Range{found->low, found->high};
            ends.is_known = true;
        }
        ends.step = run.step(), ends.found_at = now;
    }
    return {layer.low.value_or(ends.range.low), layer.high.value_or(ends.range.high)};
}

std::string range_key(const std::string& layer, int element) { return element == 0 ? layer : layer + "[" + std::to_string(element) + "]"; }

void Pages::tell_all(const std::string& json) {
    for (const auto& [id, page] : pages_) server_.send_words(id, json);
}

} // namespace tessera::viewer
