// The one exception type of the project, and its grammar.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera {

// What went wrong; the value is the exit status of the `tessera` process.
enum class Failure : int {
    internal = 1,     // a defect of Tessera's own
    usage = 2,        // the command line
    input = 3,        // a run file, or data that it names
    plugin = 4,       // a model that is not there, or was rejected
    compile = 5,      // a model that does not compile, or no compiler
    device = 6,       // a device that is not there, or failed
    memory = 7,       // more memory asked for than there is
    output = 8,       // results that could not be written
    model = 9,        // a model that failed while it ran
    mismatch = 10,    // `doctor`: a device computes something else than is known; `bench`: a view or a kernel by hand, than single steps
    paused = 11,      // a run whose time was over, or that was told to end: its state is kept, and it can be resumed
    interrupted = 130 // stopped by Ctrl-C and the like
};

// Reads `<PROBLEM> (<REASON>) <SUGGESTION>`, each in the words of the user. The reason and the suggestion may be empty.
class Error : public std::runtime_error {
public:
    Error(Failure kind, const std::string& problem, const std::string& reason = {}, const std::string& suggestion = {});
    [[nodiscard]] Failure kind() const noexcept { return kind_; }
    [[nodiscard]] int exit_status() const noexcept { return static_cast<int>(kind_); }

    // The same error with words in front of its problem: "device 2 of 3: ".
    [[nodiscard]] Error with_prefix(const std::string& prefix) const;

    // The parts of what(), as it shows them. They live as long as the error.
    [[nodiscard]] std::string_view problem() const noexcept { return {what(), problem_}; }
    [[nodiscard]] std::string_view reason() const noexcept { return {what() + reason_at_, reason_}; }
    [[nodiscard]] std::string_view suggestion() const noexcept { return {what() + suggestion_at_}; }

private:
    struct Sentence {
        std::string text;
        std::size_t problem = 0, reason_at = 0, reason = 0, suggestion_at = 0; // bytes of the text
    };
    static Sentence sentence(Failure kind, const std::string& problem, const std::string& reason, const std::string& suggestion);
    Error(Failure kind, const Sentence& whole);

    Failure kind_;
    std::size_t problem_, reason_at_, reason_, suggestion_at_;
};

} // namespace tessera
