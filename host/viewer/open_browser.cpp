#include "host/viewer/open_browser.hpp"

#include "device_runtime/error.hpp"
#include "host/run_file/reserved_names.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::viewer {
namespace {

constexpr const char* opener = "xdg-open";

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// On $PATH; empty: nowhere.
std::string find_opener() {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto file = folder + "/" + opener;
        if (::access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

} // namespace

void write_for_user_alone(const std::filesystem::path& path, const std::string& text) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int why = errno;
    if (file >= 0) ::close(file);
    if (!written) throw Error(Failure::output, fmt::format("{} cannot be written", path.string()), std::strerror(why));
}

LeadingPage::LeadingPage(const std::string& address, const std::filesystem::path& folder)
    : path_(std::filesystem::absolute(folder) / run_file::viewer_page) {
    write_for_user_alone(
        path_, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Tessera</title>\n<meta http-equiv=\"refresh\" content=\"0; url=" +
                   address + "\">\n<p><a href=\"" + address + "\">To the run</a></p>\n");
}

LeadingPage::~LeadingPage() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

std::string why_no_browser() {
    if (is_set("SSH_CONNECTION")) return "this is a session over SSH";
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return "there is no screen here";
    if (find_opener().empty()) return fmt::format("`{}` is not on $PATH", opener);
    return {};
}

// Its child is nobody's whom this program would have to wait for, and Ctrl-C is not for it.
void open_browser(const std::filesystem::path& page) {
    const auto program = find_opener(), file = page.string();
    char* const arguments[] = {const_cast<char*>(program.c_str()), const_cast<char*>(file.c_str()), nullptr};
    const pid_t child = ::fork();
    if (child < 0) return;
    if (child > 0) {
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
        return;
    }
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(nothing, stream);
    ::execv(program.c_str(), arguments);
    ::_exit(127);
}

} // namespace tessera::viewer
