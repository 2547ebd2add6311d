#include "host/outputs/check_written.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace tessera {
namespace {

[[noreturn]] void refuse_written(const ResultFolder& folder, const std::string& name, const std::string& why) {
    throw Error(Failure::output, fmt::format("the run in {} cannot go on", folder.path().string()),
                fmt::format("its file {} {}", name, why), "put back the file that the run wrote");
}

void check_table(const ResultFolder& folder, const TablePosition& table) {
    const auto look = folder.look_at(table.name);
    if (!look) refuse_written(folder, table.name, "is not there");
    if (!table.is_file) return;
    if (!look->is_file || look->size < table.size)
        refuse_written(folder, table.name, fmt::format("has {} bytes, and had {}", look->size, table.size));
    if (hash_of_end(folder.place(table.name), table.size) != table.end_hash)
        refuse_written(folder, table.name, fmt::format("has other rows in its first {} bytes than were written", table.size));
}

} // namespace

std::uint64_t hash_of_end(const FilePlace& place, std::uint64_t bytes) {
    const auto count = std::min<std::uint64_t>(bytes, 1 << 20);
    const Descriptor file(::openat(place.folder(), place.path(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.number() < 0) throw output_error(place.shown(), errno);
    std::string end(count, '\0');
    for (std::uint64_t done = 0; done < count;) {
        const auto got = ::pread(file.number(), end.data() + done, count - done, static_cast<off_t>(bytes - count + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw output_error(place.shown(), got < 0 ? errno : EIO);
        done += static_cast<std::uint64_t>(got);
    }
    return XXH3_64bits(end.data(), end.size());
}

void check_written(const ResultFolder& folder, const OutputPositions& positions) {
    std::set<std::string> tables; // which may have grown
    for (const auto& output : positions.outputs)
        if (output.table) {
            check_table(folder, *output.table);
            tables.insert(output.table->name);
        }
    for (const auto& file : positions.files) {
        if (tables.contains(file.name)) continue;
        const auto look = folder.look_at(file.name);
        if (!look) refuse_written(folder, file.name, "is not there");
        if (look->size != file.size) refuse_written(folder, file.name, fmt::format("has {} bytes, and had {}", look->size, file.size));
    }
}

} // namespace tessera
