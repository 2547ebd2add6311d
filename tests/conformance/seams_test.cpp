// What partitions wait for at the seams of grids with agents: for enough, whoever is ahead; and not for a row more than they have to.
#include "host/execute/agent_records.hpp"
#include "host/execute/initialise.hpp"
#include "host/schedule/cycle.hpp"
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
#include <tuple>

namespace tessera::test::seams_test {
namespace {

// The state before the first step, whatever a run with too few waits or rows has left anywhere.
void begin_again(LoadedModel& model, const Placement& first) {
    const auto& setup = model.setup();
    model.world().placement() = first;
    for (const auto column : setup.columns.ids()) {
        const auto bytes = size_of(setup[column].layout.type) * static_cast<std::size_t>(setup[column].layout.elements);
        model.world().write(column, [bytes](const PlaceRange& places, std::byte* into) {
            std::memset(into, 0, static_cast<std::size_t>(places.count()) * bytes);
        });
    }
    initialise(model);
}

// A run whose stripes are one row each, in orders in which one partition is as far ahead of another as the waits allow.
class Seams {
public:
    Seams(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps)
        : prepared_(
              prepare(for_any_devices({model, keys + std::vector<std::string>{"output=[]", "run.steps=" + std::to_string(steps)}, {}}),
                      compiler())),
          setup_(arranged(prepared_.setup, cut_at(prepared_.setup, each_row(prepared_.setup)))) {
        expected_ = state_of_one(steps);
        model_ = std::make_unique<LoadedModel>(setup_, std::vector<Device*>(setup_.partitions(), device_.get()), compiler(), pool_,
                                               std::vector<ViewChoice>{});
        first_ = last_ = model_->world().placement();
        for (std::uint64_t k = 0; k < steps; ++k)
            for (const auto phase : setup_.phases.ids()) model_->schedule().append_phase(phase, k, k, last_, tasks_);
    }

    [[nodiscard]] const Setup& setup() const { return setup_; }
    [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; } // with nothing to wait for

    // Whether the state behind the tasks is that of one partition.
    [[nodiscard]] bool are_right(const std::vector<Task>& tasks, std::size_t ahead, std::size_t behind) {
        begin_again(*model_, first_);
        for (const auto number : order_apart(tasks, ahead, behind)) queue_->launch(model_->binder().bind(tasks[number], {}));
        model_->world().placement() = last_;
        return state_hash(State(setup(), 0, model_->world().reader()), pool_) == expected_;
    }

private:
    static std::vector<std::int64_t> each_row(const Setup& setup) {
        std::vector<std::int64_t> cuts(static_cast<std::size_t>(setup.collections.front().whole().end - 1));
        std::iota(cuts.begin(), cuts.end(), 1);
        return cuts;
    }
    std::uint64_t state_of_one(std::uint64_t steps) {
        Simulation simulation(prepared_.setup, *device_, compiler(), pool_);
        simulation.advance(steps, [](std::uint64_t) { return true; });
        return simulation.hash();
    }

