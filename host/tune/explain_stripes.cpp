#include "host/tune/explain_stripes.hpp"

#include "host/distribution/stripes.hpp"
#include "host/schedule/task.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/setup/seams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera {
namespace {

// How many rows of `bands` are not those of the stripe, each counted once.
std::int64_t rows_beyond(const RowRanges& read, const RowRange& stripe) {
    std::vector<RowRange> bands(read.begin(), read.end());
    std::sort(bands.begin(), bands.end(), [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
    std::int64_t rows = 0, counted = 0; // all rows below `counted` are
    for (const auto& [first, end] : bands)
        for (const auto& [from, to] : {RowRange{first, std::min(end, stripe.first)}, RowRange{std::max(first, stripe.end), end}}) {
            const auto begin = std::max(from, counted);
            if (begin < to) rows += to - begin, counted = to;
        }
    return rows;
}

std::int64_t bytes_of_row(const Layout& layout, int dimensions) {
    const auto places = dimensions == 3 ? layout.size[0] * layout.size[1] : layout.size[0];
    return places * layout.elements * static_cast<std::int64_t>(size_of(layout.type));
}

struct Seen {
    std::int64_t rows = 0, bytes = 0;
};

std::vector<KernelId> kernels_of(const PhaseSetup& phase) {
    if (const auto* manage = std::get_if<ManagePhase>(&phase.action)) return manage->kernels;
    const auto* call = std::get_if<CallPhase>(&phase.action);
    if (call == nullptr) return {};
    auto kernels = call->arrivals;
    if (call->shares) kernels.push_back(*call->shares);
    kernels.push_back(call->kernel);
    return kernels;
}

// How far a kernel looks at a column of others. Where it waits for all of them it looks at what nobody can tell, and that is not counted.
model::Use sight_of(const Setup& setup, const KernelSetup& kernel, ColumnId column, model::Use use) {
    const auto& collection = setup.collections[setup.columns[column].collection];
    const auto axis = static_cast<std::size_t>(collection.dimensions - 1);
    if (use.low[axis][axis] >= collection.whole().rows()) use.low[axis][axis] = use.high[axis][axis] = 0;
    if (setup.own_memory() && setup.is_among_agents(kernel))
        use.low[axis][axis] = use.high[axis][axis] = rows_sent_before(setup, kernel, column);
    return use;
}

// What a device reads of others' rows in a usual step that is made by itself: the most rows of a column, and the bytes of all.
Seen seen_of_others(const Setup& setup, CollectionId id, const std::vector<bool>& usual, const RowRange& stripe) {
    Seen seen;
    const auto& collection = setup.collections[id];
    if (stripe.rows() == 0 || (collection.agents && !collection.agents->storage->has_rows_of_places())) return seen;
    for (const auto phase : setup.phases.ids()) {
        if (!usual[phase.index()]) continue;
        for (const auto kernel : kernels_of(setup.phases[phase]))
            for (const auto& access : setup.kernels[kernel].accesses) {
                const auto& [column, use, aside] = access;
                if (!use.reads || setup.columns[column].collection != id) continue;
                if (use.everywhere && !is_read_anywhere(setup, access)) continue; // a list of links, of which each reads its own places'
                const auto rows = rows_beyond(rows_read(collection, sight_of(setup, setup.kernels[kernel], column, use), stripe), stripe);
                seen.rows = std::max(seen.rows, rows);
                seen.bytes += rows * bytes_of_row(setup[column].layout, collection.dimensions);
            }
    }
    return seen;
}

std::string bytes_text(std::int64_t bytes) {
    const auto number = static_cast<double>(bytes);
    if (bytes < 10240) return fmt::format("{} bytes", bytes);
    return bytes < 10 << 20 ? fmt::format("{:.1f} KiB", number / 1024) : fmt::format("{:.1f} MiB", number / (1 << 20));
}

std::string stripe_text(const Setup& setup, CollectionId collection, const std::vector<bool>& usual, const RowRange& stripe) {
    if (stripe.rows() == 0) return "no rows";
    const auto seen = seen_of_others(setup, collection, usual, stripe);
    auto text = stripe.rows() == 1 ? fmt::format("row {}", stripe.first) : fmt::format("rows {} to {}", stripe.first, stripe.end - 1);
    if (seen.rows > 0)
        text += fmt::format("; a step reads {} beyond them, {}", seen.rows == 1 ? "1 row" : fmt::format("{} rows", seen.rows),
                            bytes_text(seen.bytes));
    return text;
}

} // namespace

std::string explain_stripes(const Setup& setup, const std::vector<std::string>& devices) {
    if (devices.size() < 2) return {};
    const char* const shared =
        "in one range of addresses: rows are in the memory of the device that makes them, and other devices read them there";
    const char* const managed = "in one range of addresses, whose pages move to the device that touches them";
    const bool all_have_some = std::any_of(setup.kernels.begin(), setup.kernels.end(), [&](const KernelSetup& kernel) {
        return std::any_of(kernel.accesses.begin(), kernel.accesses.end(),
                           [&](const Access& access) { return is_read_anywhere(setup, access); });
    });
    const auto own = fmt::format(
        "memory of their own{}: rows of other devices are copied {}", all_have_some ? ", with all that functions read along links" : "",
        setup.has_agents()                        ? "before each phase that sees them"
        : !setup.wishes.halo                      ? "every few steps (the number is measured on these devices)"
        : setup.distribution().steps_a_cycle == 1 ? "every step"
                                                  : fmt::format("every {} steps", setup.distribution().steps_a_cycle));
    std::string text = fmt::format("  stripes, one for each device\n    {}\n", setup.own_memory()               ? own
                                                                               : setup.distribution().migrating ? managed
                                                                                                                : shared);
    const auto usual = usual_phases(setup);
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        constexpr std::array how{"a line, not cut", "cut along y", "cut along z"};
        text += fmt::format("    {}, {}{}\n", collection.name, how[static_cast<std::size_t>(collection.dimensions - 1)],
                            collection.agents && !collection.agents->storage->has_rows_of_places()
                                ? ": one list in the order of places, rebuilt by the first device"
                            : cuts_are_measured(setup, collection) ? "; cuts move once, by the times of the first steps"
                                                                   : "");
        for (std::size_t p = 0; p < devices.size(); ++p)
            text += fmt::format("      {}, {}: {}\n", p + 1, devices[p], stripe_text(setup, id, usual, setup.stripe(id, p)));
    }
    return text;
}

} // namespace tessera
