#include "host/generate/kernel_pieces.hpp"

#include "host/generate/chains.hpp"

namespace tessera {
namespace {

// How long a kernel takes to compile, roughly, where one of places takes 1.
constexpr int weight_of_agents = 2;

bool is_called_once(const Setup& setup, const KernelSetup& kernel) { return kernel.is_function() && setup.function_of(kernel).is_init; }

// manageAll, and what is called once, gain nothing by more.
jit::Effort effort_of(const Setup& setup, const KernelSetup& kernel) {
    return kernel.is_of_manage_all() || is_called_once(setup, kernel) ? jit::Effort::moderate : jit::Effort::full;
}

} // namespace

KernelPieces kernel_pieces(const Setup& setup) {
    KernelPieces result;
    result.of_kernel.assign(setup.kernels.size(), 0);
    if (!setup.has_agents()) return result;
    const auto add = [&](jit::Effort effort, int weight) {
        result.pieces.push_back({effort, weight});
        return result.pieces.size() - 1;
    };
    result.of_all = add(jit::Effort::full, 0);
    for (const auto id : setup.kernels.ids()) {
        const auto& kernel = setup.kernels[id];
        if (kernel.is_reduction()) {
            result.pieces[result.of_all].weight = 1;
            result.of_kernel[id.index()] = result.of_all;
        } else {
            result.of_kernel[id.index()] = add(effort_of(setup, kernel), setup.is_among_agents(kernel) ? weight_of_agents : 1);
        }
    }
    for (const auto& kernels : chains_of(setup).codes)
        result.of_chain.push_back(add(jit::Effort::full, weight_of_agents * static_cast<int>(kernels.size())));
    return result;
}

std::string in_piece(const KernelPieces& pieces, std::size_t piece, const std::string& text) {
    if (pieces.pieces.empty() || text.empty()) return text;
    return jit::piece_begin(piece) + text + jit::piece_end;
}

} // namespace tessera
