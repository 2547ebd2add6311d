// A browser on this machine's screen.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace tessera::viewer {

// A page that leads to the viewer, which the user alone can read, for as long as this lives. So the address, which has the token, stands on
// no command line, where everybody can read it.
class LeadingPage {
public:
    LeadingPage() = default;
    // Throws Failure::output where it cannot be written.
    LeadingPage(const std::string& address, const std::filesystem::path& folder);
    ~LeadingPage();
    LeadingPage(LeadingPage&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    LeadingPage& operator=(LeadingPage&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    LeadingPage(const LeadingPage&) = delete;
    LeadingPage& operator=(const LeadingPage&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

// Why none can be opened here: "there is no screen here"; empty where one can.
[[nodiscard]] std::string why_no_browser();

// Has the desktop open a file in its browser (xdg-open), without waiting for it.
void open_browser(const std::filesystem::path& page);

// A file that the user alone can read, in place of one that is there. Throws Failure::output where it cannot be written.
void write_for_user_alone(const std::filesystem::path& path, const std::string& text);

} // namespace tessera::viewer
