// The state is written and read in pieces of any size, and is the same as if it were held whole: on grids of one to three dimensions, cut
// anywhere, with one memory or one for each partition.
#include "device_runtime/thread_pool.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/state_hash.hpp"
#include "host/world/world.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tessera::test::pieces_test {
namespace {

const char* const model_text = R"(#include <tessera/model.hpp>
struct Cell {
    std::uint8_t small = 0;
    double real = 0;
    std::int16_t list[3] = {};
};
TESSERA_PLACE(Cell, small, real, list);
TESSERA_CALL(Cell, go, writes<&Cell::small>) { self.small += 1; }
TESSERA_MODEL(cells, "columns of all kinds");
)";

std::int64_t drawn(std::int64_t least, std::int64_t most) { return *rc::gen::inRange<std::int64_t>(least, most + 1); }

// What stands at a position: the place's number, or which constant.
constexpr std::int64_t outside = -1, missing = -2;

std::int64_t along(std::int64_t i, std::int64_t n, run_file::Boundary rule) {
    if (i >= 0 && i < n) return i;
    if (rule == run_file::Boundary::fixed) return outside;
    if (rule == run_file::Boundary::open) return missing;
    while (i < 0 || i >= n)
        if (rule == run_file::Boundary::torus)
            i += i < 0 ? n : -n;
        else
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

class StateInPieces : public ::testing::Test {
protected:
    // A grid, frames, boundaries and constants as no model would have them.
    tessera::Setup drawn_setup() const {
        auto bound = prepared_.setup;
        auto& grid = bound.collections.front();
        grid.dimensions = static_cast<int>(drawn(1, 3));
        grid.size = {drawn(1, 40), 1, 1};
        for (int axis = 1; axis < grid.dimensions; ++axis) grid.size[static_cast<std::size_t>(axis)] = drawn(1, 9);
        for (auto& rule : grid.boundary)
            rule = *rc::gen::element(run_file::Boundary::torus, run_file::Boundary::fixed, run_file::Boundary::reflect,
                                     run_file::Boundary::open);
        auto setup = arranged(bound, drawn_distribution(bound));
        auto& collection = setup.collections.front();
        for (auto& column : collection.columns) {
            std::array<int, 3> ghost{};
            for (int axis = 0; axis < collection.dimensions; ++axis) ghost[static_cast<std::size_t>(axis)] = static_cast<int>(drawn(0, 4));
            column.layout = make_layout(column.layout.type, column.layout.elements, collection.size, ghost);
            column.has_spare = *rc::gen::arbitrary<bool>();
            for (auto* constants : {&column.outside, &column.missing})
                for (auto& byte : *constants) byte = static_cast<std::byte>(drawn(0, 3));
        }
        setup.bytes_at_a_time = static_cast<std::size_t>(*rc::gen::element(1, 30, 100, 500, 3000, 100000));
        return setup;
    }
    static Distribution drawn_distribution(const tessera::Setup& setup) {
        if (setup.collections.front().dimensions == 1) return {};
        const auto dice = [] { return *rc::gen::arbitrary<std::uint64_t>(); };
        auto distribution = cut_anywhere(setup, static_cast<std::size_t>(drawn(1, 4)), dice);
        if (distribution.partitions() > 1 && *rc::gen::arbitrary<bool>()) give_own_memory(setup, distribution, 1, 1);
        return distribution;
    }

    TemporaryFolder folder_;
    Prepared prepared_ = prepare({folder_.write("cells.cu", model_text).string(), {"places.cell.size=[4]", "run.steps=1"}, {}}, compiler());
};

// The bytes of a value, which says where it is from.
void put_value(std::int64_t place, std::int64_t element, std::size_t bytes, std::byte* into) {
    const auto value = static_cast<std::uint64_t>(place * 3 + element + 1) * 0x9e3779b97f4a7c15u;
    std::memcpy(into, reinterpret_cast<const std::byte*>(&value) + (8 - bytes), bytes);
}

// Another value, of a place in a box that was written behind.
constexpr std::int64_t in_box = 100;
bool is_within(const PlaceBox& box, std::int64_t place, const Extents& size) {
    const std::array at{place % size[0], place / size[0] % size[1], place / size[0] / size[1]};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (at[axis] < box.from[axis] || at[axis] >= box.to[axis]) return false;
    return true;
}

class Checked {
public:
    std::optional<std::pair<PlaceBox, int>> box; // of an element, written behind
    Checked(const tessera::Setup& setup, const World& world, ColumnId column)
        : setup_(setup), collection_(setup.collections.front()), column_(setup[column]), world_(world), id_(column),
          own_(setup.own_memory()) {}

    // All cells of the buffer that a partition may look at, or those of constants alone.
    void cells(int buffer, std::size_t partition, bool constants_alone) const {
        const auto& layout = column_.layout;
        const auto bytes = size_of(layout.type);
        const auto* const origin = static_cast<const std::byte*>(world_.origin(buffer, partition));
        const auto stripe = own_ ? setup_.stripe(CollectionId(0), partition) : collection_.whole();
        if (stripe.rows() == 0) return;
        Extents low{}, high{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = -layout.ghost[axis];
            high[axis] = layout.size[axis] + layout.ghost[axis];
        }
        if (const auto last = static_cast<std::size_t>(collection_.dimensions - 1); last > 0) {
            low[last] = stripe.first - layout.ghost[last];
            high[last] = stripe.end + layout.ghost[last];
        }
        for (std::int64_t e = 0; e < layout.elements; ++e)
            for (auto z = low[2]; z < high[2]; ++z)
                for (auto y = low[1]; y < high[1]; ++y)
                    for (auto x = low[0]; x < high[0]; ++x) {
                        const auto from = source(x, y, z);
                        if (constants_alone && from >= 0) continue;
                        std::byte expected[8];
                        if (from >= 0)
                            put_value(from, e + written_behind(from, e), bytes, expected);
                        else
                            std::memcpy(expected,
                                        (from == missing ? column_.missing : column_.outside).data() + static_cast<std::size_t>(e) * bytes,
                                        bytes);
                        const auto at = x + y * layout.row + z * layout.plane + e * layout.element;
                        RC_ASSERT(std::memcmp(origin + at * static_cast<std::int64_t>(bytes), expected, bytes) == 0);
                    }
    }

    // Some range of places of some element.
    void a_read() const {
        const auto bytes = size_of(column_.layout.type);
        const auto element = static_cast<int>(drawn(0, column_.layout.elements - 1));
        const auto first = drawn(0, collection_.places() - 1);
        const PlaceRange places{first, drawn(first, collection_.places())};
        std::vector<std::byte> values(static_cast<std::size_t>(places.count()) * bytes + 1, std::byte{0x5a});
        world_.read(id_, element, places, values.data());
        for (auto place = places.first; place < places.end; ++place) {
            std::byte expected[8];
            put_value(place, element + written_behind(place, element), bytes, expected);
            RC_ASSERT(std::memcmp(values.data() + static_cast<std::size_t>(place - places.first) * bytes, expected, bytes) == 0);
        }
        RC_ASSERT(values.back() == std::byte{0x5a});
    }

private:
    std::int64_t written_behind(std::int64_t place, std::int64_t element) const {
        return box && box->second == element && is_within(box->first, place, collection_.size) ? in_box : 0;
    }
    std::int64_t source(std::int64_t x, std::int64_t y, std::int64_t z) const {
        const std::array at{x, y, z};
        std::array<std::int64_t, 3> from{};
        for (std::size_t axis = 0; axis < 3; ++axis) from[axis] = along(at[axis], collection_.size[axis], collection_.boundary[axis]);
        if (const auto least = *std::min_element(from.begin(), from.end()); least < 0) return least;
        return (from[2] * collection_.size[1] + from[1]) * collection_.size[0] + from[0];
    }

    const tessera::Setup& setup_;
    const CollectionSetup& collection_;
    const ColumnSetup& column_;
    const World& world_;
    ColumnId id_;
    bool own_;
};

std::pair<PlaceBox, int> write_a_box(const tessera::Setup& setup, World& world, ColumnId column) {
    const auto& layout = setup[column].layout;
    const auto bytes = size_of(layout.type);
    PlaceBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.from[axis] = drawn(0, layout.size[axis] - 1);
        box.to[axis] = drawn(box.from[axis] + 1, layout.size[axis]);
    }
    const auto element = static_cast<int>(drawn(0, layout.elements - 1));
    std::vector<std::byte> values;
    for (std::int64_t place = 0; place < layout.size[0] * layout.size[1] * layout.size[2]; ++place) {
        if (!is_within(box, place, layout.size)) continue;
        values.resize(values.size() + bytes);
        put_value(place, element + in_box, bytes, values.data() + values.size() - bytes);
    }
    world.write(column, element, box, values.data());
    return {box, element};
}

