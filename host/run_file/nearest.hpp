// Which of the known names a mistyped one was meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// The Damerau-Levenshtein distance: the fewest insertions, deletions, substitutions and swaps of adjacent characters that turn one word
// into the other. (Damerau 1964; the algorithm with a last row per character is Lowrance and Wagner 1975.)
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate with the smallest edit distance to `word`, case ignored; the first of them on a tie. Empty if none is near, that is, if
// more than a third of the longer word would have to change.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean `size`?", or an empty text if no candidate is near: the third part of an Error.
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// "a, b and c": the names as a sentence lists them.
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::string_view last_joint = "and");

} // namespace tessera
