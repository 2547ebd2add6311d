// A library of a model (library_format.hpp), as bytes.
#pragma once

#include "host/model/library_format.hpp"
#include "jit/source.hpp"
#include "jit/symbols.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::model {

struct PartToWrite {
    LibraryPart kind{};
    std::string target; // below 32 bytes
    std::vector<std::byte> bytes;
};

// Takes the path of the file that a record is of out of it: the order of records stands for that.
void forget_path(jit::DataSymbol& record);

[[nodiscard]] PartToWrite source_part(const jit::ModelSource& source);

// `records` in the order of declaration; `name` is what a linker calls it ("life.so"). The same bytes for the same parts. Throws
// Failure::plugin where the records are too large for a note.
[[nodiscard]] std::vector<std::byte> library_of(const std::string& name, const std::vector<jit::DataSymbol>& records,
                                                const std::vector<PartToWrite>& parts);

// The same as an object file, for a linker to make a library of it and of hooks.
[[nodiscard]] std::vector<std::byte> object_of(const std::string& name, const std::vector<jit::DataSymbol>& records,
                                               const std::vector<PartToWrite>& parts);

} // namespace tessera::model
