#include "host/run_file/where.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

namespace tessera::run_file {

std::string to_string(const Where& where) {
    return where.line == 0 ? where.file : fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

void fail_at(const Where& where, const std::string& problem, const std::string& why, const std::string& suggestion) {
    throw Error(where.line == 0 ? Failure::usage : Failure::input, to_string(where) + ": " + problem, why, suggestion);
}

} // namespace tessera::run_file
