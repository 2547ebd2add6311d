#include "host/session/run_loop.hpp"

#include "host/session/recovery.hpp"

#include <chrono>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

class RunLoop {
public:
    RunLoop(CurrentRun& run, const Pauses& pauses) : run_(run), pauses_(pauses), recovery_(run, pauses) {}

    void make() {
        pauses_.begin(run_);
        do {
            go();
            run_.report().status = stopped_ ? "stopped" : run_.step() < run_.end() ? "interrupted" : "finished";
        } while (pauses_.resumes(run_));
        (void)pauses_.arrive(run_, {false, true, true});
    }

private:
    [[nodiscard]] bool ends() const { return stopped_ || run_.session().interrupted() || run_.step() >= run_.end(); }

    // Until the run ends. The state at which it begins is a new one.
    void go() {
        stopped_ = false;
        for (bool is_new = true;;) {
            const auto before = run_.step();
            recovering(before, [&] { stopped_ = pauses_.arrive(run_, {is_new, false, ends()}) == Outcome::stop; });
            is_new = run_.step() > before; // by the tuner
            if (!is_new && ends()) return;
            if (!is_new) is_new = advance();
        }
    }

    // Whether steps were made.
    bool advance() {
        const auto begun = Clock::now();
        const auto before = run_.step();
        const auto proceed = [this](std::uint64_t step) {
            const bool pending = pauses_.pending(run_, step);
            return !pending && !run_.session().interrupted();
        };
        recovering(before, [&] { recovery_.advance(run_, pauses_.next(run_), proceed); });
        auto& report = run_.report();
        report.step_seconds += std::chrono::duration<double>(Clock::now() - begun).count();
        report.steps = run_.step();
        return run_.step() > before;
    }

    template<class Steps> void recovering(std::uint64_t written, const Steps& steps) {
        try {
            steps();
        } catch (const OutgrownRoom& outgrown) {
            recovery_.begin_again(run_, outgrown, written);
        }
    }

    CurrentRun& run_;
    const Pauses& pauses_;
    Recovery recovery_;
    bool stopped_ = false;
};

} // namespace

void run_loop(CurrentRun& run, const Pauses& pauses) { RunLoop(run, pauses).make(); }

} // namespace tessera
