// How kernels are made and steps are found.
#pragma once

#include "host/run_file/choices.hpp"
#include "host/run_file/where.hpp"

#include <optional>
#include <string>

namespace tessera {

// What is asked of a run besides its results: it is no part of a run file.
struct Inspection {
    bool debug = false;      // kernels are for a debugger
    bool checked = false;    // kernels report what the model does wrong
    bool on_one_cpu = false; // for a run that one CPU makes alone, which has another way to store agents
};

struct Modes : Inspection {
    run_file::FloatMode float_mode{};
    bool bake = true; // parameters are constants of the code
    run_file::View view{};
    run_file::ExchangeMode exchange{};
    run_file::Tune tune = run_file::Tune::quick; // looking for faster ways of making the same steps, while the run goes on
    // One such way, as in "pipeline:4x2x16" (host/views/fused_view.hpp), which is used from the start; then nothing is looked for.
    std::optional<run_file::Located<std::string>> fused{};

    [[nodiscard]] bool is_fast() const noexcept { return float_mode == run_file::FloatMode::fast; }
};

} // namespace tessera
