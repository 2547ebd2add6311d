#include "host/world/first_agents.hpp"

#include "host/setup/value.hpp"
#include "host/world/agent_table.hpp"
#include "host/world/random_value.hpp"
#include "host/world/sort_by_key.hpp"
#include "kernels/agents/agent_id.hpp"
#include "kernels/agents/bins.hpp"

#include <tessera/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

namespace tessera {
namespace {

// A bijection of [0, n), n > 0.
class Permutation {
public:
    Permutation(std::uint64_t n, std::uint64_t key)
        : n_(n), key_(key), half_(static_cast<int>((std::bit_width(n - 1) + 1) / 2)), mask_((std::uint64_t{1} << half_) - 1) {}

    [[nodiscard]] std::uint64_t operator()(std::uint64_t i) const {
        do i = rounds(i);
        while (i >= n_);
        return i;
    }

private:
    [[nodiscard]] std::uint64_t rounds(std::uint64_t i) const {
        auto left = i >> half_, right = i & mask_;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const auto next = left ^ (mix64(key_ + round * 0x9e3779b97f4a7c15 + right) & mask_);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    std::uint64_t n_, key_;
    int half_;
    std::uint64_t mask_;
};

struct Corner {
    Extents low{0, 0, 0}, size{1, 1, 1};
};
Corner box_of(const CollectionStart& start, const CollectionSetup& ground) {
    Corner corner{{0, 0, 0}, ground.seen_size()}; // of places that have numbers alone, these
    if (start.box)
        for (std::size_t axis = 0; axis < (*start.box)->low.size(); ++axis) {
            corner.low[axis] = (*start.box)->low[axis];
            corner.size[axis] = (*start.box)->high[axis] - (*start.box)->low[axis];
        }
    return corner;
}

// Gives those of one place their ids, in the order in which they stand here.
void number(FirstAgents& first, const CollectionSetup& collection, const run_file::Where& where) {
    const int place_bits = bits_of_places(collection.places());
    const auto most = (std::uint64_t{1} << (id_bits_of_birth - place_bits)) - 1;
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < first.agents.size(); ++i) {
        auto& agent = first.agents[i];
        rank = i > 0 && first.agents[i - 1].place == agent.place ? rank + 1 : 1;
        if (rank > most)
            run_file::fail_at(where, fmt::format("more than {} agents of {} start on one place", most, collection.name),
                              fmt::format("with {} places an id has {} bits for the rank of the agent on its place", collection.places(),
                                          id_bits_of_birth - place_bits),
                              "spread the agents, or make the grid smaller");
        agent.id = agent_id(0, static_cast<std::uint64_t>(agent.place), rank, place_bits);
    }
}

// Makes the values of one member of an agent: its default, and the steps of its `init`, or what a file has of it.
class MemberMaker {
public:
    // Throws what initial values throw.
    MemberMaker(const Setup& setup, ColumnId column)
        : member_(setup.row_of(setup.collections[setup.columns[column].collection]).members[setup.columns[column].member]) {
        const auto& start = setup.start[setup.columns[column].collection];
        if (start.file) given_ = start.file->find(setup.columns[column].member);
        for (const auto& [name, steps] : start.init)
            if (*name == member_.name) add(steps, setup.values.seed, setup.name_of(column));
    }

    [[nodiscard]] int elements() const noexcept { return member_.elements; }

    // The elements, one behind the other. From any thread.
    void put(const FirstAgents::Agent& agent, std::byte* into) const {
        const auto bytes = member_.initial.size();
        std::memcpy(into, given_ == nullptr ? member_.initial.data() : given_->values.data() + agent.number * bytes, bytes);
        for (const auto& step : steps_)
            if (!step.constant.empty()) {
                std::memcpy(into, step.constant.data(), bytes);
            } else {
                random_stream stream(step.key, agent.id, 0);
                for (int e = 0; e < member_.elements; ++e)
                    put_random(*step.random, member_.type, stream, into + static_cast<std::size_t>(e) * size_of(member_.type));
            }
    }

private:
    struct Step {
        std::vector<std::byte> constant; // or, if it is empty
        const run_file::InitStep* random = nullptr;
        std::uint64_t key = 0;
    };

