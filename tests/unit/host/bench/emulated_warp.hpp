// The 32 lanes of a warp, or the threads of a block of several, on one thread of a processor, each with a stack of its own: a lane runs
// until it hands a value to others or waits for them, then the next one does.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include <ucontext.h>

namespace emulated {

class Warp {
public:
    static Warp& the() {
        static Warp warp;
        return warp;
    }

    // Calls `body` for each lane, with `index` its number whenever it runs. Throws std::logic_error if some lanes return while others wait
    // for them.
    void run(unsigned& index, std::function<void()> body, unsigned size = 32) {
        body_ = std::move(body);
        lanes_.resize(size);
        for (auto& lane : lanes_) start(lane);
        for (bool all_wait = true; all_wait;) {
            unsigned returned = 0;
            for (index = 0; index < size; ++index) {
                running_ = &lanes_[index];
                swapcontext(&scheduler_, &running_->context);
                returned += running_->returned;
            }
            if (returned != 0 && returned != size) throw std::logic_error("some lanes returned while others wait for them");
            all_wait = returned == 0;
            shuffles_ += 1;
        }
    }

    // Of the lane that runs: waits for all others, and returns what lane `from` handed over.
    unsigned exchange(unsigned value, unsigned from) {
        const auto turn = shuffles_ % 2; // the others read while the first ones are at their next value
        running_->values[turn] = value;
        swapcontext(&running_->context, &scheduler_);
        return lanes_[from].values[turn];
    }

private:
    static constexpr std::size_t stack_bytes = 128 << 10;
    struct Lane {
        ucontext_t context;
        std::unique_ptr<char[]> stack = std::make_unique<char[]>(stack_bytes);
        unsigned values[2] = {};
        bool returned = false;
    };

    void start(Lane& lane) {
        lane.returned = false;
        getcontext(&lane.context);
        lane.context.uc_stack.ss_sp = lane.stack.get();
        lane.context.uc_stack.ss_size = stack_bytes;
        lane.context.uc_link = &scheduler_;
        makecontext(
            &lane.context, [] { the().body_(), the().running_->returned = true; }, 0);
    }

    std::vector<Lane> lanes_;
    Lane* running_ = nullptr;
    ucontext_t scheduler_{};
    std::function<void()> body_;
    unsigned shuffles_ = 0;
};

} // namespace emulated
