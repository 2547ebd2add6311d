#include "error.hpp"

#include "device_runtime/printable.hpp"

namespace tessera {

// Text from a user's file is escaped and shortened. A compiler's text keeps its length.
Error::Sentence Error::sentence(Failure kind, const std::string& problem, const std::string& reason, const std::string& suggestion) {
    constexpr std::size_t longest = 6000;
    const auto part = [&](const std::string& text) { return printable(kind == Failure::compile ? text : without_middle(text, longest)); };
    Sentence whole;
    whole.text = part(problem);
    whole.problem = whole.reason_at = whole.text.size();
    if (!reason.empty()) {
        whole.text += " (";
        whole.reason_at = whole.text.size();
        whole.text += part(reason);
        whole.reason = whole.text.size() - whole.reason_at;
        whole.text += ')';
    }
    if (!suggestion.empty()) whole.text += ' ';
    whole.suggestion_at = whole.text.size();
    if (!suggestion.empty()) whole.text += part(suggestion);
    return whole;
}

Error::Error(Failure kind, const std::string& problem, const std::string& reason, const std::string& suggestion)
    : Error(kind, sentence(kind, problem, reason, suggestion)) {}

Error::Error(Failure kind, const Sentence& whole)
    : std::runtime_error(whole.text), kind_(kind), problem_(whole.problem), reason_at_(whole.reason_at), reason_(whole.reason),
      suggestion_at_(whole.suggestion_at) {}

Error Error::with_prefix(const std::string& prefix) const {
    return {kind_, prefix + std::string(problem()), std::string(reason()), std::string(suggestion())};
}

} // namespace tessera