TEST_F(StateInPieces, EveryCellOfEveryBufferIsAsIfItWereWrittenWhole) {
    EXPECT_TRUE(rc::check([&] {
        const auto setup = drawn_setup();
        const auto devices = open_devices(std::vector<std::string>(setup.partitions(), "cpu"), 1);
        std::vector<std::unique_ptr<Queue>> queues;
        std::vector<StripeOwner> owners;
        for (const auto& device : devices) {
            queues.push_back(device->queue());
            owners.push_back({device.get(), queues.back().get()});
        }
        ThreadPool pool(2);
        World world(setup, owners, pool);
        for (const auto id : setup.columns.ids()) {
            const auto& column = setup[id];
            const auto places = setup.collections.front().places();
            const auto place_bytes = size_of(column.layout.type) * static_cast<std::size_t>(column.layout.elements);
            world.write(id, [&](const PlaceRange& asked, std::byte* into) {
                if (asked.first < 0 || asked.end > places || asked.count() < 1) throw std::logic_error("no such places");
                if (static_cast<std::size_t>(asked.count()) * place_bytes > std::max(setup.bytes_at_a_time / 2, place_bytes))
                    throw std::logic_error("too many places");
                for (std::int64_t e = 0; e < column.layout.elements; ++e)
                    for (auto place = asked.first; place < asked.end; ++place, into += size_of(column.layout.type))
                        put_value(place, e, size_of(column.layout.type), into);
            });
            Checked checked(setup, world, id);
            for (std::size_t p = 0; p < setup.partitions(); ++p) checked.cells(world.placement().current_of(id), p, false);
            for (int i = 0; i < 3; ++i) checked.a_read();
            checked.box = write_a_box(setup, world, id);
            for (std::size_t p = 0; p < setup.partitions(); ++p) checked.cells(world.placement().current_of(id), p, false);
            checked.a_read();
            if (!column.has_spare) world.add_spare(id);
            const auto zero = [](const std::vector<std::byte>& bytes) {
                return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
            };
            for (std::size_t p = 0; p < setup.partitions(); ++p)
                if (!zero(column.outside) || !zero(column.missing)) checked.cells(world.placement().spare_of(id), p, true);
        }
    }));
}

