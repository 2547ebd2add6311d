// A library with hooks: the model's object file and the author's C++, compiled and linked by the system's compiler.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

// The library's bytes, `name` being what a linker calls it ("life.so"). They are the same for the same object, sources, compiler and
// linker, wherever the sources stand. It needs nothing but the C library's own, whatever C++ its hooks use. Throws Failure::compile with
// what the compiler said, Failure::input for a source that is not there.
[[nodiscard]] std::vector<std::byte> link_hooks(const std::string& name, const std::vector<std::byte>& object,
                                                const std::vector<std::filesystem::path>& sources);

} // namespace tessera
