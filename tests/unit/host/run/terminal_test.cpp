// A watched run as somebody at a terminal meets it.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>

#include <chrono>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace tessera::testing::terminal_test {
namespace {

using ::testing::HasSubstr;

// The program, at a terminal of its own.
class AtTerminal {
public:
    explicit AtTerminal(const Command& command) {
        std::vector<std::string> all{command.program};
        all.insert(all.end(), command.arguments.begin(), command.arguments.end());
        std::vector<char*> words;
        for (auto& word : all) words.push_back(word.data());
        words.push_back(nullptr);
        child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
        if (child_ != 0) return;
        if (::chdir(command.folder.c_str()) != 0) ::_exit(126);
        for (const auto& [name, value] : command.environment)
            if (value) ::setenv(name.c_str(), value->c_str(), 1);
        ::execv(words[0], words.data());
        ::_exit(127);
    }
    ~AtTerminal() {
        if (child_ > 0) ::kill(child_, SIGKILL), (void)status();
        ::close(terminal_);
    }
    AtTerminal(const AtTerminal&) = delete;
    AtTerminal& operator=(const AtTerminal&) = delete;

    void type(const std::string& keys) const { ASSERT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size())); }

    // What it shows until these words have come, or until it says no more.
    std::string shown_until(const std::string& words) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        std::string shown;
        for (char some[4096]; shown.find(words) == std::string::npos && std::chrono::steady_clock::now() < end;) {
            pollfd output{terminal_, POLLIN, 0};
            if (::poll(&output, 1, 1000) != 1) continue;
            const auto count = ::read(terminal_, some, sizeof(some));
            if (count <= 0) break;
            shown.append(some, static_cast<std::size_t>(count));
        }
        return shown;
    }
    // Whether it takes lines and shows what is typed, as terminals do.
    [[nodiscard]] bool is_as_ever() const {
        termios now{};
        return ::tcgetattr(terminal_, &now) == 0 && (now.c_lflag & ICANON) != 0 && (now.c_lflag & ECHO) != 0;
    }
    int status() {
        int status = -1;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    int terminal_ = -1;
    pid_t child_ = -1;
};

class Terminal : public CommandLine {};

TEST_F(Terminal, ARunThatIsWatchedBeginsAgainByAKeyAndEndsByAnother) {
    write_garden();
    AtTerminal program(command({"run", "garden.toml", "--watch", "--out", "plot"}));
    EXPECT_THAT(program.shown_until("ends it"),
                HasSubstr("step 4: the run is at its end; waiting for a change, r begins again, q ends it"));
    program.type("x"); // which is no key of its
    auto text = text_of(here() / "garden.toml");
    text.replace(text.find("steps = 4"), 9, "steps = 6");
    write_text(here() / "garden.toml", text);
    EXPECT_THAT(program.shown_until("ends it"), HasSubstr("step 6: the run is at its end"));
    program.type("r");
    EXPECT_THAT(program.shown_until("ends it"), HasSubstr("step 6: the run is at its end"));
    program.type("q");
    EXPECT_THAT(program.shown_until("no such words"), HasSubstr("results in plot-2"));
    EXPECT_TRUE(program.is_as_ever());
    EXPECT_EQ(program.status(), 0);
    EXPECT_EQ(manifest("plot").at("steps"), 6);
    EXPECT_EQ(manifest("plot").at("edits").size(), 2u);
    EXPECT_EQ(manifest("plot-2").at("edits").size(), 1u) << "it begins with what was saved meanwhile";
    EXPECT_EQ(manifest("plot-2").at("state_hash"), manifest("plot").at("state_hash"));
}

// Nor does it end because of it.
TEST_F(Terminal, ARunDoesNotBeginAgainWithWhatIsWrong) {
    write_garden();
    AtTerminal program(command({"run", "garden.toml", "--watch", "--out", "plot"}));
    (void)program.shown_until("ends it");
    const auto right = text_of(here() / "garden.toml");
    auto wrong = right;
    wrong.replace(wrong.find("steps = 4"), 9, "stops = 6");
    write_text(here() / "garden.toml", wrong);
    EXPECT_THAT(program.shown_until("goes on as before"), HasSubstr("stops"));
    program.type("r");
    EXPECT_THAT(program.shown_until("correct them first"),
                HasSubstr("the run does not begin again (the files as saved are not a valid run)"));
    write_text(here() / "garden.toml", right + "# mended\n");
    EXPECT_THAT(program.shown_until("after it was seen"), HasSubstr("changed from step 4"));
    program.type("r");
    EXPECT_THAT(program.shown_until("ends it"), HasSubstr("step 4: the run is at its end"));
    program.type("q");
    EXPECT_THAT(program.shown_until("no such words"), HasSubstr("results in plot-2"));
    EXPECT_EQ(program.status(), 0);
}

TEST_F(Terminal, CtrlCEndsARunThatWaitsForKeys) {
    write_garden();
    AtTerminal program(command({"run", "garden.toml", "--watch", "--out", "plot"}));
    (void)program.shown_until("ends it");
    program.type("\x03");
    EXPECT_THAT(program.shown_until("no such words"), HasSubstr("results in plot"));
    EXPECT_TRUE(program.is_as_ever());
    EXPECT_EQ(program.status(), 0);
    EXPECT_EQ(manifest("plot").at("status"), "finished");
}

} // namespace
} // namespace tessera::testing::terminal_test