// Each kind of step, files in either order of NPY and of another format, at other places than the first, of one element and of all.
TEST_F(StateInPieces, InitialValuesAreTheSameInAnyPieces) {
    const auto text = [](std::string header, std::size_t values) {
        header.resize(117, ' ');
        std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
        file += header + '\n';
        for (std::size_t i = 0; i < values; ++i) file += static_cast<char>(i * 37 % 251);
        return file;
    };
    const auto c = folder_.write("c.npy", text("{'descr': '|u1', 'fortran_order': False, 'shape': (5, 7, 3), }", 105)).string();
    const auto f = folder_.write("f.npy", text("{'descr': '|u1', 'fortran_order': True, 'shape': (5, 7, 3), }", 105)).string();
    const auto big = folder_.write("big.npy", text("{'descr': '>i2', 'fortran_order': False, 'shape': (5, 11), }", 110)).string();
    const auto csv = folder_.write("a.csv", "1,2,3\n4,5,6\n").string();
    for (const std::string& init : std::vector<std::string>{
             "small=[{value=7},{random=\"below\",n=200},{value=3,box=[[2,1],[9,4]]}]", "small=[{file=\"" + csv + "\",at=[8,3]}]",
             "real=[{random=\"normal\",mean=1,deviation=2},{file=\"" + big + "\"},{file=\"" + csv + "\",at=[1,2]}]",
             "list=[{random=\"uniform\",low=-9,high=9},{file=\"" + c + "\",at=[3,0]}]",
             "list=[{value=[1,2,3]},{file=\"" + f + "\",at=[4,0]}]", "list=[{file=\"" + csv + "\",element=1,at=[0,1]}]"}) {
        const auto prepared = prepare(
            {prepared_.model->path.string(), {"places.cell.size=[11,5]", "run.steps=1", "places.cell.init." + init}, {}}, compiler());
        ThreadPool pool(2);
        for (const auto id : prepared.setup.columns.ids()) {
            const auto source = initial_values(prepared.setup, id, pool);
            if (!source) continue;
            const auto bytes = size_of(prepared.setup[id].layout.type);
            const auto elements = prepared.setup[id].layout.elements;
            std::vector<std::byte> whole(55 * static_cast<std::size_t>(elements) * bytes);
            (*source)({0, 55}, whole.data());
            for (std::int64_t first = 0; first < 55; ++first)
                for (const std::int64_t end : {first + 1, first + 2, first + 12, std::int64_t{55}}) {
                    if (end > 55) continue;
                    std::vector<std::byte> part(static_cast<std::size_t>((end - first) * elements) * bytes);
                    (*source)({first, end}, part.data());
                    for (std::int64_t e = 0; e < elements; ++e)
                        ASSERT_EQ(std::memcmp(part.data() + static_cast<std::size_t>(e * (end - first)) * bytes,
                                              whole.data() + static_cast<std::size_t>(e * 55 + first) * bytes,
                                              static_cast<std::size_t>(end - first) * bytes),
                                  0)
                            << init << ", places " << first << " to " << end << ", element " << e;
                }
        }
    }
}

// Blocks of 2^20 values, which end within an element and within a piece.
TEST_F(StateInPieces, TheHashIsThatOfTheWholeState) {
    auto setup = prepared_.setup;
    auto& collection = setup.collections.front();
    collection.dimensions = 2;
    collection.size = {901, 877, 1};
    std::int64_t most = 0;
    const StateReader read = [&](ColumnId column, int element, const PlaceRange& places, std::byte* into) {
        most = std::max(most, places.count());
        const auto bytes = size_of(setup[column].layout.type);
        for (auto place = places.first; place < places.end; ++place, into += bytes) put_value(place, element, bytes, into);
    };
    ThreadPool pool(2);
    const auto whole = state_hash(State(setup, 0, read), pool);
    EXPECT_EQ(most, collection.places());
    setup.bytes_at_a_time = 1;
    EXPECT_EQ(state_hash(State(setup, 0, read), pool), whole);
    setup.bytes_at_a_time = std::size_t{5} << 20;
    EXPECT_EQ(state_hash(State(setup, 0, read), pool), whole);
}

} // namespace
} // namespace tessera::test::pieces_test
