// Pieces of a text that can be compiled by themselves, and how they are put together into parts that are compiled side by side.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::jit {

// How much is done for speed. `moderate`: loops are vectorised as in `full`, but not written out turn by turn, which takes a compiler most
// of its time. NVRTC knows one effort.
enum class Effort { full, moderate };

struct Piece {
    Effort effort = Effort::full;
    int weight = 1; // how long it takes, beside the others; 0: next to nothing
};

// What stands around a piece in the text: it is compiled by the part that has it, and where all is compiled as one.
[[nodiscard]] std::string piece_begin(std::size_t piece); // ends its line
inline constexpr const char* piece_end = "#endif\n";

struct Part {
    Effort effort = Effort::full;
    std::vector<std::size_t> pieces; // ascending

    // By which a compiler is told that it is this part.
    [[nodiscard]] std::vector<std::string> definitions() const;
};

// Each part reads the whole text, which takes as long as a small piece, and needs as much memory as a compiler. More parts than this do not
// pay.
inline constexpr int most_parts = 8;

// Parts of about the same weight, for so many processors: all pieces of moderate effort in one, those of full effort in as many as there
// are processors besides, but in one at least. The same parts for the same arguments.
[[nodiscard]] std::vector<Part> parts_of(const std::vector<Piece>& pieces, int processors);

} // namespace tessera::jit
