#include "device_runtime/links.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/handed_in.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

// Of some, behind one that finds everything cold.
template<class Measure> double median_of(const Measure& seconds) {
    constexpr std::size_t rounds = 5;
    (void)seconds();
    std::array<double, rounds> samples{};
    for (auto& sample : samples) sample = seconds();
    std::sort(samples.begin(), samples.end());
    return samples[rounds / 2];
}

Memory shared_with(Device& owner, Device& other, std::size_t bytes) {
    Device* const sharers[] = {&other};
    auto range = owner.reserve(bytes, sharers);
    owner.back(range, 0, bytes);
    return range;
}

// Two devices and as many bytes on each, which go to and fro.
class Line {
public:
    Line(Device& a, Device& b, std::size_t bytes, Way way) : bytes_(bytes), ends_{End(a, b, bytes, way), End(b, a, bytes, way)} {
        if (way == Way::by_host) host_ = (a.info().kind == DeviceKind::cuda ? a : b).host_memory(bytes);
    }

    // Queues a copy from an end to the other, behind all that was queued at the first.
    void send_from(std::size_t end) {
        auto &from = ends_[end], &to = ends_[1 - end];
        const void* ready = from.memory.address();
        if (host_.size() > 0) {
            from.queue->copy({host_.address(), ready, bytes_});
            ready = host_.address();
        }
        to.queue->after(from.queue->mark(Timed::no));
        to.queue->copy({to.memory.address(), ready, bytes_});
    }
    void wait() {
        for (auto& end : ends_) end.queue->synchronize();
    }
    [[nodiscard]] Mark mark_at(std::size_t end) { return ends_[end].queue->mark(); }

private:
    struct End {
        Memory memory;
        std::unique_ptr<Queue> queue;

        End(Device& own, Device& other, std::size_t bytes, Way way)
            : memory(way == Way::direct ? shared_with(own, other, bytes) : own.allocate(bytes)), queue(own.queue()) {}
    };

    std::size_t bytes_;
    Memory host_;
    std::array<End, 2> ends_;
};

} // namespace

void require_shared_memory(Device& a, Device& b) {
    for (auto [owner, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (!owner->reaches(*other)) does_not_reach(owner->info(), other->info());
        Device* const sharers[] = {other};
        const auto page = std::max(a.granularity(), b.granularity());
        const auto range = owner->reserve(page, sharers);
        try {
            owner->back(range, 0, page);
        } catch (const Error& error) {
            if (error.kind() != Failure::device) throw;
            throw Error(Failure::device, "\"" + owner->info().name + "\" and \"" + other->info().name + "\" cannot share memory",
                        "they are said to reach each other's, and yet: " + std::string(error.what()), "set run.memory = \"own\"");
        }
    }
}

bool share_memory(Device& a, Device& b) try {
    require_shared_memory(a, b);
    return true;
} catch (const Error& error) {
    if (error.kind() != Failure::device) throw;
    return false;
}

double seconds_of_news(Device& a, Device& b, Way way) {
    constexpr int hops = 16;
    constexpr std::size_t bytes = 4096;
    Line line(a, b, bytes, way);
    return median_of([&] {
        const auto begin = Clock::now();
        for (std::size_t hop = 0; hop < hops; ++hop) line.send_from(hop % 2);
        line.wait();
        return std::chrono::duration<double>(Clock::now() - begin).count() / hops;
    });
}

double bytes_a_second(Device& from, Device& to, Way way) {
    const std::size_t bytes = (way == Way::direct ? std::size_t{64} : std::size_t{16}) << 20; // by way of the host it takes long
    Line line(from, to, bytes, way);
    const double seconds = median_of([&] {
        const auto begin = line.mark_at(1);
        line.send_from(0);
        const auto end = line.mark_at(1);
        line.wait();
        return to.seconds_between(begin, end);
    });
    return static_cast<double>(bytes) / std::max(seconds, 1e-9);
}

double memory_bytes_a_second(Device& device, std::size_t bytes) {
    constexpr int most_copiers = 16; // of a CPU, where a queue copies with one thread
    const auto from = device.allocate(bytes), to = device.allocate(bytes);
    const int copiers = device.info().kind == DeviceKind::cpu ? std::min(device.info().processors, most_copiers) : 1;
    std::vector<std::unique_ptr<Queue>> queues;
    for (int i = 0; i < copiers; ++i) queues.push_back(device.queue());
    const double seconds = median_of([&] {
        const auto begin = queues.front()->mark();
        for (std::size_t i = 0; i < queues.size(); ++i) {
            const auto first = bytes * i / queues.size(), end = bytes * (i + 1) / queues.size();
            if (i > 0) queues[i]->after(begin);
            queues[i]->copy(
                {static_cast<std::byte*>(to.address()) + first, static_cast<const std::byte*>(from.address()) + first, end - first});
        }
        for (std::size_t i = 1; i < queues.size(); ++i) queues.front()->after(queues[i]->mark());
        const auto end = queues.front()->mark();
        return device.seconds_between(begin, end);
    });
    return 2 * static_cast<double>(bytes) / std::max(seconds, 1e-9);
}

} // namespace tessera
