// What partitions wait for at the seams of grids with agents: for enough, whoever is ahead; and not for a row more than they have to.
#include "host/execute/initialise.hpp"
#include "host/schedule/schedule.hpp"
#include "host/world/state_hash.hpp"
#include "tests/support/shuffled_tasks.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

namespace tessera::test {
namespace {

// A run whose stripes are one row each, in orders in which one partition is as far ahead of another as the waits allow.
class Seams {
public:
    Seams(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps)
        : prepared_(prepare({model, keys + std::vector<std::string>{"output=[]", "run.steps=" + std::to_string(steps)}, {}}, compiler())) {
        auto& setup = prepared_.setup;
        expected_ = state_of_one(steps);
        std::vector<std::int64_t> cuts(static_cast<std::size_t>(setup.collections.front().whole().end - 1));
        std::iota(cuts.begin(), cuts.end(), 1);
        cut_at(setup, cuts);
        model_ = std::make_unique<LoadedModel>(setup, std::vector<Device*>(setup.partitions(), device_.get()), compiler(), pool_,
                                               std::vector<ViewChoice>{});
        first_ = last_ = model_->world().placement();
        for (std::uint64_t k = 0; k < steps; ++k)
            for (const auto phase : setup.phases.ids()) model_->schedule().append_phase(phase, k, k, last_, tasks_);
    }

    [[nodiscard]] const Setup& setup() const { return prepared_.setup; }
    [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; } // with nothing to wait for

    // Whether the state behind the tasks is that of one partition.
    [[nodiscard]] bool are_right(const std::vector<Task>& tasks, std::size_t ahead, std::size_t behind) {
        begin();
        for (const auto number : order_apart(tasks, ahead, behind)) queue_->launch(model_->binder().bind(tasks[number], {}));
        model_->world().placement() = last_;
        return state_hash(setup(), model_->world().reader(), pool_) == expected_;
    }

private:
    std::uint64_t state_of_one(std::uint64_t steps) {
        Simulation simulation(prepared_.setup, *device_, compiler(), pool_);
        simulation.advance(steps, [](std::uint64_t) { return true; });
        return simulation.hash();
    }

    // A wrong order may have left anything anywhere.
    void begin() {
        model_->world().placement() = first_;
        for (const auto column : setup().columns.ids()) {
            const auto& layout = setup()[column].layout;
            const auto bytes = size_of(layout.type) * static_cast<std::size_t>(layout.elements);
            model_->world().write(column, [bytes](const PlaceRange& places, std::byte* into) {
                std::memset(into, 0, static_cast<std::size_t>(places.count()) * bytes);
            });
        }
        initialise(*model_);
    }

    Prepared prepared_;
    std::unique_ptr<Device> device_ = open_device("cpu", 1);
    ThreadPool pool_{1};
    std::unique_ptr<LoadedModel> model_{};
    std::unique_ptr<Queue> queue_ = device_->queue(Priority::normal, Execution::inline_);
    std::uint64_t expected_ = 0;
    std::vector<Task> tasks_{};
    Placement first_{}, last_{};
};

// Of each task, a bit for each that is done before it whatever the order: those that it waits for, those of its partition, and theirs.
using Bits = std::vector<std::uint64_t>;
std::vector<Bits> surely_before(const std::vector<Task>& tasks) {
    std::vector<Bits> before(tasks.size(), Bits(tasks.size() / 64 + 1));
    std::map<std::size_t, std::size_t> last;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto direct = tasks[i].after;
        if (const auto of_queue = last.find(tasks[i].partition); of_queue != last.end()) direct.push_back(of_queue->second);
        last[tasks[i].partition] = i;
        for (const auto one : direct) {
            before[i][one / 64] |= std::uint64_t{1} << one % 64;
            for (std::size_t word = 0; word < before[i].size(); ++word) before[i][word] |= before[one][word];
        }
    }
    return before;
}

// The partitions one of which had to wait for another somewhere, and no longer has to.
using Pair = std::pair<std::size_t, std::size_t>; // who waits, and for whom
std::set<Pair> no_longer_waiting(const std::vector<Task>& tasks, const std::vector<Bits>& before, const std::vector<Bits>& now) {
    std::set<Pair> pairs;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (before[i] == now[i]) continue;
        for (std::size_t j = 0; j < i; ++j)
            if (((before[i][j / 64] & ~now[i][j / 64]) >> j % 64 & 1) != 0) pairs.insert({tasks[i].partition, tasks[j].partition});
    }
    return pairs;
}

// A declared access, less a row of its reach or less one of its uses.
struct Less {
    enum class What { low, high, reads, writes };
    KernelId kernel;
    std::size_t access;
    What what;
};

const char* name_of(Less::What what) {
    constexpr const char* names[] = {"low", "high", "reads", "writes"};
    return names[static_cast<int>(what)];
}

std::string access_name(const Setup& setup, const Less& less) {
    const auto& kernel = setup.kernels[less.kernel];
    const auto column = kernel.accesses[less.access].column;
    const auto agents = setup.columns[column].collection;
    std::string name;
    if (!setup.collections[agents].crowd || column < setup.codes_of(agents) || setup.ids_of(agents) < column)
        name = setup.name_of(column);
    else
        name = setup.collections[agents].name + (column == setup.codes_of(agents)   ? " codes"
                                                 : column == setup.marks_of(agents) ? " marks"
                                                                                    : " ids");
    const auto of = kernel.work == KernelWork::function ? kernel.name
                    : kernel.work == KernelWork::shares
                        ? kernel.name + " shares"
                        : fmt::format("{} {}", setup.collections[kernel.collection].name, name_of(kernel.work));
    return of + ": " + name;
}

