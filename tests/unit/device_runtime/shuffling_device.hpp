// A device whose queues do their work in any order that marks allow, drawn from a seed: what holds on it does not rest on luck.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/error.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tessera::test {

// The queues of one or more shuffling devices. Nothing runs until somebody waits; then one thing of a queue at a time, of a queue that is
// drawn among those that can go on, until what is waited for is reached.
class Shuffle {
public:
    // A queue that can go on does so many things in a row, on average: the more, the further others fall behind it.
    explicit Shuffle(unsigned seed, unsigned in_a_row = 1) : dice_(seed), in_a_row_(in_a_row) {}

    struct Line { // what one queue is to do
        struct Item {
            std::function<void()> work{};
            std::function<bool()> ready{};  // for a wait: whether it is over
            std::shared_ptr<bool> passed{}; // for a mark: set behind it
            std::shared_ptr<std::exception_ptr> fault{};
            bool forgets = false;
        };
        std::deque<Item> items;
        std::exception_ptr fault;
    };

    [[nodiscard]] std::shared_ptr<Line> add_line() {
        lines_.push_back(std::make_shared<Line>());
        return lines_.back();
    }
    void remove(const std::shared_ptr<Line>& line) { lines_.erase(std::find(lines_.begin(), lines_.end(), line)); }

    // A number below `of`.
    [[nodiscard]] std::size_t draw(std::size_t of) { return std::uniform_int_distribution<std::size_t>(0, of - 1)(dice_); }

    void run_until(const std::function<bool()>& over) {
        while (!over()) {
            std::vector<Line*> able;
            for (const auto& line : lines_)
                if (!line->items.empty() && (line->fault || !line->items.front().ready || line->items.front().ready()))
                    able.push_back(line.get());
            if (able.empty()) throw std::logic_error("the queues wait for each other");
            const bool goes_on = in_a_row_ > 1 && std::find(able.begin(), able.end(), last_) != able.end() && dice_() % in_a_row_ != 0;
            if (!goes_on) last_ = able[std::uniform_int_distribution<std::size_t>(0, able.size() - 1)(dice_)];
            do_next(*last_);
        }
    }

private:
    static void do_next(Line& line) {
        auto item = std::move(line.items.front());
        line.items.pop_front();
        if (item.work && !line.fault) try {
                item.work();
            } catch (...) {
                line.fault = std::current_exception();
            }
        if (item.fault) *item.fault = line.fault;
        if (item.passed) *item.passed = true;
        if (item.forgets) line.fault = nullptr;
    }

    std::mt19937 dice_;
    unsigned in_a_row_;
    Line* last_ = nullptr;
    std::vector<std::shared_ptr<Line>> lines_;
};

class ShufflingPoint final : public Mark::Point {
public:
    ShufflingPoint(std::shared_ptr<Shuffle> shuffle, std::shared_ptr<bool> passed, std::shared_ptr<std::exception_ptr> fault)
        : shuffle_(std::move(shuffle)), passed_(std::move(passed)), fault_(std::move(fault)) {}
    void wait() const override {
        shuffle_->run_until([this] { return *passed_; });
        if (*fault_) std::rethrow_exception(*fault_);
    }
    bool done() const override {
        if (*passed_ && *fault_) std::rethrow_exception(*fault_);
        return *passed_;
    }
    [[nodiscard]] bool passed() const { return *passed_; }

private:
    std::shared_ptr<Shuffle> shuffle_;
    std::shared_ptr<bool> passed_;
    std::shared_ptr<std::exception_ptr> fault_;
};

// Launches that are replayed one at a time, in any order that what they wait for allows.
class ShuffledRecording final : public Recording {
public:
    ShuffledRecording(std::span<const Launch> launches, LaunchOrder order)
        : launches_(launches.begin(), launches.end()), order_(std::move(order)) {}
    [[nodiscard]] std::size_t launches() const noexcept override { return launches_.size(); }
    void replay(Queue& queue, const std::function<std::size_t(std::size_t)>& draw) const {
        std::vector<bool> done(launches_.size(), false);
        for (std::size_t made = 0; made < launches_.size(); ++made) {
            std::vector<std::size_t> able;
            for (std::size_t i = 0; i < launches_.size() && able.size() < 16; ++i)
                if (!done[i] && may_begin(i, done)) able.push_back(i);
            const auto next = able.at(draw(able.size()));
            queue.launch(launches_[next]);
            done[next] = true;
        }
    }

private:
    [[nodiscard]] bool may_begin(std::size_t launch, const std::vector<bool>& done) const {
        if (order_.empty()) return launch == 0 || done[launch - 1];
        return std::all_of(order_[launch].begin(), order_[launch].end(), [&](std::size_t before) { return done[before]; });
    }

