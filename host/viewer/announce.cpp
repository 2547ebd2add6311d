#include "host/viewer/announce.hpp"

#include "device_runtime/error.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace tessera::viewer {

void announce(const std::string& address, const std::filesystem::path& results) {
    if (::isatty(STDERR_FILENO) != 0) {
        log_info("look at the run at {}", address);
        if (std::getenv("SSH_CONNECTION") != nullptr)
            log_info("from your own machine: ssh -L PORT:127.0.0.1:PORT, with the port of that address");
        return;
    }
    const auto path = results / "viewer.url";
    std::filesystem::remove(path);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const auto line = address + "\n";
    const bool written = file >= 0 && ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const int why = errno;
    if (file >= 0) ::close(file);
    if (!written) throw Error(Failure::output, fmt::format("{} cannot be written", path.string()), std::strerror(why));
    log_info("where to look at the run is in {}", path.string());
}

} // namespace tessera::viewer
