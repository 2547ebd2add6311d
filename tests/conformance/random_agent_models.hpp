// Random models of agents under test: several at a time, each on places of its own in one run, because compiling is what takes long.
#pragma once

#include "tests/conformance/random_agent_model_loop.hpp"
#include "tests/conformance/random_agent_model_maker.hpp"
#include "tests/conformance/random_agent_model_text.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/shuffling_device.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

namespace tessera::test::random_agent_model {

// What became of all agents of a batch: a test that nobody moves in shows nothing.
struct Tried {
    reference::Tally tally{};
    Conflicts conflicts{};
};

// That hold whatever the model: born - died = alive, each agent is on one place, no place is over capacity, and no id comes again.
class Invariants {
public:
    void check(const Setup& setup, CollectionId agents, const AgentTable& table, const agent_counters& counters) {
        const auto& collection = setup.collections[agents];
        const auto alive = std::set(table.ids.begin(), table.ids.end());
        EXPECT_EQ(alive.size(), table.size()) << "an id is there twice, of " << collection.name;
        EXPECT_EQ(alive.count(0), 0u) << "0 is nobody, of " << collection.name;
        if (!first_) first_ = table.size() - counters.born;
        EXPECT_EQ(*first_ + counters.born - counters.died, table.size()) << "born - died is not alive, of " << collection.name;
        std::map<std::int64_t, std::int64_t> residents;
        for (const auto place : table.places) {
            EXPECT_TRUE(place >= 0 && place < collection.places()) << place << " is no place, of " << collection.name;
            const auto room = collection.agents->in_list() ? std::numeric_limits<std::int64_t>::max() : collection.agents->capacity;
            EXPECT_LE(++residents[place], room) << "on place " << place << ", of " << collection.name;
        }
        for (const auto id : alive)
            EXPECT_TRUE(alive_.count(id) > 0 || ever_.insert(id).second) << "id " << id << " comes again, of " << collection.name;
        alive_ = alive;
    }

private:
    std::optional<std::uint64_t> first_{}; // before those who are born then
    std::set<std::uint64_t> alive_{}, ever_{};
};

class Batch {
public:
    static constexpr unsigned size = 10;

    // Models number * size and `count - 1` that follow it, on this device. Those of every third batch may live in lists, which one
    // partition has, where each has its own.
    Batch(unsigned number, Options options, unsigned count = size)
        : dice_(number + 4099), number_(number), options_(std::move(options)), plan_{number % 3 == 2} {
        for (unsigned i = 0; i < count; ++i) models_.push_back(ModelMaker(number * size + i, plan_).make());
        number_manages();
    }

    // Runs them with several seeds and populations, on one device and cut anywhere, and compares; failures name the model.
    Tried run() {
        source_ = folder_.write(name() + ".cu", source_of(models_, name())).string();
        const int few = plan_.lists ? 1 : 2, shared = thorough() ? 2 * few : few, own = thorough() ? few : 1; // runs on several devices
        for (int again = 0; again < 2 + shared + own && !::testing::Test::HasFailure(); ++again)
            run_once(again < 2 ? 1 : static_cast<std::size_t>(dice_.between(2, 8)), again >= 2 + shared, again == 0);
        return tried_;
    }

private:
    static constexpr std::uint64_t steps = 9;

    [[nodiscard]] std::string name() const { return "agents" + std::to_string(number_); }

