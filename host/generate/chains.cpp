#include "host/generate/chains.hpp"

#include "host/generate/kernel_source.hpp"
#include "host/setup/uniforms.hpp"
#include "host/storage/slot_kinds.hpp"
#include "kernels/agents/chain_head.hpp"
#include "kernels/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace tessera {
namespace {

// Where a thread has several agents, they come one after the other; and a GPU that has more places than it works on at a time is better
// used by blocks that gather agents.
constexpr std::int64_t most_places = std::int64_t{1} << 17;
constexpr int most_slots = 8, most_apart = 4;
constexpr std::size_t most_bytes = 4000, most_codes = 8; // of arguments; entry points, which take time to compile

using Reach = std::array<int, 3>;
constexpr Reach nowhere{0, 0, 0};

bool sees_own_place(const model::Use& use) {
    const auto is_nowhere = [](const Reach& reach) { return reach == nowhere; };
    return !use.everywhere && std::all_of(use.low.begin(), use.low.end(), is_nowhere) &&
           std::all_of(use.high.begin(), use.high.end(), is_nowhere);
}
bool sees_own_place(const KernelSetup& kernel) {
    return std::all_of(kernel.accesses.begin(), kernel.accesses.end(), [](const Access& access) { return sees_own_place(access.use); });
}

bool are_in_few_slots(const CollectionSetup& collection) {
    return !collection.agents || (!collection.agents->in_list() && collection.agents->capacity <= most_slots);
}

// Children that stand where their parents do. (Rows further away are in the access list for the sake of several devices alone.)
bool are_born_here(const Setup& setup, const KernelSetup& kernel) {
    const auto& sources = setup.collections[kernel.collection].agents->sources;
    const auto is_here = [](const BirthSource& source) {
        return source.low == nowhere && source.high == nowhere && source.slots * source.calls <= 4 * most_slots;
    };
    return std::all_of(sources.begin(), sources.end(), is_here) && !setup.tells_parents(sources[kernel.source]);
}

// What a kernel is as a part of a chain, a template of chained.hpp; nothing if it cannot be one.
std::string part_type(const Setup& setup, const KernelSetup& kernel) {
    if (kernel.kind == &kind_of_births()) return are_born_here(setup, kernel) ? "chained_births" : "";
    if (kernel.kind == &kind_of_slots() || kernel.kind == &kind_of_marked_slots() || kernel.kind == &kind_of_slots_and_birth_requests())
        return "chained_slots"; // they may take back claims on other places, which nobody else has to do with meanwhile
    if (kernel.kind == &kind_of_bids()) return setup.collections[kernel.collection].agents->capacity == 1 ? "chained_bids" : "";
    if (kernel.kind == &kind_of_shares()) return sees_own_place(kernel) ? "chained_shares" : "";
    if (!kernel.is_function() || !sees_own_place(kernel) || setup.goes_by_numbers(kernel)) return {};
    if (!setup.is_among_agents(kernel)) return "chained_places";
    return setup.collections[kernel.collection].agents ? "chained_agents" : "chained_places_of_agents";
}

// The same of one that looks at other places, but can be made a thread a place: beside others that do not collide with it.
std::string apart_type(const Setup& setup, const KernelSetup& kernel) {
    const auto& agents = setup.collections[kernel.collection].agents;
    if (kernel.kind == &kind_of_granted_bids()) return agents->capacity == 1 ? "chained_grants" : "";
    if (kernel.kind == &kind_of_move_requests()) return agents->capacity * (agents->offsets() - 1) <= 64 ? "chained_moves" : "";
    return {};
}

CollectionId places_of(const Setup& setup, const KernelSetup& kernel) {
    const auto& agents = setup.collections[kernel.collection].agents;
    return agents ? agents->ground : kernel.collection;
}

bool is_of_small_world(const Setup& setup, const KernelSetup& kernel) {
    const auto& places = setup.collections[places_of(setup, kernel)];
    return places.has_shape() && places.places() <= most_places && are_in_few_slots(setup.collections[kernel.collection]) &&
           std::all_of(kernel.accesses.begin(), kernel.accesses.end(),
                       [&](const Access& access) { return are_in_few_slots(setup.collections[setup.columns[access.column].collection]); });
}

// Whether one has to wait for the other. What agents ask for is written beside what access lists say.
bool do_collide(const KernelSetup& a, const KernelSetup& b) {
    if (a.collection == b.collection) return true;
    for (const auto& one : a.accesses)
        for (const auto& other : b.accesses)
            if (one.column == other.column && (one.use.writes || one.also_written || other.use.writes || other.also_written)) return true;
    return false;
}

std::size_t bytes_of_arguments(const KernelSetup& kernel) {
    return offsets_of_arguments(std::max<std::size_t>(kernel.accesses.size(), 1), 1).end + sizeof(agent_pointers);
}

std::vector<KernelId> kernels_of(const Setup& setup, const PhaseSetup& phase) {
    if (const auto* call = std::get_if<CallPhase>(&phase.action)) {
        std::vector<KernelId> kernels{call->kernel};
        if (call->shares) kernels.push_back(*call->shares);
        return kernels;
    }
    if (const auto* manage = std::get_if<ManagePhase>(&phase.action)) return setup.launched_for(*manage);
    return {};
}

// Whether all before it has to be done first: what does not come in each step, asks the state, or changes what names stand for.
bool stands_between(const Setup& setup, PhaseId id) {
    const auto& phase = setup.phases[id];
    const auto is = [&](const auto* action) { return action != nullptr; };
    return phase.timing != run_file::Timing{} || is(std::get_if<RotatePhase>(&phase.action)) ||
           is(std::get_if<ReducePhase>(&phase.action)) || is(std::get_if<UntilPhase>(&phase.action)) ||
           !uniforms_before(setup, id, 0).empty();
}

class ChainFinder {
public:
    explicit ChainFinder(const Setup& setup) : setup_(setup) {}

