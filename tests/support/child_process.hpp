// A program run as a child of the test: its text, how it ends, and signals to it in between.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace tessera::testing {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
        path_ = std::filesystem::canonical(name);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

// Variables to set (or, without a value, to remove) in the child.
using Environment = std::map<std::string, std::optional<std::string>>;

struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::filesystem::path folder; // to run in
    Environment environment;
    std::optional<std::uint64_t> largest_file;  // bytes that a file may have: what goes beyond is refused, as on a full disk
    std::optional<std::uint64_t> most_memory{}; // bytes that it may have for its data
    std::filesystem::path out{};                // where stdout goes instead of the outcome
    bool nobody_reads_err = false;              // stderr is a pipe whose reader is gone
};

struct Outcome {
    int status = 0; // the exit status; 128 + n if signal n ended it
    std::string out, err;
};

// Runs from its making until `wait`; ended by force if it is not waited for.
class Child {
public:
    explicit Child(const Command& command) {
        std::vector<std::string> words{command.program.string()};
        words.insert(words.end(), command.arguments.begin(), command.arguments.end());
        auto variables = environment_with(command.environment);
        const auto arguments = pointers(words), environment = pointers(variables);
        const std::string out = (texts_.path() / "out").string(), err = (texts_.path() / "err").string();
        process_ = ::fork();
        if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (process_ > 0) return;
        // Nothing here allocates: another thread may have held the allocator's lock.
        redirect(command.out.empty() ? out.c_str() : command.out.c_str(), 1);
        redirect(err.c_str(), 2);
        if (command.nobody_reads_err) redirect_to_nobody(2);
        limit(RLIMIT_FSIZE, command.largest_file);
        limit(RLIMIT_DATA, command.most_memory);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL); // whatever the tests were started with
        if (::chdir(command.folder.c_str()) == 0) ::execve(arguments[0], arguments.data(), environment.data());
        ::_exit(127);
    }
    ~Child() {
        if (ended_) return;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    void signal(int number) const { ::kill(process_, number); }

    [[nodiscard]] bool has_ended() {
        if (!ended_ && ::waitpid(process_, &status_, WNOHANG) == process_) ended_ = true;
        return ended_;
    }

    [[nodiscard]] std::string err_so_far() const { return text_of(texts_.path() / "err"); }

    Outcome wait() {
        while (!ended_)
            if (::waitpid(process_, &status_, 0) == process_ || errno != EINTR) ended_ = true;
        return {WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_), text_of(texts_.path() / "out"),
                text_of(texts_.path() / "err")};
    }

private:
    static std::vector<char*> pointers(std::vector<std::string>& texts) {
        std::vector<char*> result;
        for (auto& text : texts) result.push_back(text.data());
        result.push_back(nullptr);
        return result;
    }
    static std::vector<std::string> environment_with(const Environment& changes) {
        std::vector<std::string> variables;
        for (char** variable = environ; *variable != nullptr; ++variable) {
            const std::string text = *variable;
            if (!changes.contains(text.substr(0, text.find('=')))) variables.push_back(text);
        }
        for (const auto& [name, value] : changes)
            if (value) variables.push_back(name + "=" + *value);
        return variables;
    }
    static void redirect(const char* path, int descriptor) {
        const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (file >= 0) ::dup2(file, descriptor);
    }

    static void redirect_to_nobody(int descriptor) {
        int ends[2];
        if (::pipe(ends) != 0) return;
        ::dup2(ends[1], descriptor);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    static void limit(int resource, const std::optional<std::uint64_t>& bytes) {
        if (!bytes) return;
        const rlimit most{*bytes, *bytes};
        ::setrlimit(static_cast<__rlimit_resource_t>(resource), &most);
    }

    TemporaryFolder texts_;
    pid_t process_ = -1;
    int status_ = 0;
    bool ended_ = false;
};

inline Outcome run(const Command& command) { return Child(command).wait(); }

} // namespace tessera::testing