    // Which manageAll of the step each is depends on the others in the run.
    void number_manages() {
        std::vector<std::size_t> next(models_.size(), 0);
        std::uint64_t nth = 0;
        const bool ends_in_one = number_ % 2 == 0; // that is for all
        for (;;) {
            std::vector<std::size_t> open;
            for (std::size_t i = 0; i < models_.size(); ++i)
                if (next[i] + (ends_in_one && models_[i].phases.back().runs_always() ? 1 : 0) < models_[i].phases.size()) open.push_back(i);
            if (open.empty()) break;
            const auto i = dice_.of(open);
            auto& phase = models_[i].phases[next[i]];
            if (phase.action == Phase::Action::manage) phase.nth = nth++;
            order_.emplace_back(i, next[i]++);
        }
        if (!ends_in_one) return;
        for (std::size_t i = 0; i < models_.size(); ++i) {
            if (next[i] == models_[i].phases.size()) continue;
            models_[i].phases[next[i]].nth = nth;
            at_the_end_.emplace_back(i, next[i]);
        }
    }
    [[nodiscard]] std::string phases() const {
        std::string text, all;
        for (const auto& [i, number] : order_) {
            if (number_ % 4 >= 2) text += "{exchangeAll=\"*\"},";
            text += Writer(models_[i]).phase(models_[i].phases[number]) + ",";
        }
        for (const auto& [i, number] : at_the_end_)
            for (const int type : models_[i].phases[number].types)
                all += (all.empty() ? "\"" : ",\"") + models_[i].row(type).collection + "\"";
        return "phase=[" + text + (all.empty() ? "" : "{manageAll=[" + all + "]}") + "]";
    }
    std::vector<std::string> keys(std::uint64_t seed) {
        std::vector<std::string> keys{"output=[]", "run.steps=" + std::to_string(steps), "run.seed=" + std::to_string(seed), phases()};
        for (const auto& model : models_) {
            keys = std::move(keys) + Writer(model).keys();
            for (const auto& type : model.types) keys.push_back("agents." + type.row.collection + "." + population(model, type));
        }
        if (number_ % 4 < 2) keys.emplace_back("schedule.exchange=\"auto\"");
        return keys;
    }
    std::string population(const Model& model, const Type& type) {
        const auto places = static_cast<int>(model.shape.count());
        if (dice_.percent(10)) return "place=\"each\"";
        if (type.in_list()) return "count=" + std::to_string(dice_.between(0, std::min(2 * places, 400)));
        return "count=" + std::to_string(places * type.capacity * dice_.between(0, 95) / 100);
    }

    // `for_one_cpu`: stored as where one CPU makes the run.
    void run_once(std::size_t partitions, bool own_memory, bool for_one_cpu) {
        const auto seed = static_cast<std::uint64_t>(dice_.below(1000000));
        RunRequest request{source_, keys(seed), {}};
        request.on_one_cpu = for_one_cpu && options_.device == "cpu";
        const auto prepared = prepare(request, compiler_);
        auto distribution = partitions > 1 ? cut(prepared.setup, partitions) : Distribution{};
        if (own_memory) {
            give_own_memory(prepared.setup, distribution, 1, 1);
            for (std::size_t p = distribution.partitions(); p > 0; --p)
                distribution.islands.push_back(static_cast<std::size_t>(dice_.between(0, 2)));
        }
        const auto setup = arranged(prepared.setup, std::move(distribution));
        const auto devices = open(setup.partitions());
        ThreadPool pool(options_.threads);
        Simulation simulation(setup, pointers_to(devices), compiler_, pool);
        how_ = "seed " + std::to_string(seed) + ", " + std::to_string(setup.partitions()) + " partitions" +
               (own_memory ? " with memory of their own" : "");
        begin(simulation, setup, seed);
        for (std::uint64_t step = 0; step < steps; ++step) {
            for (const auto* order : {&order_, &at_the_end_})
                for (const auto& [i, number] : *order) loops_[i].phase(models_[i].phases[number], step);
            simulation.advance(step + 1, [](std::uint64_t) { return true; });
            compare(simulation, setup);
            if (::testing::Test::HasFailure()) return;
        }
        for (std::size_t i = 0; i < models_.size(); ++i) note(i);
    }
    // Anywhere, or between one row and the next: who looks over two seams has to wait for both.
    Distribution cut(const Setup& setup, std::size_t partitions) {
        auto draw = [this] { return static_cast<std::uint64_t>(dice_.below(1 << 20)); };
        if (dice_.percent(50)) return cut_anywhere(setup, partitions, draw);
        std::vector<std::int64_t> cuts(partitions - 1);
        std::iota(cuts.begin(), cuts.end(), dice_.between(1, 3));
        return cut_at(setup, cuts);
    }
    std::vector<std::unique_ptr<Device>> open(std::size_t partitions) {
        const std::vector<std::string> names(partitions, options_.device);
        if (partitions == 1 || options_.device != "cpu") return open_devices(names, options_.threads);
        auto devices = open_devices(names, 1);
        const auto in_a_row = static_cast<unsigned>(dice_.of(std::vector{1, 20, 200}));
        const auto shuffle = std::make_shared<Shuffle>(static_cast<unsigned>(dice_.below(1 << 20)), in_a_row);
        for (auto& device : devices) device = std::make_unique<ShufflingDevice>(std::move(device), shuffle);
        return devices;
    }

