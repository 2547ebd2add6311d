// Parameters that somebody gives in a page, on their way to the run: overrides of its run file, as if they had been saved there.
#pragma once

#include "host/edits/changes.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::viewer {

// On the run's thread alone.
class Steering : public GivenOverrides {
public:
    // The last value of a parameter counts. Whoever knows the token may give values, and nothing else that a run file can say: what is no
    // name or no number is refused here.
    void set(const std::string& parameter, const std::string& value);
    // Why the last ones were refused, once.
    [[nodiscard]] std::optional<std::string> refusal() { return std::exchange(refusal_, std::nullopt); }

    [[nodiscard]] bool any() override { return !given_.empty(); }
    [[nodiscard]] std::vector<std::string> take() override;
    void refused(const std::string& why) override { refusal_ = why; }

private:
    std::vector<std::pair<std::string, std::string>> given_;
    std::optional<std::string> refusal_;
};

} // namespace tessera::viewer