    Chains find() {
        add_step(0);
        if (!open_.parts.empty()) { // the next step may begin with what goes on with it
            keep(open_);
            const auto parts = open_.parts.size();
            add_step(1);
            end();
            if (wrapped_ && wrapped_->parts.size() > parts) keep(*wrapped_);
        }
        give_codes();
        return std::move(chains_);
    }

private:
    void add_step(std::uint64_t step) {
        for (const auto id : setup_.phases.ids()) {
            const bool between = stands_between(setup_, id);
            if (between) end_all();
            for (const auto kernel : kernels_of(setup_, setup_.phases[id])) {
                if (step == 1 && wrapped_) return;
                add({kernel, id, step});
            }
            if (between) end_all();
        }
        end_apart();
        is_first_step_ = false;
    }

    void add(const ChainPart& part) {
        const auto& kernel = setup_.kernels[part.kernel];
        const bool is_small = is_of_small_world(setup_, kernel);
        if (is_small && !part_type(setup_, kernel).empty()) {
            end_apart();
            const auto bytes = bytes_of_arguments(kernel);
            if (!open_.parts.empty() && (places_of(setup_, kernel) != open_.places || bytes_ + bytes > most_bytes || is_full(open_))) end();
            put(open_, part);
            bytes_ += bytes;
            return;
        }
        if (collides(open_, kernel)) end();
        if (!is_small || apart_type(setup_, kernel).empty()) return end_apart();
        if (!apart_.parts.empty() && (places_of(setup_, kernel) != apart_.places || collides(apart_, kernel) || is_full(apart_)))
            end_apart();
        put(apart_, part);
    }
    void put(Chain& chain, const ChainPart& part) const {
        chain.places = places_of(setup_, setup_.kernels[part.kernel]);
        chain.parts.push_back(part);
    }
    [[nodiscard]] bool collides(const Chain& chain, const KernelSetup& kernel) const {
        return std::any_of(chain.parts.begin(), chain.parts.end(),
                           [&](const ChainPart& before) { return do_collide(setup_.kernels[before.kernel], kernel); });
    }
    // Of those that look at other places, few are beside each other.
    [[nodiscard]] bool is_full(const Chain& chain) const {
        return chain.parts.size() == (&chain == &apart_ ? std::size_t{most_apart} : std::size_t{most_chain_parts});
    }

