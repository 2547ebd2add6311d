// A change of a run that goes on, as it is written down: in its manifest, and in edits/edits.jsonl (host/edits/).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct Edit {
    enum class Kind { sources, parameters, values };

    std::uint64_t step = 0;           // the state from which it holds
    std::string folder;               // where its sources or values are kept, relative to the results: "edits/001"; empty of parameters
    std::vector<std::string> files{}; // in it, relative to the results
    std::vector<std::pair<std::string, std::string>> given{}; // of parameters: each with its value, as people read it
    std::string member{};                                     // of values: "grass.countdown"
    int element = 0;                                          // of an array member
    std::array<std::int64_t, 3> corner{};                     // the first place of the box that the values are of

    [[nodiscard]] Kind kind() const noexcept { return !given.empty() ? Kind::parameters : !member.empty() ? Kind::values : Kind::sources; }
    // Whether they say the same; files are not said.
    [[nodiscard]] friend bool operator==(const Edit& a, const Edit& b) {
        return a.step == b.step && a.folder == b.folder && a.given == b.given && a.member == b.member && a.element == b.element &&
               a.corner == b.corner;
    }
};

// An object of one line.
[[nodiscard]] nlohmann::ordered_json as_json(const Edit& edit);

} // namespace tessera
