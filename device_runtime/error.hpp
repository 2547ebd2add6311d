// The one exception type of the project, and its grammar.
#pragma once

#include <stdexcept>
#include <string>

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
    interrupted = 130 // stopped by Ctrl-C and the like
};

// Reads `<PROBLEM> (<WHY>) <SUGGESTION>`, each in the words of the user. `why` and `suggestion` may be empty.
class Error : public std::runtime_error {
public:
    Error(Failure kind, const std::string& problem, const std::string& why = {}, const std::string& suggestion = {});
    [[nodiscard]] Failure kind() const noexcept { return kind_; }
    [[nodiscard]] int exit_status() const noexcept { return static_cast<int>(kind_); }

private:
    Failure kind_;
};

} // namespace tessera
