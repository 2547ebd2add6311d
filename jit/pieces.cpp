#include "jit/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tessera::jit {
namespace {

std::vector<std::size_t> pieces_with(const std::vector<Piece>& pieces, Effort effort) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (pieces[i].effort == effort) result.push_back(i);
    return result;
}

// The heaviest first, each to the part that has least (R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17,
// 1969).
std::vector<Part> shared_out(const std::vector<Piece>& pieces, Effort effort, int most) {
    auto order = pieces_with(pieces, effort);
    if (order.empty()) return {};
    const auto heavy = std::count_if(order.begin(), order.end(), [&](std::size_t i) { return pieces[i].weight > 0; });
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pieces[a].weight > pieces[b].weight; });
    std::vector<Part> parts(static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(heavy, 1, most)), Part{effort, {}});
    std::vector<int> weights(parts.size(), 0);
    for (const auto piece : order) {
        const auto part = static_cast<std::size_t>(std::min_element(weights.begin(), weights.end()) - weights.begin());
        parts[part].pieces.push_back(piece);
        weights[part] += pieces[piece].weight;
    }
    for (auto& part : parts) std::sort(part.pieces.begin(), part.pieces.end());
    return parts;
}

} // namespace

std::string piece_begin(std::size_t piece) { return fmt::format("#if !defined(TESSERA_PART) || defined(TESSERA_HAS_{})\n", piece); }

std::vector<std::string> Part::definitions() const {
    std::vector<std::string> result = {"-DTESSERA_PART=1"};
    for (const auto piece : pieces) result.push_back(fmt::format("-DTESSERA_HAS_{}=1", piece));
    return result;
}

std::vector<Part> parts_of(const std::vector<Piece>& pieces, int processors) {
    auto moderate = shared_out(pieces, Effort::moderate, 1);
    const int besides = std::min(processors, most_parts) - static_cast<int>(moderate.size());
    auto parts = shared_out(pieces, Effort::full, std::max(besides, 1));
    parts.insert(parts.end(), moderate.begin(), moderate.end());
    return parts;
}

} // namespace tessera::jit
