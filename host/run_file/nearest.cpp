#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), lower);
    return result;
}

} // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
    // cost[i + 1][j + 1] turns the first i characters into the first j; row and column 0 hold `far`, for swaps that have no partner.
    const std::size_t rows = from.size() + 2, columns = to.size() + 2, far = from.size() + to.size();
    std::vector<std::size_t> cost(rows * columns, far);
    const auto at = [&](std::size_t row, std::size_t column) -> std::size_t& { return cost[row * columns + column]; };
    for (std::size_t i = 0; i <= from.size(); ++i) at(i + 1, 1) = i;
    for (std::size_t j = 0; j <= to.size(); ++j) at(1, j + 1) = j;

    std::array<std::size_t, 256> last_row{}; // where each character was last seen in `from`
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t last_column = 0; // where from[i - 1] was last seen in `to`
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t k = last_row[static_cast<unsigned char>(to[j - 1])], l = last_column;
            const bool same = from[i - 1] == to[j - 1];
            const auto substituted = at(i, j) + (same ? 0 : 1);
            const auto inserted_or_deleted = std::min(at(i + 1, j), at(i, j + 1)) + 1;
            const auto swapped = at(k, l) + (i - k - 1) + 1 + (j - l - 1);
            at(i + 1, j + 1) = std::min({substituted, inserted_or_deleted, swapped});
            if (same) last_column = j;
        }
        last_row[static_cast<unsigned char>(from[i - 1])] = i;
    }
    return at(from.size() + 1, to.size() + 1);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest = 200; // what is longer is no misspelt name, and the distance costs the product of the lengths
    if (word.size() > longest) return {};
    const std::string wanted = lowered(word);
    std::string best;
    std::size_t best_distance = longest;
    for (const auto& candidate : candidates) {
        if (candidate.empty() || candidate.size() > longest) continue;
        const auto distance = edit_distance(wanted, lowered(candidate));
        const auto length = std::max(word.size(), candidate.size());
        const auto limit = std::max<std::size_t>(length / 3, length > 1 ? 1 : 0);
        if (distance <= limit && distance < best_distance) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto name = nearest(word, candidates);
    return name.empty() ? std::string{} : fmt::format("did you mean `{}`?", name);
}

std::string listed(const std::vector<std::string>& names, std::string_view last_joint) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += i + 1 == names.size() ? fmt::format(" {} ", last_joint) : ", ";
        text += names[i];
    }
    return text;
}

} // namespace tessera
