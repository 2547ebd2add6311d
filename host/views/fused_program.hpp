// A sequence of calls with the view that makes several of its steps at a time.
#pragma once

#include "host/views/fused_view.hpp"
#include "host/world/words.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

struct FusedProgram {
    CallSequence step; // one step
    FusedView view;
    std::string symbol;
};

// A program for each of the sequences that the view can carry out.
[[nodiscard]] std::vector<FusedProgram> programs_for(const Setup& setup, const std::vector<CallSequence>& sequences, const FusedView& view);

[[nodiscard]] Tiling tiling_of(const Setup& setup, const FusedProgram& program);

// Of a program of words (FusedView::words): the memory of one column, and the kernels that gather bytes into words and spread them again.
struct WordLayout {
    Words words;
    Tiling tiling; // of either kernel
};
[[nodiscard]] WordLayout word_layout(const Setup& setup, const FusedProgram& program);
[[nodiscard]] std::string pack_symbol(const FusedProgram& program);
[[nodiscard]] std::string unpack_symbol(const FusedProgram& program);

} // namespace tessera
