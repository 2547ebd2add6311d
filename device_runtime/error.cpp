#include "error.hpp"

#include "device_runtime/printable.hpp"

namespace tessera {
namespace {

// Whatever a user's file has in it is fit to be shown. What compilers say is as long as it has to be.
std::string sentence(Failure kind, const std::string& problem, const std::string& why, const std::string& suggestion) {
    constexpr std::size_t longest = 6000;
    const auto part = [&](const std::string& text) { return kind == Failure::compile ? text : without_middle(text, longest); };
    std::string text = part(problem);
    if (!why.empty()) text.append(" (").append(part(why)).append(")");
    if (!suggestion.empty()) text.append(" ").append(part(suggestion));
    return printable(text);
}

} // namespace

Error::Error(Failure kind, const std::string& problem, const std::string& why, const std::string& suggestion)
    : std::runtime_error(sentence(kind, problem, why, suggestion)), kind_(kind) {}

} // namespace tessera
