// What stands around a model in the tests of messages: the rows of its text, and the texts of a miniature of the SDK, or of the SDK.
#pragma once

#include "jit/sdk_headers.hpp"
#include "unit/jit/support.hpp"

#include <string>
#include <vector>

namespace tessera::jit::testing {

inline constexpr const char* head = R"(#include <tessera/model.hpp>
struct Cell { std::uint8_t alive; float heat; };
TESSERA_PLACE(Cell, alive, heat);
TESSERA_CALL(Cell, tick, around<moore,  &Cell::alive>,
)";

// The miniature's tick, and the SDK's: what the engine puts around a model.
struct Surroundings {
    std::vector<Header> sdk;
    std::string prelude, epilogue;
};

inline Surroundings miniature() { return {small_sdk_headers, "#include <tessera/model.hpp>\n", small_epilogue}; }

inline Surroundings whole_sdk() {
    return {sdk_headers(), "#define TESSERA_KERNELS 1\n#include <tessera/model.hpp>\n#include <tessera/detail/prelude.hpp>\n", R"(
#include <tessera/kernels/launch/entry.hpp>
#include <tessera/kernels/places/direct.hpp>
struct grid {
    static constexpr int dims = 2;
    static constexpr std::int64_t size[3] = {64l, 64l, 1l};
    static constexpr tessera::boundary rule[3] = {tessera::boundary::torus, tessera::boundary::torus, tessera::boundary::torus};
    static constexpr std::int64_t pieces = 1;
    static constexpr bool in_bands = false, rows_are_sent = false;
    static constexpr tessera::column_layout columns[] = {{256l, 0l, 0l, {128l, 1l, 0l}}, {512l, 0l, 0l, {32l, 1l, 0l}}};
};
TESSERA_ENTRY(k, tessera_model::Cell_tick, call_direct<tessera_model::Cell_tick, grid, 64>)
)"};
}

} // namespace tessera::jit::testing
