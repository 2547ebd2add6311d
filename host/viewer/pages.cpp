#include "host/viewer/pages.hpp"

#include "host/outputs/colour_map.hpp"
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
        if (const auto& collection = setup.collections[id]; collection.name == look.places && !collection.agents) {
            found->second.look = within_grid(collection, std::move(look));
            found->second.answered = false;
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

void Pages::set_range(const std::string& layer, std::optional<Range> range) {
    ranges_[layer] = range ? Ends{*range, true, true} : Ends{};
    for (auto& [id, page] : pages_) page.answered = false;
}

void Pages::show_again() {
    for (auto& [id, page] : pages_) page.answered = false;
}

bool Pages::wants(const Page& page, bool forced) {
    constexpr std::uint32_t most_under_way = 2;
    return page.look && page.made - page.shown < most_under_way && (!forced || !page.answered);
}

bool Pages::wants_frame(bool forced) const {
    return std::any_of(pages_.begin(), pages_.end(), [&](const auto& each) { return wants(each.second, forced); });
}

void Pages::make_frames(CurrentRun& run, bool forced) {
    for (auto& [id, page] : pages_)
        if (wants(page, forced) && (!page.answered || page.step != run.step())) make_frame(run, id, page);
}

void Pages::make_frame(CurrentRun& run, PageId id, Page& page) {
    const auto& setup = run.setup();
    const auto& state = run.run().view();
    const auto& look = *page.look;
    const auto layers = layers_of(run);
    const auto* const layer = find_layer(layers, look);
    Range range;
    std::string places;
    if (layer != nullptr) {
        const auto values = pixels_of(setup, look, state);
        const bool categorical = colour_map(layer->colours).categorical;
        range = range_of(*layer, values);
        places = bytes_of(values, range, categorical);
    }
    const auto agents = look.agents.empty() ? std::string() : agents_of(setup, look, state, agents_in(setup));
    server_.send_picture(id, framed(++page.made, run.step(), look, range, places, agents));
    if (page.place) server_.send_words(id, inspected(setup, *page.place, state));
    if (page.followed) {
        const auto told = told_of(setup, *page.followed, state);
        server_.send_words(id, told.json);
        if (told.is_gone) page.followed.reset();
    }
    page.answered = true;
    page.step = run.step();
}

Range Pages::range_of(const Layer& layer, const std::vector<double>& values) {
    auto& ends = ranges_[layer.name()];
    if (ends.is_given) return ends.range;
    if (layer.low && layer.high) return {*layer.low, *layer.high};
    widen(ends.range, values, !ends.is_known);
    ends.is_known = true;
    return ends.range;
}

void Pages::tell_all(const std::string& json) {
    for (const auto& [id, page] : pages_) server_.send_words(id, json);
}

} // namespace tessera::viewer
