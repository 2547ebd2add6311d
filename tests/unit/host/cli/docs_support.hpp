// What docs_test.cpp stands on: pages taken apart into their code blocks, and a folder in which a reader's commands are carried out.
#pragma once

#include "tests/test_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace tessera::docs {

namespace fs = std::filesystem;

// A fenced block. The marker is the text of an HTML comment `<!-- test: ... -->` on the line before it, empty without one.
struct Block {
    std::string language, marker, text;
    int line = 0; // of the fence
};

inline std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

inline std::vector<Block> blocks_of(const fs::path& page) {
    const std::string opening = "<!-- test: ", closing = " -->", fence = "```";
    std::vector<Block> blocks;
    std::string before;
    bool inside = false;
    int number = 0;
    for (const auto& line : lines_of(read_text(page))) {
        ++number;
        if (inside && line == fence)
            inside = false;
        else if (inside)
            blocks.back().text += line + "\n";
        else if (line.starts_with(fence)) {
            const bool marked = before.starts_with(opening) && before.ends_with(closing);
            const auto marker = marked ? before.substr(opening.size(), before.size() - opening.size() - closing.size()) : std::string();
            blocks.push_back({line.substr(fence.size()), marker, {}, number});
            inside = true;
        }
        before = line;
    }
    if (inside) throw std::runtime_error(page.string() + ": the last block has no end");
    return blocks;
}

// Where the pages are: in the sources, or in an installed tree.
inline std::optional<fs::path> docs_root() {
    for (const auto& root : {test_shipped("."), test_shipped("../doc/tessera")})
        if (fs::exists(root / "README.md") && fs::exists(root / "docs")) return root;
    return std::nullopt;
}

inline std::vector<fs::path> pages_below(const fs::path& root) {
    std::vector<fs::path> pages{"README.md"};
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
        if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), root));
    return pages;
}

struct Outcome {
    int status = -1;
    std::string text; // stdout and stderr
};

// A folder of its own in which `tessera` and `./run.sh` are the program under test; examples/ and models/ are there, the cache is inside.
class Workplace {
public:
    Workplace() {
        std::string name = (fs::temp_directory_path() / "tessera-docs-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
        fs::create_directories(folder_ / "bin");
        fs::create_directories(folder_ / "models");
        fs::create_directory_symlink(fs::absolute(test_shipped("examples")), folder_ / "examples");
        fs::create_symlink(fs::absolute(test_program()), folder_ / "bin" / "tessera");
        write("run.sh", "#!/bin/sh\n[ $# -gt 0 ] || set -- run examples/life/life.toml\nexec tessera \"$@\"\n");
        fs::permissions(folder_ / "run.sh", fs::perms::owner_all);
    }
    ~Workplace() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    [[nodiscard]] const fs::path& folder() const { return folder_; }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }

    // Carries out a script; it ends at the first command that fails.
    [[nodiscard]] Outcome shell(const std::string& script) const {
        write(".script", "set -e\nunset TESSERA_PLUGIN_PATH\n" + script + "\n");
        const std::string here = "'" + folder_.string() + "'";
        const char* given = std::getenv("TESSERA_CACHE"); // that of all tests
        const std::string cache = given != nullptr && *given != '\0' ? given : (folder_ / ".cache").string();
        const std::string command = "cd " + here + " && PATH=" + here + "/bin:$PATH TESSERA_CACHE='" + cache + "' sh ./.script 2>&1";
        Outcome outcome;
        FILE* pipe = ::popen(command.c_str(), "r");
        if (pipe == nullptr) throw std::runtime_error("cannot start a shell");
        char buffer[4096];
        for (std::size_t got; (got = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) outcome.text.append(buffer, got);
        const int status = ::pclose(pipe);
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return outcome;
    }

private:
    fs::path folder_;
};

} // namespace tessera::docs
