#include "host/viewer/viewer_pause.hpp"

#include "device_runtime/error.hpp"
#include "host/session/condition.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/announce.hpp"
#include "host/viewer/page_message.hpp"
#include "host/viewer/read_message.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tessera::viewer {
namespace {

using std::chrono::milliseconds;

constexpr double share_of_frames = 0.025, share_of_points = 0.005; // of a run's time: those of curves
constexpr double share_of_lookers = 0.05;                          // of the time: what pages say that look alone
constexpr double halts_per_second = 30;                            // of a run that goes at a given speed
constexpr std::ptrdiff_t most_edits = 200;                         // that a page is told of when it comes
constexpr double first_speed = 20; // of a run that begins paused, in steps a second: so that a small world can be watched

// Whether the run has a member of places of that name, with that element.
bool is_layer(const Setup& setup, const Look& look) {
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        if (!collection.are_places() || !collection.has_shape() || collection.name != look.places) continue;
        if (look.member.empty()) return true;
        for (const auto& member : setup.row_of(collection).members)
            if (member.name == look.member) return look.element >= 0 && look.element < member.elements;
    }
    return false;
}
std::string message_text(const char* level, const std::string& text) {
    return nlohmann::json{{"message", {{"level", level}, {"text", text}}}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
bool has_member(const Setup& setup, const Look& layer) {
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].name == layer.places)
            for (const auto& member : setup.row_of(setup.collections[id]).members)
                if (member.name == layer.member) return layer.element >= 0 && layer.element < member.elements;
    return false;
}
// What a page may ask for that looks alone: nothing that another page would see, or that the run would have.
bool is_look(const std::string& what) {
    return what == "look" || what == "show" || what == "shown" || what == "inspect" || what == "follow";
}
bool is_place(const Setup& setup, const Look& at) {
    for (const auto id : setup.collections.ids())
        if (const auto& collection = setup.collections[id];
            collection.name == at.places && collection.are_places() && collection.has_shape())
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
    until_.reset(), condition_.reset();
    curves_ = {};
    pages_.forget_ranges();
    steering_.forget();
    edits_.clear(), values_.clear();
    status_.clear();
}

std::uint64_t ViewerPause::next(const CurrentRun& run) const {
    auto next = never;
    if (until_) next = std::max(*until_, run.step() + 1);
    if (condition_) next = std::min(next, (run.step() / condition_->every + 1) * condition_->every);
    if (steps_per_second_ > 0)
        next = std::min(next, run.step() + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(steps_per_second_ / halts_per_second)));
    return std::min(next, pages_.next_step(run.step()));
}

bool ViewerPause::pending(CurrentRun&, std::uint64_t) {
    const auto now = Clock::now();
    return inbox_.any() || hears_lookers() || paused_ || (pages_.wants_frame(false) && now >= next_frame_) || pages_.wants_frame(true) ||
           (pages_.any() && now >= next_state_); // how far it is, where nothing is shown
}

bool ViewerPause::waits(const CurrentRun& run) const {
    if (paused_) return true;
    if (steps_per_second_ <= 0) return false;
    const std::chrono::duration<double> due(static_cast<double>(run.step() - paced_from_) / steps_per_second_);
    return Clock::now() - paced_since_ < due;
}

// Before anything is made of the first state: what somebody does now belongs to it.
Outcome ViewerPause::begin(CurrentRun& run) {
    first_ = run.step();
    return stand(run);
}

Outcome ViewerPause::arrive(CurrentRun& run, const Arrival& arrival) {
    if (arrival.is_last || arrival.ends) return Outcome::go_on;
    if (until_ && run.step() >= *until_) paused_ = true, until_.reset();
    if (arrival.is_new) ask_condition(run);
    if (run.step() > first_) return stand(run);
    serve(run, false); // it stood at this state before
    return ends_ ? Outcome::stop : Outcome::go_on;
}

// As long as the page wants it, or the time of the next step has not come.
Outcome ViewerPause::stand(CurrentRun& run) {
    serve(run, paused_);
    while (!ends_ && waits(run) && !run.session().interrupted()) {
        if (steering_.any()) return Outcome::again; // edits are made before this
        inbox_.wait(milliseconds(paused_ ? 20 : 4), Clock::now() >= next_hearing_);
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
        inbox_.wait(milliseconds(20), Clock::now() >= next_hearing_);
    }
    return false;
}

void ViewerPause::serve(CurrentRun& run, bool stands_still) {
    if (!std::exchange(has_begun_, true)) {
        (void)run.run().simulation().frames_are_ready(run.session().compiler()); // begins to make them so
        announce(server_.address(), server_.look_address(), run.folder().path());
        if (std::exchange(opens_browser_, false)) leading_page_ = open_page(server_.address(), run.folder().path());
        curves_.follow(run);
        note_edits(run);
        pages_.tell_all(about(run, name_));
        curves_.add(run);
        pages_.tell_all(curves_.all());
        rated_at_ = Clock::now(), rated_step_ = run.step();
    }
    tell_changes(run);
    hear_pages(run);
    show(run, stands_still);
    tell_state(run, false);
}

