// A group of processes that ends with this one, however that ends.
#pragma once

#include "jit/spawn.hpp"

#include <filesystem>

namespace tessera::jit {

// What is started into the group is killed with all its children when the object goes, and also when this process dies meanwhile, be it of
// a signal that no handler sees: a shell leads the group, reads from a pipe that only we can write to, and so sees that we are gone. (The
// kernel could tell a child of its parent's death, but not its grandchildren, and a compiler's work is done by those.)
class Watcher {
public:
    // `scratch` is removed, with all that is in it, when this process dies; empty for nothing. Throws std::system_error.
    explicit Watcher(const std::filesystem::path& scratch);
    ~Watcher();
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    [[nodiscard]] pid_t group() const noexcept { return leader_; }
    void kill_all() const noexcept;

private:
    Pipe lifeline_;
    pid_t leader_ = 0;
};

} // namespace tessera::jit
