#include "jit/watcher.hpp"

#include <signal.h>

namespace tessera::jit {
namespace {

// Nothing is ever written to the pipe. The shell outlives its own SIGTERM, so that it can tidy up behind the others; then it goes with
// those that outlived it too. One of these may add a file while the folder is removed, which then is not empty: so it is tried again.
constexpr const char* script = R"(trap '' HUP INT QUIT PIPE TERM
read -r nothing
kill -TERM 0
for again in 1 2 3 4 5; do
    [ -z "$1" ] || command -p rm -rf -- "$1" 2>/dev/null && break
done
kill -KILL 0)";

} // namespace

Watcher::Watcher(const std::filesystem::path& scratch) {
    Start start;
    start.arguments = {"/bin/sh", "-c", script, "tessera-watcher", scratch.string()};
    start.folder = "/"; // which no one removes or unmounts
    start.input = lifeline_.reader();
    leader_ = spawn(start);
    lifeline_.close_reader();
}

Watcher::~Watcher() {
    kill_all();
    reap(leader_);
}

// Until it is reaped no other group can have the leader's number.
void Watcher::kill_all() const noexcept { ::kill(-leader_, SIGKILL); }

} // namespace tessera::jit
