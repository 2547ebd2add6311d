#include "jit/spawn.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::jit {
namespace {

void check(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class SpawnActions {
public:
    SpawnActions() {
        check(posix_spawn_file_actions_init(&files_), "posix_spawn_file_actions_init");
        if (const int error = posix_spawnattr_init(&attributes_); error != 0) {
            posix_spawn_file_actions_destroy(&files_);
            check(error, "posix_spawnattr_init");
        }
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() {
        posix_spawn_file_actions_destroy(&files_);
        posix_spawnattr_destroy(&attributes_);
        if (nothing_ >= 0) ::close(nothing_);
    }

    // -1: to nothing; where there is no /dev, to a file that nobody reads.
    void connect(int stream, int to) {
        if (to < 0 && ::access("/dev/null", R_OK | W_OK) == 0)
            return check(posix_spawn_file_actions_addopen(&files_, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0),
                         "posix_spawn_file_actions_addopen");
        if (to < 0) to = nothing();
        check(posix_spawn_file_actions_adddup2(&files_, to, stream), "posix_spawn_file_actions_adddup2");
    }

    void enter(const std::filesystem::path& folder) {
        if (!folder.empty()) check(posix_spawn_file_actions_addchdir_np(&files_, folder.c_str()), "posix_spawn_file_actions_addchdir_np");
    }

    void join(pid_t group) {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        check(posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawnattr_setsigmask");
        check(posix_spawnattr_setsigdefault(&attributes_, &all), "posix_spawnattr_setsigdefault");
        check(posix_spawnattr_setpgroup(&attributes_, group), "posix_spawnattr_setpgroup");
        check(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF),
              "posix_spawnattr_setflags");
    }

    [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    int nothing() {
        if (nothing_ < 0) nothing_ = ::memfd_create("nothing", MFD_CLOEXEC);
        if (nothing_ < 0) check(errno, "/dev/null");
        return nothing_;
    }

    int nothing_ = -1;
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

} // namespace

Pipe::Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) check(errno, "pipe");
}

Pipe::~Pipe() {
    close(0);
    close(1);
}

void Pipe::close(std::size_t end) noexcept {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
}

pid_t spawn(const Start& start) {
    SpawnActions actions;
    actions.connect(0, start.input);
    actions.connect(1, start.output);
    actions.connect(2, start.output);
    actions.enter(start.folder);
    actions.join(start.group);
    auto arguments = start.arguments, environment = start.environment;
    pid_t child = 0;
    check(posix_spawn(&child, arguments.front().c_str(), actions.files(), actions.attributes(), pointers_to(arguments).data(),
                      pointers_to(environment).data()),
          arguments.front().c_str());
    return child;
}

int reap(pid_t child) noexcept {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

} // namespace tessera::jit
