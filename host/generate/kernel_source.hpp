// The generated part of an image: geometry and parameters as constants, one entry point a function of a collection.
#pragma once

#include "host/setup/launch_shape.hpp"
#include "host/setup/setup.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// How a kernel goes over the places (kernels/places/): `rows` on a CPU; `direct`, `window` and, on grids of three dimensions, `march` on a
// GPU, and on a CPU for tests. All kernels among agents go over these. `numbered` is for what has no others (host/generate/numbered.hpp).
struct ViewChoice {
    enum class Kind { rows, direct, window, agents, march, numbered } kind = Kind::rows;
    int width = 64; // direct, numbered: places a tile
    int cells = 4;  // window, march: adjacent places a thread
    int rows = 8;   // window: rows a thread slides down; march: rows a thread
    int lanes = 32; // window: threads a tile; march: threads of a block beside each other
    int planes = 8; // march: planes a thread
    int teams = 0;  // numbered: threads of a block, which share out places with many links (kernels/places/team.hpp, senders.hpp); 0: none
    int shared = 1; // numbered: blocks that send for the same places
    int small = 0;  // march: four bytes are made at once where none is greater, 2^n - 1; 0: one place at a time

    friend bool operator==(const ViewChoice&, const ViewChoice&) = default;
};

[[nodiscard]] std::string to_string(const ViewChoice& view); // "window, 4 x 8 places a thread"

// Threads of a block on a GPU.
inline constexpr int block_threads = 128;

// How many rows of values one call has in hand, an element of an array each. With more than the most, a loop over rows compiles for minutes
// (g++ 12 allocates registers for a pointer to each), and is not vectorised well.
[[nodiscard]] int rows_in_hand(const Setup& setup, const KernelSetup& kernel);
inline constexpr int most_rows_in_hand = 24;

// These views, with tiles as wide as suits the collection.
[[nodiscard]] ViewChoice direct_view(const CollectionSetup& collection);
[[nodiscard]] ViewChoice window_view(const CollectionSetup& collection, int cells, int rows);

// The view that suits a kernel on a device; `cuda` tells GPUs from CPUs. The run file's `schedule.view` is obeyed.
[[nodiscard]] ViewChoice choose_view(const Setup& setup, const KernelSetup& kernel, bool cuda);
// Of a launch that makes these rows. Kernels among agents have shapes of their own (KernelKind::shape).
[[nodiscard]] LaunchShape launch_shape(const CollectionSetup& collection, const ViewChoice& view, const RowRange& band);

// On a CPU few long rows are cut into pieces, so that every thread has some: into so many each.
[[nodiscard]] std::int64_t row_pieces(const CollectionSetup& collection);

// Text to stand before the author's: what `TESSERA_PARAM` expands to.
[[nodiscard]] std::string kernel_prelude(const Setup& setup);
// What of it says which values parameters have, or that they are passed.
[[nodiscard]] std::string parameter_macros(const Setup& setup);
// Whether a parameter is a constant of the text. One that an access list names, as in within<sight>, is in any case.
[[nodiscard]] bool is_baked(const Setup& setup, const model::Parameter& parameter);
// Text to stand behind it: the kernels, with one view each, in the order of Setup::kernels.
[[nodiscard]] std::string kernel_epilogue(const Setup& setup, const std::vector<ViewChoice>& views);
// The same in pieces.
struct KernelTexts {
    std::string before;               // what kernels stand on
    std::vector<std::string> kernels; // of each of Setup::kernels: its entry point
    std::string behind;               // entry points besides
};
[[nodiscard]] KernelTexts kernel_texts(const Setup& setup, const std::vector<ViewChoice>& views);

// Pieces of such text: the geometry of a collection, what is beyond its boundary, and how the generated code calls the author's types.
[[nodiscard]] std::string grid_source(const Setup& setup, const CollectionSetup& collection);
[[nodiscard]] std::string beyond_source(const CollectionSetup& collection);
// The entry point that sets the parameters that are not constants, 8 bytes each; nothing if there are none.
[[nodiscard]] std::string parameters_source(const Setup& setup);
[[nodiscard]] std::string grid_type(const CollectionSetup& collection);
[[nodiscard]] std::string scalar_type(Scalar type);
[[nodiscard]] std::string members_type(const model::Row& row);
[[nodiscard]] std::string function_type(const Setup& setup, const KernelSetup& kernel);

// Entry points that every image has besides the kernels.
inline constexpr const char* advance_symbol = "tessera_advance";           // adds to the step number: advance_arguments
inline constexpr const char* parameters_symbol = "tessera_set_parameters"; // only if run.bake = false: 8 bytes a parameter

} // namespace tessera