    void add(const std::vector<run_file::Located<run_file::InitStep>>& steps, std::uint64_t seed, const std::string& name) {
        for (const auto& step : steps) {
            const auto number = static_cast<std::uint32_t>(steps_.size());
            Step one{{}, &*step, stream_key(seed, name_hash(("init " + name).c_str()), number)};
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source))
                one.constant = constant_bytes(*constant, member_.type, member_.elements, step.where, name);
            steps_.push_back(std::move(one));
        }
    }

    const model::Member& member_;
    const AgentsFile::Column* given_ = nullptr;
    std::vector<Step> steps_;
};

// A source that puts the values of those who stand on the places asked for, or in the cells of a list, and zeros elsewhere; `put(agent,
// bytes of its elements)`.
template<class Put>
ArraySource source_of(std::shared_ptr<const FirstAgents> first, std::size_t bytes, int elements, int capacity, bool in_list,
                      ThreadPool& pool, Put put) {
    const int planes = elements * (in_list ? 1 : capacity);
    return [first = std::move(first), bytes, elements, planes, in_list, &pool, put = std::move(put)](const PlaceRange& cells,
                                                                                                     std::byte* into) {
        const auto count = static_cast<std::size_t>(cells.count());
        const auto cell_of = [in_list](const FirstAgents::Agent& agent) { return in_list ? std::int64_t{agent.slot} : agent.place; };
        pool.run(cells.count(), [&](std::int64_t begin, std::int64_t end) {
            const auto part = static_cast<std::size_t>(end - begin) * bytes;
            for (int plane = 0; plane < planes; ++plane)
                std::memset(into + (static_cast<std::size_t>(plane) * count + static_cast<std::size_t>(begin)) * bytes, 0, part);
            std::vector<std::byte> values(bytes * static_cast<std::size_t>(elements));
            auto agent = std::lower_bound(first->agents.begin(), first->agents.end(), cells.first + begin,
                                          [&](const FirstAgents::Agent& one, std::int64_t cell) { return cell_of(one) < cell; });
            for (; agent != first->agents.end() && cell_of(*agent) < cells.first + end; ++agent) {
                put(*agent, values.data());
                const auto at = static_cast<std::size_t>(cell_of(*agent) - cells.first);
                const int plane = in_list ? 0 : agent->slot * elements;
                for (int e = 0; e < elements; ++e)
                    std::memcpy(into + (static_cast<std::size_t>(plane + e) * count + at) * bytes,
                                values.data() + static_cast<std::size_t>(e) * bytes, bytes);
            }
        });
    };
}

// Of a list: on which place each agent stands, or where the agents of each place begin.
ArraySource list_source(std::shared_ptr<const FirstAgents> first, bool starts, ThreadPool& pool) {
    return [first = std::move(first), starts, &pool](const PlaceRange& cells, std::byte* into) {
        const auto& agents = first->agents;
        pool.run(cells.count(), [&](std::int64_t begin, std::int64_t end) {
            const auto of = [](const FirstAgents::Agent& agent, std::int64_t place) { return agent.place < place; };
            auto next = starts ? std::lower_bound(agents.begin(), agents.end(), cells.first + begin, of) : agents.end();
            for (auto cell = cells.first + begin; cell < cells.first + end; ++cell) {
                std::int32_t value = 0;
                if (starts) {
                    while (next != agents.end() && next->place < cell) ++next;
                    value = static_cast<std::int32_t>(next - agents.begin());
                } else if (cell < static_cast<std::int64_t>(agents.size())) {
                    value = static_cast<std::int32_t>(agents[static_cast<std::size_t>(cell)].place);
                }
                std::memcpy(into + static_cast<std::size_t>(cell - cells.first) * sizeof(value), &value, sizeof(value));
            }
        });
    };
}

