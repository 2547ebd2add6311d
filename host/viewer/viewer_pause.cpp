#include "host/viewer/viewer_pause.hpp"

#include "host/viewer/about.hpp"
#include "host/viewer/announce.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::viewer {
namespace {

using std::chrono::milliseconds;

constexpr double share_of_frames = 0.025, share_of_points = 0.005; // of a run's time: those of curves
constexpr double halts_per_second = 30;                            // of a run that goes at a given speed
constexpr double first_speed = 20; // of a run that begins paused, in steps a second: so that a small world can be watched

// Values of a message, which anybody may have written who knows the token.
std::string text_of(const nlohmann::json& message, const char* key) {
    const auto found = message.find(key);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}
std::int64_t number_of(const nlohmann::json& message, const char* key, std::int64_t otherwise = 0) {
    const auto found = message.find(key);
    if (found == message.end() || !found->is_number()) return otherwise;
    const double value = found->get<double>();
    return std::abs(value) < 1e15 ? static_cast<std::int64_t>(value) : otherwise;
}
std::optional<double> end_of(const nlohmann::json& message, const char* key) {
    const auto text = text_of(message, key);
    try {
        const double value = std::stod(text);
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

// "grass.countdown" -> {"grass", "countdown"}.
Look look_of(const nlohmann::json& message) {
    Look look;
    const auto layer = text_of(message, "layer");
    const auto dot = layer.find('.');
    look.places = dot == std::string::npos ? text_of(message, "places") : layer.substr(0, dot);
    if (dot != std::string::npos) look.member = layer.substr(dot + 1);
    look.element = static_cast<int>(number_of(message, "element"));
    look.number = static_cast<std::uint32_t>(number_of(message, "look"));
    look.plane = number_of(message, "plane", number_of(message, "z"));
    const auto axis = text_of(message, "axis"), by = text_of(message, "by");
    look.axis = axis == "x" ? 0 : axis == "y" ? 1 : 2;
    look.by = by == "nearest"    ? frame_reduction::nearest
              : by == "largest"  ? frame_reduction::largest
              : by == "smallest" ? frame_reduction::smallest
                                 : frame_reduction::mean;
    const auto through = message.find("through");
    look.is_through = through != message.end() && through->is_boolean() && through->get<bool>();
    if (look.is_through && look.by == frame_reduction::nearest) look.by = frame_reduction::largest;
    look.fine = number_of(message, "fine", 1);
    look.x = number_of(message, "x"), look.y = number_of(message, "y");
    look.across = number_of(message, "across", 1);
    look.width = number_of(message, "width"), look.height = number_of(message, "height");
    if (const auto agents = message.find("agents"); agents != message.end() && agents->is_array())
        for (const auto& each : *agents)
            if (each.is_string()) look.agents.push_back(each.get<std::string>());
    return look;
}

// Whether the run has a member of places of that name, with that element.
bool is_layer(const Setup& setup, const Look& look) {
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (collection.agents || collection.name != look.places) continue;
        if (look.member.empty()) return true;
        for (const auto& member : setup.row_of(collection).members)
            if (member.name == look.member) return look.element >= 0 && look.element < member.elements;
    }
    return false;
}
bool is_place(const Setup& setup, const Look& at) {
    for (const auto id : setup.collections.ids())
        if (const auto& collection = setup.collections[id]; collection.name == at.places && !collection.agents)
            return at.x >= 0 && at.x < collection.size[0] && at.y >= 0 && at.y < collection.size[1] && at.plane >= 0 &&
                   at.plane < collection.size[2];
    return false;
}

} // namespace

ViewerPause::ViewerPause(Inbox& inbox, Server& server, Steering& steering, std::string name, bool begins_paused)
    : inbox_(inbox), server_(server), steering_(steering), pages_(server), name_(std::move(name)), paused_(begins_paused),
      steps_per_second_(begins_paused ? first_speed : 0) {}

void ViewerPause::begin_run() {
    paused_ = paused_ || begins_again_;
    ends_ = begins_again_ = has_begun_ = false;
    replacements_ = 0;
    until_.reset();
    curves_ = {};
    pages_.forget_ranges();
    edits_.clear(), values_.clear();
    status_.clear();
}

std::uint64_t ViewerPause::next(const CurrentRun& run) const {
    auto next = never;
    if (until_) next = std::max(*until_, run.step() + 1);
    if (steps_per_second_ > 0)
        next = std::min(next, run.step() + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps_per_second_ / halts_per_second)));
    return std::min(next, pages_.next_step(run.step()));
}

