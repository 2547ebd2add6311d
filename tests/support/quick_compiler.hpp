// A compiler for tests that compile many kernels and run each but shortly.
#pragma once

#include "tests/test_data.hpp"

#include <cstdlib>
#include <optional>
#include <string>

namespace tessera::test {

// While it lives, models are compiled for a CPU in a third of the time that the usual options take. Not where what these make of them is in
// question. It has the same name in each test, so that tests share what it made.
class QuickCompiler {
public:
    QuickCompiler() {
        if (const char* chosen = std::getenv("CXX"); chosen != nullptr && *chosen != '\0') before_ = chosen;
        const auto command = test_data("quick_c++").string() + " " + before_.value_or("c++");
        setenv("CXX", command.c_str(), 1);
    }
    ~QuickCompiler() {
        if (before_)
            setenv("CXX", before_->c_str(), 1);
        else
            unsetenv("CXX");
    }
    QuickCompiler(const QuickCompiler&) = delete;
    QuickCompiler& operator=(const QuickCompiler&) = delete;

private:
    std::optional<std::string> before_{};
};

} // namespace tessera::test
