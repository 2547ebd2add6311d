#include "host/views/fused_view.hpp"

#include "host/views/blocks.hpp"
#include "host/views/patch.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/stream.hpp"
#include "host/views/tile.hpp"
#include "host/views/word_march.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tessera {
namespace {

// "8x2x64" as numbers from 1 on; empty if it is not that.
std::vector<int> numbers_of(const std::string& text) {
    constexpr int most = 1 << 20;
    std::vector<int> numbers;
    const char *at = text.data(), *const end = at + text.size();
    while (true) {
        int number = 0;
        const auto [behind, error] = std::from_chars(at, end, number);
        if (error != std::errc() || number < 1 || number > most) return {};
        numbers.push_back(number);
        if (behind == end) return numbers;
        if (*behind != 'x') return {};
        at = behind + 1;
    }
}

} // namespace

const std::vector<const FusedViewClass*>& fused_views() {
    static const std::vector<const FusedViewClass*> all{&pipeline_class(), &patch_class(),      &stream_class(),
                                                        &tile_class(),     &word_march_class(), &blocks_class()};
    return all;
}

std::vector<Spelling> fused_spellings() {
    std::vector<Spelling> all;
    for (const auto* each : fused_views())
        for (auto& spelling : each->spellings()) all.push_back(std::move(spelling));
    return all;
}

ReadView read_fused_view(const std::string& text) {
    const auto colon = text.find(':');
    const auto name = text.substr(0, colon);
    for (const auto* each : fused_views())
        for (const auto& spelling : each->spellings()) {
            if (spelling.name != name) continue;
            const auto numbers = numbers_of(colon == std::string::npos ? "" : text.substr(colon + 1));
            if (numbers.size() < spelling.least || numbers.size() > spelling.most) return {{}, spelling.example};
            ReadView read;
            read.view = each->read(name, numbers, read.why_not);
            return read;
        }
    return {{}, "no view has this name"};
}

std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) {
    if (sequence.phases.empty()) return fmt::format("no phase calls a function of {}", setup.collections[sequence.collection].name);
    if (setup.own_memory() && static_cast<std::uint64_t>(view.depth) > setup.distribution().steps_of_ghosts)
        return fmt::format("devices have each other's rows for {}",
                           counted(static_cast<int>(setup.distribution().steps_of_ghosts), "step"));
    return view.of->obstacle(setup, sequence, view);
}

std::string counted(int number, const std::string& noun) { return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s"); }

} // namespace tessera
