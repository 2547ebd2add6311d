#include "error.hpp"

namespace tessera {
namespace {

std::string sentence(const std::string& problem, const std::string& why, const std::string& suggestion) {
    std::string text = problem;
    if (!why.empty()) text += " (" + why + ")";
    if (!suggestion.empty()) text += " " + suggestion;
    return text;
}

} // namespace

Error::Error(Failure kind, const std::string& problem, const std::string& why, const std::string& suggestion)
    : std::runtime_error(sentence(problem, why, suggestion)), kind_(kind) {}

} // namespace tessera
