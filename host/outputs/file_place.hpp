// Where a file is to stand: a name in a folder that is held open, so that no link, and nothing that happens to the folder's path
// meanwhile, leads elsewhere.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace tessera {

// A file descriptor that is closed with its owner.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const noexcept { return number_; }

private:
    int number_;
};

class FilePlace {
public:
    // As the path says. Implicit, for a path is a place.
    FilePlace(std::filesystem::path path) : FilePlace(nullptr, path.filename().string(), path) {} // NOLINT(google-explicit-constructor)

    // `name` in the folder that is open as `folder`; messages call it `shown`.
    FilePlace(std::shared_ptr<const Descriptor> folder, std::string name, std::filesystem::path shown)
        : folder_(std::move(folder)), name_(std::move(name)), shown_(std::move(shown)) {}

    // What openat and its like take: a folder, and a path in it. They hold as long as the place.
    [[nodiscard]] int folder() const noexcept;
    [[nodiscard]] const char* path() const noexcept { return folder_ != nullptr ? name_.c_str() : shown_.c_str(); }

    [[nodiscard]] const std::filesystem::path& shown() const noexcept { return shown_; }

    // Another name in the same folder.
    [[nodiscard]] FilePlace beside(const std::string& name) const { return {folder_, name, shown_.parent_path() / name}; }

private:
    std::shared_ptr<const Descriptor> folder_; // none: where the path says
    std::string name_;
    std::filesystem::path shown_;
};

} // namespace tessera
