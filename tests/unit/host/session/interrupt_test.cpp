// Which signals ask a run to end.
#include "host/session/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace tessera::interrupt_test {
namespace {

void unlike(int) {}

TEST(Interrupt, IsAskedForBySignalsThatWouldEndTheProcess) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGUSR1, SIGUSR2}) {
        std::signal(signal, unlike);
        {
            const InterruptGuard interrupt;
            EXPECT_FALSE(interrupt.interrupted()) << signal;
            std::raise(signal);
            EXPECT_TRUE(interrupt.interrupted()) << signal;
        }
        EXPECT_EQ(std::signal(signal, SIG_DFL), unlike) << signal << " is not handled as before";
    }
}

TEST(Interrupt, IsAskedForAsOftenAsATerminalOrAReaderGoesAway) {
    const InterruptGuard interrupt;
    for (int time = 0; time < 3; ++time)
        for (const int signal : {SIGHUP, SIGPIPE}) std::raise(signal);
    EXPECT_TRUE(interrupt.interrupted());
}

TEST(Interrupt, IsNotAskedForByATerminalThatTheRunIsToOutlive) { // nohup
    std::signal(SIGHUP, SIG_IGN);
    {
        const InterruptGuard interrupt;
        std::raise(SIGHUP);
        EXPECT_FALSE(interrupt.interrupted());
    }
    EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(Interrupt, ABrokenPipeIsOutlived) {
    outlive_broken_pipes();
    std::raise(SIGPIPE);
    std::signal(SIGPIPE, SIG_DFL);
}

TEST(Interrupt, OfARunThatKeepsItsStateTellsWhoAsks) {
    InterruptGuard interrupt(Keeping::state);
    std::raise(SIGUSR1);
    EXPECT_FALSE(interrupt.interrupted());
    EXPECT_TRUE(interrupt.wishes_to_keep());
    EXPECT_TRUE(interrupt.take_wish_to_keep());
    EXPECT_FALSE(interrupt.wishes_to_keep());
    std::raise(SIGHUP);
    EXPECT_TRUE(interrupt.interrupted());
    EXPECT_FALSE(interrupt.is_out_of_time());
    for (int twice = 0; twice < 2; ++twice) std::raise(SIGTERM);
    EXPECT_TRUE(interrupt.is_out_of_time());
}

TEST(Interrupt, BeforeTheRunIsKnownIsNotedForIt) {
    for (const int signal : {SIGTERM, SIGXCPU, SIGUSR2}) {
        const InterruptGuard early(Keeping::unknown);
        for (int twice = 0; twice < 2; ++twice) std::raise(signal);
        EXPECT_FALSE(early.interrupted()) << signal;
        const InterruptGuard later(Keeping::state);
        EXPECT_TRUE(later.interrupted()) << signal;
        EXPECT_TRUE(later.is_out_of_time()) << signal;
        EXPECT_FALSE(later.wishes_to_keep()) << signal;
    }
    for (const auto keeping : {Keeping::state, Keeping::nothing}) {
        const InterruptGuard early(Keeping::unknown);
        std::raise(SIGUSR1);
        const InterruptGuard later(keeping);
        EXPECT_EQ(later.wishes_to_keep(), keeping == Keeping::state);
        EXPECT_EQ(later.interrupted(), keeping == Keeping::nothing);
        const InterruptGuard once_more(keeping);
        EXPECT_FALSE(once_more.interrupted() || once_more.wishes_to_keep()) << "it is noted for one run";
    }
}

} // namespace
} // namespace tessera::interrupt_test
