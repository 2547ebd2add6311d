#include "host/run/launcher.hpp"

#include "jit/environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace tessera {
namespace {

// By what each process learns how many there are, and which of them it is.
struct Launcher {
    const char *count, *number;
};
constexpr Launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, {"PMI_SIZE", "PMI_RANK"}, {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

// 0 for what is none.
int number_in(const char* variable) {
    const auto text = jit::variable(variable);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

} // namespace

std::string warning_of_launcher() {
    for (const auto& [count, number] : launchers) {
        const int processes = number_in(count);
        if (processes < 2) continue;
        if (number_in(number) != 0) return {};
        return fmt::format("{} runs of the same begin, each by itself and with results of its own ({} is {}, and one run over several "
                           "processes is not possible yet) start one process, or add --messages none if that is meant",
                           processes, count, processes);
    }
    return {};
}

} // namespace tessera
