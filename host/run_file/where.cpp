#include "host/run_file/where.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"

#include <fmt/format.h>

namespace tessera::run_file {

std::string to_string(const Where& where) {
    const auto file = shown(where.file, 500);
    return where.line == 0 ? file : fmt::format("{}:{}:{}", file, where.line, where.column);
}

std::string in_file(const Where& where) { return where.line > 0 ? to_string(where) + ": " : std::string(); }

void fail_at(const Where& where, const std::string& problem, const std::string& why, const std::string& suggestion) {
    constexpr std::size_t longest = 800; // they quote the file
    throw Error(where.line == 0 ? Failure::usage : Failure::input, to_string(where) + ": " + shown(problem, longest), shown(why, longest),
                shown(suggestion, longest));
}

} // namespace tessera::run_file
