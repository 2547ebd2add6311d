// Where the seams of a grid that several devices share stand: the first where a page begins, so that no row is on the wrong side of it, and
// the others where rows allow it.
#include "device_runtime/devices.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/devices/spread.hpp"
#include "host/prepare/prepare.hpp"
#include "host/world/world.hpp"
#include "jit/cache.hpp"
#include "tests/support/stripes.hpp"
#include "tests/test_data.hpp"
#include "tests/unit/device_runtime/test_devices.hpp"

#include <gtest/gtest.h>

namespace tessera::seam_pages_test {
namespace {

TEST(SeamPages, TheFirstSeamIsWhereAPageBegins) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    for (const std::string cuts : {"[5]", "[40]", "[0]", "[61]"}) {
        const auto prepared =
            prepare({test_shipped("plugins/leadership/leadership.cu").string(),
                     {"run.steps=1", "places.person.size=[333,61]", "run.devices=[\"cpu\",\"cpu\"]", "places.person.cuts=" + cuts},
                     {}},
                    compiler);
        const auto setup = test::over_cpus(prepared.setup, 2);
        const auto devices = open_devices({"cpu", "cpu"}, 2);
        const auto first = devices[0]->queue(), second = devices[1]->queue();
        ThreadPool pool(1);
        World world(setup, {{devices[0].get(), first.get()}, {devices[1].get(), second.get()}}, pool);
        const auto seam = setup.stripe(CollectionId(0), 0).end;
        if (seam == 0 || seam == 61) continue; // one device has all rows: the world is made all the same
        for (const auto column : setup.columns.ids()) {
            const auto row = world.rows_at(world.placement().current_of(column), 0, {seam, seam + 1}).front();
            const auto into_page = reinterpret_cast<std::uintptr_t>(row.data()) % devices[0]->granularity();
            EXPECT_LT(into_page, static_cast<std::uintptr_t>(Layout::line)) << setup.name_of(column) << ", cut at " << cuts;
        }
    }
}

// GPUs of the stand-in driver, which knows whose memory is where. Rows have 4096 bytes, and the second stripe 10 pages of them and 30 rows.
TEST(SeamPages, OfThreeGpusEachRowIsInTheMemoryOfWhoMakesIt) {
    if (!built_with_cuda()) GTEST_SKIP() << "this build has no CUDA support";
    NEEDS_COMPILER();
    const test::Setting three("FAKE_CUDA_DEVICES", "3");
    const auto owner_of = test::of_fake<int(const void*)>("fake_cuda_owner");
    jit::Cache cache;
    jit::Compiler compiler(cache);
    const auto prepared = prepare({test_shipped("plugins/heat2d/heat2d.cu").string(),
                                   {"run.steps=1", "places.plate.size=[1022,15150]", "run.weights=[5000,5150,5000]",
                                    "run.devices=[\"cuda:0\",\"cuda:1\",\"cuda:2\"]"},
                                   {}},
                                  compiler);
    const auto devices = open_devices({"cuda:0", "cuda:1", "cuda:2"}, 0, test::search_fake());
    const auto setup = spread(prepared.setup, pointers_to(devices));
    std::vector<std::unique_ptr<Queue>> queues;
    std::vector<StripeOwner> owners;
    for (const auto& device : devices) queues.push_back(device->queue());
    for (std::size_t p = 0; p < 3; ++p) owners.push_back({devices[p].get(), queues[p].get()});
    ThreadPool pool(1);
    World world(setup, owners, pool);
    for (const auto column : setup.columns.ids())
        for (std::size_t p = 0; p < 3; ++p) {
            const auto stripe = setup.stripe(CollectionId(0), p);
            for (const auto row : {stripe.first, stripe.end - 1}) {
                const auto bytes = world.rows_at(world.placement().current_of(column), 0, {row, row + 1}).front();
                EXPECT_EQ(owner_of(bytes.data() + bytes.size() / 2), static_cast<int>(p))
                    << setup.name_of(column) << ", row " << row << " of " << stripe.first << " to " << stripe.end;
            }
        }
}

} // namespace
} // namespace tessera::seam_pages_test
