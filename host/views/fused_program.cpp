#include "host/views/fused_program.hpp"

#include "kernels/fused/word_layout.hpp"

#include <algorithm>

namespace tessera {

std::vector<FusedProgram> programs_for(const Setup& setup, const std::vector<CallSequence>& sequences, const FusedView& view) {
    std::vector<FusedProgram> programs;
    for (const auto& sequence : sequences)
        if (obstacle(setup, sequence, view).empty())
            programs.push_back({sequence, view, "fused_" + setup.collections[sequence.collection].name});
    return programs;
}

Tiling tiling_of(const Setup& setup, const FusedProgram& program) { return program.view.of->tiling(setup, program.step, program.view); }

WordLayout word_layout(const Setup& setup, const FusedProgram& program) {
    const auto& collection = setup.collections[program.step.collection];
    WordLayout layout;
    layout.words.collection = program.step.collection;
    layout.words.planes = program.view.bits;
    const bool is_volume = collection.dimensions == 3; // whose rows are planes
    const auto words = is_volume ? words_across(collection.size[0]) * collection.size[1] : row_words(collection.size[0]);
    layout.words.row_bytes = static_cast<std::size_t>(words) * sizeof(bit_word);
    if (setup.own_memory())
        for (const auto& column : collection.columns) layout.words.ghosts = std::max(layout.words.ghosts, collection.ghost_rows(column));
    layout.tiling = {words_across(collection.size[0]) * (is_volume ? collection.size[1] : 1), 1, 1, block_threads};
    return layout;
}
std::string pack_symbol(const FusedProgram& program) { return program.symbol + "_pack"; }
std::string unpack_symbol(const FusedProgram& program) { return program.symbol + "_unpack"; }

} // namespace tessera