// What was taken of that which somebody asked for, and values as they are by now; or why it was not.
void ViewerPause::tell_changes(CurrentRun& run) {
    if (const auto why = steering_.refusal()) {
        tell_message("error", *why);
        pages_.tell_all(parameters_of(run));
    }
    for (const auto& [edit, undoes] : steering_.taken()) {
        next_frame_ = {}; // whoever did it wants to see it
        if (edit.kind() == Edit::Kind::parameters) note_edits(run), pages_.tell_all(parameters_of(run));
        if (edit.kind() != Edit::Kind::values) continue;
        const Json painted{{"layer", edit.member}, {"step", std::to_string(edit.step)}, {"undone", undoes}};
        pages_.tell_all(Json{{"painted", painted}}.dump());
        pages_.show_again();
        next_state_ = {}; // how many strokes can be undone is part of it
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
    if (std::ssize(edits_) > most_edits) edits_.erase(edits_.begin(), edits_.end() - most_edits);
}

std::string ViewerPause::edits_text() const {
    auto all = Json::array();
    for (const auto& each : edits_) all.push_back(Json::parse(each));
    return Json{{"edits", std::move(all)}}.dump();
}

bool ViewerPause::hears_lookers() const { return inbox_.any_of_lookers() && Clock::now() >= next_hearing_; }

// For a moment, whatever they say: pages that steer first, and those that look alone for a small share of the time.
void ViewerPause::hear_pages(CurrentRun& run) {
    const auto hear_for = [&](milliseconds most, bool of_lookers_too) {
        const auto begun = Clock::now();
        while (!run.session().interrupted() && Clock::now() - begun < most) {
            const auto letter = inbox_.take(of_lookers_too);
            if (!letter) break;
            hear(run, *letter);
        }
        return Clock::now() - begun;
    };
    hear_for(milliseconds(20), false);
    if (!hears_lookers()) return;
    const auto took = hear_for(milliseconds(2), true);
    next_hearing_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(took / share_of_lookers);
}

void ViewerPause::hear(CurrentRun& run, const Letter& letter) {
    if (letter.kind == Letter::Kind::left) return pages_.remove(letter.page);
    if (letter.kind == Letter::Kind::came) {
        pages_.add(letter.page, letter.steers);
        return greet(run, letter.page);
    }
    const auto message = read_message(letter.text);
    if (message.is_object()) return obey(run, letter.page, message);
    pages_.tell(letter.page, message_text("error", fmt::format("a message of this page was ignored (it is no object of JSON, or is nested "
                                                               "deeper than {})",
                                                               deepest_message)));
}

void ViewerPause::greet(CurrentRun& run, PageId page) {
    pages_.tell(page, Json{{"rights", {{"steers", pages_.steers(page)}}}}.dump());
    pages_.tell(page, about(run, name_));
    pages_.tell(page, curves_.all());
    pages_.tell(page, state_text(run));
    pages_.tell(page, edits_text());
}

void ViewerPause::obey(CurrentRun& run, PageId page, const Json& message) {
    const auto what = text_of(message, "do");
    if (!pages_.steers(page) && !is_look(what)) {
        return pages_.tell(page, message_text("error", "this page may look, and steers nothing"));
    }
    const bool moves = obey_moves(run, what, message);
    if (!moves) obey_changes(what, message);
    obey_looks(run.setup(), page, what, message);
    tell_state(run, moves);
}

// When the run goes on and when it stands still. Whether it is that.
bool ViewerPause::obey_moves(CurrentRun& run, const std::string& what, const Json& message) {
    if (what == "play") {
        go_on(run);
    } else if (what == "step") {
        go_on(run);
        until_ = run.step() + static_cast<std::uint64_t>(std::clamp<std::int64_t>(number_of(message, "steps", 1), 1, 1 << 30));
    } else if (what == "until") {
        run_until(run, text_of(message, "condition"), number_of(message, "every", 1));
    } else if (what == "pause") {
        paused_ = true;
        until_.reset(), condition_.reset();
    } else if (what == "speed") {
        const auto speed = message.find("steps_per_second");
        steps_per_second_ = speed != message.end() && speed->is_number() ? std::clamp(speed->get<double>(), 0.0, 1e9) : 0;
        paced_since_ = Clock::now(), paced_from_ = run.step();
    } else {
        return false;
    }
    return true;
}

// What becomes another one by it.
void ViewerPause::obey_changes(const std::string& what, const Json& message) {
    if (what == "set") {
        steering_.set(text_of(message, "name"), text_of(message, "value"));
    } else if (what == "paint") {
        try {
            steering_.paint(stroke_of(message));
        } catch (const Error& error) {
            steering_.refused(error.what());
        }
    } else if (what == "undo") {
        steering_.undo();
    } else if (what == "again" || what == "end") {
        begins_again_ = what == "again";
        seed_ = text_of(message, "seed");
        constexpr std::size_t most_digits = 18; // below 2^63
        if (seed_.size() > most_digits || seed_.find_first_not_of("0123456789") != std::string::npos) seed_.clear();
        ends_ = true;
    }
}

// What a page wants to see.
void ViewerPause::obey_looks(const Setup& setup, PageId page, const std::string& what, const Json& message) {
    if (what == "look") {
        if (auto look = look_of(message); is_layer(setup, look)) pages_.look(page, std::move(look), setup);
    } else if (what == "inspect") {
        auto at = look_of(message);
        pages_.inspect(page, is_place(setup, at) ? std::optional(std::move(at)) : std::nullopt,
                       followed_of(setup, text_of(message, "collection"), text_of(message, "id")));
    } else if (what == "follow") {
        const auto collection = text_of(message, "collection");
        auto followed = followed_of(setup, collection, text_of(message, "id"));
        if (!followed && !collection.empty())
            pages_.tell(page, message_text("error", fmt::format("there are no agents `{}` of that id", collection)));
        pages_.follow(page, std::move(followed));
    } else if (what == "shown") {
        pages_.shown(page, static_cast<std::uint32_t>(number_of(message, "frame")));
    } else if (what == "range") {
        set_range(setup, page, message);
    } else if (what == "show") {
        pages_.show_every(page, number_of(message, "every", 1));
    }
}

void ViewerPause::go_on(const CurrentRun& run) {
    paused_ = false;
    until_.reset(), condition_.reset();
    paced_since_ = Clock::now(), paced_from_ = run.step();
}

// Goes on until the condition holds: at this state already, if it does.
void ViewerPause::run_until(CurrentRun& run, const std::string& text, std::int64_t every) {
    try {
        auto condition = condition_of(run.setup(), text, "in the page");
        go_on(run);
        condition_ = {std::move(condition), static_cast<std::uint64_t>(std::clamp<std::int64_t>(every, 1, 1 << 30))};
    } catch (const Error& error) {
        return tell_message("error", error.what());
    }
    ask_condition(run);
}

void ViewerPause::ask_condition(CurrentRun& run) {
    if (!condition_ || run.step() % condition_->every != 0) return;
    const auto& condition = condition_->condition;
    try {
        if (!expression::is_true(run.run().view().evaluate(*condition))) return;
        tell_message("info", fmt::format("at step {} `{}` holds", run.step(), condition->text));
    } catch (const Error& error) { // it cannot be computed at this state, or with changed sources
        tell_message("error", error.what());
    }
    paused_ = true;
    condition_.reset();
}

void ViewerPause::tell_message(const char* level, const std::string& text) { pages_.tell_all(message_text(level, text)); }

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
    if (const bool due = stands_still || Clock::now() >= next_frame_; due || pages_.wants_frame(true)) {
        if (run.run().simulation().frames_are_ready(run.session().compiler()))
            make_frames(run, !due);
        else
            put_off_frames();
    }
    run.run().let_go_of_view();
}

