#include "host/session/current_run.hpp"

#include <utility>

namespace tessera {

CurrentRun::CurrentRun(std::unique_ptr<Run> run, Session& session, const ResultFolder& folder, RunReport& report)
    : run_(std::move(run)), session_(session), folder_(folder), report_(report) {
    run_->write_to(folder_, nullptr);
}

std::uint64_t CurrentRun::end() const {
    const auto& steps = setup().agenda.steps;
    return steps ? **steps : (std::uint64_t{1} << 32) - 1;
}

void CurrentRun::follow(std::unique_ptr<Run> next) {
    next->write_to(folder_, run_.get());
    run_ = std::move(next);
    ++replacements_;
}

} // namespace tessera