    Prepared prepared_;
    Setup setup_;
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
    if (!setup.collections[agents].agents || column < setup.codes_of(agents) || setup.ids_of(agents) < column)
        name = setup.name_of(column);
    else
        name = setup.collections[agents].name + (column == setup.codes_of(agents)   ? " codes"
                                                 : column == setup.marks_of(agents) ? " marks"
                                                                                    : " ids");
    const auto of = kernel.is_function() ? kernel.name
                    : kernel.kind->purpose() == KernelKind::Purpose::shares
                        ? kernel.name + " shares"
                        : fmt::format("{} {}", setup.collections[kernel.collection].name, kernel.kind->name());
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

class AgentsAtSeams : public ::testing::TestWithParam<Case> {};

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

INSTANTIATE_TEST_SUITE_P(
    Models, AgentsAtSeams,
    ::testing::Values(Case{"seams"}, Case{"hares_and_foxes", {"places.land.size=[30,12]", "agents.hare.count=160", "agents.fox.count=50"}},
                      Case{"families", {"places.land.size=[30,12]", "agents.hare.count=300"}},
                      Case{"nomads", {"places.land.size=[30,12]", "agents.nomad.count=200"}}, Case{"nurseries"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Of each access of each kernel one row at either end, then all that it reads, then what it writes is left out of what tasks wait for.
// Where some then no longer wait for others, not even through third ones, another state has to come of it. What is not named here is kept
// by something else as well: codes that manageAll reads by marks, marks of those who move by ids, all columns of a birth request by its
// code.
std::map<std::string, std::string> needed_of(Seams& seams, const std::set<std::string>& shown_elsewhere = {}) {
    auto tasks = seams.tasks();
    order_by_touches(tasks);
    const auto before = surely_before(tasks);
    std::map<std::string, std::string> needed;
    for (const auto& less : everything_less(seams.setup())) {
        const auto fewer = without(seams.setup(), seams.tasks(), less);
        const auto pairs = no_longer_waiting(tasks, before, surely_before(fewer));
        if (pairs.empty()) continue;
        const auto of = access_name(seams.setup(), less);
        if (shown_elsewhere.count(of) > 0) continue;
        needed[of] += (needed[of].empty() ? "" : " ") + std::string(name_of(less.what));
        const auto is_wrong = [&](const Pair& pair) { return !seams.are_right(fewer, pair.first, pair.second); };
        EXPECT_TRUE(std::any_of(pairs.begin(), pairs.end(), is_wrong))
            << of << " " << name_of(less.what) << ": nobody has to wait for that";
    }
    return needed;
}

TEST(RowsAtSeams, AreNeededOrKeptBySomethingElse) {
    Seams seams(test_model("seams"), {}, 3);
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
                                                      {"fox move_requests: fox marks", "low high reads"},
                                                      {"fox move_requests: fox ids", "writes"},
                                                      {"fox births: fox ids", "low high reads"},
                                                      {"fox slots_and_birth_requests: fox codes", "writes"},
                                                      {"hare move_requests: hare marks", "low high reads"},
                                                      {"owl move_requests: owl ids", "writes"},
                                                      {"owl births: owl ids", "low high reads"},
                                                      {"owl births: owl.(birth request)", "low high reads"},
                                                      {"owl slots_and_birth_requests: owl codes", "writes"},
                                                      {"owl slots_and_birth_requests: owl.(birth request)", "writes"},
                                                      {"toad births: toad marks", "low high reads"},
                                                      {"mole births: mole marks", "low high reads"},
                                                      {"mole births: mole.(birth request)", "low high reads"},
                                                      {"mole slots_and_birth_requests: mole.(birth request)", "writes"}};
    EXPECT_EQ(needed_of(seams), expected);
}

// Who goes anywhere waits for all. Where few are born nobody has to wait for their birth requests, and who only goes leaves as much room as
// before. Who bids for a place with one slot looks at no marks (manage.hpp).
TEST(RowsAtSeams, AreNeededByThoseWhoGoAnywhere) {
    std::map<std::string, std::string> expected{
        {"nomad bid_for_places: nomad.(claim)", "reads"},
        {"nomad grant_bids: nomad.(claim)", "writes"},
        {"nomad marked_slots: nomad.(claim)", "reads"},
    };
    const std::set<std::string> shown_elsewhere{"nomad births: nomad.(birth request)",
                                                "nomad slots_and_birth_requests: nomad.(birth request)", "nomad.step_aside: nomad marks"};
    Seams one_slot(test_model("nomads"), {"places.land.size=[20,5]", "agents.nomad={count=70,capacity=1,on_edge=\"refuse\"}"}, 12);
    EXPECT_EQ(needed_of(one_slot, shown_elsewhere), expected);
    expected.erase("nomad bid_for_places: nomad.(claim)"); // who waits for marks has waited for claims
    expected["nomad bid_for_places: nomad marks"] = "reads";
    expected["nomad.roam: nomad marks"] = "writes";
    Seams two_slots(test_model("nomads"), {"places.land.size=[20,5]", "agents.nomad={count=140,capacity=2,on_edge=\"refuse\"}"}, 12);
    EXPECT_EQ(needed_of(two_slots, shown_elsewhere), expected);
}

// ---- in memory of their own

// Stripes of three rows, each in memory of its own. What partitions send each other before a kernel's call is as many rows as it sees.
class OwnSeams {
public:
    OwnSeams(const std::string& model, const std::vector<std::string>& keys, std::uint64_t steps)
        : prepared_(
              prepare(for_any_devices({model, keys + std::vector<std::string>{"output=[]", "run.steps=" + std::to_string(steps)}, {}}),
                      compiler())),
          setup_(
              arranged(prepared_.setup, in_own_memory(prepared_.setup, cut_at(prepared_.setup, each_third_row(prepared_.setup)), 1, 1))) {
        Simulation one(prepared_.setup, *device_, compiler(), pool_);
        one.advance(steps, [](std::uint64_t) { return true; });
        expected_ = one.hash();
        for (const auto id : setup_.collections.ids())
            if (setup_.collections[id].agents) expected_counts_.push_back(as_numbers(one.counters(id)));
        model_ = std::make_unique<LoadedModel>(setup_, std::vector<Device*>(setup_.partitions(), device_.get()), compiler(), pool_,
                                               std::vector<ViewChoice>{});
        first_ = last_ = model_->world().placement();
        for (std::uint64_t k = 0; k < steps; ++k) {
            const auto begin = tasks_.size();
            for (const auto phase : setup_.phases.ids()) model_->schedule().append_phase(phase, k, k, last_, tasks_);
            make_cycle(setup_, tasks_, begin);
        }
    }

    // Of a column, before calls of the kernel, at the lower or the upper end of a stripe: nobody is in the outermost of the rows sent.
    struct Fewer {
        ColumnId column;
        std::string kernel;
        bool low = false;

        friend bool operator<(const Fewer& a, const Fewer& b) {
            return std::tuple(a.kernel, a.column.index(), a.low) < std::tuple(b.kernel, b.column.index(), b.low);
        }
    };
    [[nodiscard]] std::set<Fewer> all() const {
        std::set<Fewer> found;
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            if (is_outermost(i, true) || is_outermost(i, false))
                found.insert({tasks_[i].touches.front().column, kernel_behind(i), is_outermost(i, true)});
        return found;
    }
    [[nodiscard]] std::string name_of(const Fewer& fewer) const { return fewer.kernel + ": " + setup_.name_of(fewer.column); }

    [[nodiscard]] bool are_right(const std::optional<Fewer>& fewer) {
        begin_again(*model_, first_);
        for (const auto id : setup_.collections.ids())
            if (setup_.collections[id].agents) set_counters(model_->partitions(), setup_, id, {});
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            const auto& task = tasks_[i];
            if (!std::holds_alternative<CopyWork>(task.work)) {
                queue_->launch(model_->binder().bind(task, {}));
                continue;
            }
            for (const auto& copy : model_->binder().copies(task)) std::memcpy(copy.to, copy.from, copy.bytes);
            if (fewer && task.touches.front().column == fewer->column && is_outermost(i, fewer->low) && kernel_behind(i) == fewer->kernel)
                clear(task, fewer->low ? task.rows.first : task.rows.end - 1);
        }
        model_->world().placement() = last_;
        std::vector<Numbers> counts;
        for (const auto id : setup_.collections.ids())
            if (setup_.collections[id].agents) counts.push_back(as_numbers(counters_of(model_->partitions(), setup_, id)));
        return counts == expected_counts_ && state_hash(State(setup_, 0, model_->world().reader()), pool_) == expected_;
    }

private:
    static std::vector<std::int64_t> each_third_row(const Setup& setup) {
        std::vector<std::int64_t> cuts;
        for (std::int64_t row = 3; row < setup.collections.front().whole().end; row += 3) cuts.push_back(row);
        return cuts;
    }
    using Numbers = std::array<std::uint64_t, 5>;
    static Numbers as_numbers(const agent_counters& all) { return {all.born, all.died, all.moved, all.refused_moves, all.refused_births}; }

    [[nodiscard]] std::string kernel_behind(std::size_t copy) const {
        while (std::holds_alternative<CopyWork>(tasks_[copy].work)) ++copy;
        const auto& kernel = setup_.kernels[std::get<CallWork>(tasks_[copy].work).kernel];
        return kernel.is_function() ? kernel.name : fmt::format("{} {}", setup_.collections[kernel.collection].name, kernel.kind->name());
    }
    // Whether no copy beside it goes further beyond the stripe.
    [[nodiscard]] bool is_outermost(std::size_t i, bool low) const {
        const auto& task = tasks_[i];
        if (!std::holds_alternative<CopyWork>(task.work)) return false;
        const auto column = task.touches.front().column;
        const auto stripe = setup_.stripe(setup_.columns[column].collection, task.partition);
        if (low != (task.rows.first < stripe.first)) return false;
        for (const std::size_t j : {i - 1, i + 1}) {
            if (j >= tasks_.size() || !std::holds_alternative<CopyWork>(tasks_[j].work) || tasks_[j].partition != task.partition ||
                tasks_[j].touches.front().column != column)
                continue;
            if (low ? tasks_[j].rows.first < task.rows.first : tasks_[j].rows.end > task.rows.end) return false;
        }
        return true;
    }
    void clear(const Task& task, std::int64_t row) {
        for (const auto& bytes : model_->world().rows_at(task.touches.front().out, task.partition, {row, row + 1}))
            std::memset(bytes.data(), 0, bytes.size());
    }

    Prepared prepared_;
    Setup setup_;
    std::unique_ptr<Device> device_ = open_device("cpu", 1);
    ThreadPool pool_{1};
    std::unique_ptr<LoadedModel> model_{};
    std::unique_ptr<Queue> queue_ = device_->queue(Priority::normal, Execution::inline_);
    std::uint64_t expected_ = 0;
    std::vector<Numbers> expected_counts_{};
    std::vector<Task> tasks_{};
    Placement first_{}, last_{};
};

// One row fewer of these, and another state or other counts come of it. As many are sent from either side, so that of what reaches
// further one way the other side is not named; nor is who sees no further than the rows of who comes in.
TEST(RowsAtSeams, AreSentAsFarAsAnythingIsSeen) {
    OwnSeams seams(test_model("seams"), {}, 3);
    EXPECT_TRUE(seams.are_right({}));
    std::map<std::string, std::string> needed;
    for (const auto& fewer : seams.all())
        if (!seams.are_right(fewer)) needed[seams.name_of(fewer)] += fewer.low ? " low" : " high";
    const std::map<std::string, std::string> expected{{"fox births: fox.(code)", " high"},
                                                      {"fox births: fox.(birth request)", " high low"},
                                                      {"fox births: fox.(parent)", " high low"},
                                                      {"fox move_requests: fox.(code)", " high low"},
                                                      {"fox move_requests: fox.(id)", " high low"},
                                                      {"fox move_requests: fox.hunger", " low"},
                                                      {"hare move_requests: hare.(code)", " high low"},
                                                      {"hare move_requests: hare.(id)", " high low"},
                                                      {"hare move_requests: hare.seen", " low"},
                                                      {"hare.graze: land.grass", " high"},
                                                      {"hare.hear: toad.(code)", " high"},
                                                      {"hare.hear: toad.(id)", " high"},
                                                      {"hare.see: fox.(code)", " high"},
                                                      {"hare.see: fox.(id)", " high"},
                                                      {"hare.see: fox.hunger", " high"},
                                                      {"hare.watch: owl.(code)", " high"},
                                                      {"mole births: mole.(code)", " high"},
                                                      {"mole births: mole.(birth request)", " high low"},
                                                      {"mole births: mole.(parent)", " high low"},
                                                      {"owl births: owl.(code)", " high"},
                                                      {"owl births: owl.(mark)", " high"},
                                                      {"owl births: owl.(birth request)", " high low"},
                                                      {"owl births: owl.(parent)", " high low"},
                                                      {"owl.smell: land.scent", " high"},
                                                      {"toad births: toad.(code)", " high"},
                                                      {"toad births: toad.(birth request)", " high low"},
                                                      {"toad births: toad.(parent)", " high"}};
    EXPECT_EQ(needed, expected);
}

// Whether a child is born whose parent comes in from others' rows is found out where the parent goes.
TEST(RowsAtSeams, AreSentAsFarAsParentsComeFrom) {
    OwnSeams seams(test_model("nurseries"),
                   {"places.land.size=[60,30]", "agents.hare.count=1200", "agents.bird.count=1000", "agents.egg.count=500"}, 5);
    EXPECT_TRUE(seams.are_right({}));
    std::map<std::string, std::string> needed;
    for (const auto& fewer : seams.all())
        if (!seams.are_right(fewer)) needed[seams.name_of(fewer)] += fewer.low ? " low" : " high";
    const std::map<std::string, std::string> expected{{"bird move_requests: bird.(code)", " high low"},
                                                      {"bird move_requests: bird.(id)", " high low"},
                                                      {"bird move_requests: bird.bereft", " low"},
                                                      {"egg births: bird.(code)", " low"},
                                                      {"egg births: bird.(mark)", " low"},
                                                      {"egg births: egg.(code)", " low"},
                                                      {"egg births: egg.(birth request)", " low"},
                                                      {"egg births: egg.(parent)", " low"},
                                                      {"hare births: hare.(code)", " low"},
                                                      {"hare births: hare.(mark)", " low"},
                                                      {"hare births: hare.(birth request)", " low"},
                                                      {"hare births: hare.(parent)", " low"},
                                                      {"hare move_requests: hare.(code)", " high low"},
                                                      {"hare move_requests: hare.(id)", " high low"},
                                                      {"hare move_requests: hare.bereft", " low"}};
    EXPECT_EQ(needed, expected);
}

} // namespace
} // namespace tessera::test::seams_test
