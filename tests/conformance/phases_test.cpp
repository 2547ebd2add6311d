// When phases run, what step they see, and what `rotate` does with columns, against plain loops.
// sanitizers: address
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::phases_test {
namespace {

class Phases : public OnDevice {
protected:
    TemporaryFolder folder_;
};

constexpr const char* clock_model = R"(#include <tessera/model.hpp>
struct Clock {
    std::uint64_t seen = 99;
    std::uint32_t calls = 0, others = 0;
};
TESSERA_PLACE(Clock, seen, calls, others);
TESSERA_CALL(Clock, note, sets<&Clock::seen>, writes<&Clock::calls>) {
    self.seen = self.step;
    self.calls = static_cast<std::uint32_t>(self.calls * 31 + self.step + 1);
}
TESSERA_CALL(Clock, other, writes<&Clock::others>) { self.others = static_cast<std::uint32_t>(self.others * 37 + 3 * self.step + 2); }
TESSERA_MODEL(clock, "what step it is");
)";

struct Clock {
    std::uint64_t seen = 99;
    std::uint32_t calls = 0, others = 0;
    void note(std::uint64_t step) { seen = step, calls = static_cast<std::uint32_t>(calls * 31 + step + 1); }
    void other(std::uint64_t step) { others = static_cast<std::uint32_t>(others * 37 + 3 * step + 2); }
};

void expect_clock(const WorldUnderTest& world, const Clock& clock, const Shape& shape) {
    expect_same(world.values<std::uint64_t>("clock", "seen"), std::vector(shape.count(), clock.seen), shape, "seen");
    expect_same(world.values<std::uint32_t>("clock", "calls"), std::vector(shape.count(), clock.calls), shape, "calls");
    expect_same(world.values<std::uint32_t>("clock", "others"), std::vector(shape.count(), clock.others), shape, "others");
}

// Far enough that steps are queued many at a time, recorded and replayed, and stopped in the middle of all that.
TEST_P(Phases, SeeTheStepTheyRunIn) {
    const auto shape = reference::plane(5, 3, Boundary::torus);
    const auto model = folder_.write("clock.cu", clock_model).string();
    WorldUnderTest world(model,
                         geometry("clock", shape) + std::vector<std::string>{"phase=[{callAll=\"clock.note\"},{callAll=\"clock.other\"}]"},
                         on_this());
    Clock clock;
    expect_clock(world, clock, shape);
    std::uint64_t step = 0;
    for (const std::uint64_t until : {1, 2, 5, 6, 300, 301, 3000, 10007}) {
        for (; step < until; ++step) clock.note(step), clock.other(step);
        world.step_to(until);
        EXPECT_EQ(world.step(), until);
        expect_clock(world, clock, shape);
    }
}

// `self.step - 2` is below zero in steps 0 and 1.
TEST_P(Phases, CountStepsInASignedNumber) {
    const auto model = folder_.write("late.cu", "#include <tessera/model.hpp>\nstruct Late { int times = 0; std::int64_t before = 0; };\n"
                                                "TESSERA_PLACE(Late, times, before);\n"
                                                "TESSERA_CALL(Late, look, writes<&Late::times>, sets<&Late::before>) {\n"
                                                "    if (self.step - 2 > 0) self.times += 1;\n    self.before = self.step - 100;\n}\n"
                                                "TESSERA_MODEL(late, \"steps from the third on\");\n");
    const auto shape = reference::plane(40, 5, Boundary::torus);
    for (const auto& view : {std::optional<FusedView>(), std::optional(tile_view(3, 32, 4))}) {
        WorldUnderTest world(model.string(), geometry("late", shape), on_this());
        EXPECT_EQ(view ? world.fuse(*view) : "", "");
        world.step_to(6); // steps 0 to 5: 3, 4 and 5 are counted
        expect_same(world.values<std::int32_t>("late", "times"), std::vector<std::int32_t>(shape.count(), 3), shape, "times");
        expect_same(world.values<std::int64_t>("late", "before"), std::vector<std::int64_t>(shape.count(), -95), shape, "before");
    }
}

TEST_P(Phases, RunWhenTheyAreToldTo) {
    const auto shape = reference::plane(4, 4, Boundary::torus);
    const auto model = folder_.write("clock.cu", clock_model).string();
    WorldUnderTest world(
        model,
        geometry("clock", shape) +
            std::vector<std::string>{"phase=[{callAll=\"clock.note\",every=3,from=2,until=1000},{callAll=\"clock.other\",from=5},"
                                     "{callAll=\"clock.other\",every=7,until=500}]"},
        on_this());
    Clock clock;
    std::uint64_t step = 0;
    for (const std::uint64_t until : {2, 3, 7, 40, 600, 2500}) {
        for (; step < until; ++step) {
            if (step >= 2 && step < 1000 && (step - 2) % 3 == 0) clock.note(step);
            if (step >= 5) clock.other(step);
            if (step < 500 && step % 7 == 0) clock.other(step);
        }
        world.step_to(until);
        expect_clock(world, clock, shape);
    }
}

constexpr const char* ring_model = R"(#include <tessera/model.hpp>
struct Ring {
    std::uint32_t a = 3, b = 3, c = 3;
};
TESSERA_PLACE(Ring, a, b, c);
TESSERA_INIT(Ring, number, sets<&Ring::a, &Ring::b, &Ring::c>) {
    const auto id = static_cast<std::uint32_t>(self.position.y * self.size.x + self.position.x);
    self.a = id * 7 + 1;
    self.b = id * 11 + 2;
    self.c = id * 13 + 3;
}
TESSERA_CALL(Ring, mix, around<moore_of<2>, &Ring::a>, reads<&Ring::b>, writes<&Ring::c>) {
    self.c = self.c * 3 + self.sum(moore_of<2>, &Ring::a) + self.b;
}
TESSERA_CALL(Ring, blur, around<von_neumann, &Ring::a>, writes<&Ring::a>) { self.a = self.a * 5 + self.sum(von_neumann, &Ring::a); }
TESSERA_MODEL(ring, "three columns that take turns");
)";

