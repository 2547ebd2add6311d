// A folder that goes away with its owner, and the compiler to fill it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tessera::test {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    [[nodiscard]] int files() const {
        return static_cast<int>(std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
    }

    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }

    // Compiles `source` into the shared library `name` in this folder.
    std::filesystem::path compile(const std::filesystem::path& source, const std::string& name) const {
        const auto library = path_ / name;
        const auto command = "c++ -std=c++20 -O1 -shared -fPIC -o '" + library.string() + "' '" + source.string() + "' -ldl";
        if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
        return library;
    }

private:
    std::filesystem::path path_;
};

} // namespace tessera::test
