// Compilers for tests that want of models something else than speed.
#pragma once

#include "tests/support/sanitizers.hpp"
#include "tests/test_data.hpp"

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

namespace tessera::test {

// While it lives, models are compiled for a CPU by the usual compiler behind a script of the tests' folder. It has the same name in each
// test, so that tests share what it made.
class CompilerBehind {
public:
    explicit CompilerBehind(const char* script) {
        if (const char* chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') before_ = chosen;
        const auto command = test_data(script).string() + " " + before_.value_or("c++");
        setenv("CXX", command.c_str(), 1);
    }
    ~CompilerBehind() {
        if (before_)
            setenv("CXX", before_->c_str(), 1);
        else
            unsetenv("CXX");
    }
    CompilerBehind(const CompilerBehind&) = delete;
    CompilerBehind& operator=(const CompilerBehind&) = delete;

private:
    std::optional<std::string> before_{};
};

// In a third of the time that the usual options take: for many kernels that each run but shortly. Not where what these options make of them
// is in question.
struct QuickCompiler : CompilerBehind {
    QuickCompiler() : CompilerBehind("quick_c++") {}
};

// For a grid of few places, whose edges alone are in question: what a compiler makes of a model at its best, larger ones show.
class QuickIfSmall {
public:
    explicit QuickIfSmall(std::size_t places) {
        if (places < 2000) quick_.emplace();
    }

private:
    std::optional<QuickCompiler> quick_;
};

// In a build with the thread sanitizer, so that it sees what models read and write; else the quick one.
struct WatchedCompiler : CompilerBehind {
    WatchedCompiler() : CompilerBehind(threads_are_watched ? "watched_c++" : "quick_c++") {}
};

} // namespace tessera::test
