// The search for a faster way to make the same steps, while the run goes on.
#pragma once

#include "host/session/pause.hpp"

#include <functional>
#include <utility>

namespace tessera {

class TunerPause : public Pause {
public:
    // `all`: what the run stands still for, this included. While a change of the sources is likely (`is_restless`), their compilation comes
    // first.
    TunerPause(const Pauses& all, std::function<bool()> is_restless) : all_(all), is_restless_(std::move(is_restless)) {}

    [[nodiscard]] std::uint64_t next(const CurrentRun&) const override { return never; }
    [[nodiscard]] bool pending(CurrentRun& run, std::uint64_t step) override;
    // Makes steps, up to the first state at which something else has to be asked.
    [[nodiscard]] Outcome arrive(CurrentRun& run, const Arrival& arrival) override;

private:
    const Pauses& all_;
    std::function<bool()> is_restless_;
};

} // namespace tessera