struct Ring {
    Shape shape;
    std::vector<std::uint32_t> a{}, b{}, c{};

    void number() {
        for (std::uint32_t id = 0; id < shape.count(); ++id) a.push_back(id * 7 + 1), b.push_back(id * 11 + 2), c.push_back(id * 13 + 3);
    }
    [[nodiscard]] std::uint32_t sum(const std::vector<std::uint32_t>& of, std::int64_t x, std::int64_t y, std::int64_t reach,
                                    bool square) const {
        std::uint32_t total = 0;
        for (std::int64_t dy = -reach; dy <= reach; ++dy)
            for (std::int64_t dx = -reach; dx <= reach; ++dx)
                if ((dx != 0 || dy != 0) && (square || dx == 0 || dy == 0)) {
                    const auto seen = reference::look(of, shape, x + dx, y + dy, 0, 17u, 3u);
                    if (seen.exists) total += seen.value;
                }
        return total;
    }
    void mix() {
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x)
                c[shape.index(x, y)] = c[shape.index(x, y)] * 3 + sum(a, x, y, 2, true) + b[shape.index(x, y)];
    }
    void blur() {
        const auto before = a;
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) a[shape.index(x, y)] = before[shape.index(x, y)] * 5 + sum(before, x, y, 1, false);
    }
    void rotate() { // each takes the column of the one before it, the first that of the last
        c.swap(b);
        b.swap(a);
    }
};

// Also where a column takes turns whose function writes to a spare buffer, and by different schedules.
TEST_P(Phases, RotateNamesColumnsAnew) {
    const auto model = folder_.write("ring.cu", ring_model).string();
    for (const auto boundary : boundaries) {
        Ring ring{reference::plane(17, 9, boundary)};
        ring.number();
        auto keys =
            geometry("ring", ring.shape) + std::vector<std::string>{"phase=[{exchangeAll=\"ring\"},{callAll=\"ring.mix\"},{callAll=\"ring."
                                                                    "blur\",every=3},{rotate=[\"ring.a\",\"ring.b\",\"ring.c\"]},"
                                                                    "{rotate=[\"ring.c\",\"ring.a\"],every=2,from=1}]"};
        if (boundary == Boundary::fixed) keys.emplace_back("places.ring.outside={a=17,b=17,c=17}");
        WorldUnderTest world(model, keys, on_this());
        std::uint64_t step = 0;
        for (const std::uint64_t until : {1, 2, 3, 4, 100}) {
            for (; step < until; ++step) {
                ring.mix();
                if (step % 3 == 0) ring.blur();
                ring.rotate();
                if (step % 2 == 1) ring.a.swap(ring.c);
            }
            world.step_to(until);
            expect_same(world.values<std::uint32_t>("ring", "a"), ring.a, ring.shape, "a after " + std::to_string(until));
            expect_same(world.values<std::uint32_t>("ring", "b"), ring.b, ring.shape, "b after " + std::to_string(until));
            expect_same(world.values<std::uint32_t>("ring", "c"), ring.c, ring.shape, "c after " + std::to_string(until));
        }
    }
}

// The neighbours that one column shows must reach all columns that it may change places with, however many hands it goes through.
TEST_P(Phases, RotationsShareColumns) {
    const auto model = folder_
                           .write("chain.cu", R"(#include <tessera/model.hpp>
struct Chain {
    std::int32_t a = 0, b = 0, c = 0, d = 0, e = 0;
};
TESSERA_PLACE(Chain, a, b, c, d, e);
TESSERA_INIT(Chain, number, sets<&Chain::a>) { self.a = static_cast<std::int32_t>(self.position.x + 1); }
TESSERA_CALL(Chain, shift, around<offsets<offset<-3, 0>>, &Chain::e>, sets<&Chain::a>) { self.a = self.at(offset<-3, 0>).e; }
TESSERA_MODEL(chain, "columns that change hands");
)")
                           .string();
    const auto shape = reference::plane(11, 2, Boundary::torus);
    WorldUnderTest world(
        model,
        geometry("chain", shape) +
            std::vector<std::string>{
                "phase=[{rotate=[\"chain.a\",\"chain.b\"]},{rotate=[\"chain.b\",\"chain.c\"]},{rotate=[\"chain.c\",\"chain.d\"]},"
                "{rotate=[\"chain.d\",\"chain.e\"]},{exchangeAll=\"chain\"},{callAll=\"chain.shift\"}]"},
        on_this());
    world.step_to(4); // each time by three to the east
    std::vector<std::int32_t> expected;
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) expected.push_back(static_cast<std::int32_t>((x - 12 + 22) % 11 + 1));
    expect_same(world.values<std::int32_t>("chain", "a"), expected, shape, "a");
}

TESSERA_ON_EVERY_DEVICE(Phases);

} // namespace
} // namespace tessera::test::phases_test
