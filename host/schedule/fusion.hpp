// Which steps of a run can be made several at a time by one kernel, as a program that device_runtime/kernels/program.hpp carries out.
#pragma once

#include "host/generate/kernel_source.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// How a kernel of fused steps goes over the places (device_runtime/kernels/): `pipeline`, `patch` and `tile` on a GPU, and on a CPU for
// tests; `blocks` on a CPU.
struct FusedView {
    enum class Kind { pipeline, blocks, tile, patch } kind = Kind::pipeline;
    int depth = 8;      // steps
    int cells = 2;      // adjacent places a lane; places across a block, a tile
    int rows = 64;      // a strip, a block, a tile, a patch; on a grid of three dimensions planes of a tile
    int bits = 0;       // 0: a place by itself; else 32 places to a word, and so many bits of a std::uint8_t. `cells` are words then
    int tall = 1;       // rows of a tile's planes, on a grid of three dimensions; else 1
    bool words = false; // where there are bits: programs that follow each other hand on words, and not bytes

    friend bool operator==(const FusedView&, const FusedView&) = default;
};

[[nodiscard]] std::string to_string(const FusedView& view); // "pipeline, 8 steps, 2 places a lane, strips of 64 rows"

// The axis that a kernel streams along (device_runtime/kernels/program.hpp): 1 or 2. A grid without that axis is one plane.
[[nodiscard]] int stream_axis(const CollectionSetup& collection, const FusedView& view);

// The calls of one collection in a step, and what rotations do to its columns meanwhile.
struct CallSequence {
    CollectionId collection;
    std::vector<PhaseId> phases;                   // its calls, in order
    std::vector<std::vector<std::size_t>> columns; // [call][member]: the column, numbered as the step begins, that stands for the member
    std::vector<std::size_t> after;                // [member]: likewise, behind the step
    std::vector<std::string> obstacles;            // why it cannot be fused; empty if it can

    // Columns that a step writes, numbered as the step begins.
    [[nodiscard]] std::vector<bool> written(const Setup& setup) const;
};

// The same for `steps` steps in a row.
[[nodiscard]] CallSequence repeated(const CallSequence& one, int steps);

// The phases that run in most steps: a step that runs others is made by itself. One entry a phase.
[[nodiscard]] std::vector<bool> usual_phases(const Setup& setup);
[[nodiscard]] bool runs_exactly(const Setup& setup, const std::vector<bool>& phases, std::uint64_t step);

// One sequence for each collection that the given phases call.
[[nodiscard]] std::vector<CallSequence> call_sequences(const Setup& setup, const std::vector<bool>& phases);

// Why a view cannot carry out a sequence; empty if it can.
[[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// The strips of a pipeline, or the patches beside each other, in places.
struct StripGeometry {
    std::int64_t width = 0, useful = 0; // of one; what it stores of that
    std::int64_t tiles = 0;             // of all strips together
};
[[nodiscard]] StripGeometry strip_geometry(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// A sequence with the view that carries it out.
struct FusedProgram {
    CallSequence step; // one step
    FusedView view;
    std::string symbol;
};

[[nodiscard]] LaunchShape launch_shape(const Setup& setup, const FusedProgram& program);

// Of a program of words (FusedView::words): the memory of one column, and the kernels that gather bytes into words and spread them again.
struct WordLayout {
    std::size_t bytes = 0;
    LaunchShape shape; // of either kernel
};
[[nodiscard]] WordLayout word_layout(const CollectionSetup& collection, const FusedView& view);
[[nodiscard]] std::string pack_symbol(const FusedProgram& program);
[[nodiscard]] std::string unpack_symbol(const FusedProgram& program);

// The sequences of the usual phases, less those of which no view can make several steps at a time.
[[nodiscard]] std::vector<CallSequence> fusible_sequences(const Setup& setup);
// A program for each of them that the view can carry out.
[[nodiscard]] std::vector<FusedProgram> programs_for(const Setup& setup, const std::vector<CallSequence>& sequences, const FusedView& view);

// Text to stand behind the author's, in place of kernel_epilogue: the programs alone.
// `bounded`: positions are of a type that knows how far from the edge they are, which some functions do not compile with.
[[nodiscard]] std::string program_epilogue(const Setup& setup, const std::vector<FusedProgram>& programs, bool bounded);

} // namespace tessera
