// SPDX-License-Identifier: Apache-2.0
// A number for a name.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

/// FNV-1a, 64 bits, of a name that ends in a zero byte.
TESSERA_FN constexpr std::uint64_t name_hash(const char* name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (; *name != 0; ++name) {
        hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
    }
    return hash;
}

} // namespace tessera
