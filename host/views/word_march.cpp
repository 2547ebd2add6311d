#include "host/views/word_march.hpp"

#include "host/views/estimates.hpp"
#include "host/views/packing.hpp"
#include "kernels/fused/stage_plan.hpp"
#include "kernels/fused/word_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t volume = 2; // index of what holds in three dimensions

// How far a sequence's one call sees, over all its members.
struct Sight {
    int aside = 0, above = 0, low = 0, high = 0; // along x, y and z
};
Sight sight_of(const Setup& setup, const CallSequence& sequence) {
    Sight sight;
    for (const auto& use : uses_of(setup, sequence.phases.front())) {
        sight.aside = std::max({sight.aside, use.low[volume][0], use.high[volume][0]});
        sight.above = std::max({sight.above, use.low[volume][1], use.high[volume][1]});
        sight.low = std::max(sight.low, use.low[volume][2]), sight.high = std::max(sight.high, use.high[volume][2]);
    }
    return sight;
}

word_march_block block_of(const CollectionSetup& collection, const FusedView& view) {
    return word_march_block_of(collection.size[0], collection.size[1], view.piece.width, view.piece.height);
}

class WordMarchClass final : public FusedViewClass {
public:
    [[nodiscard]] std::vector<Spelling> spellings() const override {
        return {{"bits", "WxRxPxB", 4, 4,
                 "bits:1x2x4x1 is 1 word of 32 places, 2 rows and 4 planes of a thread, and 1 bit a place, in memory too"}};
    }
    [[nodiscard]] std::optional<FusedView> read(const std::string&, const std::vector<int>& numbers, std::string& why_not) const override {
        why_not = "a thread has 1, 2 or 4 words beside each other, and a place takes 1, 2, 4 or 8 bits";
        const int words = numbers[0], bits = numbers[3];
        if ((words != 1 && words != 2 && words != 4) || (bits != 1 && bits != 2 && bits != 4 && bits != 8)) return {};
        return word_march_view(words, numbers[1], numbers[2], bits);
    }
    [[nodiscard]] std::string spelled(const FusedView& view) const override {
        return fmt::format("bits:{}x{}x{}x{}", view.piece.width, view.piece.height, view.piece.length, view.bits);
    }
    [[nodiscard]] std::string kind(const FusedView&) const override { return "march of words"; }
    [[nodiscard]] std::string text(const FusedView& view) const override {
        return fmt::format("march of words, 1 step, {} x {} x {} places a thread ({} each, in memory too)", 32 * view.piece.width,
                           view.piece.height, view.piece.length, counted(view.bits, "bit"));
    }

    [[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override;

    [[nodiscard]] std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo&, int bits) const override {
        std::vector<FusedView> views;
        if (bits == 0 || collection.dimensions != 3) return views;
        for (const int words : {1, 2, 4})
            for (const int rows : {1, 2, 4})
                for (const int planes : {1, 2, 4, 8}) views.push_back(word_march_view(words, rows, planes, bits));
        return views;
    }
    [[nodiscard]] double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                                 const FusedView& view) const override;

    [[nodiscard]] int stream_axis(const CollectionSetup&) const override { return 2; }
    [[nodiscard]] int threads(const FusedView&) const override { return word_march_threads; }
    [[nodiscard]] Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const override {
        const auto block = block_of(setup.collections[sequence.collection], view);
        return {block.across * block.down, view.piece.length, word_march_threads, word_march_threads};
    }
    [[nodiscard]] std::string header() const override { return "word_march.hpp"; }
    [[nodiscard]] std::string call(const FusedView& view, const std::string& program) const override {
        return fmt::format("call_word_march<{}, {}, {}, {}>", program, view.piece.width, view.piece.height, view.piece.length);
    }
};

std::string WordMarchClass::obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const {
    const auto& collection = setup.collections[sequence.collection];
    if (collection.dimensions != 3) return "words are marched through on grids of three dimensions";
    if (auto why = obstacle_to_words(setup, sequence); !why.empty()) return why;
    if (words_across(collection.size[0]) % view.piece.width != 0)
        return fmt::format("rows of {} words cannot be divided among threads of {}", words_across(collection.size[0]), view.piece.width);
    if (sequence.phases.size() > 1) return "words of three dimensions are for steps of one call";
    const auto sight = sight_of(setup, sequence);
    if (std::max({sight.aside, sight.above, sight.low, sight.high}) > most_reach_fused)
        return fmt::format("{} sees further than {} places", setup.phases[sequence.phases.front()].name, most_reach_fused);
    return {};
}

// Fitted to Life from 256^3 to 512^3 on an H200: memory is waited for and words are computed partly at the same time, so both are added up,
// and less than all of each.
double WordMarchClass::seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, const StepCosts& single,
                               const FusedView& view) const {
    constexpr double most_registers = 200, start = 1.2e-6, of_memory = 0.9, of_issue = 0.6;
    constexpr double of_word = 53, of_thread = 40; // instructions: a word that is made, and once
    constexpr double busy_threads = 256, cycles_of_plane = 300;
    const auto& collection = setup.collections[sequence.collection];
    const auto& [words, planes, rows] = view.piece;
    if (planes > collection.size[2] || rows > collection.size[1]) return never;
    const auto sight = sight_of(setup, sequence);
    const double planes_seen = planes + sight.low + sight.high, own = static_cast<double>(words) * rows,
                 seen = (rows + 2.0 * sight.above) * (words + (sight.aside > 0 ? 2 : 0)); // words of a plane
    const bool has_constants = std::any_of(collection.boundary.begin(), collection.boundary.end(), [](run_file::Boundary boundary) {
        return boundary == run_file::Boundary::fixed || boundary == run_file::Boundary::open;
    });
    const double of_load = 1.7 + (have_warps_whole_rows(collection.size[0], collection.size[1], words, rows) ? 0 : 5) +
                           (has_constants ? 2.5 : 0); // a word in sight
    if (32 + view.bits * seen * (sight.low + 1 + sight.high) > most_registers) return never;
    const double all_words = static_cast<double>(collection.places()) / places_a_word, threads = all_words / own / planes;
    const double memory = all_words * 4 * view.bits * (single.demand.bytes_read + single.demand.bytes_written) / single.bandwidth;
    const double instructions = view.bits * (of_load * seen / own * planes_seen / planes + of_word) + of_thread / own / planes;
    const double busy = std::min(threads / (busy_threads * device.processors), 1.0);
    const double issue = all_words * instructions / (device.processors * lanes_a_cycle * clock_rate * busy);
    return start + std::max(of_memory * memory + of_issue * issue, planes_seen * cycles_of_plane / clock_rate);
}

} // namespace

const FusedViewClass& word_march_class() {
    static const WordMarchClass instance;
    return instance;
}

FusedView word_march_view(int words, int rows, int planes, int bits) { return {&word_march_class(), 1, {words, planes, rows}, bits, true}; }

} // namespace tessera
