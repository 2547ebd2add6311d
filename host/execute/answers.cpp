#include "host/execute/answers.hpp"

#include "device_runtime/error.hpp"
#include "kernels/launch/arguments.hpp"

#include <atomic>
#include <chrono>

namespace tessera {
namespace {

using Word = std::atomic_ref<std::uint64_t>;

Word word_of(const Memory& memory) { return Word(*static_cast<std::uint64_t*>(memory.address())); }

// A GPU answers within some microseconds as a rule. Other threads of the host have the processor if it does not.
std::uint64_t spin(const Word& word) {
    constexpr int turns_between_looks = 64;
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    do
        for (int turn = 0; turn < turns_between_looks; ++turn)
            if (const auto answer = word.load(std::memory_order_acquire); answer != no_answer) return answer;
    while (std::chrono::steady_clock::now() < end);
    return no_answer;
}

} // namespace

Answers::Answers(const Partitions& partitions) : partitions_(partitions) {
    for (const auto& partition : partitions) {
        const auto& memory = of_partition_.emplace_back(partition.device->host_memory(sizeof(std::uint64_t)));
        const auto address = reinterpret_cast<std::uintptr_t>(memory.address());
        const std::uint64_t word = address;
        partition.queue->write(partition.step_counter() + answer_word, &word, sizeof(word));
    }
}

void Answers::forget() {
    for (const auto& memory : of_partition_) word_of(memory).store(no_answer, std::memory_order_relaxed);
}

std::uint64_t Answers::wait_for_first() const {
    const auto word = word_of(of_partition_.front());
    const auto& first = partitions_.front();
    if (first.device->info().kind != DeviceKind::cpu)
        if (const auto answer = spin(word); answer != no_answer) return answer;
    std::uint64_t step = 0;
    first.queue->read(&step, first.step_counter(), sizeof(step)); // waits for what is queued, and throws a fault
    const auto answer = word.load(std::memory_order_acquire);
    if (answer == no_answer)
        throw Error(Failure::plugin, "an `until` was not answered", "the model's code was made by another version of Tessera",
                    "build the library again");
    return answer;
}

std::uint64_t Answers::take_word() {
    const auto answer = wait_for_first();
    word_of(of_partition_.front()).store(no_answer, std::memory_order_relaxed);
    return answer;
}

bool Answers::take() { return kind_of_answer(take_word()) == answered_yes; }

std::optional<PhaseId> Answers::take_yes() {
    const auto answer = take_word();
    if (kind_of_answer(answer) != answered_yes) return std::nullopt;
    return PhaseId(phase_of_answer(answer) - 1);
}

std::optional<std::uint64_t> Answers::take_number() {
    const auto answer = word_of(of_partition_.front()).exchange(no_answer, std::memory_order_acquire);
    if (kind_of_answer(answer) != answered_yes) return std::nullopt;
    return phase_of_answer(answer);
}

} // namespace tessera
