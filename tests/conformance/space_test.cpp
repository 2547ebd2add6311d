// Agents in space against plain loops in which everybody looks at everybody: agent by agent.
// optimise: yes
#include "tests/conformance/philox.hpp"
#include "tests/reference/space.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/known_run.hpp"
#include "tests/support/states.hpp"
#include "tests/support/temporary_folder.hpp"

#include <tessera/math.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

namespace tessera::test::space_test {
namespace {

using reference::Point;
using reference::Space;

std::vector<std::string> keys_of(const std::string& places, const Space<float>& space, std::uint64_t seed) {
    auto keys = geometry(places, space.shape, space.dimensions);
    keys.push_back(fmt::format("places.{}.extent=[{}]", places, fmt::join(space.end.begin(), space.end.begin() + space.dimensions, ",")));
    keys.push_back(fmt::format("run.seed={}", seed));
    return keys;
}

// Those of a world, with the defaults of their members and their positions, in the order of ids.
template<class A> std::vector<A> particles_of(const WorldUnderTest& world, const std::string& collection, int dimensions) {
    auto agents = agents_of<A>(world, collection);
    for (int axis = 0; axis < dimensions; ++axis) {
        const auto values = world.positions<typename A::Number>(collection, axis);
        for (std::size_t i = 0; i < agents.size(); ++i) agents[i].at[static_cast<std::size_t>(axis)] = values[i];
    }
    return agents;
}

template<class A, class... T>
void expect_particles(const WorldUnderTest& world, const std::string& collection, std::vector<A> agents, int dimensions,
                      const Member<A, T>&... members) {
    std::sort(agents.begin(), agents.end(), [](const A& a, const A& b) { return a.id < b.id; });
    expect_agents(world, collection, agents, members...);
    for (int axis = 0; axis < dimensions; ++axis) {
        const auto values = world.positions<typename A::Number>(collection, axis);
        ASSERT_EQ(values.size(), agents.size());
        for (std::size_t i = 0; i < agents.size(); ++i)
            ASSERT_EQ(values[i], agents[i].at[static_cast<std::size_t>(axis)]) << collection << " " << agents[i].id << " along " << axis;
    }
}

// ---- birds

struct Bird : reference::Particle<float> {
    float vx = 0, vy = 0;
};

// plugins/boids, written as a loop.
void fly(std::vector<Bird>& birds, const Space<float>& space, reference::Tally& tally) {
    const auto before = birds;
    for (std::size_t i = 0; i < birds.size(); ++i) {
        auto& bird = birds[i];
        int seen = 0;
        float x = 0, y = 0, vx = 0, vy = 0, dvx = 0, dvy = 0;
        space.meet(before[i], before, 5.0f, [&](const Bird& other, const Point<float>& way) {
            seen += 1, x += way[0], y += way[1], vx += other.vx, vy += other.vy;
            const float distance = std::sqrt(way[0] * way[0] + way[1] * way[1]);
            if (distance < 1) {
                const float push = 0.015f * (1 - distance) * (1 - distance);
                dvx -= push * way[0], dvy -= push * way[1];
            }
        });
        if (seen > 0) {
            const float share = 1.0f / static_cast<float>(seen);
            dvx += 0.03f * x * share + (0.05f * vx * share - bird.vx);
            dvy += 0.03f * y * share + (0.05f * vy * share - bird.vy);
        }
        bird.vx += dvx, bird.vy += dvy;
        const float speed = std::sqrt(bird.vx * bird.vx + bird.vy * bird.vy);
        const float scale = speed > 1 ? 1 / speed : speed < 0.5f ? 0.5f / speed : 1;
        bird.vx *= scale, bird.vy *= scale;
        bird.aim = Point<float>{bird.at[0] + bird.vx, bird.at[1] + bird.vy, 0};
    }
    space.manage(birds, tally);
}

class Boids : public OnDevice {};

TEST_P(Boids, AreThoseOfAPlainProgram) {
    const Space<float> space{reference::plane(11, 13, Boundary::torus), 2, {57.5f, 65.0f, 0}};
    auto keys = keys_of("air", space, 5);
    keys.emplace_back("agents.bird.count=403");
    WorldUnderTest world(plugin("boids"), keys, on_this());
    auto birds = particles_of<Bird>(world, "bird", 2);
    take_member(birds, &Bird::vx, world, "bird", "vx");
    take_member(birds, &Bird::vy, world, "bird", "vy");
    reference::Tally tally;
    for (std::uint64_t k = 0; k < 200; ++k) {
        fly(birds, space, tally);
        if (k > 2 && k % 9 != 5 && k != 199) continue;
        world.step_to(k + 1);
        expect_particles(world, "bird", birds, 2, member("vx", &Bird::vx), member("vy", &Bird::vy));
        expect_counted(world.counters("bird"), tally);
        if (HasFailure()) FAIL() << "after step " << k;
    }
}

TEST_P(Boids, StartAnywhereInSpace) {
    WorldUnderTest world(plugin("boids"), {"places.air={size=[9,7],extent=[45,70],boundary=\"torus\"}", "agents.bird.count=5000"},
                         on_this());
    const auto birds = particles_of<Bird>(world, "bird", 2);
    std::array<int, 4> quarters{};
    for (const auto& bird : birds) {
        ASSERT_TRUE(bird.at[0] >= 0 && bird.at[0] < 45 && bird.at[1] >= 0 && bird.at[1] < 70);
        ASSERT_EQ(bird.place, static_cast<std::size_t>(bird.at[0] / 5) + 9 * static_cast<std::size_t>(bird.at[1] / 10));
        ++quarters[(bird.at[0] < 22.5f ? 0u : 1u) + (bird.at[1] < 35 ? 0u : 2u)];
    }
    for (const int quarter : quarters) EXPECT_NEAR(quarter, 1250, 150); // five standard deviations
}

TEST_P(Boids, OfDoctorAreKnown) {
    const auto& known = known_run("birds in space");
    const Space<float> space{reference::plane(11, 13, Boundary::torus), 2, {57.5f, 65.0f, 0}};
    WorldUnderTest world(plugin(known.model), known.overrides, on_this());
    auto birds = particles_of<Bird>(world, "bird", 2);
    take_member(birds, &Bird::vx, world, "bird", "vx");
    take_member(birds, &Bird::vy, world, "bird", "vy");
    reference::Tally tally;
    for (std::uint64_t k = 0; k < known.steps; ++k) fly(birds, space, tally);
    world.step_to(known.steps);
    expect_particles(world, "bird", birds, 2, member("vx", &Bird::vx), member("vy", &Bird::vy));
    expect_known(world, known);
}

TESSERA_ON_EVERY_DEVICE(Boids);

// ---- circles

using Circle = reference::Particle<float>;

// plugins/circles, written as a loop.
void push(std::vector<Circle>& circles, const Space<float>& space, reference::Tally& tally) {
    for (auto& circle : circles) {
        int felt = 0;
        float x = 0, y = 0, z = 0;
        space.meet(circle, circles, 2.0f, [&](const Circle&, const Point<float>& way) {
            const float distance = std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
            if (distance == 0) return;
            const float force = tessera::sin(-2 * 3.141f * distance / 2.0f) * 0.05f / distance;
            x += force * way[0], y += force * way[1], z += force * way[2], felt += 1;
        });
        if (felt == 0) continue;
        const float share = 1 / static_cast<float>(felt);
        circle.aim = Point<float>{circle.at[0] + x * share, circle.at[1] + y * share, circle.at[2] + z * share};
    }
    space.manage(circles, tally);
}

class Circles : public OnDevice {};

TEST_P(Circles, AreThoseOfAPlainProgram) {
    const Space<float> space{reference::block(5, 4, 3, Boundary::torus), 3, {10.5f, 8.25f, 6.5f}};
    auto keys = keys_of("space", space, 3);
    keys.emplace_back("agents.circle.count=523");
    WorldUnderTest world(plugin("circles"), keys, on_this());
    auto circles = particles_of<Circle>(world, "circle", 3);
    reference::Tally tally;
    for (std::uint64_t k = 0; k < 200; ++k) {
        push(circles, space, tally);
        if (k > 2 && k % 11 != 5 && k != 199) continue;
        world.step_to(k + 1);
        expect_particles(world, "circle", circles, 3);
        expect_counted(world.counters("circle"), tally);
        if (HasFailure()) FAIL() << "after step " << k;
    }
}

TESSERA_ON_EVERY_DEVICE(Circles);

// ---- the model of tests

struct Dust : reference::Particle<float> {
    std::int32_t near = 0;
    float push = 0;
    std::uint64_t seen = 1;
};
struct Seed : reference::Particle<float> {
    float weight = 1;
    std::int32_t age = 0;
};
struct Grain : reference::Particle<double> {
    double pull = 0;
};

// tests/models/particles, written as loops.
struct Particles {
    Space<float> space;
    Space<double> fine;
    std::uint64_t seed = 1;
    float birth = 0.02f;
    std::vector<std::uint8_t> leaks{};
    std::vector<std::int32_t> there{};
    std::vector<Dust> dust{};
    std::vector<Seed> seeds{};
    std::vector<Grain> grains{};
    reference::Tally dust_tally{}, seed_tally{}, grain_tally{};
    std::vector<reference::Wanted<Dust>> dust_wanted{};
    std::vector<reference::Wanted<Seed>> seeds_wanted{};

