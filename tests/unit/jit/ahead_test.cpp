// sanitizers: address, thread
#include "device_runtime/error.hpp"
#include "jit/ahead.hpp"
#include "unit/jit/support.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

namespace tessera::jit::ahead_test {
namespace {

using namespace testing;

// Goes on until it is given up.
void work_on(const std::atomic<bool>& cancel, std::promise<void>& given_up) {
    while (!cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    given_up.set_value();
}

TEST(Ahead, WhoeverAsksWaitsForWhatBelongsToIt) {
    Ahead ahead;
    std::atomic<int> made = 0;
    for (const int part : {1, 2})
        ahead.begin(std::to_string(part), [&made, part](const std::atomic<bool>&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            made |= part;
        });
    ahead.ask_for("2", nullptr);
    EXPECT_TRUE(made & 2);
    ahead.ask_for("1", nullptr);
    EXPECT_EQ(made, 3);
}

TEST(Ahead, WhatNobodyAskedForIsGivenUp) {
    std::promise<void> given_up, with_it;
    {
        Ahead ahead;
        ahead.begin("one", [&](const std::atomic<bool>& cancel) { work_on(cancel, given_up); });
        ahead.ask_for("another", nullptr); // does not wait
        given_up.get_future().wait();
        ahead.ask_for("one", nullptr); // nor for what was given up
        ahead.begin("one", [&](const std::atomic<bool>& cancel) { work_on(cancel, with_it); });
    }
    with_it.get_future().wait();
}

TEST(Ahead, WhoeverWaitsCanBeInterrupted) {
    std::promise<void> given_up;
    Ahead ahead;
    ahead.begin("one", [&](const std::atomic<bool>& cancel) { work_on(cancel, given_up); });
    const std::atomic<bool> cancel = true;
    EXPECT_EQ(message_of(Failure::interrupted, [&] { ahead.ask_for("one", &cancel); }), "interrupted (a model was being compiled)");
}

TEST(Ahead, WhatFailsIsNotTold) {
    Ahead ahead;
    ahead.begin("one", [](const std::atomic<bool>&) { throw std::runtime_error("no"); });
    EXPECT_NO_THROW(ahead.ask_for("one", nullptr));
}

} // namespace
} // namespace tessera::jit::ahead_test
