#include "host/devices/spread.hpp"

#include "host/devices/ask_machine.hpp"
#include "host/devices/measure_cuts.hpp"
#include "host/distribution/arranged.hpp"
#include "jit/log.hpp"

namespace tessera {
namespace {

Setup spread_by(const Setup& setup, const Machine& machine, bool was_logged) {
    auto [distribution, remarks] = distribute(setup, machine);
    if (!was_logged) log_remarks(remarks);
    return arranged(setup, std::move(distribution));
}

} // namespace

void log_remarks(const std::vector<Remark>& remarks) {
    for (const auto& remark : remarks)
        log_at(remark.level == Remark::Level::warning ? LogLevel::warning : LogLevel::info, "{}", remark.text);
}

Setup spread(const Setup& setup, const std::vector<Device*>& devices, bool was_logged) {
    return spread_by(setup, ask_machine(setup, devices), was_logged);
}

Setup spread_run(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool, bool was_logged) {
    const auto machine = ask_machine(setup, devices);
    auto first = spread_by(setup, machine, was_logged);
    if (!has_cuts_to_measure(first)) return first;
    const auto speeds = measure_speeds(first, devices, compiler, pool);
    if (speeds.empty()) {
        log_info("the cuts stay: the first steps do not show the time of each device");
        return first;
    }
    auto [distribution, remarks] = distribute(setup, machine, speeds);
    log_remarks(remarks);
    return arranged(setup, std::move(distribution));
}

} // namespace tessera