std::vector<Less> everything_less(const Setup& setup) {
    std::vector<Less> all;
    for (const auto k : setup.kernels.ids()) {
        const auto& kernel = setup.kernels[k];
        const auto dims = static_cast<std::size_t>(setup.collections[kernel.collection].dimensions - 1);
        for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
            const auto& use = kernel.accesses[a].use;
            if (use.reads && use.low[dims][dims] > 0) all.push_back({k, a, Less::What::low});
            if (use.reads && use.high[dims][dims] > 0) all.push_back({k, a, Less::What::high});
            if (use.reads) all.push_back({k, a, Less::What::reads});
            if (use.writes) all.push_back({k, a, Less::What::writes});
        }
    }
    return all;
}

std::vector<Task> without(const Setup& setup, std::vector<Task> tasks, const Less& less) {
    const auto& kernel = setup.kernels[less.kernel];
    auto use = kernel.accesses[less.access].use;
    const auto dims = static_cast<std::size_t>(setup.collections[kernel.collection].dimensions - 1);
    if (less.what == Less::What::low) --use.low[dims][dims];
    if (less.what == Less::What::high) --use.high[dims][dims];
    for (auto& task : tasks) {
        if (std::get<CallWork>(task.work).kernel != less.kernel) continue;
        auto& touch = task.touches[less.access];
        touch.reads &= less.what != Less::What::reads;
        touch.writes &= less.what != Less::What::writes;
        if (touch.reads) touch.read = rows_read(setup.collections[kernel.collection], use, task.rows);
    }
    order_by_touches(tasks);
    return tasks;
}

struct Case {
    const char* name;
    std::vector<std::string> keys{};
};

class AgentsAtSeams : public testing::TestWithParam<Case> {};

TEST_P(AgentsAtSeams, AreWaitedForWhoeverIsAhead) {
    Seams seams(test_model(GetParam().name), GetParam().keys, 3);
    auto tasks = seams.tasks();
    order_by_touches(tasks);
    const auto partitions = seams.setup().partitions();
    for (std::size_t behind = 0; behind < partitions; behind += thorough() ? 1 : 3)
        for (std::size_t ahead = 0; ahead < partitions; ++ahead) {
            if (ahead == behind) continue;
            ASSERT_TRUE(seams.are_right(tasks, ahead, behind)) << ahead << " is ahead of " << behind;
        }
}

INSTANTIATE_TEST_SUITE_P(Models, AgentsAtSeams,
                         testing::Values(Case{"seams"},
                                         Case{"crowds", {"places.land.size=[30,12]", "agents.hare.count=160", "agents.fox.count=50"}},
                                         Case{"families", {"places.land.size=[30,12]", "agents.hare.count=300"}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Of each access of each kernel one row at either end, then all that it reads, then what it writes is left out of what tasks wait for.
// Where some then no longer wait for others, not even through third ones, another state has to come of it. What is not named here is kept
// by something else as well: codes that manageAll reads by marks, marks of those who move by ids, all columns of a note by its code.
TEST(RowsAtSeams, AreNeededOrKeptBySomethingElse) {
    Seams seams(test_model("seams"), {}, 3);
    auto tasks = seams.tasks();
    order_by_touches(tasks);
    const auto before = surely_before(tasks);
    std::map<std::string, std::string> needed;
    for (const auto& less : everything_less(seams.setup())) {
        const auto fewer = without(seams.setup(), seams.tasks(), less);
        const auto pairs = no_longer_waiting(tasks, before, surely_before(fewer));
        if (pairs.empty()) continue;
        const auto of = access_name(seams.setup(), less);
        needed[of] += (needed[of].empty() ? "" : " ") + std::string(name_of(less.what));
        const auto is_wrong = [&](const Pair& pair) { return !seams.are_right(fewer, pair.first, pair.second); };
        EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(), is_wrong))
            << of << " " << name_of(less.what) << ": nobody has to wait for that";
    }
    const std::map<std::string, std::string> expected{{"land.grow: land.grass", "writes"},
                                                      {"hare.graze: land.grass", "low high reads"},
                                                      {"hare.mark shares: land.scent", "writes"},
                                                      {"hare.mark shares: hare marks", "writes"},
                                                      {"owl.smell: land.scent", "low high reads"},
                                                      {"fox.tire: fox.hunger", "writes"},
                                                      {"hare.see: fox codes", "low high reads"},
                                                      {"hare.see: fox marks", "writes"},
                                                      {"hare.see: fox.hunger", "low high reads"},
                                                      {"hare.watch: owl codes", "low high reads"},
                                                      {"hare.hear: toad marks", "writes"},
                                                      {"mole.fade: mole marks", "writes"},
                                                      {"fox wishes: fox marks", "low high reads"},
                                                      {"fox wishes: fox ids", "writes"},
                                                      {"fox births: fox ids", "low high reads"},
                                                      {"fox slots_and_notes: fox codes", "writes"},
                                                      {"hare wishes: hare marks", "low high reads"},
                                                      {"owl wishes: owl ids", "writes"},
                                                      {"owl births: owl ids", "low high reads"},
                                                      {"owl births: owl.(note)", "low high reads"},
                                                      {"owl slots_and_notes: owl codes", "writes"},
                                                      {"owl slots_and_notes: owl.(note)", "writes"},
                                                      {"toad births: toad marks", "low high reads"},
                                                      {"mole births: mole marks", "low high reads"},
                                                      {"mole births: mole.(note)", "low high reads"},
                                                      {"mole slots_and_notes: mole.(note)", "writes"}};
    EXPECT_EQ(needed, expected);
}

} // namespace
} // namespace tessera::test
