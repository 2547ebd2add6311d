#include "host/viewer/pages.hpp"

#include "host/outputs/colour_map.hpp"
#include "host/setup/names.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/frame.hpp"
#include "host/viewer/inspect.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tessera::viewer {
namespace {

const Layer* find_layer(const std::vector<Layer>& layers, const Look& look) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const Layer& each) { return each.places == look.places && each.member == look.member; });
    return found == layers.end() ? nullptr : &*found;
}

constexpr std::uint64_t most_points = 200000; // of a volume, of agents and of places

// Whatever a page names.
bool is_categorical(const std::string& colours) {
    const auto names = colour_map_names();
    return std::find(names.begin(), names.end(), colours) != names.end() && colour_map(colours).categorical;
}

} // namespace

bool Pages::steers(PageId page) const {
    const auto found = pages_.find(page);
    return found != pages_.end() && found->second.steers;
}

void Pages::look(PageId page, Look look, const Setup& setup) {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return;
    for (const auto id : setup.collections.ids())
        if (const auto& collection = setup.collections[id];
            collection.name == look.places && collection.are_places() && collection.has_shape()) {
            found->second.look = within_grid(collection, std::move(look));
            found->second.answered = false;
            found->second.looked_at = Clock::now();
            found->second.crowded_until = {};
            return;
        }
}

