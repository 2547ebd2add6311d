#include "jit/start_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

namespace tessera::jit {
namespace {

constexpr int wants[] = {EAGAIN, ENOMEM, EMFILE, ENFILE};

std::string suggestion_for(const std::error_code& why) {
    if (why == std::errc::too_many_files_open) return "raise the limit of open files (`ulimit -n`)";
    if (why == std::errc::resource_unavailable_try_again) return "end other programs, or raise the limit of processes (`ulimit -u`)";
    return "end other programs";
}

} // namespace

CannotStart::CannotStart(const std::string& program, const std::error_code& why)
    : Error(Failure::compile, fmt::format("{} could not be started", program), why.message(), suggestion_for(why)) {}

bool is_want(const std::error_code& code) noexcept {
    return std::any_of(std::begin(wants), std::end(wants),
                       [&](int want) { return code == std::error_code(want, std::generic_category()); });
}

std::error_code want_in(const std::string& log) {
    if (log.find("out of file descriptors") != std::string::npos || log.find("Too many open files") != std::string::npos)
        return {EMFILE, std::generic_category()};
    constexpr std::string_view starts[] = {"cannot execute", "unable to execute command", "posix_spawn failed", "fork"};
    if (std::none_of(std::begin(starts), std::end(starts), [&](std::string_view text) { return log.find(text) != std::string::npos; }))
        return {};
    for (const int want : wants)
        if (const std::error_code code(want, std::generic_category()); log.find(code.message()) != std::string::npos) return code;
    return {};
}

} // namespace tessera::jit
