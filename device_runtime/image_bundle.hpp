// Several images of one program for a GPU as one block of bytes: the kernels of a model that were compiled side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

[[nodiscard]] std::vector<std::byte> bundled(const std::vector<std::vector<std::byte>>& images);

// The images of a bundle, within `bytes`; of bytes that are no bundle, these alone. Throws Failure::plugin where a bundle is damaged.
[[nodiscard]] std::vector<std::span<const std::byte>> unbundled(std::span<const std::byte> bytes);

} // namespace tessera
