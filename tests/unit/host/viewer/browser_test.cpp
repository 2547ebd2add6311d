// The page in a browser: what somebody sees and does. Without Chromium these are skipped, or fail where REQUIRE_BROWSER=1.
// sanitizers: none
#include "host/inputs/png.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tessera::test::browser_test {
namespace {

using ::testing::HasSubstr;

std::string decoded(const std::string& base64) {
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned held = 0, bits = 0;
    for (const char letter : base64) {
        const auto digit = digits.find(letter);
        if (digit == std::string::npos) continue;
        held = held << 6 | static_cast<unsigned>(digit), bits += 6;
        if (bits >= 8) bits -= 8, bytes += static_cast<char>(held >> bits & 255);
    }
    return bytes;
}

class ViewerPage : public tessera::testing::CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (IsSkipped()) return;
        const auto program = find_browser();
        if (program.empty()) {
            const char* const required = std::getenv("REQUIRE_BROWSER");
            if (required != nullptr && std::string(required) == "1") FAIL() << "REQUIRE_BROWSER=1, but there is no Chromium";
            GTEST_SKIP() << "there is no Chromium (the package chromium-headless-shell)";
        }
        browser_ = std::make_unique<Browser>(program);
        browser_->resize(1200, 800);
    }
    // Begins a viewed run, and opens its page.
    void view(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"view", "--no-browser", "--out", "out", "--devices", "cpu"});
        run_.emplace(command(arguments));
        for (int i = 0; i < 3000 && address().empty() && !run_->has_ended(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ASSERT_FALSE(address().empty()) << run_->err_so_far();
        browser_->open(address());
    }
    [[nodiscard]] std::string address() const {
        const auto text = tessera::testing::text_of(here() / "out" / "viewer.url");
        return text.substr(0, text.find('\n'));
    }
    [[nodiscard]] std::string status() { return browser_->value("document.body.dataset.status"); }
    // How many colours are to be seen.
    [[nodiscard]] std::size_t colours() {
        const auto picture = parse_png(decoded(browser_->screenshot()), "the page");
        std::set<std::byte> all(picture.bytes.begin(), picture.bytes.end());
        return all.size();
    }

    // About 0.3 of 3840 places, which come nearer.
    void expect_a_volume() {
        EXPECT_TRUE(browser_->comes("/^1.?\\d{3} points$/.test(document.querySelector('#ruled').textContent)"));
        EXPECT_GT(colours(), 8U);
        const auto before = browser_->screenshot();
        browser_->press("+");
        expect_drawn();
        const auto solid = browser_->screenshot();
        EXPECT_NE(solid, before);
        browser_->press("h");
        EXPECT_TRUE(browser_->comes("document.querySelector('#through').value === 'clear'"));
        expect_drawn();
        EXPECT_NE(browser_->screenshot(), solid) << "one sees through places";
    }
    void expect_drawn() {
        EXPECT_EQ(browser_->value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"), true);
    }

    std::unique_ptr<Browser> browser_;
    std::optional<tessera::testing::Child> run_;
};

TEST_F(ViewerPage, ShowsTheWorldAndObeys) {
    view({"wolf_sheep", "--steps", "60", "--set", "places.grass.size=[64,48]"});
    if (HasFatalFailure()) return;
    ASSERT_TRUE(browser_->comes("document.body.dataset.status === 'paused' && document.querySelector('#legend b')")) << status();
    EXPECT_GT(colours(), 20U);
    EXPECT_EQ(browser_->value("location.hash"), "") << "the token does not stay in the address";

    browser_->press(".");
    EXPECT_TRUE(browser_->comes("document.querySelector('#count').textContent === '1'"));
    browser_->click("[data-do=step]");
    EXPECT_TRUE(browser_->comes("document.querySelector('#count').textContent === '2'"));
    browser_->click("#go");
    EXPECT_TRUE(browser_->comes("document.body.dataset.status === 'running'"));
    browser_->press(" ");
    EXPECT_TRUE(browser_->comes("document.body.dataset.status === 'paused'"));
    browser_->click("#over");
    EXPECT_TRUE(browser_->comes("document.querySelector('#place h3')")) << "a place that is clicked is inspected";
    browser_->press("+");
    EXPECT_TRUE(browser_->comes("document.querySelector('#ruled').textContent"));
    browser_->press("t");
    EXPECT_TRUE(browser_->comes("document.documentElement.dataset.theme === 'dark'"));
    browser_->click("#go");
    EXPECT_TRUE(browser_->comes("document.body.dataset.status === 'finished'"));
    run_->signal(SIGINT);
    EXPECT_EQ(run_->wait().status, 0);
}

TEST_F(ViewerPage, LooksAlongAnyAxisOfThreeDimensions) {
    view({test_data("models/life3d/life3d.cu").string(), "--set", "places.cell.size=[20,16,12]", "--set",
          "places.cell.init.alive={random=0.3}"});
    if (HasFatalFailure()) return;
    ASSERT_TRUE(browser_->comes("document.querySelector('#plane_told').textContent === '5 of 12'"));
    browser_->press("a");
    EXPECT_TRUE(browser_->comes("document.querySelector('#plane_told').textContent === '9 of 20'"));
    browser_->press("h");
    EXPECT_TRUE(browser_->comes("document.querySelector('#plane_told').textContent === 'all 20'"));
    EXPECT_GT(colours(), 8U);
    browser_->press("h"), browser_->press("h");
    expect_a_volume();
    const auto whole = address(); // the same by a card, as far as the processor acts as one
    browser_->open("about:blank"), browser_->open(whole.substr(0, whole.find('#')) + "?webgl" + whole.substr(whole.find('#')));
    ASSERT_TRUE(browser_->comes("document.querySelector('#plane_told').textContent === '5 of 12'"));
    for (int i = 0; i < 3; ++i) browser_->press("h");
    expect_a_volume();
}

// Then the plots have the page, in three widths.
TEST_F(ViewerPage, SaysWhyThereIsNoPicture) {
    view({"kuramoto", "--steps", "60"});
    if (HasFatalFailure()) return;
    ASSERT_TRUE(browser_->comes("document.body.dataset.status === 'paused' && document.querySelector('#nothing').innerText")) << status();
    const std::string why = browser_->value("document.querySelector('#nothing').innerText");
    EXPECT_EQ(why.substr(0, why.find(':')), "There is no picture of the 400 places of oscillator");
    browser_->press("."); // speeds keep their mean but for how it is rounded
    ASSERT_TRUE(browser_->comes("document.querySelector('#count').textContent === '1' && document.querySelector('.plot canvas')"));
    for (const int width : {1200, 900, 420}) {
        browser_->resize(width, 800);
        EXPECT_TRUE(browser_->comes("innerWidth === " + std::to_string(width)));
        EXPECT_EQ(browser_->value("getComputedStyle(document.querySelector('.stage')).visibility"), "hidden") << width;
        EXPECT_EQ(browser_->value("document.querySelector('.plot canvas').clientWidth > innerWidth * 0.6"), true) << width;
        EXPECT_EQ(browser_->value("document.documentElement.scrollWidth <= innerWidth"), true) << width;
    }
}

TEST_F(ViewerPage, ColoursAgentsPicksAndFollowsThemAndRecords) {
    view({"wolf_sheep", "--set", "places.grass.size=[20,20]", "--set", "agents.sheep.count=400", "--set", "agents.wolf.count=0"});
    if (HasFatalFailure()) return;
    ASSERT_TRUE(browser_->comes("document.querySelector('[aria-label=\"Colour of sheep\"]')"));
    browser_->value("(() => { const list = document.querySelector('[aria-label=\"Colour of sheep\"]'); list.value = 'energy', "
                    "list.dispatchEvent(new Event('change')); })()");
    EXPECT_TRUE(browser_->comes("document.querySelector('#legend').textContent.includes('sheep energy')"));
    EXPECT_TRUE(browser_->comes("document.querySelector('[data-end=\"sheep high\"]').value > 1")) << "the ends of the colours are found";
    browser_->click("#over");
    EXPECT_TRUE(browser_->comes("document.querySelector('#place .follow')")) << "there is a sheep everywhere";
    browser_->press("l");
    EXPECT_TRUE(browser_->comes("document.querySelector('#followed').textContent.includes('Following sheep')"));
    browser_->press("c");
    EXPECT_TRUE(browser_->comes("document.querySelector('[data-do=video]').textContent.includes('End video')"));
    browser_->press(".");
    EXPECT_TRUE(browser_->comes("document.querySelector('#count').textContent === '1'"));
    browser_->press(".");
    EXPECT_TRUE(browser_->comes("document.querySelector('#count').textContent === '2'"));
    browser_->press("c");
    EXPECT_TRUE(browser_->comes("/webm|mp4/.test(document.querySelector('#toast').textContent)")) << "the video is a download";
}

TEST_F(ViewerPage, OfOneWhoMayLookAloneSteersNothing) {
    view({"wolf_sheep", "--set", "places.grass.size=[20,20]"});
    if (HasFatalFailure()) return;
    ASSERT_TRUE(browser_->comes("document.body.dataset.status === 'paused'"));
    const auto addresses = tessera::testing::text_of(here() / "out" / "viewer.url");
    browser_->open("about:blank"), browser_->open(addresses.substr(addresses.find('\n') + 1, addresses.find('\n')));
    ASSERT_TRUE(browser_->comes("document.body.hasAttribute('data-guest') && document.body.dataset.status === 'paused'"));
    EXPECT_EQ(browser_->value("[...document.querySelectorAll('#go, [data-steers], [data-do=again]')].every(each => each.disabled)"), true);
    for (const char* const key : {" ", ".", "s", "z", "d", "e"}) browser_->press(key);
    browser_->press("+");
    EXPECT_TRUE(browser_->comes("document.querySelector('#ruled').textContent")) << "it may zoom";
    EXPECT_EQ(browser_->value("document.querySelector('#count').textContent"), "0");
}

} // namespace
} // namespace tessera::test::browser_test
