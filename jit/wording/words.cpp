#include "jit/wording/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tessera::jit {
namespace {

int distance(const std::string& a, const std::string& b) { // Levenshtein's
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = std::exchange(row[0], static_cast<int>(i));
        for (std::size_t j = 1; j <= b.size(); ++j)
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)}));
    }
    return row.back();
}

bool same_but_for_case(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char one, char other) { return lower(one) == lower(other); });
}

} // namespace

std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& names) {
    std::string best;
    int nearest = wrong.size() < 2 ? 1 : wrong.size() < 4 ? 2 : 3; // a single letter is near to all others
    for (const auto& name : names)
        if (name != wrong && same_but_for_case(name, wrong)) return fmt::format(" did you mean {}?", name);
    for (const auto& name : names)
        if (name != wrong)
            if (const int away = distance(wrong, name); away < nearest) {
                nearest = away;
                best = name;
            }
    return best.empty() ? std::string() : fmt::format(" did you mean {}?", best);
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string without_model_namespace(std::string text) {
    constexpr std::string_view inner = "tessera_model::";
    for (auto at = text.find(inner); at != std::string::npos; at = text.find(inner)) text.erase(at, inner.size());
    return text;
}

} // namespace tessera::jit
