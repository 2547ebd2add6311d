// Copies of columns are the values of the moment at which they were asked for, whatever comes behind: on the GPU of the stand-in driver
// (fake_libcuda.cpp), which does nothing before somebody waits for it.
#include "device_runtime/thread_pool.hpp"
#include "host/world/column_copies.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"
#include "unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace tessera::test::column_copies_test {
namespace {

const char* const two_grids = R"(#include <tessera/model.hpp>
struct Cell {
    std::uint8_t small = 0;
    double real = 0;
    std::int16_t list[3] = {};
};
TESSERA_PLACE(Cell, small, real, list);
TESSERA_CALL(Cell, go, writes<&Cell::small>) { self.small += 1; }
TESSERA_MODEL(cells, "columns of all kinds");
)";

using Where = ColumnCopies::Where;

class CopiesOfColumns : public ::testing::Test {
protected:
    void SetUp() override {
        if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    }
    void TearDown() override {
        if (IsSkipped()) return;
        EXPECT_EQ(live_objects_of_fake(), 0u) << "something of the driver's was not given back";
    }
    // With frames that no phase of this model needs, on one device.
    static tessera::Setup framed(const tessera::Setup& bound) {
        auto setup = arranged(bound, owners(1));
        int frame = 0;
        for (auto& column : setup.collections.front().columns) {
            const auto& layout = column.layout;
            column.layout = make_layout(layout.type, layout.elements, setup.collections.front().size, {frame, frame + 1, 0});
            ++frame;
        }
        setup.bytes_at_a_time = 400; // so that all is read in pieces
        return setup;
    }
    // In a state of that number, the byte `at` of a value of one element of a place.
    static std::byte byte_of(int state, ColumnId column, std::int64_t element, std::int64_t place, std::size_t at) {
        return static_cast<std::byte>(place * 7 + element * 31 + static_cast<std::int64_t>(column.index()) * 59 + state * 101 +
                                      static_cast<std::int64_t>(at) * 3);
    }
    void write_state(World& world, int state) const {
        for (const auto id : setup_.columns.ids()) {
            const auto& layout = setup_[id].layout;
            world.write(id, [&, id](const PlaceRange& asked, std::byte* into) {
                for (std::int64_t e = 0; e < layout.elements; ++e)
                    for (auto place = asked.first; place < asked.end; ++place)
                        for (std::size_t b = 0; b < size_of(layout.type); ++b) *into++ = byte_of(state, id, e, place, b);
            });
        }
    }
    void expect_state(const StateReader& read, int state) const {
        const auto places = setup_.collections.front().places();
        for (const auto id : setup_.columns.ids()) {
            const auto& layout = setup_[id].layout;
            const auto bytes = size_of(layout.type);
            for (const PlaceRange range : {PlaceRange{0, places}, PlaceRange{14, 15}, PlaceRange{20, 61}, PlaceRange{3, 3}})
                for (int e = 0; e < layout.elements; ++e) {
                    std::vector<std::byte> values(static_cast<std::size_t>(range.count()) * bytes), expected;
                    for (auto place = range.first; place < range.end; ++place)
                        for (std::size_t b = 0; b < bytes; ++b) expected.push_back(byte_of(state, id, e, place, b));
                    read(id, e, range, values.data());
                    EXPECT_TRUE(values == expected) << "column " << id.index() << ", element " << e << ", from place " << range.first;
                }
        }
    }
    // Two states one after the other, each changed once it was copied.
    void expect_copies(ColumnCopies& copies, std::optional<Where> where) const {
        const auto device = std::move(open_devices({"cuda:0"}, 0, search_fake()).front());
        const auto queue = device->queue();
        ThreadPool pool(1);
        World world(setup_, {{device.get(), queue.get()}}, pool);
        std::vector<ColumnId> columns;
        for (const auto id : setup_.columns.ids()) columns.push_back(id);
        for (int state = 1; state < 4; state += 2) {
            write_state(world, state);
            const auto read = copies.take(setup_, world, {device.get(), queue.get()}, columns);
            EXPECT_EQ(copies.where(), where);
            EXPECT_EQ(read.has_value(), where.has_value());
            write_state(world, state + 1);
            if (read) expect_state(*read, state);
            expect_state(world.reader(), state + 1);
        }
        const auto before = live_objects_of_fake();
        copies.give_back();
        EXPECT_EQ(live_objects_of_fake() < before, where.has_value());
    }

    TemporaryFolder folder_;
    Prepared prepared_ =
        prepare({folder_.write("cells.cu", two_grids).string(), {"places.cell.size=[13,9]", "run.steps=1"}, {}}, compiler());
    tessera::Setup setup_ = framed(prepared_.setup);
};

constexpr auto all_fits = [](std::size_t) { return true; };
constexpr auto nothing_fits = [](std::size_t) { return false; };

TEST_F(CopiesOfColumns, OnTheDevice) {
    ColumnCopies copies(nothing_fits);
    expect_copies(copies, Where::device);
}

// Each allocation on a device takes whole pages: three buffers of 2 MiB, and 1 MiB is not twice what is needed.
TEST_F(CopiesOfColumns, InMemoryOfTheHostWhereTheDeviceHasNone) {
    const Setting full("FAKE_CUDA_MEMORY", "6");
    ColumnCopies copies(all_fits);
    expect_copies(copies, Where::host);
}

TEST_F(CopiesOfColumns, OrNone) {
    const Setting full("FAKE_CUDA_MEMORY", "6");
    ColumnCopies copies(nothing_fits);
    expect_copies(copies, std::nullopt);
}

// What somebody else needs is given back.
TEST_F(CopiesOfColumns, GiveWay) {
    const Setting some("FAKE_CUDA_MEMORY", "10");
    const auto device = std::move(open_devices({"cuda:0"}, 0, search_fake()).front());
    const auto queue = device->queue();
    ThreadPool pool(1);
    World world(setup_, {{device.get(), queue.get()}}, pool);
    ColumnCopies copies(nothing_fits);
    (void)copies.take(setup_, world, {device.get(), queue.get()}, {ColumnId(0)});
    copies.give_way();
    EXPECT_EQ(copies.where(), Where::device) << "as much again is free";
    const auto other = device->allocate(std::size_t{2} << 20);
    copies.give_way();
    EXPECT_EQ(copies.where(), std::nullopt);
}

} // namespace
} // namespace tessera::test::column_copies_test
