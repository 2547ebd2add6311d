// A shared library, loaded at run time and never unloaded: code of it may be anywhere on a stack or in a callback.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace tessera {

class SharedLibrary {
public:
    // Loads `file` with all its symbols resolved and none of them exported to others. A bare name ("libcuda.so.1") is looked for where
    // the system's loader looks; a path is taken as it is. Loading a file again yields the same library. Thread-safe.
    // Start-up code of it may change the arithmetic of the calling thread: that is put back.
    // Throws std::runtime_error with the loader's own words.
    explicit SharedLibrary(const std::filesystem::path& file);
    // Loads one from its bytes, of which nothing is kept. Each time it is another library, with variables of its own.
    explicit SharedLibrary(std::span<const std::byte> bytes);

    // The address of an exported symbol; nullptr when there is none.
    [[nodiscard]] void* find(const std::string& symbol) const noexcept;

    // Whether the calling thread computed in another way than by default when it was loaded (float_environment.hpp).
    [[nodiscard]] bool changed_arithmetic() const noexcept { return changed_arithmetic_; }

    // Bytes of the data object at an address that `find` returned; 0 when the library does not say.
    [[nodiscard]] static std::size_t size_of_object(const void* address) noexcept;

private:
    bool changed_arithmetic_ = false; // before library_, which sets it
    const void* library_;             // lives until the process ends
};

} // namespace tessera
