// The checksums of a library's own code: of the whole file, and, since `strip` takes from that, of all that a loader takes of it.
#pragma once

#include "host/model/library.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace tessera::model {

// Writes the checksums into the note of a library that is finished: `strip` may come after, a linker may not. Throws Failure::plugin for
// bytes that are no library of this version; messages call it `name`.
void seal(std::vector<std::byte>& library, const std::filesystem::path& name);

// A library that has no checksum was linked by hand, or is of an earlier version: of its code nothing is known. Throws Failure::plugin
// where the code is not what was written. Reads all of it.
enum class Seal { none, fine };
[[nodiscard]] Seal check_code(const Library& library);

// The bytes of the file, of which the same was checked: what is loaded of them is what was written, whatever becomes of the file. Throws
// Failure::plugin where the code is not what was written, or the file is another library by now.
struct CheckedCopy {
    std::vector<std::byte> bytes;
    Seal seal{};
};
[[nodiscard]] CheckedCopy checked_copy(const Library& library);

// Whether it says that libraries which it needs stand beside it ($ORIGIN), and has to be loaded from where it stands.
[[nodiscard]] bool needs_its_place(const Library& library);

} // namespace tessera::model
