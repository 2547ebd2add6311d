#include "host/cli/random_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using run_file::Located;
using run_file::RunFile;

class Dice {
public:
    // Each run is drawn by itself, so that one of them can be looked at without the others.
    Dice(std::uint64_t seed, std::uint64_t what, std::uint64_t number) {
        std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(what),
                            static_cast<std::uint32_t>(number)};
        random_.seed(words);
    }
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return random_() % n; }
    [[nodiscard]] std::uint64_t from_to(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }
    [[nodiscard]] bool one_in(std::uint64_t n) { return below(n) == 0; }
    [[nodiscard]] double share() { return static_cast<double>(random_() >> 11) * 0x1p-53; } // from 0 to below 1
    template<class T, std::size_t N> [[nodiscard]] T pick(const std::array<T, N>& of) { return of[below(N)]; }

private:
    std::mt19937_64 random_;
};

template<class T> void set(Located<T>& key, T value) { key.value = std::move(value); }

// Edges as short as can be, lengths that no power of two divides, and long ones.
std::uint64_t draw_extent(Dice& dice, std::uint64_t least, std::uint64_t most) {
    most = std::max(least, most);
    if (dice.one_in(4)) return dice.from_to(least, std::min<std::uint64_t>(most, least + 4));
    return dice.from_to(least, dice.one_in(2) ? std::min<std::uint64_t>(most, least + 40) : most);
}

// A grid of other extents, whose places are as wide as they were.
void draw_grid(run_file::Places& places, Dice& dice, const std::array<std::uint64_t, 3>& least, std::uint64_t most_places) {
    if (places.count) {
        constexpr auto row = static_cast<std::uint64_t>(run_file::row_of_count);
        const auto count = draw_extent(dice, 1, std::max<std::uint64_t>(most_places, 3 * row)); // a row or some, the last one short
        set(*places.count, count);
        set(places.size, std::vector<std::uint64_t>{row, (count + row - 1) / row});
        return;
    }
    const auto before = *places.size;
    auto& size = places.size.value;
    std::uint64_t left = most_places;
    for (std::size_t axis = 0; axis < size.size(); ++axis) {
        const auto rest = static_cast<double>(size.size() - axis);
        size[axis] = draw_extent(dice, least[axis],
                                 std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::pow(static_cast<double>(left), 1 / rest))));
        left = std::max<std::uint64_t>(1, left / size[axis]);
        if (places.extent) places.extent->value[axis] *= static_cast<double>(size[axis]) / static_cast<double>(before[axis]);
    }
    const bool ring = dice.one_in(3);
    for (auto& boundary : places.boundary)
        set(boundary, ring ? run_file::Boundary::torus
                           : dice.pick(std::array{run_file::Boundary::torus, run_file::Boundary::reflect, run_file::Boundary::fixed,
                                                  run_file::Boundary::open}));
    places.devices.clear();
    places.cuts.clear();
    set(places.cuts_measured, false);
}

// What was meant for places of the other size.
template<class Collection> void drop_files_and_boxes(Collection& collection) {
    for (auto& member : collection.init)
        std::erase_if(member.value,
                      [](const auto& step) { return step->box.has_value() || std::holds_alternative<run_file::FromFile>(step->source); });
    std::erase_if(collection.init, [](const auto& member) { return member.value.empty(); });
}

std::uint64_t places_in(const run_file::Places& places) {
    if (places.count) return **places.count;
    std::uint64_t all = 1;
    for (const auto extent : *places.size) all *= extent;
    return all;
}

void draw_parameters(RunFile& run, const model::Description& description, Dice& dice) {
    run.params.clear();
    for (const auto& parameter : description.parameters) {
        if (!parameter.range || dice.one_in(5)) continue; // its default
        const auto [low, high] = *parameter.range;
        const double value = dice.one_in(5) ? low : dice.one_in(4) ? high : low + dice.share() * (high - low);
        run_file::Number number = value;
        if (parameter.type == Scalar::boolean)
            number = value >= 0.5;
        else if (parameter.type != Scalar::f32 && parameter.type != Scalar::f64)
            number = static_cast<std::int64_t>(std::floor(value));
        run.params.push_back({{parameter.name, {}}, {number, {}}});
    }
}

// Phases stay in their order; those of a repeat have its times. What agents ask for has to be carried out in the same step, so that theirs
// are all at the same times.
void draw_times(RunFile& run, Dice& dice, std::uint64_t rarely) {
    const auto draw = [&] { return run_file::Timing{dice.from_to(1, 3), dice.below(3), std::nullopt}; };
    const bool has_agents = !run.agents.empty();
    if (has_agents && !dice.one_in(rarely)) return;
    const auto of_all = draw();
    for (auto& phase : run.phases)
        if (has_agents)
            phase.value.timing = of_all;
        else if (!phase->round && dice.one_in(rarely))
            phase.value.timing = draw();
}