    template<class A> reference::Wanted<A> child(int order, std::uint64_t parent, int call, const Point<float>& at, A made) const {
        const auto inside = space.inside(at);
        if (inside) made.at = *inside;
        return {order, parent, call, inside ? std::optional(space.place_of(*inside)) : std::nullopt, made};
    }

    void look() {
        const auto before = dust;
        for (std::size_t i = 0; i < dust.size(); ++i) {
            auto& one = dust[i];
            one.near = 0, one.seen = one.id;
            float push = 0;
            space.meet(before[i], before, 2.5f, [&](const Dust& other, const auto&) { one.near += 1, one.seen = one.seen * 3 + other.id; });
            space.meet(before[i], before, 1.25f, [&](const Dust& other, const auto& way) { push += other.push * 0.25f + way[0]; });
            space.meet(before[i], seeds, 2.5f,
                       [&](const Seed& other, const auto& way) { push += other.weight * (way[0] + 2 * way[1] + 3 * way[2]); });
            one.push = push;
        }
    }
    void drift(std::uint64_t k) {
        const auto key = key_of(seed, "dust.drift", 0);
        for (auto& one : dust) {
            Stream random(key, one.id, k);
            const float dx = random.uniform() * 1.5f - 0.75f, dy = random.uniform() * 1.5f - 0.75f, dz = random.uniform() - 0.5f;
            one.aim = Point<float>{one.at[0] + dx, one.at[1] + dy, one.at[2] + dz};
            const float chance = random.uniform();
            Dust child_of_push, child_of_near;
            child_of_push.push = one.push, child_of_near.near = 5;
            int calls = 0;
            if (chance < birth)
                dust_wanted.push_back(child(1, one.id, calls++, {one.at[0] + 0.5f, one.at[1] - 0.25f, one.at[2]}, child_of_push));
            if (chance < birth / 2)
                dust_wanted.push_back(child(1, one.id, calls++, {one.at[0], one.at[1], one.at[2] + 0.5f}, child_of_near));
            Seed light;
            light.weight = 0.5f;
            if (chance > 1 - birth) seeds_wanted.push_back(child(1, one.id, 0, one.at, light));
            one.dying = one.near > 12;
            if (one.dying || chance > 0.9f) one.aim.reset();
        }
    }
    void fall() {
        for (auto& one : seeds) {
            one.age += 1;
            int most = 0;
            for (const auto& other : dust)
                if (other.place == one.place) most = std::max(most, other.near);
            if (one.age % 2 == 0) one.aim = Point<float>{one.at[0] + 2, one.at[1], one.at[2]};
            one.dying = one.age > 20 + most;
            if (one.dying) one.aim.reset();
        }
    }
    void leak(std::uint64_t k) {
        for (std::size_t p = 0; p < there.size(); ++p) {
            const auto on = [p](const auto& one) { return one.place == p; };
            there[p] = static_cast<std::int32_t>(std::count_if(dust.begin(), dust.end(), on) +
                                                 100 * std::count_if(seeds.begin(), seeds.end(), on));
            const auto here = static_cast<std::int64_t>(p);
            if (leaks[p] == 0 || (static_cast<std::int64_t>(k) + here % space.shape.nx) % 16 != 0) continue;
            Seed heavy;
            heavy.weight = 2, heavy.age = there[p];
            const std::array<std::int64_t, 3> at{here % space.shape.nx, here / space.shape.nx % space.shape.ny,
                                                 here / (space.shape.nx * space.shape.ny)};
            Point<float> centre{};
            for (std::size_t a = 0; a < static_cast<std::size_t>(space.dimensions); ++a)
                centre[a] =
                    static_cast<float>((static_cast<double>(at[a]) + 0.5) * (double{space.end[a]} / static_cast<double>(space.size()[a])));
            seeds_wanted.push_back(child(0, p, 0, centre, heavy));
        }
    }
    void settle() {
        for (auto& one : grains) {
            double pull = 0;
            fine.meet(one, grains, 2.5, [&](const Grain&, const Point<double>& way) { pull += way[0] - way[1]; });
            one.pull = pull;
            const double step = pull > 0 ? 0.1 : -0.3;
            one.aim = Point<double>{one.at[0] + step, one.at[1] - step / 3, one.at[2] + step / 7};
        }
    }
    void step(std::uint64_t k) {
        constexpr int unlimited = 1 << 30;
        look();
        drift(k);
        fall();
        leak(k);
        settle();
        space.manage(dust, dust_tally);
        space.manage(seeds, seed_tally);
        fine.manage(grains, grain_tally);
        const auto priority = [&](const char* name) { return drawn_priority(seed, name, 0, k); };
        reference::spawn(dust, dust_wanted, space.shape, unlimited, priority("dust"), k + 1, dust_tally);
        reference::spawn(seeds, seeds_wanted, space.shape, unlimited, priority("seed"), k + 1, seed_tally);
    }
};

class InSpace : public OnDevice {
protected:
    static void compare(const Space<float>& space, int seed, std::uint64_t steps) {
        auto keys = keys_of("box", space, static_cast<std::uint64_t>(seed));
        Particles here{
            space, {space.shape, space.dimensions, {space.end[0], space.end[1], space.end[2]}}, static_cast<std::uint64_t>(seed)};
        WorldUnderTest world(test_model("particles"), keys, on_this());
        here.leaks = world.values<std::uint8_t>("box", "leaks");
        here.there.assign(space.shape.count(), 0);
        here.dust = particles_of<Dust>(world, "dust", space.dimensions);
        here.seeds = particles_of<Seed>(world, "seed", space.dimensions);
        here.grains = particles_of<Grain>(world, "grain", space.dimensions);
        for (std::uint64_t k = 0; k < steps; ++k) {
            here.step(k);
            if (k > 2 && k % 9 != 5 && k + 1 < steps) continue;
            world.step_to(k + 1);
            expect_same(world.values<std::int32_t>("box", "there"), here.there, space.shape, "there");
            expect_particles(world, "dust", here.dust, space.dimensions, member("near", &Dust::near), member("push", &Dust::push),
                             member("seen", &Dust::seen));
            expect_particles(world, "seed", here.seeds, space.dimensions, member("weight", &Seed::weight), member("age", &Seed::age));
            expect_particles(world, "grain", here.grains, space.dimensions, member("pull", &Grain::pull));
            expect_counted(world.counters("dust"), here.dust_tally);
            expect_counted(world.counters("seed"), here.seed_tally);
            expect_counted(world.counters("grain"), here.grain_tally);
            if (HasFailure()) FAIL() << "after step " << k;
        }
        for (const auto happened : {here.dust_tally.born, here.dust_tally.died, here.dust_tally.moved, here.seed_tally.born})
            EXPECT_GT(happened, 0u);
        if (space.shape.x != Boundary::torus) {
            EXPECT_GT(here.dust_tally.refused, 0u);
        }
    }
};

TEST_P(InSpace, IsThatOfAPlainProgramInTwoDimensions) {
    compare({reference::plane(11, 12, Boundary::torus), 2, {31.0f, 32.5f, 0}}, 1, 200);
}
TEST_P(InSpace, IsThatOfAPlainProgramInThreeDimensions) {
    compare({{5, 3, 4, Boundary::torus, Boundary::open, Boundary::torus}, 3, {12.5f, 8.0f, 10.125f}}, 2, 100);
}
TEST_P(InSpace, IsThatOfAPlainProgramOnALine) { compare({reference::line(41, Boundary::reflect), 1, {103.0f, 0, 0}}, 3, 100); }
TEST_P(InSpace, IsThatOfAPlainProgramBetweenWalls) {
    compare({{7, 3, 1, Boundary::open, Boundary::fixed, Boundary::open}, 2, {19.0f, 8.0f, 0}}, 4, 100);
}

// Eggs that places lay in their middle, and hens beside them: by two functions, of which the first is called twice and has to find its
// places as they were, and to have its hens once.
TEST_P(InSpace, PlacesHaveChildrenBeforeTheFirstStep) {
    const TemporaryFolder folder;
    const auto source = folder.write("nests.cu", "#include <tessera/model.hpp>\n"
                                                 "struct Box { int laid = 0; };\nTESSERA_PLACE(Box, laid);\n"
                                                 "struct Egg { int mark[2] = {5, 0}; };\nTESSERA_AGENT(Egg, in<Box>, mark);\n"
                                                 "struct Hen { int number = 0; };\nTESSERA_AGENT(Hen, on<Box>, number);\n"
                                                 "TESSERA_INIT(Box, lay, writes<&Box::laid>, spawns<Egg>, spawns<Hen>) {\n"
                                                 "    while (self.laid < int(self.position.x + self.position.y) % 4) {\n"
                                                 "        self.laid += 1;\n        self.spawn(Egg{.mark = {self.laid, 1}});\n"
                                                 "        self.spawn(Hen{.number = self.laid});\n    }\n}\n"
                                                 "TESSERA_INIT(Box, lay_again, reads<&Box::laid>, spawns<Egg>) {\n"
                                                 "    if (self.laid == 3) self.spawn(Egg{.mark = {100, 2}});\n}\n"
                                                 "TESSERA_INIT(Egg, warm, writes<&Egg::mark>) { self.mark[0] += 10; }\n"
                                                 "TESSERA_CALL(Egg, wait, reads<&Egg::mark>, moves<within<1>>) {}\n"
                                                 "TESSERA_MODEL(nests, \"eggs\");\n"
                                                 "TESSERA_DEFAULTS(\"run.steps = 3\\n"
                                                 "places.box = { size = [7, 5], extent = [14, 15], boundary = 'torus' }\\n"
                                                 "agents.egg = { count = 9 }\\nagents.hen = { capacity = 4 }\\n"
                                                 "phase = [{ callAll = 'egg.wait' }, { manageAll = 'egg' }]\\n\");\n");
    WorldUnderTest world(source.string(), {}, on_this());
    std::vector<int> laid;
    for (int place = 0; place < 35; ++place) laid.push_back((place % 7 + place / 7) % 4);
    EXPECT_EQ(world.values<std::int32_t>("box", "laid"), laid);
    const auto eggs = world.agents("egg");
    const auto x = world.positions<float>("egg", 0), y = world.positions<float>("egg", 1);
    const auto marks = world.agent_values<std::int32_t>("egg", "mark", 0);
    const auto layers = world.agent_values<std::int32_t>("egg", "mark", 1);
    std::map<std::int64_t, std::multiset<std::pair<int, int>>> found;
    for (std::size_t i = 0; i < eggs.size(); ++i) {
        found[eggs.places[i]].emplace(marks[i], layers[i]);
        if (layers[i] == 0) continue; // of the first
        EXPECT_EQ(x[i], 2 * static_cast<float>(eggs.places[i] % 7) + 1);
        EXPECT_EQ(y[i], 3 * static_cast<float>(eggs.places[i] / 7) + 1.5f);
    }
    std::size_t first = 0, born = 0;
    for (int place = 0; place < 35; ++place) {
        auto& here = found[place];
        for (int n = 1; n <= laid[static_cast<std::size_t>(place)]; ++n, ++born) EXPECT_EQ(here.count({10 + n, 1}), 1u) << place;
        EXPECT_EQ(here.count({110, 2}), laid[static_cast<std::size_t>(place)] == 3 ? 1u : 0u) << place;
        born += here.count({110, 2});
        first += here.count({15, 0});
    }
    EXPECT_EQ(first, 9u);
    EXPECT_EQ(eggs.size(), first + born);
    EXPECT_EQ(world.counters("egg").born, born);
    EXPECT_EQ(world.agents("hen").size(), static_cast<std::size_t>(std::accumulate(laid.begin(), laid.end(), 0)));
    EXPECT_EQ(world.counters("hen").refused_births, 0u);
    world.step_to(3);
    EXPECT_EQ(world.agents("egg").size(), first + born);
}

// The float nearest to 0.05 is a little more than that, and places are 1 / 20 wide: who is near is whom a loop over all pairs finds.
TEST_P(InSpace, ARadiusMayBeAsWideAsAPlace) {
    const TemporaryFolder folder;
    const auto source = folder.write("near.cu", R"cu(#include <tessera/model.hpp>
struct Air {};
TESSERA_PLACE(Air);
struct Dot { int near = 0; };
TESSERA_AGENT(Dot, in<Air>, near);
TESSERA_PARAM(float, reach, 0.05f, range(0, 1), "how far a dot sees");
TESSERA_CALL(Dot, look, meets<within<reach>, agents<Dot>>, writes<&Dot::near>) {
    int n = 0;
    self.meet(within<reach>, agents<Dot>, [&](const auto&) { n += 1; });
    self.near = n;
}
TESSERA_MODEL(near, "who is near");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.air = { size = [20, 20], extent = [1, 1], boundary = "open" }
agents.dot.count = 500
phase = [{ callAll = "dot.look" }])toml");
)cu");
    WorldUnderTest world(source.string(), {}, on_this());
    const auto x = world.positions<float>("dot", 0), y = world.positions<float>("dot", 1);
    world.step_to(1);
    std::vector<std::int32_t> near(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j) {
            const float dx = x[j] - x[i], dy = y[j] - y[i];
            near[i] += i != j && dx * dx + dy * dy < 0.05f * 0.05f ? 1 : 0;
        }
    EXPECT_GT(std::accumulate(near.begin(), near.end(), 0), 1000);
    EXPECT_EQ(world.agent_values<std::int32_t>("dot", "near"), near);
    EXPECT_THROW(WorldUnderTest(source.string(), {"params.reach=0.05000001"}, on_this()), Error); // which the next float is nearest to
}

TESSERA_ON_EVERY_DEVICE(InSpace);

} // namespace
} // namespace tessera::test::space_test
