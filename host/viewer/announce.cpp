#include "host/viewer/announce.hpp"

#include "host/run_file/reserved_names.hpp"
#include "jit/log.hpp"

#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace tessera::viewer {
namespace {

// The machine as the other one of the SSH connection knows it: "CLIENT PORT SERVER PORT".
std::string this_machine() {
    const char* const connection = std::getenv("SSH_CONNECTION");
    std::istringstream words(connection == nullptr ? "" : connection);
    std::string client, port, server;
    words >> client >> port >> server;
    return server.empty() ? "THIS-MACHINE" : server;
}

} // namespace

std::string port_of(const std::string& address) {
    const auto end = address.find("/#"), colon = address.rfind(':', end);
    return address.substr(colon + 1, end - colon - 1);
}

void announce(const std::string& address, const std::string& look_address, const std::filesystem::path& results) {
    if (::isatty(STDERR_FILENO) != 0) {
        log_info("look at the run at {}", address);
        log_info("for those who may look and change nothing: {}", look_address);
    } else {
        const auto path = results / run_file::viewer_addresses;
        write_for_user_alone(path, address + "\n" + look_address + "\n");
        log_info("where to look at the run is in {}", path.string());
    }
    if (std::getenv("SSH_CONNECTION") != nullptr) {
        const auto port = port_of(address);
        log_info("from your own machine, before you open that address: ssh -N -L {}:127.0.0.1:{} {}", port, port, this_machine());
    }
}

LeadingPage open_page(const std::string& address, const std::filesystem::path& results) {
    if (const auto why = why_no_browser(); !why.empty()) {
        log_info("no browser was opened ({}): open that address in one, or leave this message out by `--no-browser`", why);
        return {};
    }
    LeadingPage page(address, results);
    open_browser(page.path());
    return page;
}

} // namespace tessera::viewer
