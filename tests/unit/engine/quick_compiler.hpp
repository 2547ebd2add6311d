// A compiler for tests that compile many kernels and run each but shortly.
#pragma once

#include "tests/unit/device_runtime/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera::test {

// While it lives, models are compiled for a CPU in a third of the time that the usual options take. Not where what these make of them is in
// question.
class QuickCompiler {
public:
    QuickCompiler() {
        if (const char* chosen = std::getenv("CXX")) before_ = chosen;
        const auto script = folder_.write("c++", "#!/bin/sh\nexec " + before_.value_or("c++") + " \"$@\" -Og\n");
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        setenv("CXX", script.c_str(), 1);
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
    TemporaryFolder folder_{};
    std::optional<std::string> before_{};
};

} // namespace tessera::test
