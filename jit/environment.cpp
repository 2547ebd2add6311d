#include "jit/environment.hpp"

#include <cstdlib>
#include <system_error>

#include <sys/auxv.h>

namespace tessera::jit {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

const std::filesystem::path& program_file() {
    namespace fs = std::filesystem;
    static const fs::path file = [] {
        std::error_code failed;
        auto found = fs::read_symlink("/proc/self/exe", failed);
        if (!failed) return found;
        const auto* const started = reinterpret_cast<const char*>(::getauxval(AT_EXECFN)); // as it was given to the system
        found = started == nullptr ? fs::path() : fs::canonical(started, failed);
        return found;
    }();
    return file;
}

} // namespace tessera::jit
