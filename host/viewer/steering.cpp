#include "host/viewer/steering.hpp"

#include <algorithm>
#include <cctype>

namespace tessera::viewer {

namespace {

bool is_plain(const std::string& text, const std::string& besides) {
    constexpr std::size_t longest = 100;
    return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
        return (c < 128 && std::isalnum(c) != 0) || besides.find(static_cast<char>(c)) != std::string::npos;
    });
}

} // namespace

void Steering::set(const std::string& parameter, const std::string& value) {
    if (!is_plain(parameter, "_")) return refused("a parameter has no such name (it has other characters than letters, digits and `_`)");
    if (!is_plain(value, "+-.")) return refused("the value of " + parameter + " is no number (it has other characters than numbers have)");
    const auto known = std::find_if(given_.begin(), given_.end(), [&](const auto& each) { return each.first == parameter; });
    if (known != given_.end())
        known->second = value;
    else
        given_.emplace_back(parameter, value);
}

std::vector<Request> Steering::take() {
    std::vector<Request> all;
    if (!given_.empty()) all.emplace_back(std::exchange(given_, {}));
    for (auto& each : std::exchange(asked_, {})) all.push_back(std::move(each));
    return all;
}

void Steering::done(const Edit& edit, std::size_t undoable, bool undoes) {
    taken_.push_back({edit, undoes});
    undoable_ = undoable, undoable_at_ = edit.step;
}

} // namespace tessera::viewer
