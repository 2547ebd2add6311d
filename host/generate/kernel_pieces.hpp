// The pieces of an image's text that can be compiled by themselves, side by side (jit::Job::pieces). Models with agents have many kernels,
// which take a compiler seconds. How a text falls into pieces depends on the model and the run alone.
#pragma once

#include "host/setup/setup.hpp"
#include "jit/pieces.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

struct KernelPieces {
    std::vector<jit::Piece> pieces;     // none: all is compiled as one
    std::vector<std::size_t> of_kernel; // the piece of each of Setup::kernels
    std::vector<std::size_t> of_chain;  // of each of Chains::codes
    std::size_t of_all = 0;             // of reductions, with what is not of one kernel
};
[[nodiscard]] KernelPieces kernel_pieces(const Setup& setup);

// Text that is compiled with this piece alone, or where all is compiled as one.
[[nodiscard]] std::string in_piece(const KernelPieces& pieces, std::size_t piece, const std::string& text);

} // namespace tessera
