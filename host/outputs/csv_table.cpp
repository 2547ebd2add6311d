#include "host/outputs/csv_table.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera {
namespace {

template<class T> void append(std::string& line, T value) {
    char digits[32];
    if constexpr (std::is_same_v<T, double>) {
        if (std::isnan(value)) { // to_chars shows its sign, which means nothing
            line += "nan";
            return;
        }
    }
    line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

bool is_pipe(const FilePlace& place) {
    struct stat found {};
    return ::fstatat(place.folder(), place.path(), &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISFIFO(found.st_mode);
}

Error interrupted_at(const FilePlace& place) {
    return Error(Failure::interrupted, fmt::format("interrupted while nobody read the pipe '{}'", place.shown().string()));
}

// Without blocking, so that the wait for a pipe's reader can end.
int open_table(const FilePlace& place, int how, const Interrupted& interrupted) {
    constexpr int pause = 100; // milliseconds
    while (true) {
        const int descriptor = ::openat(place.folder(), place.path(), O_WRONLY | how | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (descriptor >= 0) return descriptor;
        if (errno == EINTR) continue;
        if (errno != ENXIO || !is_pipe(place)) throw output_error(place.shown(), errno);
        if (interrupted && interrupted()) throw interrupted_at(place);
        (void)::poll(nullptr, 0, pause);
    }
}

} // namespace

void append_csv_value(std::string& line, const TableValue& value) {
    std::visit([&](auto number) { append(line, number); }, value);
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + '"';
}

CsvTable::CsvTable(FilePlace place, std::span<const std::string> columns, int flush_every, Interrupted interrupted)
    : place_(std::move(place)), columns_(columns.size()), flush_every_(flush_every), interrupted_(std::move(interrupted)) {
    descriptor_ = open_table(place_, O_CREAT | O_TRUNC, interrupted_);
    for (const std::string& column : columns) {
        if (&column != columns.data()) waiting_ += ',';
        waiting_ += csv_field(column);
    }
    waiting_ += '\n';
    try {
        flush();
    } catch (...) { // the destructor of an object that was never made does not run
        ::close(descriptor_);
        throw;
    }
}

CsvTable::CsvTable(FilePlace place, std::size_t columns, std::uint64_t bytes, Interrupted interrupted)
    : place_(std::move(place)), columns_(columns), flush_every_(1), interrupted_(std::move(interrupted)) {
    descriptor_ = open_table(place_, 0, interrupted_);
    written_ = static_cast<std::int64_t>(bytes);
    struct stat found {};
    if (::fstat(descriptor_, &found) == 0 && !S_ISREG(found.st_mode)) return;
    if (::ftruncate(descriptor_, written_) == 0 && ::lseek(descriptor_, written_, SEEK_SET) == written_) return;
    const int error = errno;
    ::close(descriptor_);
    throw output_error(place_.shown(), error);
}

CsvTable::~CsvTable() {
    if (descriptor_ < 0) return;
    interrupted_ = [] { return true; };
    try {
        flush();
    } catch (const std::exception&) {}
    ::close(descriptor_);
}

void CsvTable::row(std::span<const TableValue> values) {
    if (descriptor_ < 0)
        throw Error(Failure::internal, fmt::format("a row was added to '{}' after it was closed", place_.shown().string()));
    if (values.size() != columns_)
        throw Error(Failure::internal, fmt::format("a row of {} values was added to '{}'", values.size(), place_.shown().string()),
                    fmt::format("it has {} columns", columns_));
    for (const TableValue& value : values) {
        if (&value != values.data()) waiting_ += ',';
        append_csv_value(waiting_, value);
    }
    waiting_ += '\n';
    if (++rows_waiting_ >= flush_every_) flush();
}

void CsvTable::flush() {
    rows_waiting_ = 0;
    const std::string rows = std::exchange(waiting_, {});
    if (const int error = write_all(descriptor_, rows.data(), rows.size(), interrupted_)) {
        // Take back a row that went out by half; where that fails too, the first failure is the one to tell.
        [[maybe_unused]] const int ignored = ftruncate(descriptor_, written_);
        lseek(descriptor_, written_, SEEK_SET);
        throw error == EINTR ? interrupted_at(place_) : output_error(place_.shown(), error);
    }
    written_ += static_cast<std::int64_t>(rows.size());
}

void CsvTable::wait_for_disk() const {
    if (descriptor_ < 0) return;
    if (const int error = tessera::synchronise(descriptor_)) throw output_error(place_.shown(), error);
}

void CsvTable::close() {
    if (descriptor_ < 0) return;
    flush();
    const int not_synchronised = tessera::synchronise(descriptor_);
    const int not_closed = ::close(std::exchange(descriptor_, -1)) != 0 ? errno : 0;
    if (not_synchronised != 0 || not_closed != 0) throw output_error(place_.shown(), not_synchronised != 0 ? not_synchronised : not_closed);
}

} // namespace tessera