// How far the functions of agents on these places look or go along each axis: a ring has to be longer than both ways together.
std::array<std::uint64_t, 3> least_extents(const model::Description& description, const run_file::Places& places) {
    std::array<std::uint64_t, 3> least{1, 1, 1};
    const auto dimensions = places.size->size();
    for (const auto& function : description.functions) {
        const auto ground = description.rows[function.row].ground;
        if (!ground || description.rows[*ground].collection != *places.type) continue;
        for (const auto& use : function.agent_uses)
            for (std::size_t axis = 0; axis < dimensions; ++axis) {
                const auto reach = std::max(use.low[dimensions - 1][axis], use.high[dimensions - 1][axis]);
                least[axis] = std::max<std::uint64_t>(least[axis], static_cast<std::uint64_t>(2 * std::max(reach, 0) + 1));
            }
    }
    return least;
}

// Whether several agents on a place may not be: each would write what it stands on.
bool needs_places_alone(const model::Description& description, const run_file::Agents& agents) {
    return std::any_of(description.functions.begin(), description.functions.end(), [&](const model::Function& function) {
        return description.rows[function.row].collection == *agents.type &&
               std::any_of(function.accesses.begin(), function.accesses.end(), [&](const model::MemberAccess& access) {
                   return access.row != function.row && access.use.writes && !access.use.folds;
               });
    });
}

class Draw {
public:
    Draw(const RunFile& base, const model::Description& description) : run_(base), description_(description) {
        run_.run.stop.reset();
        run_.run.out.reset();
        run_.run.inject_latency.reset();
        run_.plugin_folders.clear();
        run_.outputs.clear();
        for (auto& places : run_.places) drop_files_and_boxes(places.value);
        for (auto& agents : run_.agents) drop_files_and_boxes(agents.value);
    }

    // A file's links, and those of a degree, need the places that they were made for: a few are drawn instead.
    void draw_links(Dice& dice) {
        for (auto& links : run_.links) {
            run_file::LinkRule rule;
            rule.kind = run_file::LinkRule::Kind::random;
            rule.links = run_file::Located<std::uint64_t>{dice.from_to(1, 1000), {}};
            links.value.file.reset();
            links.value.generate = run_file::Located<run_file::LinkRule>{rule, {}};
        }
    }

    RunFile& run() { return run_; }

    void draw_grids(Dice& dice, std::uint64_t most_places) {
        for (auto& places : run_.places) draw_grid(places.value, dice, least_extents(description_, *places), most_places);
    }
    // How many stand on a place, by which code differs.
    void draw_capacities(Dice& dice) {
        for (auto& agents : run_.agents)
            if (*agents->capacity != run_file::unlimited && !needs_places_alone(description_, *agents))
                set(agents.value.capacity, dice.from_to(1, dice.one_in(3) ? 8 : 2));
    }
    void draw_populations(Dice& dice) {
        for (auto& agents : run_.agents) draw_population(agents.value, dice);
    }
    void draw_devices(Dice& dice, std::uint64_t least, std::uint64_t most) {
        // One makes all that links join, and agents on places without a shape.
        const bool is_for_one = !run_.links.empty() || std::any_of(run_.agents.begin(), run_.agents.end(), [&](const auto& agents) {
            const auto* const ground = ground_of(*agents);
            return ground != nullptr && ground->count;
        });
        const auto devices = is_for_one ? 1 : dice.from_to(least, most);
        run_.run.devices.assign(devices, {"cpu", {}});
        run_.run.weights.clear();
        if (dice.one_in(3))
            for (std::uint64_t i = 0; i < devices; ++i) run_.run.weights.push_back({0.25 + dice.share(), {}});
        run_.run.threads = Located<std::uint64_t>{dice.from_to(1, 8), {}};
        draw_memory(dice);
    }
    // Of several partitions: in one range of addresses no rows are transported, and agents who may go anywhere need one.
    void draw_memory(Dice& dice) {
        using run_file::MemoryModel;
        const bool own = !may_go_anywhere() && dice.one_in(2);
        set(run_.run.memory, own ? MemoryModel::own : dice.pick(std::array{MemoryModel::automatic, MemoryModel::shared}));
        set(run_.run.transport, own && dice.one_in(2) ? run_file::Transport::host : run_file::Transport::automatic);
        run_.schedule.halo.reset();
        if (own && dice.one_in(2)) run_.schedule.halo = Located<std::uint64_t>{run_.agents.empty() ? dice.from_to(1, 4) : 1, {}};
    }
    void draw_seed(Dice& dice) { set(run_.run.seed, dice.below(std::uint64_t{1} << 63)); }
    void draw_schedule(Dice& dice) {
        if (dice.one_in(3)) set(run_.schedule.exchange, run_file::ExchangeMode::automatic);
        set(run_.schedule.view, dice.pick(std::array{run_file::View::automatic, run_file::View::direct, run_file::View::window}));
    }
    void draw_parameters(Dice& dice) { tessera::draw_parameters(run_, description_, dice); }

