// A table that grows row by row while a run goes on.
#pragma once

#include "host/outputs/output_file.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

using TableValue = std::variant<std::int64_t, std::uint64_t, double>;

// A field of such a file: in quotes where it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

// Adds a number as such a file has it (below).
void append_csv_value(std::string& line, const TableValue& value);

// A comma-separated file with a heading (RFC 4180's quotes, lines ended by LF). Rows are handed to the system every `flush_every`
// rows, so that a killed run keeps them, and whole: a full disk leaves no half row. Replaces a file of that name; a link is refused, and a
// pipe (FIFO) is written to as its reader takes it.
// Numbers are the shortest decimals that read back as the same value; NaN is "nan", infinities "inf" and "-inf".
// Throws Failure::output naming the file and the reason, and Failure::interrupted where `interrupted` ends the wait for a pipe's reader.
// For one thread, but for wait_for_disk.
class CsvTable {
public:
    CsvTable(FilePlace place, std::span<const std::string> columns, int flush_every = 1, Interrupted interrupted = {});
    // A table that is there, as it was when it had so many bytes: what follows them is cut off. A pipe gets further rows, without a
    // heading.
    CsvTable(FilePlace place, std::size_t columns, std::uint64_t bytes, Interrupted interrupted);
    ~CsvTable(); // writes what is left, waits for nobody, and ignores failures: call close() to learn of them
    CsvTable(const CsvTable&) = delete;
    CsvTable& operator=(const CsvTable&) = delete;

    // As many values as there are columns; anything else is Failure::internal.
    void row(std::span<const TableValue> values);

    void flush();
    void wait_for_disk() const; // for what was flushed; also by another thread, while rows are added
    void close();               // flushes, and waits for the disk; nothing can be added afterwards

    [[nodiscard]] std::uint64_t size() const noexcept { return static_cast<std::uint64_t>(written_); } // bytes that were handed over

private:
    FilePlace place_;
    std::size_t columns_;
    int flush_every_, rows_waiting_ = 0;
    int descriptor_ = -1;
    std::int64_t written_ = 0; // bytes
    std::string waiting_;
    Interrupted interrupted_;
};

} // namespace tessera
