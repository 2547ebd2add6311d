// Warnings of which one is enough.
#pragma once

#include <mutex>
#include <set>
#include <string>

namespace tessera::jit {

// Logs a warning unless this object has logged the same before. Thread-safe.
class SaidOnce {
public:
    void warn(const std::string& text);

private:
    std::mutex guard_;
    std::set<std::string> said_;
};

} // namespace tessera::jit