    // With outputs in place of the base's.
    [[nodiscard]] std::string text(const std::string& outputs) const { return run_file::resolved_toml(run_) + outputs; }

private:
    // In a list, which has no order by devices, or by functions of theirs.
    [[nodiscard]] bool may_go_anywhere() const {
        const auto goes = [](const model::Function& function) {
            return std::any_of(function.agent_uses.begin(), function.agent_uses.end(),
                               [](const model::AgentUse& use) { return use.anywhere; });
        };
        return std::any_of(run_.agents.begin(), run_.agents.end(),
                           [](const auto& agents) { return *agents->capacity == run_file::unlimited; }) ||
               std::any_of(description_.functions.begin(), description_.functions.end(), goes);
    }
    // The collection that agents stand on, by its name or as the only one of its type.
    [[nodiscard]] const run_file::Places* ground_of(const run_file::Agents& agents) const {
        const auto row = std::find_if(description_.rows.begin(), description_.rows.end(),
                                      [&](const auto& each) { return each.collection == *agents.type && each.ground; });
        for (const auto& places : run_.places) {
            if (agents.on ? *places->name == **agents.on
                          : row != description_.rows.end() && *places->type == description_.rows[*row->ground].collection)
                return &*places;
        }
        return nullptr;
    }
    // As many as find room, so that those who are not there have gone astray.
    void draw_population(run_file::Agents& agents, Dice& dice) {
        constexpr std::uint64_t most_of_unlimited = 2000, room = 1 << 17;
        const auto* const ground = ground_of(agents);
        if (ground == nullptr) return;
        agents.box.reset();
        agents.file.reset();
        const bool is_limited = *agents.capacity != run_file::unlimited;
        const auto slots = is_limited ? places_in(*ground) * *agents.capacity : most_of_unlimited;
        agents.count = Located<std::uint64_t>{dice.below(std::min<std::uint64_t>(slots, most_of_unlimited) / 2 + 1), {}};
        set(agents.place, run_file::StartingPlaces::random);
        if (is_limited && dice.one_in(5)) {
            set(agents.place, run_file::StartingPlaces::each);
            agents.count.reset();
        }
        agents.reserve.reset();
        if (!is_limited) agents.reserve = Located<std::uint64_t>{room, {}};
        const bool has_edge = std::any_of(ground->boundary.begin(), ground->boundary.end(),
                                          [](const auto& boundary) { return *boundary != run_file::Boundary::torus; });
        set(agents.on_edge, has_edge || dice.one_in(2) ? run_file::EdgeRule::refuse : run_file::EdgeRule::error);
        set(agents.priority, dice.one_in(2) ? run_file::Priority::random : run_file::Priority::id);
    }

    RunFile run_;
    const model::Description& description_;
};

} // namespace

RandomRuns::RandomRuns(run_file::RunFile base, model::Description description, std::uint64_t seed)
    : base_(std::move(base)), description_(std::move(description)), seed_(seed) {}

std::string RandomRuns::any(std::uint64_t number) const {
    Dice dice(seed_, 1, number);
    Draw draw(base_, description_);
    draw.draw_grids(dice, dice.one_in(3) ? 1 << 22 : 1 << 10);
    draw.draw_links(dice);
    draw.draw_capacities(dice);
    draw.draw_populations(dice);
    draw.draw_devices(dice, 1, 5);
    draw.draw_schedule(dice);
    draw.draw_seed(dice);
    draw.draw_parameters(dice);
    draw_times(draw.run(), dice, 4);
    set(draw.run().run.float_mode, dice.one_in(3) ? run_file::FloatMode::fast : run_file::FloatMode::exact);
    set(draw.run().run.bake, dice.one_in(2));
    draw.run().run.steps = Located<std::uint64_t>{dice.below(1000), {}};
    return draw.text("\n[[output]]\nevery = 1\ncsv = \"steps.csv\"\ncolumns = { step = \"step\" }\n");
}

std::string RandomRuns::small(std::uint64_t shape, std::uint64_t number, bool baked) const {
    constexpr std::uint64_t most_places = 900, steps = 6;
    Dice of_shape(seed_, 2, shape), dice(seed_, 3, number);
    Draw draw(base_, description_);
    draw.draw_grids(of_shape, most_places);
    draw.draw_links(of_shape);
    draw.draw_capacities(of_shape);
    draw_times(draw.run(), of_shape, 6);
    draw.draw_parameters(baked ? of_shape : dice);
    draw.draw_populations(dice);
    draw.draw_devices(dice, 3, 3);
    draw.draw_seed(dice);
    auto& run = draw.run();
    set(run.run.bake, baked);
    set(run.run.float_mode, run_file::FloatMode::exact);
    set(run.schedule.view, run_file::View::automatic);
    set(run.schedule.tune, run_file::Tune::off);
    run.run.steps = Located<std::uint64_t>{steps, {}};
    std::string columns = "step = \"step\"";
    for (const auto& agents : run.agents) columns += fmt::format(", {0} = \"count({0}) - births({0}) + deaths({0})\"", *agents->name);
    return draw.text(fmt::format("\n[[output]]\nevery = 1\ncsv = \"kept.csv\"\ncolumns = {{ {} }}\n", columns));
}

} // namespace tessera