void Pages::inspect(PageId page, std::optional<Look> place, std::optional<Followed> agent) {
    if (const auto found = pages_.find(page); found != pages_.end()) {
        found->second.picked = std::move(agent);
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
    ranges_.set(layer, range);
    for (auto& [id, page] : pages_) page.answered = false;
}

void Pages::show_again() {
    for (auto& [id, page] : pages_) page.answered = false;
    ranges_.look_again();
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

bool Pages::put_off_frames() {
    bool any = false;
    for (auto& [id, page] : pages_)
        if (wants(page, false)) {
            any = any || page.made_at == Clock::time_point{};
            page.made_at = Clock::now();
        }
    return any;
}

void Pages::make_frame(CurrentRun& run, PageId id, Page& page, bool paused) {
    const auto& setup = run.setup();
    const auto& look = *page.look;
    FrameHead head;
    head.number = ++page.made, head.step = run.step();
    FramePixels pixels;
    if (look.is_volume)
        pixels.points = places_of_volume(run, look, head);
    else
        pixels.places = places_of(run, page, paused, head);
    put_agents(run, id, page, pixels);
    server_.send_picture(id, framed(head, look, pixels));
    if (page.place) server_.send_words(id, inspected(setup, *page.place, page.picked, run.run().view()));
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

// With the ends of their colours, which the page is told where they are others than before.
ShownAgents Pages::shown_agents(CurrentRun& run, PageId id, Page& page) {
    const auto& setup = run.setup();
    const auto layers = shades_of(setup);
    ShownAgents all;
    auto told = nlohmann::ordered_json::array();
    for (const auto& agents : agents_in(setup, *page.look)) {
        all.push_back(agents ? std::optional(FrameAgents{*agents}) : std::nullopt);
        if (!agents) continue;
        for (const auto& shade : page.look->shades) {
            const auto layer = std::find_if(layers.begin(), layers.end(), [&](const Layer& each) {
                return each.places == shade.collection && each.member == shade.member && each.places == setup.collections[*agents].name;
            });
            if (layer == layers.end()) continue;
            const auto column = require_column(setup, {{shade.collection, shade.member}, {}});
            const auto& members = setup.row_of(setup.collections[*agents]).members;
            const auto member = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.name == shade.member; });
            if (shade.element < 0 || shade.element >= member->elements) continue;
            FrameShade shown{column, shade.element, 0, 1, is_categorical(shade.colours)};
            const auto found = shown.categorical ? Ranges::Found{} : ranges_.of(run, *layer, shade.element);
            shown.low = found.range.low, shown.high = found.range.high;
            all.back()->shade = shown;
            told.push_back({{"collection", shade.collection}, {"low", shown.low}, {"high", shown.high}, {"given", found.is_given}});
        }
    }
    if (auto text = nlohmann::ordered_json{{"shades", told}}.dump(); text != page.shades)
        server_.send_words(id, text), page.shades = std::move(text);
    return all;
}

void Pages::put_agents(CurrentRun& run, PageId id, Page& page, FramePixels& pixels) {
    constexpr std::uint64_t most_in_sight = 20000;
    const auto& setup = run.setup();
    const auto& look = *page.look;
    const auto agents = shown_agents(run, id, page);
    if (std::none_of(agents.begin(), agents.end(), [](const auto& each) { return each.has_value(); })) return;
    auto& frames = run.run().simulation().frames(run.session().compiler());
    const auto view = view_of(setup.collections[require_collection(setup, look.places, {})], look);
    if (look.is_volume) {
        const auto some = frames.points(view, agents, most_points, PointChoice::some);
        pixels.points->points.insert(pixels.points->points.end(), some->points.begin(), some->points.end());
        pixels.points->all += some->all;
        return;
    }
    const auto now = Clock::now();
    if (now >= page.crowded_until) pixels.points = frames.points(view, agents, most_in_sight, PointChoice::all);
    if (pixels.points) return;
    if (now >= page.crowded_until) page.crowded_until = now + std::chrono::seconds(2);
    pixels.agents = frames.agents(view, agents, look.fine);
}

FramePoints Pages::places_of_volume(CurrentRun& run, const Look& look, FrameHead& head) {
    const auto& setup = run.setup();
    const auto layers = layers_of(run);
    const auto* const layer = find_layer(layers, look);
    if (layer == nullptr) return {};
    const auto column = require_column(setup, {{look.places, look.member}, {}});
    const bool categorical = is_categorical(layer->colours);
    const auto found = categorical ? Ranges::Found{} : ranges_.of(run, *layer, look.element);
    head.range = found.range, head.is_given = found.is_given;
    return run.run()
        .simulation()
        .frames(run.session().compiler())
        .points_of_places({column, look.element, frame_reduction::nearest, head.range.low, head.range.high, categorical}, most_points);
}

std::string Pages::places_of(CurrentRun& run, const Page& page, bool paused, FrameHead& head) {
    constexpr double many = 4e6; // a CPU takes some milliseconds to look at them
    const auto& setup = run.setup();
    auto look = *page.look;
    const auto layers = layers_of(run);
    const auto* const layer = find_layer(layers, look);
    if (layer == nullptr) return {};
    const bool categorical = is_categorical(layer->colours);
    if (categorical) look.is_through = false, look.by = frame_reduction::nearest;
    const auto column = require_column(setup, {{look.places, look.member}, {}});
    const auto view = view_of(setup.collections[setup.columns[column].collection], look);
    const auto& infos = run.session().infos();
    const bool on_cpu = std::any_of(infos.begin(), infos.end(), [](const DeviceInfo& info) { return info.kind == DeviceKind::cpu; });
    const bool has_time = paused && page.answered && Clock::now() - page.looked_at >= std::chrono::milliseconds(150);
    head.is_coarse = on_cpu && !has_time && !look.is_through && look.by != frame_reduction::nearest && places_in(view) > many;
    head.by = head.is_coarse || (look.across == 1 && !look.is_through) ? frame_reduction::nearest : look.by;
    if (!categorical) {
        const auto found = ranges_.of(run, *layer, look.element);
        head.range = found.range, head.is_given = found.is_given;
    }
    return run.run()
        .simulation()
        .frames(run.session().compiler())
        .places(view, {column, look.element, head.by, head.range.low, head.range.high, categorical});
}

void Pages::tell_all(const std::string& json) {
    for (const auto& [id, page] : pages_) server_.send_words(id, json);
}

} // namespace tessera::viewer
