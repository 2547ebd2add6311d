#include "host/run_file/nearest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <queue>

namespace tessera::nearest_test {
namespace {

// Every word that one edit makes of `word`, by the definition of the distance.
std::vector<std::string> one_edit_away(const std::string& word, const std::string& alphabet) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i <= word.size(); ++i) {
        for (const char c : alphabet) words.push_back(word.substr(0, i) + c + word.substr(i));
        if (i == word.size()) break;
        words.push_back(word.substr(0, i) + word.substr(i + 1));
        for (const char c : alphabet) words.push_back(word.substr(0, i) + c + word.substr(i + 1));
        if (i + 1 < word.size()) words.push_back(word.substr(0, i) + word[i + 1] + word[i] + word.substr(i + 2));
    }
    return words;
}

// Breadth-first search through all words that are not too long to be on a shortest way.
std::size_t searched_distance(const std::string& from, const std::string& to, const std::string& alphabet) {
    std::map<std::string, std::size_t> distance{{from, 0}};
    std::queue<std::string> open({from});
    while (distance.find(to) == distance.end()) {
        const auto word = open.front();
        open.pop();
        for (const auto& next : one_edit_away(word, alphabet))
            if (next.size() <= from.size() + to.size() && distance.emplace(next, distance[word] + 1).second) open.push(next);
    }
    return distance[to];
}

TEST(EditDistance, IsTheFewestEdits) {
    const auto words = rc::gen::resize(4, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c')));
    EXPECT_TRUE(rc::check([&] {
        const auto from = *words, to = *words;
        RC_ASSERT(edit_distance(from, to) == searched_distance(from, to, "abc"));
    }));
}

TEST(EditDistance, SwapsMayHaveEditsBetween) {
    EXPECT_EQ(edit_distance("ca", "abc"), 2u); // ca -> ac -> abc; without edits between the two of a swap it would be 3
    EXPECT_EQ(edit_distance("steps", "setps"), 1u);
    EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Nearest, FindsMisspeltNames) {
    const std::vector<std::string> keys = {"type", "size", "boundary", "outside", "init"};
    EXPECT_EQ(nearest("siez", keys), "size");
    EXPECT_EQ(nearest("sizes", keys), "size");
    EXPECT_EQ(nearest("Boundry", keys), "boundary");
    EXPECT_EQ(nearest("SIZE", keys), "size");
    EXPECT_EQ(nearest("colour", keys), "");
    EXPECT_EQ(nearest("", keys), "");
    EXPECT_EQ(nearest("x", {"y"}), "");
    EXPECT_EQ(nearest("ab", {"ac", "bb"}), "ac"); // the first of equals
    EXPECT_EQ(nearest("size", {}), "");
    EXPECT_EQ(nearest(std::string(100000, 'a'), keys), "");
}

TEST(Nearest, GivesACandidateThatNoOtherBeats) {
    const auto words = rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c', 'd'));
    EXPECT_TRUE(rc::check([&] {
        const auto word = *words;
        const auto candidates = *rc::gen::container<std::vector<std::string>>(words);
        const auto best = nearest(word, candidates);
        if (best.empty()) return;
        RC_ASSERT(std::find(candidates.begin(), candidates.end(), best) != candidates.end());
        for (const auto& candidate : candidates)
            RC_ASSERT(candidate.empty() || edit_distance(word, best) <= edit_distance(word, candidate) ||
                      edit_distance(word, candidate) > std::max(word.size(), candidate.size()) / 3);
    }));
}

TEST(DidYouMean, IsAQuestionOrNothing) {
    EXPECT_EQ(did_you_mean("siz", {"size"}), "did you mean `size`?");
    EXPECT_EQ(did_you_mean("qqq", {"size"}), "");
}

TEST(Listed, JoinsAsASentenceDoes) {
    EXPECT_EQ(listed({}), "");
    EXPECT_EQ(listed({"a"}), "a");
    EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
    EXPECT_EQ(listed({"a", "b"}, "or"), "a or b");
}

} // namespace
} // namespace tessera::nearest_test
