// The data in a compiled image, read without loading it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::jit {

struct DataSymbol {
    std::string name;             // as the linker knows it
    std::vector<std::byte> bytes; // its initial bytes
};

// The data symbols (constants and variables, of any binding) of a 64-bit little-endian ELF file: an object file, a shared library or a
// CUBIN. The bytes are as they stand in the file: addresses in them are not relocated. A symbol whose name, section or bytes do not lie
// within the file is left out, and so are symbols without a size. Throws Error (Failure::internal) when the bytes are not such a file at
// all.
[[nodiscard]] std::vector<DataSymbol> data_symbols(std::span<const std::byte> elf);

} // namespace tessera::jit