    void end_all() {
        end_apart();
        end();
    }
    void end_apart() {
        auto chain = std::exchange(apart_, {});
        if (is_first_step_ && !chain.parts.empty()) chains_.chains.push_back(std::move(chain));
    }
    void end() {
        auto chain = std::exchange(open_, {});
        bytes_ = sizeof(chain_head);
        if (is_first_step_)
            keep(std::move(chain));
        else if (!wrapped_)
            wrapped_ = std::move(chain);
    }

    void keep(Chain chain) {
        const auto is_among_agents = [&](const ChainPart& part) { return setup_.is_among_agents(setup_.kernels[part.kernel]); };
        if (chain.parts.size() > 1 && std::any_of(chain.parts.begin(), chain.parts.end(), is_among_agents))
            chains_.chains.push_back(std::move(chain));
    }

    // The longest come first, of which shorter ones may be pieces.
    void give_codes() {
        auto& chains = chains_.chains;
        auto& codes = chains_.codes;
        std::stable_sort(chains.begin(), chains.end(), [](const Chain& a, const Chain& b) { return a.parts.size() > b.parts.size(); });
        std::vector<Chain> coded;
        for (auto& chain : chains) {
            std::vector<KernelId> kernels;
            for (const auto& part : chain.parts) kernels.push_back(part.kernel);
            chain.code = codes.size();
            for (std::size_t code = 0; code < codes.size() && chain.code == codes.size(); ++code) {
                const auto found = std::search(codes[code].begin(), codes[code].end(), kernels.begin(), kernels.end());
                if (found == codes[code].end()) continue;
                chain.code = code;
                chain.first = static_cast<std::size_t>(found - codes[code].begin());
            }
            if (chain.code == most_codes) continue;
            if (chain.code == codes.size()) codes.push_back(std::move(kernels));
            coded.push_back(std::move(chain));
        }
        chains = std::move(coded);
    }

    const Setup& setup_;
    Chains chains_;
    Chain open_, apart_;           // the second of those that look at other places, with no launch between them
    std::optional<Chain> wrapped_; // the one that was open at the end of the first step
    std::size_t bytes_ = sizeof(chain_head);
    bool is_first_step_ = true;
};

std::string part_source(const Setup& setup, KernelId id, std::size_t number) {
    const auto& kernel = setup.kernels[id];
    const auto local = part_type(setup, kernel), type = local.empty() ? apart_type(setup, kernel) : local;
    if (!setup.is_among_agents(kernel))
        return fmt::format("tessera::{}<{}, {}>", type, function_type(setup, kernel), grid_type(setup.collections[kernel.collection]));
    return fmt::format("tessera::{}<tessera_call_of_{}, {}>", type, kernel.symbol, number);
}

} // namespace

Chains chains_of(const Setup& setup) {
    const auto& modes = setup.modes();
    if (!setup.has_agents() || setup.in_bands() || modes.checked || modes.debug || modes.view != run_file::View::automatic) return {};
    return ChainFinder(setup).find();
}

std::string chain_symbol(std::size_t code) { return fmt::format("tessera_chain_{}", code); }

std::vector<std::string> chain_sources(const Setup& setup) {
    std::vector<std::string> texts;
    const auto chains = chains_of(setup);
    for (std::size_t code = 0; code < chains.codes.size(); ++code) {
        const auto& kernels = chains.codes[code];
        const auto places = places_of(setup, setup.kernels[kernels.front()]);
        auto text = fmt::format("TESSERA_CHAIN({}, {}", chain_symbol(code), grid_type(setup.collections[places]));
        for (std::size_t i = 0; i < kernels.size(); ++i) text += ", " + part_source(setup, kernels[i], i);
        texts.push_back(text + ")\n");
    }
    return texts;
}

} // namespace tessera
