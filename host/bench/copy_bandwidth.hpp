// What a step that is bound by memory can reach at best.
#pragma once

#include "device_runtime/device.hpp"
#include "jit/compiler.hpp"

namespace tessera::bench {

// Bytes a second, read and written, that copying memory to memory moves on the device: large buffers, far beyond the caches. The median of
// some samples. Throws what compiling, loading and allocating throw.
[[nodiscard]] double copy_bandwidth(Device& device, jit::Compiler& compiler);

// The kernel that copies.
[[nodiscard]] jit::SourceFile copy_text(bool cuda);

} // namespace tessera::bench