// A position along an axis as its type holds it, on the places from `low` to before `end`: where rounding has taken it to the place beside
// these, the nearest that is not there.
double position_within(double position, double width, const SpaceSetup& space, std::size_t axis, std::int64_t low, std::int64_t end,
                       std::int64_t places) {
    const bool is_float = space.number == Scalar::f32;
    const auto next = [&](double toward) {
        return is_float ? static_cast<double>(std::nextafter(static_cast<float>(position), static_cast<float>(toward)))
                        : std::nextafter(position, toward);
    };
    if (is_float) position = static_cast<double>(static_cast<float>(position));
    while (bin_of(position, width, places) < low) position = next(space.extent[axis]);
    while (position >= space.extent[axis] || bin_of(position, width, places) >= end) position = next(0);
    return position;
}

// At the centre of its place, or anywhere in the box.
void put_in_space(FirstAgents::Agent& agent, std::array<double, 3>& positions, const CollectionSetup& collection, const Corner& box,
                  bool each, std::uint64_t key) {
    const auto& space = *collection.agents->space;
    const auto here = place_of(collection, agent.place);
    random_stream random(key, agent.number, 0);
    Extents place{0, 0, 0};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(collection.dimensions); ++axis) {
        const double width = space.extent[axis] / static_cast<double>(collection.size[axis]);
        const double at = each ? static_cast<double>(here[axis]) + 0.5
                               : static_cast<double>(box.low[axis]) + random.uniform64() * static_cast<double>(box.size[axis]);
        positions[axis] =
            position_within(at * width, width, space, axis, box.low[axis], box.low[axis] + box.size[axis], collection.size[axis]);
        place[axis] = bin_of(positions[axis], width, collection.size[axis]);
    }
    agent.place = (place[2] * collection.size[1] + place[1]) * collection.size[0] + place[0];
}

// On places of the grid or of the box, in any order.
FirstAgents placed_agents(const Setup& setup, CollectionId id, ThreadPool& pool) {
    const auto& collection = setup.collections[id];
    const auto& given = setup.start[id];
    const auto& ground = setup.collections[collection.agents->ground];
    const auto corner = box_of(given, ground);
    const auto places = static_cast<std::uint64_t>(corner.size[0] * corner.size[1] * corner.size[2]);
    const bool each = *given.place == run_file::StartingPlaces::each;
    const auto count = first_count(setup, id);
    const bool in_slots = collection.agents->is_limited(); // of a place, wherever they are stored
    const auto key = stream_key(setup.values.seed, name_hash(("place " + collection.name).c_str()), 0);
    const auto slots = in_slots ? static_cast<std::uint64_t>(collection.agents->most_on_place) : 1;
    const Permutation permutation(std::max<std::uint64_t>(places * slots, 1), key);
    FirstAgents first;
    first.agents.resize(count);
    if (collection.agents->space) first.positions.resize(count);
    pool.run(static_cast<std::int64_t>(count), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::uint64_t>(begin); i < static_cast<std::uint64_t>(end); ++i) {
            const auto slot = each ? i : in_slots ? permutation(i) : random_stream(key, i, 0).below(static_cast<std::uint32_t>(places));
            const auto at = static_cast<std::int64_t>(slot % places);
            const auto x = corner.low[0] + at % corner.size[0], y = corner.low[1] + at / corner.size[0] % corner.size[1],
                       z = corner.low[2] + at / (corner.size[0] * corner.size[1]);
            first.agents[i] = {ground.has_shape() ? (z * collection.size[1] + y) * collection.size[0] + x : at, 0, i,
                               static_cast<int>(slot / places)};
            if (collection.agents->space) put_in_space(first.agents[i], first.positions[i], collection, corner, each, key);
        }
    });
    return first;
}

// As a file has them.
FirstAgents listed_agents(const AgentsFile& file) {
    FirstAgents first;
    first.agents.resize(file.size());
    for (std::size_t row = 0; row < first.agents.size(); ++row) first.agents[row] = {file.places[row], 0, row, 0};
    first.positions = file.positions;
    return first;
}

