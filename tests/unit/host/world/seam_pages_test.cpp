// Where the first seam of a grid that several devices share stands: where a page begins, so that no row is on the wrong side of it.
#include "device_runtime/devices.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/run/prepare.hpp"
#include "host/setup/stripes.hpp"
#include "host/world/world.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(SeamPages, TheFirstSeamIsWhereAPageBegins) {
    jit::Cache cache;
    jit::Compiler compiler(cache);
    for (const std::string cuts : {"[5]", "[40]", "[0]", "[61]"}) {
        auto prepared =
            prepare({test_shipped("plugins/leadership/leadership.cu").string(),
                     {"run.steps=1", "places.person.size=[333,61]", "run.devices=[\"cpu\",\"cpu\"]", "places.person.cuts=" + cuts},
                     {}},
                    compiler);
        divide(prepared.setup, 2);
        const auto devices = open_devices({"cpu", "cpu"}, 2);
        const auto first = devices[0]->queue(), second = devices[1]->queue();
        ThreadPool pool(1);
        World world(prepared.setup, {{devices[0].get(), first.get()}, {devices[1].get(), second.get()}}, pool);
        const auto seam = prepared.setup.collections.front().stripe(0).end;
        if (seam == 0 || seam == 61) continue; // one device has all rows: the world is made all the same
        for (const auto column : prepared.setup.columns.ids()) {
            const auto row = world.rows_at(world.placement().current_of(column), 0, {seam, seam + 1}).front();
            const auto into_page = reinterpret_cast<std::uintptr_t>(row.data()) % devices[0]->granularity();
            EXPECT_LT(into_page, static_cast<std::uintptr_t>(Layout::line)) << prepared.setup.name_of(column) << ", cut at " << cuts;
        }
    }
}

} // namespace
} // namespace tessera
