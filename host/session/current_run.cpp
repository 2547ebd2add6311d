#include "host/session/current_run.hpp"

#include "device_runtime/machine.hpp"
#include "host/run_file/bytes.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

// For states whose files are not written yet.
std::size_t output_bytes(const run_file::Run& run) {
    return static_cast<std::size_t>(run.output_memory ? **run.output_memory : run_file::default_output_memory);
}

// For a checkpoint that is not written yet; nothing where the run is to wait for what it writes.
std::size_t checkpoint_bytes(const run_file::Run& run) {
    if (run.checkpoint && run.checkpoint->memory) return static_cast<std::size_t>(**run.checkpoint->memory);
    return output_bytes(run) == 0 ? 0 : static_cast<std::size_t>(memory_available() / 4);
}

// A CPU's threads make the steps.
int writing_threads(const Session& session, const run_file::Run& run) {
    if (run.output_threads) return static_cast<int>(**run.output_threads);
    const auto& devices = session.infos();
    const bool has_gpu = std::any_of(devices.begin(), devices.end(), [](const auto& device) { return device.kind == DeviceKind::cuda; });
    return has_gpu ? std::clamp(usable_threads() - 1, 1, 4) : 1;
}

} // namespace

CurrentRun::CurrentRun(std::unique_ptr<Run> run, Session& session, const ResultFolder& folder, RunReport& report)
    : run_(std::move(run)), session_(session), folder_(folder), report_(report),
      outbox_(std::make_unique<Outbox>(writing_threads(session, run_->run_file().run), output_bytes(run_->run_file().run),
                                       checkpoint_bytes(run_->run_file().run))) {
    run_->write_to(folder_, *outbox_, nullptr);
}

std::uint64_t CurrentRun::end() const {
    const auto& steps = setup().agenda.steps;
    return steps ? **steps : (std::uint64_t{1} << 32) - 1;
}

void CurrentRun::follow(std::unique_ptr<Run> next) {
    outbox_->wait();
    next->write_to(folder_, *outbox_, run_.get());
    run_ = std::move(next);
    ++replacements_;
}

} // namespace tessera