// Those of one slot, or of one place where they have none yet, stand in the order of their numbers.
void sort_by_place(std::vector<FirstAgents::Agent>& agents, int slots, ThreadPool& pool) {
    std::vector<Keyed> order(agents.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = {static_cast<std::uint64_t>(agents[i].place) * static_cast<std::uint64_t>(slots) +
                        static_cast<std::uint64_t>(agents[i].slot),
                    agents[i].number};
    sort_by_key(order, pool.threads());
    std::vector<FirstAgents::Agent> sorted(agents.size());
    pool.run(static_cast<std::int64_t>(sorted.size()), [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) sorted[i] = agents[order[i].number];
    });
    agents = std::move(sorted);
}

// Those of one place stand in its first slots.
void fill_slots(std::vector<FirstAgents::Agent>& agents) {
    for (std::size_t i = 0; i < agents.size(); ++i)
        agents[i].slot = i > 0 && agents[i - 1].place == agents[i].place ? agents[i - 1].slot + 1 : 0;
}

ArraySource position_source(const std::shared_ptr<const FirstAgents>& first, const CollectionSetup& collection, ThreadPool& pool) {
    const bool is_float = collection.agents->space->number == Scalar::f32;
    return source_of(first, is_float ? sizeof(float) : sizeof(double), collection.dimensions, 1, true, pool,
                     [first, is_float, dimensions = collection.dimensions](const FirstAgents::Agent& agent, std::byte* into) {
                         const auto& position = first->positions[agent.number];
                         for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis)
                             if (const auto value = static_cast<float>(position[axis]); is_float)
                                 std::memcpy(into + axis * sizeof(value), &value, sizeof(value));
                             else
                                 std::memcpy(into + axis * sizeof(double), &position[axis], sizeof(double));
                     });
}

} // namespace

FirstAgents first_agents(const Setup& setup, CollectionId id, ThreadPool& pool) {
    const auto& collection = setup.collections[id];
    const auto& file = setup.start[id].file;
    auto first = file ? listed_agents(*file) : placed_agents(setup, id, pool);
    sort_by_place(first.agents, collection.agents->is_limited() ? collection.agents->most_on_place : 1, pool);
    number(first, collection, setup.start[id].place.where);
    if (file) fill_slots(first.agents);
    if (collection.agents->in_list())
        for (std::size_t i = 0; i < first.agents.size(); ++i) first.agents[i].slot = static_cast<int>(i);
    return first;
}

std::optional<ArraySource> first_values(const Setup& setup, ColumnId column, std::shared_ptr<const FirstAgents> first, ThreadPool& pool) {
    const auto id = setup.columns[column].collection;
    const auto& collection = setup.collections[id];
    const auto type = setup[column].layout.type;
    const auto bytes = size_of(type);
    const auto capacity = collection.agents->capacity;
    const bool in_list = collection.agents->in_list(), is_empty = first->agents.empty();
    const auto role = setup[column].role;
    if (role == Role::place || role == Role::start) return list_source(std::move(first), role == Role::start, pool);
    if (is_empty) return std::nullopt;
    if (role == Role::position) return position_source(first, collection, pool);
    if (role == Role::code)
        return source_of(std::move(first), bytes, 1, capacity, in_list, pool, [bytes](const FirstAgents::Agent&, std::byte* into) {
            std::memset(into, 0, bytes);
            into[0] = std::byte{1}; // there, and nothing wanted (kernels/agents/collection.hpp); little-endian
        });
    if (role == Role::id)
        return source_of(std::move(first), bytes, 1, capacity, in_list, pool,
                         [](const FirstAgents::Agent& agent, std::byte* into) { std::memcpy(into, &agent.id, sizeof(agent.id)); });
    if (role != Role::member) return std::nullopt; // all zero
    const auto maker = std::make_shared<const MemberMaker>(setup, column);
    return source_of(std::move(first), bytes, maker->elements(), capacity, in_list, pool,
                     [maker](const FirstAgents::Agent& agent, std::byte* into) { maker->put(agent, into); });
}

} // namespace tessera
