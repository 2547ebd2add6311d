// Functions of places that have numbers and no positions, and of places that go along links: kernels/places/numbered.hpp.
#pragma once

#include "host/generate/kernel_source.hpp"

#include <cstddef>
#include <limits>
#include <string>

namespace tessera {

[[nodiscard]] ViewChoice numbered_view(const CollectionSetup& collection);
// The same for a function of which `goes_in_teams` is true, on a GPU.
[[nodiscard]] ViewChoice team_view(const Setup& setup, const KernelSetup& kernel);

// The place from which, or to which, most links of a collection lead at first, and how many; or the first one found that has more than
// `enough`.
struct MostLinks {
    std::size_t place = 0, links = 0;
};
[[nodiscard]] MostLinks most_links(const Setup& setup, CollectionId links, model::LinkSide side,
                                   std::size_t enough = std::numeric_limits<std::size_t>::max());

// Whether a function of places goes along links of which some place has more than a thread should go along, or may come to have.
[[nodiscard]] bool goes_in_teams(const Setup& setup, const KernelSetup& kernel);

// Its entry point, and what stands before it: the type of the function, and where its columns stand among its arguments.
[[nodiscard]] std::string numbered_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view);

// For each list of links along which a function goes, and for the links that it wants, where their columns stand among the kernel's
// arguments (kernels/places/along_links.hpp).
[[nodiscard]] std::string lists_source(const Setup& setup, const KernelSetup& kernel, const std::string& key);

// Of what becomes of places to which a function has sent: kernels/places/sent.hpp.
[[nodiscard]] std::string arrivals_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view);

} // namespace tessera
