#include "host/run/check_run.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/checkpoint/zstd.hpp"
#include "host/devices/spread.hpp"
#include "host/prepare/enough_ids.hpp"
#include "host/world/world.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// On another machine the device may be there: a run file is often checked where it is written.
std::optional<std::string> check_devices(const Setup& setup, const ChosenDevices& chosen) {
    (void)distribute(setup, assumed_machine(chosen.names));
    std::vector<std::unique_ptr<Device>> devices;
    try {
        devices = open_devices(chosen.names, 1);
    } catch (const Error& error) {
        if (error.kind() != Failure::device) throw;
        return fmt::format("the devices are not checked, since a run here would fail: {}", error.what());
    }
    const auto all = pointers_to(devices);
    World::refuse_too_large(spread(setup, all), all);
    return std::nullopt;
}

// Likewise.
std::optional<std::string> check_compression(const Setup& setup) {
    const auto& checkpoint = setup.agenda.checkpoint;
    if (!checkpoint || *checkpoint->compress == run_file::Compression::none) return std::nullopt;
    const auto why = checkpoint::Zstd::why_not_there();
    if (why.empty()) return std::nullopt;
    return fmt::format("a run here could not compress its checkpoints: {}", why);
}

std::optional<std::string> check_result_folder(const fs::path& folder) {
    std::error_code failed;
    const auto status = fs::status(folder, failed);
    if (status.type() == fs::file_type::not_found) return std::nullopt;
    if (failed) return fmt::format("a run would not get the result folder {}: {}", folder.string(), failed.message());
    if (!fs::is_directory(status)) return fmt::format("a run would not get the result folder {}: it is not a folder", folder.string());
    if (!fs::is_empty(folder, failed) && !failed)
        return fmt::format("a run would need --out or --overwrite: the result folder {} is not empty", folder.string());
    return std::nullopt;
}

} // namespace

std::vector<std::string> check_run(const Setup& setup, const ChosenDevices& chosen) {
    auto notes = births_that_may_end(setup);
    if (auto note = check_devices(setup, chosen)) notes.push_back(std::move(*note));
    if (auto note = check_compression(setup)) notes.push_back(std::move(*note));
    if (const auto& out = setup.agenda.out)
        if (auto note = check_result_folder(*out)) notes.push_back(std::move(*note));
    return notes;
}

} // namespace tessera
