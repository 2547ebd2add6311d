// A run goes on from a snapshot as if it had never ended, also in other pieces and with other members.
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::test::snapshot_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Snapshots : public OnDevice {
protected:
    static std::vector<std::string> keys() { return geometry("field", reference::plane(29, 31, Boundary::torus)); }
    static Prepared prepared(const std::string& model, std::vector<std::string> keys) {
        keys.insert(keys.end(), {"output=[]", "run.steps=1", "run.devices=\"" + std::string(GetParam()) + "\""});
        return prepare({model, std::move(keys), {}}, compiler());
    }

    // A simulation from a snapshot, and what it stands on.
    struct Restored {
        Prepared prepared;
        std::unique_ptr<Device> device;
        ThreadPool pool;
        Simulation simulation;

        Restored(Prepared from, const Snapshot& snapshot)
            : prepared(std::move(from)), device(open_device(GetParam(), usable_threads())), pool(usable_threads()),
              simulation(prepared.setup, *device, compiler(), pool, {}, &snapshot) {}

        template<class T> std::vector<T> values(const std::string& collection, const std::string& member) const {
            const auto array = simulation.read(require_column(prepared.setup, {{collection, member}, {}}));
            const auto span = array.template data<T>();
            return {span.begin(), span.end()};
        }
    };

    TemporaryFolder folder_;
};

// The model draws random numbers, looks at the step and changes columns' places.
TEST_P(Snapshots, AreWhereARunGoesOn) {
    WorldUnderTest whole(test_model("random_walk_field"), keys(), on_this());
    whole.step_to(137);
    const auto snapshot = whole.simulation().snapshot();
    EXPECT_EQ(snapshot.step, 137u);
    whole.step_to(300);

    Restored restored(prepared(test_model("random_walk_field"), keys()), snapshot);
    EXPECT_THAT(restored.simulation.restored(), IsEmpty());
    EXPECT_EQ(restored.simulation.step(), 137u);
    restored.simulation.advance(300, [](std::uint64_t) { return true; });
    EXPECT_EQ(restored.simulation.hash(), whole.hash());
}

// In slots, in a list and in space; how many there were at first is what it was, whatever the run file says by now.
TEST_P(Snapshots, OfAgentsHaveTheirPast) {
    const std::vector<std::string> agents{"beetle", "ant", "gnat"};
    WorldUnderTest whole(test_model("oasis"), {}, on_this());
    whole.step_to(11);
    const auto snapshot = whole.simulation().snapshot();
    for (const auto column : whole.setup().columns.ids()) {
        const auto& name = whole.setup().member_of(column).name;
        const auto taken = [&](const SnapshotPiece& piece) {
            return whole.setup().name_of(column) == piece.collection + "." + piece.member;
        };
        EXPECT_EQ(std::any_of(snapshot.pieces.begin(), snapshot.pieces.end(), taken), is_state(whole.setup()[column].role)) << name;
    }
    Restored restored(prepared(test_model("oasis"), {"agents.beetle.count=10"}), snapshot);
    EXPECT_EQ(restored.simulation.hash(), whole.hash());
    whole.step_to(25);
    restored.simulation.advance(25, [](std::uint64_t) { return true; });
    EXPECT_EQ(restored.simulation.hash(), whole.hash());
    for (const auto& name : agents) {
        const auto id = require_collection(restored.prepared.setup, name, {});
        EXPECT_EQ(restored.simulation.population(id), whole.agents(name).ids.size()) << name;
        EXPECT_EQ(restored.simulation.counters(id).born, whole.counters(name).born) << name;
        EXPECT_EQ(restored.simulation.counters(id).refused_births, whole.counters(name).refused_births) << name;
    }
    EXPECT_GT(whole.counters("beetle").refused_births, 0U);
}

TEST_P(Snapshots, MayBeInAnyPieces) {
    WorldUnderTest world(test_model("crystal"), {}, on_this()); // arrays, three dimensions
    world.step_to(5);
    auto snapshot = take_snapshot(State(world.setup(), 5, world.simulation().reader()), {1, 4, 5, 99});
    ASSERT_EQ(snapshot.pieces.size(), 4 * world.setup().columns.size());
    EXPECT_EQ(snapshot.pieces[1].rows, (RowRange{1, 4}));
    EXPECT_EQ(snapshot.pieces[1].shape.size, (Extents{9, 8, 3})) << "rows are planes of z";
    std::reverse(snapshot.pieces.begin(), snapshot.pieces.end());
    Restored restored(prepared(test_model("crystal"), {}), snapshot);
    EXPECT_EQ(restored.simulation.hash(), world.hash());
}

TEST_P(Snapshots, FitAModelWhoseMembersChanged) {
    const auto model = [&](const char* file, const char* members, const char* names) {
        return folder_
            .write(file, std::string("#include <tessera/model.hpp>\nstruct Cell { ") + members + " };\nTESSERA_PLACE(Cell, " + names +
                             ");\nTESSERA_INIT(Cell, start, sets<&Cell::kept>) { self.kept = static_cast<std::int32_t>(self.position.x) "
                             "+ 10; }\nTESSERA_CALL(Cell, go, writes<&Cell::kept>) { self.kept += 1; }\nTESSERA_MODEL(" +
                             std::string(file).substr(0, 3) + ", \"changes\");\n")
            .string();
    };
    const auto shape = reference::plane(5, 4, Boundary::torus);
    WorldUnderTest old(model("old.cu", "std::int32_t kept = 0; float other = 1.5f; std::uint8_t row[3] = {1, 2, 3}; double gone = 0;",
                             "kept, other, row, gone"),
                       geometry("cell", shape), on_this());
    old.step_to(3);
    Restored restored(prepared(model("now.cu", "std::uint8_t row[4] = {7, 7, 7, 7}; std::int32_t fresh = 9, kept = 0, other = 2;",
                                     "row, fresh, kept, other"),
                               geometry("cell", shape)),
                      old.simulation().snapshot());
    EXPECT_THAT(restored.simulation.restored(), ElementsAre(HasSubstr("cell.other was float and is int32 now")));
    expect_same(restored.values<std::int32_t>("cell", "kept"), old.values<std::int32_t>("cell", "kept"), shape, "kept");
    expect_same(restored.values<std::int32_t>("cell", "fresh"), std::vector(shape.count(), 9), shape, "fresh");
    expect_same(restored.values<std::int32_t>("cell", "other"), std::vector(shape.count(), 2), shape, "other");
    std::vector<std::uint8_t> row;
    for (const int element : {1, 2, 3, 7}) row.insert(row.end(), shape.count(), static_cast<std::uint8_t>(element));
    EXPECT_EQ(restored.values<std::uint8_t>("cell", "row"), row);
    restored.simulation.advance(4, [](std::uint64_t) { return true; });
    old.step_to(4);
    expect_same(restored.values<std::int32_t>("cell", "kept"), old.values<std::int32_t>("cell", "kept"), shape, "kept");
}

TEST_P(Snapshots, OfAnotherGridAreRefused) {
    WorldUnderTest world(plugin("life"), geometry("cell", reference::plane(8, 6, Boundary::torus)), on_this());
    const auto snapshot = world.simulation().snapshot();
    auto wider = prepared(plugin("life"), geometry("cell", reference::plane(9, 6, Boundary::torus)));
    try {
        Restored restored(std::move(wider), snapshot);
        FAIL() << "it was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::input);
        EXPECT_THAT(error.what(), HasSubstr("have 8 x 6 places, and the grid has 9 x 6"));
    }
}

TESSERA_ON_EVERY_DEVICE(Snapshots);

} // namespace
} // namespace tessera::test::snapshot_test
