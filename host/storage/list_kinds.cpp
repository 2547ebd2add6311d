#include "host/storage/list_kinds.hpp"

#include "host/storage/accesses.hpp"
#include "kernels/agents/birth_flags.hpp"
#include "kernels/agents/code_blocks.hpp"
#include "kernels/agents/list_blocks.hpp"

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t most_blocks = 4096; // of a part of manageAll, whose threads may have several agents

// A thread, or a chunk of items on a CPU, for each of so many agents or birth requests.
LaunchShape shape_of(std::int64_t count, unsigned threads, std::int64_t most) {
    LaunchShape shape;
    shape.items = items_of_numbers(count);
    shape.block = {threads, 1, 1};
    shape.grid[0] = static_cast<unsigned>(std::min((count + threads - 1) / threads, most));
    return shape;
}

class ListKind : public KernelKind {
public:
    ListKind(const char* name, const char* explained, Turn turn = Turn::settles) : name_(name), explained_(explained), turn_(turn) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    [[nodiscard]] std::string explained() const override { return explained_; }
    [[nodiscard]] Turn turn() const noexcept override { return turn_; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return name_; }
    [[nodiscard]] bool is_of_all_rows() const noexcept override { return true; }

    // Over the agents for whom there is room.
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        return shape_of(setup.collections[kernel.collection].agents->capacity, static_cast<unsigned>(agent_threads), most_blocks);
    }
    // What comes behind what follows from the order of launches.
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        std::vector<Access> accesses;
        for (std::size_t c = 0; c < setup.collections[kernel.collection].columns.size(); ++c) {
            const auto column = setup.column_of(kernel.collection, c);
            accesses.push_back({column, {true, moves(setup[column].role), true, {}, {}}});
        }
        return accesses;
    }

protected:
    // Whether a column goes from one buffer to the other.
    [[nodiscard]] virtual bool moves(Role) const noexcept { return false; }

private:
    const char *name_, *explained_;
    Turn turn_;
};

class OverBlocksOfPlaces : public ListKind {
public:
    using ListKind::ListKind;
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        LaunchShape shape;
        shape.items = blocks_of_places(setup.collections[kernel.collection].places());
        shape.block = {static_cast<unsigned>(agent_threads), 1, 1};
        shape.grid[0] = static_cast<unsigned>(shape.items);
        return shape;
    }
};

// By words of the flags that say which there are.
class OverBirthRequests : public ListKind {
public:
    using ListKind::ListKind;
    [[nodiscard]] Number number() const noexcept override { return Number::source; }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        const auto& agents = setup.collections[kernel.collection];
        return shape_of(words_of_flags(birth_requests_of(agents, agents.agents->sources[kernel.source])),
                        static_cast<unsigned>(agent_threads), most_blocks);
    }
};

class CountedBirthRequests : public OverBirthRequests {
public:
    CountedBirthRequests() : OverBirthRequests("count_birth_requests", "one over the requested children", Turn::births) {}
    [[nodiscard]] bool tells_parents() const noexcept override { return true; }
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        auto accesses = OverBirthRequests::accesses(setup, kernel);
        add_told_parents(setup, kernel, accesses);
        return accesses;
    }
};

// Who is there before and who is there then stand in different buffers.
class SettledList : public ListKind {
public:
    SettledList() : ListKind("settle_list", "one over all entries, which copies each agent to its own position") {}

protected:
    [[nodiscard]] bool moves(Role role) const noexcept override { return is_state(role) && role != Role::start; }
};

class OverBlocksOfAgents : public ListKind {
public:
    OverBlocksOfAgents(const char* name, const char* explained, bool settles) : ListKind(name, explained), settles_(settles) {}
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        LaunchShape shape;
        shape.items = blocks_of_agents(setup.collections[kernel.collection].agents->capacity);
        shape.block = {static_cast<unsigned>(agent_threads), 1, 1};
        shape.grid[0] = static_cast<unsigned>(shape.items);
        return shape;
    }

protected:
    [[nodiscard]] bool moves(Role role) const noexcept override { return settles_ && is_state(role) && role != Role::start; }

private:
    bool settles_;
};

// Over the places and one more, and over the flags of birth requests.
class MovedStarts : public ListKind {
public:
    MovedStarts() : ListKind("move_starts", "one over the places") {}
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        const auto& collection = setup.collections[kernel.collection];
        auto most = collection.places() + 1;
        for (const auto& source : collection.agents->sources) most = std::max(most, words_of_flags(birth_requests_of(collection, source)));
        return shape_of(most, static_cast<unsigned>(agent_threads), most_blocks);
    }
};

} // namespace

LaunchShape shape_of_list(const Setup& setup, const KernelSetup& kernel) {
    constexpr unsigned threads_of_calls = 128; // which take longer and are not alike
    return shape_of(setup.collections[kernel.collection].agents->capacity, threads_of_calls, INT64_MAX);
}

const KernelKind& kind_of_targets() {
    static const ListKind kind("find_targets", "one over all agents, which counts them on their new places", KernelKind::Turn::moves);
    return kind;
}
const KernelKind& kind_of_counted_birth_requests() {
    static const CountedBirthRequests kind;
    return kind;
}
const KernelKind& kind_of_sums() {
    static const OverBlocksOfPlaces kind("sum_blocks", "running sums over the places, in two passes");
    return kind;
}
const KernelKind& kind_of_starts() {
    static const OverBlocksOfPlaces kind("find_starts", "");
    return kind;
}
const KernelKind& kind_of_entered_agents() {
    static const ListKind kind("enter_agents", "one over all agents, which assigns their entries");
    return kind;
}
const KernelKind& kind_of_entered_birth_requests() {
    static const OverBirthRequests kind("enter_birth_requests", "one over the children, which assigns their entries");
    return kind;
}
const KernelKind& kind_of_sums_of_agents() {
    static const OverBlocksOfAgents kind("sum_staying", "running sums over the agents, of whom none moves, in two passes", false);
    return kind;
}
const KernelKind& kind_of_those_who_stay() {
    static const OverBlocksOfAgents kind("settle_staying", "the second copies each agent to its own position", true);
    return kind;
}
const KernelKind& kind_of_moved_starts() {
    static const MovedStarts kind;
    return kind;
}
const KernelKind& kind_of_settled_lists() {
    static const SettledList kind;
    return kind;
}

} // namespace tessera