bool ViewerPause::pending(CurrentRun&, std::uint64_t) {
    const auto now = Clock::now();
    return inbox_.any() || paused_ || (pages_.wants_frame(false) && now >= next_frame_) || pages_.wants_frame(true) ||
           (pages_.any() && now >= next_state_); // how far it is, where nothing is shown
}

bool ViewerPause::waits(const CurrentRun& run) const {
    if (paused_) return true;
    if (steps_per_second_ <= 0) return false;
    const std::chrono::duration<double> due(static_cast<double>(run.step() - paced_from_) / steps_per_second_);
    return Clock::now() - paced_since_ < due;
}

Outcome ViewerPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_last || arrival.ends) return Outcome::go_on;
    if (until_ && run.step() >= *until_) paused_ = true, until_.reset();
    serve(run, paused_);
    while (!ends_ && waits(run) && !run.session().interrupted()) {
        if (steering_.any()) return Outcome::again; // edits are made before this
        inbox_.wait(milliseconds(paused_ ? 20 : 4));
        serve(run, true);
        if (paused_ && !inbox_.any()) return Outcome::again; // saved files are looked at as well
    }
    if (steering_.any() && !ends_) return Outcome::again;
    return ends_ ? Outcome::stop : Outcome::go_on;
}

bool ViewerPause::resumes(CurrentRun& run) {
    status_ = run.report().status;
    while (!ends_ && !run.session().interrupted()) {
        serve(run, true);
        inbox_.wait(milliseconds(20));
    }
    return false;
}

void ViewerPause::serve(CurrentRun& run, bool stands_still) {
    if (!std::exchange(has_begun_, true)) {
        announce(server_.address(), run.folder().path());
        if (std::exchange(opens_browser_, false)) leading_page_ = open_page(server_.address(), run.folder().path());
        curves_.follow(run);
        note_edits(run);
        pages_.tell_all(about(run, name_));
        curves_.add(run);
        pages_.tell_all(curves_.all());
        rated_at_ = Clock::now(), rated_step_ = run.step();
    }
    tell_changes(run);
    for (const auto& letter : inbox_.take()) hear(run, letter);
    show(run, stands_still);
    tell_state(run, false);
}

// Values as they are by now, where a change was made; or why it was not.
void ViewerPause::tell_changes(CurrentRun& run) {
    if (const auto why = steering_.refusal()) {
        pages_.tell_all(Json{{"message", {{"level", "error"}, {"text", *why}}}}.dump(-1, ' ', false, Json::error_handler_t::replace));
        pages_.tell_all(parameters_of(run));
    }
    if (std::exchange(replacements_, run.replacements()) == run.replacements()) return;
    curves_.follow(run);
    note_edits(run);
    pages_.tell_all(about(run, name_));
    pages_.tell_all(parameters_of(run));
}

// Which parameters have other values than before, and since which step: for pages that come later.
void ViewerPause::note_edits(const CurrentRun& run) {
    const auto told = Json::parse(parameters_of(run));
    for (const auto& one : told["parameters"]) {
        auto& known = values_[one["name"].get<std::string>()];
        if (!known.empty() && known != one["value"]) edits_.push_back(one.dump());
        known = one["value"].get<std::string>();
    }
}

std::string ViewerPause::edits_text() const {
    auto all = Json::array();
    for (const auto& each : edits_) all.push_back(Json::parse(each));
    return Json{{"edits", std::move(all)}}.dump();
}

void ViewerPause::hear(CurrentRun& run, const Letter& letter) {
    if (letter.kind == Letter::Kind::left) return pages_.remove(letter.page);
    if (letter.kind == Letter::Kind::came) {
        pages_.add(letter.page);
        return greet(run, letter.page);
    }
    const auto message = Json::parse(letter.text, nullptr, false);
    if (message.is_object()) obey(run, letter.page, message);
}

void ViewerPause::greet(CurrentRun& run, PageId page) {
    pages_.tell(page, about(run, name_));
    pages_.tell(page, curves_.all());
    pages_.tell(page, state_text(run));
    pages_.tell(page, edits_text());
}

