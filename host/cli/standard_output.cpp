#include "host/cli/standard_output.hpp"

#include "device_runtime/error.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace tessera {
namespace {

int failed_with = 0; // errno of the first write that failed; stdout itself knows only that there was one

void remember_failure(bool failed) {
    if (failed && failed_with == 0) failed_with = errno;
}

} // namespace

void say_text(const std::string& text) { remember_failure(std::fwrite(text.data(), 1, text.size(), stdout) != text.size()); }

void say(const std::string& line) { say_text(line + "\n"); }

void finish_saying() {
    remember_failure(std::fflush(stdout) != 0);
    if (failed_with != 0)
        throw Error(Failure::output, "could not write to stdout", std::generic_category().message(failed_with),
                    "what was to be said there is lost");
}

} // namespace tessera
