// Members of every type, arrays of each, and seventy of them, against where every value must have come from.
// sanitizers: address
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::many_types_test {
namespace {

// After k steps a place has what the place k to the west of it started with, arrays turned by k.
class ManyTypes : public OnDevice {
protected:
    static constexpr std::int64_t steps = 9;
    const Shape shape_ = reference::plane(19, 5, Boundary::torus);

    // `first(id, e)` is what element e of the place `id` started with.
    template<class T, class First> void expect(const WorldUnderTest& world, const std::string& member, int elements, First first) const {
        const auto actual = world.values<T>("exhibit", member);
        std::vector<T> expected;
        for (int e = 0; e < elements; ++e)
            for (std::int64_t y = 0; y < shape_.ny; ++y)
                for (std::int64_t x = 0; x < shape_.nx; ++x) {
                    const std::int64_t from = (x + shape_.nx - steps % shape_.nx) % shape_.nx;
                    expected.push_back(first(y * shape_.nx + from, static_cast<int>((e + steps) % elements)));
                }
        expect_same(actual, expected, shape_, member);
    }
    template<class T> void expect_number(const WorldUnderTest& world, const std::string& name, int elements) const {
        expect<T>(world, name, 1, [](std::int64_t id, int) { return static_cast<T>(id); });
        expect<T>(world, name + "s", elements, [](std::int64_t id, int e) { return static_cast<T>(id + e); });
    }
};

TEST_P(ManyTypes, ArePassedOn) {
    WorldUnderTest world(test_model("many_types"), geometry("exhibit", shape_), on_this());
    world.step_to(steps);
    expect<bool>(world, "flag", 1, [](std::int64_t id, int) { return id % 3 == 0; });
    expect<bool>(world, "flags", 3, [](std::int64_t id, int e) { return (id + e) % 2 == 0; });
    expect_number<std::int8_t>(world, "i8", 2);
    expect_number<std::uint8_t>(world, "u8", 5);
    expect_number<std::int16_t>(world, "i16", 4);
    expect_number<std::uint16_t>(world, "u16", 3);
    expect_number<std::int32_t>(world, "i32", 2);
    expect_number<std::uint32_t>(world, "u32", 7);
    expect_number<std::int64_t>(world, "i64", 2);
    expect_number<std::uint64_t>(world, "u64", 3);
    expect<float>(world, "f32", 1, [](std::int64_t id, int) { return static_cast<float>(id) + 0.5f; });
    expect<float>(world, "f32s", 4, [](std::int64_t id, int e) { return static_cast<float>(id + e); });
    expect<double>(world, "f64", 1, [](std::int64_t id, int) { return static_cast<double>(id) + 0.125; });
    expect<double>(world, "f64s", 2, [](std::int64_t id, int e) { return static_cast<double>(id + e); });
    expect<std::int32_t>(world, "n00", 1, [](std::int64_t id, int) { return static_cast<std::int32_t>(id); });
    expect<std::int32_t>(world, "n47", 1, [](std::int64_t id, int) { return static_cast<std::int32_t>(id + 47); });
}

TEST_P(ManyTypes, AreAllCounted) {
    WorldUnderTest world(test_model("many_types"), geometry("exhibit", shape_), on_this());
    world.step_to(steps);
    for (int n = 1; n <= 46; ++n) {
        std::vector<std::int32_t> expected;
        for (std::size_t id = 0; id < shape_.count(); ++id)
            expected.push_back(static_cast<std::int32_t>(id) + n + static_cast<std::int32_t>(steps));
        const auto name = (n < 10 ? "n0" : "n") + std::to_string(n);
        expect_same(world.values<std::int32_t>("exhibit", name), expected, shape_, name);
    }
}

// Without init functions, and without a word of the run file, members have the defaults of the row.
TEST_P(ManyTypes, DefaultsAreThoseOfTheRow) {
    const TemporaryFolder folder;
    const auto model = folder.write("plain.cu", R"(#include <tessera/model.hpp>
struct Plain {
    std::int16_t number = -300, numbers[3] = {7, -8};
    double real = 0.1;
    bool flag = true, none;
    std::uint8_t zero = 0, seen = 5;
};
TESSERA_PLACE(Plain, number, numbers, real, flag, none, zero, seen);
TESSERA_CALL(Plain, look, around<offsets<west, offset<0, 2>>, &Plain::number>, sets<&Plain::seen>) {
    if (self.at(west).number == -300 && self.at(offset<0, 2>).number == -300) self.seen = 6;
}
TESSERA_MODEL(plain, "defaults alone");
)");
    const auto shape = reference::plane(5, 4, Boundary::open);
    WorldUnderTest world(model.string(), geometry("plain", shape), on_this());
    world.step_to(3);
    const auto count = shape.count();
    expect_same(world.values<std::int16_t>("plain", "number"), std::vector<std::int16_t>(count, -300), shape, "number");
    std::vector<std::int16_t> numbers(3 * count);
    std::fill_n(numbers.begin(), count, std::int16_t{7});
    std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(count), count, std::int16_t{-8});
    expect_same(world.values<std::int16_t>("plain", "numbers"), numbers, shape, "numbers");
    expect_same(world.values<double>("plain", "real"), std::vector<double>(count, 0.1), shape, "real");
    expect_same(world.values<bool>("plain", "flag"), std::vector<bool>(count, true), shape, "flag");
    expect_same(world.values<bool>("plain", "none"), std::vector<bool>(count, false), shape, "none");
    expect_same(world.values<std::uint8_t>("plain", "seen"), std::vector<std::uint8_t>(count, 6), shape, "seen");
}

// Names that the SDK might have kept to itself.
TEST_P(ManyTypes, MembersHaveTheNamesTheirAuthorLikes) {
    const TemporaryFolder folder;
    const auto model = folder.write("names.cu", R"(#include <tessera/model.hpp>
struct Name {
    int first = 1, store = 2, view = 3, members = 4, term = 5, own = 6, near = 7, value = 8, row = 9, index = 10,
        row_members = 11, call = 12;
};
TESSERA_PLACE(Name, first, store, view, members, term, own, near, value, row, index, row_members, call);
TESSERA_CALL(Name, add, around<moore, &Name::first, &Name::store, &Name::view, &Name::members, &Name::term, &Name::own, &Name::near>,
             around<moore, &Name::value, &Name::row, &Name::index, &Name::row_members>,
             writes<&Name::first, &Name::view>, sets<&Name::call>) {
    self.call = self.first + self.store + self.view + self.members + self.term + self.own + self.near + self.value + self.row +
                self.index + self.row_members;
    self.each(moore, [&](const auto& n) {
        self.call += n.first + n.store + n.view + n.members + n.term + n.own + n.near + n.value + n.row + n.index + n.row_members;
    });
    self.first = self.sum(moore, &Name::members);
}
TESSERA_MODEL(names, "names");
)");
    const auto shape = reference::plane(7, 5, Boundary::torus);
    WorldUnderTest world(model.string(), geometry("name", shape), on_this());
    world.step_to(1);
    expect_same(world.values<std::int32_t>("name", "call"), std::vector<std::int32_t>(shape.count(), 9 * 66), shape, "call");
    expect_same(world.values<std::int32_t>("name", "first"), std::vector<std::int32_t>(shape.count(), 8 * 4), shape, "first");
}

TESSERA_ON_EVERY_DEVICE(ManyTypes);

} // namespace
} // namespace tessera::test::many_types_test