    [[nodiscard]] static CollectionId places_of(const Setup& setup, const Model& model) {
        return *setup.find_collection(model.places.collection);
    }
    [[nodiscard]] static CollectionId agents_of(const Setup& setup, const Type& type) {
        return *setup.find_collection(type.row.collection);
    }

    // Who is there at the start, and where, is the engine's choice; what they know is not.
    void begin(const Simulation& simulation, const Setup& setup, std::uint64_t seed) {
        loops_.clear();
        loops_.reserve(models_.size());
        invariants_.assign(models_.size(), {});
        for (std::size_t i = 0; i < models_.size(); ++i) {
            const auto& model = models_[i];
            auto& loop = loops_.emplace_back(model, seed);
            invariants_[i].resize(model.types.size());
            std::vector<std::vector<Agent>> all;
            for (std::size_t t = 0; t < model.types.size(); ++t) {
                const auto agents = agents_of(setup, model.types[t]);
                const auto table = find_agents(setup, agents, simulation.reader());
                auto& found = all.emplace_back(table.size());
                for (std::size_t a = 0; a < found.size(); ++a)
                    found[a].id = table.ids[a], found[a].place = static_cast<std::size_t>(table.places[a]);
                const auto counters = simulation.counters(agents);
                loop.tally(static_cast<int>(t)).born = counters.born;
                loop.tally(static_cast<int>(t)).not_born = counters.refused_births;
            }
            loop.begin(std::move(all));
            if (setup.partitions() > 1) {
                std::set<std::int64_t> cuts;
                for (std::size_t p = 0; p < setup.partitions(); ++p) cuts.insert(setup.stripe(places_of(setup, model), p).first);
                loop.cut_at(std::move(cuts));
            }
        }
        compare(simulation, setup);
    }
    void note(std::size_t i) {
        for (std::size_t t = 0; t < models_[i].types.size(); ++t) {
            const auto& one = loops_[i].tally(static_cast<int>(t));
            auto& all = tried_.tally;
            all.died += one.died, all.moved += one.moved, all.refused += one.refused;
            all.born += one.born, all.not_born += one.not_born;
        }
        const auto& one = loops_[i].conflicts();
        auto& all = tried_.conflicts;
        all.at_edges += one.at_edges, all.in_corners += one.in_corners, all.on_seams += one.on_seams;
    }

