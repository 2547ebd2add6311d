#include "host/viewer/read_message.hpp"

#include <nlohmann/json.hpp>

namespace tessera::viewer {
namespace {

bool is_too_deep(const std::string& text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string && c == '\\')
            ++i; // whatever it is, it ends no string
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '[' || c == '{') && ++depth > deepest_message)
            return true;
        else if (!in_string && (c == ']' || c == '}'))
            --depth;
    }
    return false;
}

} // namespace

nlohmann::json read_message(const std::string& text) {
    if (is_too_deep(text)) return nullptr;
    auto json = nlohmann::json::parse(text, nullptr, false);
    return json.is_object() ? std::move(json) : nlohmann::json();
}

} // namespace tessera::viewer