void ViewerPause::obey(CurrentRun& run, PageId page, const Json& message) {
    const auto what = text_of(message, "do");
    const auto& setup = run.setup();
    if (what == "play" || what == "step") {
        paused_ = false;
        until_.reset();
        if (what == "step")
            until_ = run.step() + static_cast<std::uint64_t>(std::clamp<std::int64_t>(number_of(message, "steps", 1), 1, 1 << 30));
        paced_since_ = Clock::now(), paced_from_ = run.step();
    } else if (what == "pause") {
        paused_ = true;
        until_.reset();
    } else if (what == "speed") {
        const auto speed = message.find("steps_per_second");
        steps_per_second_ = speed != message.end() && speed->is_number() ? std::clamp(speed->get<double>(), 0.0, 1e9) : 0;
        paced_since_ = Clock::now(), paced_from_ = run.step();
    } else if (what == "set") {
        steering_.set(text_of(message, "name"), text_of(message, "value"));
    } else if (what == "look") {
        if (auto look = look_of(message); is_layer(setup, look)) pages_.look(page, std::move(look), setup);
    } else if (what == "inspect") {
        auto at = look_of(message);
        pages_.inspect(page, is_place(setup, at) ? std::optional(std::move(at)) : std::nullopt);
    } else if (what == "shown") {
        pages_.shown(page, static_cast<std::uint32_t>(number_of(message, "frame")));
    } else if (what == "range") {
        set_range(page, message);
    } else if (what == "show") {
        pages_.show_every(page, number_of(message, "every", 1));
    } else if (what == "again" || what == "end") {
        begins_again_ = what == "again";
        seed_ = text_of(message, "seed");
        constexpr std::size_t most_digits = 18; // below 2^63
        if (seed_.size() > most_digits || seed_.find_first_not_of("0123456789") != std::string::npos) seed_.clear();
        ends_ = true;
    }
    tell_state(run, what == "play" || what == "pause" || what == "step");
}

// Frames and points, as often as their cost allows; while the run stands still, whenever something is asked for.
void ViewerPause::show(CurrentRun& run, bool stands_still) {
    if (!pages_.any()) return;
    const auto begun = Clock::now();
    constexpr double hardly_any = 0.01; // seconds, of which a run that waits for its next step has enough
    if (paused_ || begun >= next_point_ || (stands_still && point_seconds_ < hardly_any)) {
        if (curves_.add(run)) {
            pages_.tell_all(curves_.newest());
            const double took = std::chrono::duration<double>(Clock::now() - begun).count();
            point_seconds_ = std::min(took, std::exchange(last_point_seconds_, took)); // one is late at times, on a busy machine
        }
        next_point_ =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(point_seconds_ / share_of_points));
    }
    const auto then = Clock::now();
    if (const bool due = stands_still || then >= next_frame_; due || pages_.wants_frame(true)) {
        const int made = pages_.make_frames(run, !due, paused_ || !status_.empty());
        frames_ += static_cast<std::uint64_t>(made);
        if (made > 0) frame_seconds_ += std::chrono::duration<double>(Clock::now() - then).count();
        next_frame_ = Clock::now() + std::chrono::duration_cast<Clock::duration>((Clock::now() - then) / share_of_frames);
    }
    run.run().let_go_of_view();
}

// Refused where the ends are none; then those stay that were there.
void ViewerPause::set_range(PageId page, const Json& message) {
    const auto low = end_of(message, "low"), high = end_of(message, "high");
    const auto layer = range_key(text_of(message, "layer"), static_cast<int>(number_of(message, "element")));
    const bool is_fit = message.find("low") == message.end() && message.find("high") == message.end();
    if (!is_fit && !(low && high && *low <= *high)) {
        const auto why = "the colours of " + layer + " keep their ends (two numbers are needed, the lower one first)";
        pages_.tell(page, Json{{"message", {{"level", "error"}, {"text", why}}}}.dump(-1, ' ', false, Json::error_handler_t::replace));
        return;
    }
    pages_.set_range(layer, is_fit ? std::nullopt : std::optional(Range{*low, *high}));
}

void ViewerPause::tell_failure(const std::string& why) {
    const Json state{{"step", std::to_string(step_)}, {"status", "failed"}, {"message", why}};
    server_.send_all(Json{{"state", state}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ViewerPause::tell_state(CurrentRun& run, bool now) {
    const auto time = Clock::now();
    step_ = run.step();
    if (!now && time < next_state_) return;
    next_state_ = time + milliseconds(100);
    if (const std::chrono::duration<double> passed = time - rated_at_; passed.count() > 0.5) {
        rate_ = static_cast<double>(run.step() - rated_step_) / passed.count();
        rated_at_ = time, rated_step_ = run.step();
    }
    pages_.tell_all(state_text(run));
}

std::string ViewerPause::state_text(const CurrentRun& run) const {
    Json state{{"step", std::to_string(run.step())},
               {"status", !status_.empty() ? status_
                          : paused_        ? "paused"
                                           : "running"},
               {"steps_per_second", paused_ ? 0.0 : rate_},
               {"speed", steps_per_second_},
               {"frames", frames_},
               {"frame_seconds", frame_seconds_}};
    if (run.setup().agenda.steps) state["end"] = std::to_string(**run.setup().agenda.steps);
    return Json{{"state", std::move(state)}}.dump();
}

} // namespace tessera::viewer