void ViewerPause::make_frames(CurrentRun& run, bool forced) {
    const auto begun = Clock::now();
    const int made = pages_.make_frames(run, forced, paused_ || !status_.empty());
    frames_ += static_cast<std::uint64_t>(made);
    if (made > 0) frame_seconds_ += std::chrono::duration<double>(Clock::now() - begun).count();
    next_frame_ = Clock::now() + std::chrono::duration_cast<Clock::duration>((Clock::now() - begun) / share_of_frames);
}

// The kernels of frames are still being compiled.
void ViewerPause::put_off_frames() {
    next_frame_ = Clock::now() + milliseconds(100);
    if (pages_.put_off_frames()) tell_message("info", "the picture comes as soon as its kernels are compiled for this GPU");
}

// Refused where the ends are none; then those stay that were there.
void ViewerPause::set_range(const Setup& setup, PageId page, const Json& message) {
    const auto low = end_of(message, "low"), high = end_of(message, "high");
    const auto look = look_of(message);
    if (!has_member(setup, look)) return pages_.tell(page, message_text("error", "there is no member of that name and element to colour"));
    const auto layer = range_key(text_of(message, "layer"), look.element);
    const bool is_fit = message.find("low") == message.end() && message.find("high") == message.end();
    if (!is_fit && !(low && high && *low <= *high)) {
        return pages_.tell(
            page, message_text("error", "the colours of " + layer + " keep their ends (two numbers are needed, the lower one first)"));
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
               {"undo", steering_.undoable(run.step())},
               {"frames", frames_},
               {"frame_seconds", frame_seconds_}};
    if (condition_) state["until"] = condition_->condition->text;
    if (const auto end = last_step_of(run.setup())) state["end"] = std::to_string(*end);
    return Json{{"state", std::move(state)}}.dump();
}

} // namespace tessera::viewer
