// What `tessera view` says where it cannot show a run, and how a browser is opened on it.
// sanitizers: none
#include "tests/support/program_under_test.hpp"
#include "tests/support/web_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <sys/stat.h>

namespace tessera::test::view_command_test {
namespace {

namespace fs = std::filesystem;
using tessera::testing::Child;
using tessera::testing::Environment;
using tessera::testing::text_of;
using tessera::testing::write_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ViewCommand : public tessera::testing::CommandLine {
protected:
    // Without a screen, whatever the tests have.
    static Environment without_screen(Environment more = {}) {
        for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"}) more.try_emplace(name, std::nullopt);
        return more;
    }
    void expect_refusal(std::vector<std::string> arguments, int status, const std::string& why) {
        const auto outcome = tessera(std::move(arguments), without_screen());
        EXPECT_EQ(outcome.status, status);
        EXPECT_THAT(outcome.err, HasSubstr(why));
    }
    // What it says by the time that the page can be opened.
    std::string said(const Environment& environment, std::vector<std::string> more = {}) {
        write_garden();
        return said_of("garden.toml", environment, std::move(more));
    }
    std::string said_of(const std::string& what, const Environment& environment, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"view", what, "--out", "out", "--overwrite"});
        Child child(command(more, without_screen(environment)));
        for (int i = 0; i < 3000 && child.err_so_far().find("where to look") == std::string::npos && !child.has_ended(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        url_ = text_of(here() / "out/viewer.url");
        child.signal(SIGINT);
        return child.wait().err;
    }
    // A desktop that opens things by writing down what they are.
    void write_opener() {
        write_text(here() / "bin/xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$@\" > opened\ncp \"$1\" copy\nstat -c %a \"$1\" > mode\n");
        fs::permissions(here() / "bin/xdg-open", fs::perms::owner_all);
    }
    std::string url_;
};

TEST_F(ViewCommand, SaysWhyThereIsNothingToSee) {
    write_garden();
    write_text(here() / "bad.cu", "#include <tessera/model.hpp>\nstruct Cell {\n    int alive = 0\n};\n");
    expect_refusal({"run", "garden.toml", "--view", "--check"}, 2, "`--check` cannot be combined with `--view`");
    expect_refusal({"run", "--view", "--replay", "out/manifest.json"}, 2, "`--view` cannot be combined with `--replay`");
    expect_refusal({"view", "no_such_model"}, 4, "no_such_model");
    expect_refusal({"view", "nowhere.toml"}, 3, "nowhere.toml");
    expect_refusal({"view", "bad.cu"}, 5, "bad.cu:3");
    expect_refusal({"view", "wolf_sheep", "--set", "params.sheep_births=7"}, 2, "sheep_births is 7 (wolf_sheep allows 0 to 1)");
}

TEST_F(ViewCommand, GoesOnWhileSomebodyLooksWhereNoStepsAreNamed) {
    write_text(here() / "endless.toml", "model = \"garden\"\nrun.devices = \"cpu\"\n[places.bed]\nsize = [8, 6]\n");
    EXPECT_THAT(said_of("endless.toml", {}), AllOf(HasSubstr("where to look"), Not(HasSubstr("steps"))));
    EXPECT_EQ(manifest("out").at("status"), "interrupted");
    expect_refusal({"run", "endless.toml"}, 3, "no `steps` in `run`");
}

TEST_F(ViewCommand, SaysWhenAPortIsTaken) {
    const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&at), size), 0);
    ASSERT_EQ(::listen(taken, 1), 0);
    ::getsockname(taken, reinterpret_cast<sockaddr*>(&at), &size);
    const auto port = std::to_string(ntohs(at.sin_port));
    write_garden();
    expect_refusal({"view", "garden.toml", "--port", port}, 3,
                   "the viewer cannot listen at 127.0.0.1, port " + port + " (Address already in use)");
    ::close(taken);
}

TEST_F(ViewCommand, NeedsAModelWhereNoExampleIsInstalled) {
    copy_program(here() / "elsewhere/tessera");
    auto alone = command({"view"}, without_screen());
    alone.program = here() / "elsewhere/tessera";
    const auto outcome = tessera::testing::run(alone);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("`tessera view` was given no model"), HasSubstr("wolf_sheep"), HasSubstr("tessera view MODEL")));
}

TEST_F(ViewCommand, OpensABrowserOnAFileThatLeadsThere) {
    write_opener();
    const auto path = (here() / "bin").string() + ":" + std::getenv("PATH");
    EXPECT_THAT(said({{"DISPLAY", ":9"}, {"PATH", path}}), Not(HasSubstr("no browser")));
    const auto opened = text_of(here() / "opened");
    const auto token = url_.substr(url_.find('#') + 1, 32);
    EXPECT_THAT(opened, AllOf(HasSubstr("out/viewer.html"), Not(HasSubstr(token)))) << "others can read a command line";
    EXPECT_THAT(text_of(here() / "copy"), HasSubstr(url_.substr(0, url_.find('\n'))));
    EXPECT_EQ(text_of(here() / "mode"), "600\n");
    EXPECT_FALSE(fs::exists(here() / "out/viewer.html")) << "it is gone when the run is";
}

TEST_F(ViewCommand, SaysWhyNoBrowserIsOpened) {
    EXPECT_THAT(said({}), HasSubstr("no browser was opened (there is no screen here)"));
    EXPECT_THAT(said({}, {"--no-browser"}), Not(HasSubstr("browser")));
    write_opener();
    const auto path = (here() / "bin").string() + ":" + std::getenv("PATH");
    const auto far = said({{"DISPLAY", ":9"}, {"PATH", path}, {"SSH_CONNECTION", "10.0.0.1 50000 10.0.0.2 22"}});
    const auto port = std::to_string(Address(url_).port);
    EXPECT_THAT(far, AllOf(HasSubstr("this is a session over SSH"), HasSubstr("ssh -N -L " + port + ":127.0.0.1:" + port + " 10.0.0.2")));
    EXPECT_FALSE(fs::exists(here() / "opened"));
}

} // namespace
} // namespace tessera::test::view_command_test