    void compare(const Simulation& simulation, const Setup& setup) {
        for (std::size_t i = 0; i < models_.size(); ++i) {
            const auto& model = models_[i];
            for (std::size_t t = 0; t < model.types.size(); ++t) {
                const auto agents = agents_of(setup, model.types[t]);
                invariants_[i][t].check(setup, agents, find_agents(setup, agents, simulation.reader()), simulation.counters(agents));
            }
            auto difference = of_places_in(simulation, setup, i);
            for (std::size_t t = 0; t < model.types.size() && difference.empty(); ++t) difference = of_agents_in(simulation, setup, i, t);
            if (difference.empty() && !::testing::Test::HasFailure()) continue;
            ADD_FAILURE() << "model " << model.number << ", " << how_ << ", state " << simulation.step() << ": " << difference << "\n"
                          << description(model);
            return; // all that follows might differ as well
        }
    }
    // The first value that is another than that of the plain program.
    [[nodiscard]] std::string of_places_in(const Simulation& simulation, const Setup& setup, std::size_t i) const {
        const auto& row = models_[i].places;
        for (std::size_t m = 0; m < row.members.size(); ++m) {
            const auto is = simulation.read(setup.column_of(places_of(setup, models_[i]), m));
            const auto& expected = loops_[i].now().places[m];
            const auto size_of_one = size_of(row.members[m].type);
            for (std::size_t v = 0; v < expected.size(); ++v) {
                const auto found = bits_at(is.bytes.data() + v * size_of_one, size_of_one);
                if (found == expected[v]) continue;
                return fmt::format("{}.{} at {}: bits {:x} instead of {:x}", row.collection, row.members[m].name,
                                   is.position(static_cast<std::int64_t>(v)), found, expected[v]);
            }
        }
        return {};
    }
    [[nodiscard]] std::string of_agents_in(const Simulation& simulation, const Setup& setup, std::size_t i, std::size_t t) const {
        const auto& row = models_[i].types[t].row;
        const auto agents = agents_of(setup, models_[i].types[t]);
        const auto table = find_agents(setup, agents, simulation.reader());
        auto expected = loops_[i].now().agents[t];
        std::sort(expected.begin(), expected.end(), [](const Agent& a, const Agent& b) { return a.id < b.id; });
        for (std::size_t a = 0; a < std::max(expected.size(), table.size()); ++a) {
            const auto of = fmt::format("agent {} of {} {} ", a, expected.size(), row.collection);
            if (a >= expected.size() || a >= table.size()) return of + fmt::format("where there are {}", table.size());
            if (table.ids[a] != expected[a].id) return of + fmt::format("has id {:x} instead of {:x}", table.ids[a], expected[a].id);
            if (table.places[a] != static_cast<std::int64_t>(expected[a].place))
                return of + fmt::format("({:x}) is on place {} instead of {}", table.ids[a], table.places[a], expected[a].place);
        }
        std::size_t value = 0;
        for (std::size_t m = 0; m < row.members.size(); ++m)
            for (int e = 0; e < row.members[m].values(); ++e, ++value) {
                const auto size_of_one = size_of(row.members[m].type);
                const auto bytes = agent_values(setup, setup.column_of(agents, m), e, table, simulation.reader());
                for (std::size_t a = 0; a < expected.size(); ++a) {
                    const auto found = bits_at(bytes.data() + a * size_of_one, size_of_one);
                    if (found == expected[a].values[value]) continue;
                    return fmt::format("{} of agent {:x} on place {}: bits {:x} instead of {:x}", row.members[m].name, expected[a].id,
                                       expected[a].place, found, expected[a].values[value]);
                }
            }
        return of_counters(simulation.counters(agents), loops_[i].tally(static_cast<int>(t)), row);
    }
    static std::string of_counters(const agent_counters& is, const reference::Tally& expected, const Row& row) {
        const std::tuple counted(is.born, is.died, is.moved, is.refused_moves, is.refused_births);
        const std::tuple plain(expected.born, expected.died, expected.moved, expected.refused, expected.not_born);
        if (counted == plain) return {};
        std::ostringstream text;
        text << row.collection << " counts " << ::testing::PrintToString(counted) << " instead of " << ::testing::PrintToString(plain)
             << " born, died, moved, refused moves and births";
        return text.str();
    }
    static Bits bits_at(const std::byte* from, std::size_t bytes) {
        Bits bits = 0;
        std::memcpy(&bits, from, bytes);
        return bits;
    }
    static std::string description(const Model& model) {
        Writer writer(model);
        std::string text = writer.source();
        for (const auto& key : writer.keys()) text += key + "\n";
        for (const auto& phase : model.phases) text += writer.phase(phase) + " # " + std::to_string(phase.nth) + "\n";
        return text;
    }

    Dice dice_;
    unsigned number_;
    Options options_;
    Plan plan_;
    std::vector<Model> models_{};
    std::vector<std::pair<std::size_t, std::size_t>> order_{}, at_the_end_{}; // models, and which of their phases comes next
    std::vector<Loop> loops_{};
    std::vector<std::vector<Invariants>> invariants_{};
    std::string how_{};
    Tried tried_{};
    std::string source_{};
    TemporaryFolder folder_{};
    jit::Cache cache_{folder_.path() / "cache"}; // nobody compiles them again
    jit::Compiler compiler_{cache_};
};

} // namespace tessera::test::random_agent_model
