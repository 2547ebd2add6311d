// The name of an output file, with the step in it.
#pragma once

#include "host/run_file/where.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::run_file {

// Names of files that are not finished: ".tessera-123-4.partial".
inline constexpr std::string_view temporary_begin = ".tessera-", temporary_end = ".partial";
[[nodiscard]] bool is_temporary_name(std::string_view name) noexcept;

// "life-{step:06}.png": `{step}` stands for the step, `{step:0N}` for the step with zeros in front up to N digits.
class FileName {
public:
    FileName() = default;

    // Fails (Failure::input) at what is no placeholder, at a name that is not relative or leaves the result folder, and at names of files
    // that a run makes by itself (reserved_names.hpp), and at those of files that are not finished.
    [[nodiscard]] static FileName parse(const Located<std::string>& text);

    [[nodiscard]] const std::string& text() const noexcept { return text_; } // as in the run file
    [[nodiscard]] bool has_step() const noexcept { return parts_.size() > 1; }
    [[nodiscard]] std::string at_step(std::uint64_t step) const; // "life-000500.png", relative to the result folder
    [[nodiscard]] std::string pattern() const;                   // equal for two names that differ in spelling or digits alone
    [[nodiscard]] bool is_called(const std::string& name) const; // whether that is its name at some step
    [[nodiscard]] std::vector<FileName> folders() const;         // the folders that it is in, from the outermost on

    // Whether a file of the one and a file of the other cannot both be there: they have one name at some steps, or one is where the other
    // needs a folder.
    [[nodiscard]] static bool exclude_each_other(const FileName& a, const FileName& b);

    friend bool operator==(const FileName& a, const FileName& b) { return a.text_ == b.text_; }

private:
    struct Part {
        std::string before; // literal text
        int digits = -1;    // then the step with at least that many digits; -1: nothing, the last part
    };
    std::string text_;
    std::vector<Part> parts_;
};

} // namespace tessera::run_file
