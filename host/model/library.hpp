// A library of a model (library_format.hpp), read as the file that it is: nothing of it is run, and nothing is mapped.
#pragma once

#include "host/model/library_format.hpp"
#include "jit/source.hpp"
#include "jit/symbols.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::model {

struct Library {
    struct Part {
        LibraryPart kind{};
        std::string target;
        std::uint64_t at = 0, size = 0, checksum = 0; // `at`: in the file
    };
    std::filesystem::path path;
    std::array<std::uint32_t, 3> sdk{};
    std::uint32_t result_epoch = 0;
    std::uint32_t record_format = 0;
    std::uint64_t checksum = 0, code_checksum = 0; // of the note; of its own code (library_code.hpp), 0 where that has none
    std::vector<jit::DataSymbol> records;          // in the order of declaration
    std::vector<Part> parts;                       // that this program knows

    [[nodiscard]] const Part* find(LibraryPart kind, const std::string& target = {}) const noexcept;
    // Whether it has code of its author that a run calls (plugins/hook_library.hpp).
    [[nodiscard]] bool has_hooks() const noexcept { return find(LibraryPart::hooks) != nullptr; }
};

// Whether a file is called as a library is.
[[nodiscard]] bool is_library(const std::filesystem::path& path);

// The note of a library; nothing, with the reason in `why`, for a file that is none, is damaged, or is of an ABI that this program does not
// know. Reads the headers and the note alone.
[[nodiscard]] std::optional<Library> read_library(const std::filesystem::path& path, std::string& why);

// The bytes of one of its parts. Throws Failure::plugin where they are not those that were written.
[[nodiscard]] std::vector<std::byte> read_part(const Library& library, const Library::Part& part);

// The source that it holds; nothing where it holds none. Paths, as messages show them, are those of files in a folder of the library's
// name. Throws Failure::plugin where it is damaged, or has more than a source may have (jit/source_limits.hpp).
[[nodiscard]] std::optional<jit::ModelSource> read_source(const Library& library);

// The libraries that its code needs when it is loaded, as they are named in it: "libc.so.6". Throws Failure::plugin where it is damaged.
[[nodiscard]] std::vector<std::string> needed_libraries(const Library& library);

// Whether it was built with the SDK of this program.
[[nodiscard]] bool is_of_this_sdk(const Library& library) noexcept;

// Whether its records are of the format of this program.
[[nodiscard]] bool knows_records(const Library& library) noexcept;

} // namespace tessera::model