    std::vector<Launch> launches_;
    LaunchOrder order_;
};

class ShufflingQueue final : public Queue {
public:
    // What is done is done by `queue`, an inline one.
    ShufflingQueue(std::shared_ptr<Shuffle> shuffle, std::unique_ptr<Queue> queue)
        : shuffle_(std::move(shuffle)), line_(shuffle_->add_line()), queue_(std::move(queue)) {}
    ~ShufflingQueue() override {
        shuffle_->run_until([this] { return line_->items.empty(); });
        shuffle_->remove(line_);
    }
    ShufflingQueue(const ShufflingQueue&) = delete;
    ShufflingQueue& operator=(const ShufflingQueue&) = delete;

    void launch(const Launch& launch) override {
        put([this, launch] { queue_->launch(launch); });
    }
    bool runs_side_by_side() const noexcept override { return true; }
    std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder& order) override {
        return std::make_unique<ShuffledRecording>(launches, order);
    }
    void replay(const Recording& recording) override { // one that lives until the replay is done
        put([this, &recording] {
            dynamic_cast<const ShuffledRecording&>(recording).replay(*queue_, [this](std::size_t of) { return shuffle_->draw(of); });
        });
    }
    Mark mark(Timed) override { return Mark(add_point(false)); }
    void after(const Mark& mark) override {
        Shuffle::Line::Item item;
        item.work = [mark] { (void)mark.done(); }; // throws the fault that it stands behind
        item.ready = [mark] {
            const auto* point = dynamic_cast<const ShufflingPoint*>(mark.point().get());
            return point == nullptr ? mark.done() : point->passed();
        };
        line_->items.push_back(std::move(item));
    }
    void copy(const Copy& copy) override {
        put([this, copy] { queue_->copy(copy); });
    }
    void write(void* device, const void* host, std::size_t bytes) override {
        add_point(false)->wait();
        queue_->write(device, host, bytes);
    }
    void read(void* host, const void* device, std::size_t bytes) override {
        add_point(false)->wait();
        queue_->read(host, device, bytes);
    }
    void synchronize() override { add_point(true)->wait(); }

private:
    void put(std::function<void()> work) {
        Shuffle::Line::Item item;
        item.work = std::move(work);
        line_->items.push_back(std::move(item));
    }
    std::shared_ptr<const ShufflingPoint> add_point(bool forgets) {
        Shuffle::Line::Item item;
        item.passed = std::make_shared<bool>(false);
        item.fault = std::make_shared<std::exception_ptr>();
        item.forgets = forgets;
        line_->items.push_back(item);
        return std::make_shared<const ShufflingPoint>(shuffle_, item.passed, item.fault);
    }

    std::shared_ptr<Shuffle> shuffle_;
    std::shared_ptr<Shuffle::Line> line_;
    std::unique_ptr<Queue> queue_;
};

// In front of a CPU device. Devices that are to be shuffled together share a Shuffle. For one thread.
class ShufflingDevice final : public Device {
public:
    ShufflingDevice(std::unique_ptr<Device> device, std::shared_ptr<Shuffle> shuffle)
        : device_(std::move(device)), shuffle_(std::move(shuffle)) {}

    const DeviceInfo& info() const noexcept override { return device_->info(); }
    std::uint64_t free_memory() const override { return device_->free_memory(); }
    Memory allocate(std::size_t bytes) override { return device_->allocate(bytes); }
    Memory host_memory(std::size_t bytes) override { return device_->host_memory(bytes); }
    Memory reserve(std::size_t bytes, std::span<Device* const> sharers, Paging paging) override {
        std::vector<Device*> behind;
        for (auto* sharer : sharers) behind.push_back(dynamic_cast<ShufflingDevice&>(*sharer).device_.get());
        return device_->reserve(bytes, behind, paging);
    }
    void back(const Memory& range, std::size_t offset, std::size_t bytes) override { device_->back(range, offset, bytes); }
    std::size_t granularity() const override { return device_->granularity(); }
    bool reaches(const Device& other) const override { return dynamic_cast<const ShufflingDevice*>(&other) != nullptr; }
    std::unique_ptr<Program> load(const ProgramImage& image) override { return device_->load(image); }
    std::unique_ptr<Queue> queue(Priority priority, Execution) override {
        return std::make_unique<ShufflingQueue>(shuffle_, device_->queue(priority, Execution::inline_));
    }
    // Nothing: what runs when is drawn.
    double seconds_between(const Mark& from, const Mark& to) const override {
        from.wait();
        to.wait();
        return 0;
    }

private:
    std::unique_ptr<Device> device_;
    std::shared_ptr<Shuffle> shuffle_;
};

} // namespace tessera::test
