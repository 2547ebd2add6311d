#include "host/run/check_results.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera {
namespace {

[[noreturn]] void refuse_files(const ResultFolder& folder, std::vector<std::string> names) {
    constexpr std::size_t most = 5;
    const auto count = names.size();
    names.resize(std::min(count, most));
    throw Error(Failure::output,
                fmt::format("results in {} are not what was written: {}{}", folder.path().string(), fmt::join(names, ", "),
                            count > most ? fmt::format(" and {} more", count - most) : ""),
                "files were removed, renamed or changed while the run went on", "leave the folder alone until the run has ended");
}

} // namespace

void check_results(const ResultFolder& folder, const OutputSet& outputs, const std::vector<Edit>& edits) {
    if (!folder.is_where_it_was())
        throw Error(Failure::output, fmt::format("the results are not in {}", folder.path().string()),
                    "the folder was renamed or removed while the run went on", "look for its manifest.json where the folder is now");
    auto names = outputs.changed_files();
    for (const auto& edit : edits)
        for (const auto& file : edit.files)
            if (!folder.look_at(file)) names.push_back(file);
    if (!names.empty()) refuse_files(folder, std::move(names));
}

} // namespace tessera
