#include "host/session/recovery.hpp"

#include "device_runtime/error.hpp"
#include "host/session/as_error.hpp"
#include "host/session/input_files.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace tessera {
namespace {

// What is written stays, and no state belongs to it.
[[noreturn]] void end_amid_a_step(RunReport& report, std::uint64_t written) {
    report.is_amid_a_step = true;
    report.steps = written;
    throw Error(Failure::interrupted, "interrupted", fmt::format("the steps up to {} were being made again, with more room", written));
}

std::string changed_files(const run_file::RunFile& run_file) {
    const auto files = input_files(run_file);
    if (files.empty()) return "its first state is another one by now";
    return fmt::format("{} {} not what {} when the run began", fmt::join(files, " or "), files.size() == 1 ? "is" : "are",
                       files.size() == 1 ? "it was" : "they were");
}

// What it is made from cannot be had again.
[[noreturn]] void refuse_to_begin_again(const OutgrownRoom& outgrown, const std::string& why) {
    throw Error(Failure::input, fmt::format("{}, and the run cannot be made again with more", outgrown.problem()), why,
                "leave the files of a run as they are until it ends, or give `reserve` so many that it does not have to grow");
}

} // namespace

Recovery::Recovery(CurrentRun& run, const Pauses& pauses) : pauses_(pauses) {
    if (may_begin_again(run)) first_hash_ = run.run().simulation().hash();
}

// ---- checked runs

void Recovery::advance(CurrentRun& run, std::uint64_t until, const std::function<bool(std::uint64_t)>& proceed) {
    if (!run.setup().modes().checked) return run.run().advance(until, proceed);
    kept_.keep(run.run().simulation().state());
    try {
        run.run().advance(run.step() + 1, proceed);
    } catch (const OutgrownRoom&) { // which is no mistake
        throw;
    } catch (const Error& error) {
        if (error.kind() == Failure::model) write_kept(run);
        throw;
    }
}

void Recovery::write_kept(CurrentRun& run) const {
    try {
        kept_.write(run.setup(), run.folder(), run.session().pool(), run.run().outputs());
        log_info("the state before that step is in {}", (run.folder().path() / "before").string());
    } catch (const Error& error) { // the model's mistake is the one that counts
        log_warning("the state before that step is not written: {}", error.what());
    }
}

// ---- room of lists

bool Recovery::may_begin_again(const CurrentRun& run) const { return has_growing_lists(run.setup()) && pauses_.are_repeatable(); }

// The state to begin again from, with more room; nothing where there is none.
std::unique_ptr<Run> Recovery::begun_with_more(CurrentRun& run, const OutgrownRoom& outgrown, Spare spare,
                                               const std::optional<KeptRun>& from) {
    try {
        auto more = with_more_room(run.setup(), run.run().run_file(), outgrown, spare);
        if (!more) return nullptr;
        if (!from && run.beginning() != nullptr)
            return std::make_unique<Run>(run.run().model(), *more, run.session(), *run.beginning(), Run::Remarks::known);
        if (!from) return std::make_unique<Run>(run.run().model(), *more, run.session(), Run::Remarks::known);
        auto next = std::make_unique<Run>(run.run().model(), *more, run.session(), from->state, Run::Remarks::known);
        next->simulation().count_on_from(from->phases, from->fused_steps);
        return next;
    } catch (const std::exception& thrown) {
        auto error = as_error(thrown);
        if (error.kind() == Failure::interrupted) return nullptr;
        if (error.kind() == Failure::input) refuse_to_begin_again(outgrown, error.what()); // of its files, say
        log_warning("there is no room for more: {}", error.what());
        return nullptr;
    }
}

void Recovery::begin_again(CurrentRun& run, const OutgrownRoom& outgrown, std::uint64_t until) const {
    if (!may_begin_again(run)) throw outgrown;
    auto& session = run.session();
    const auto from = pauses_.saved(run);
    auto next = begun_with_more(run, outgrown, Spare::ample, from);
    if (!next && !session.interrupted()) next = begun_with_more(run, outgrown, Spare::little, from);
    if (session.interrupted()) end_amid_a_step(run.report(), until);
    if (!next) throw outgrown;
    if (!from && next->simulation().hash() != first_hash_) refuse_to_begin_again(outgrown, changed_files(run.run().run_file()));
    const auto first = next->step() == 0 ? "" : fmt::format(" from step {}", next->step());
    log_info("{}; the run is made again{} up to step {}, with room for {}", outgrown.problem(), first, until, rooms_text(next->setup()));
    next->advance(until, [&](std::uint64_t) { return !session.interrupted(); });
    if (next->step() < until) end_amid_a_step(run.report(), until);
    run.follow(std::move(next));
}

std::unique_ptr<Run> begin_run(const Bound& bound, Session& session) {
    try {
        return std::make_unique<Run>(nullptr, bound, session);
    } catch (const OutgrownRoom& outgrown) {
        auto next = with_more_room(bound.setup, bound.run_file, outgrown);
        if (!next) throw;
        log_info("{}; there is room for {} now", outgrown.problem(), rooms_text(next->setup));
        return begin_run(*next, session);
    }
}

} // namespace tessera
