// How much memory the host takes for a run beside what the devices have: less than a column, where that is larger than what is held.
#include "host/outputs/npy.hpp"
#include "host/outputs/state_view.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace tessera::test::host_memory_test {
namespace {

// The most bytes of memory since forget_peak(); 0 if the system does not say.
std::uint64_t peak() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
    return 0;
}
bool forget_peak() {
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;
    return static_cast<bool>(file);
}

class HostMemory : public ::testing::Test {
protected:
    // Bytes that a run took at most beyond those of its device: initial values, a table, an array, the state's hash.
    [[nodiscard]] std::int64_t taken_by(const std::string& size) {
        auto prepared =
            prepare({model_, {"places.cell.size=" + size, "places.cell.init.heat={random=\"uniform\",low=0,high=1}", "run.steps=1"}, {}},
                    compiler());
        prepared.setup.bytes_at_a_time = std::size_t{4} << 20;
        const auto device = open_device("cpu", 2);
        ThreadPool pool(2);
        forget_peak();
        const auto before = peak();
        Simulation simulation(prepared.setup, *device, compiler(), pool);
        const StateView view(simulation.state(), pool);
        const ColumnId heat(0);
        (void)view.evaluate(expression::parse("mean(cell.heat) + max(cell.heat * cell.heat)"));
        write_npy(
            folder_.path() / "heat.npy", view.shape(heat),
            [&](int element, const PlaceRange& places) { return view.values(heat, element, places); }, view.places_at_a_time());
        (void)simulation.hash();
        return static_cast<std::int64_t>(peak() - before) - prepared.setup.column_bytes();
    }

private:
    TemporaryFolder folder_;
    std::string model_ =
        folder_
            .write("cells.cu", "#include <tessera/model.hpp>\nstruct Cell { float heat = 0; };\nTESSERA_PLACE(Cell, heat);\n"
                               "TESSERA_CALL(Cell, warm, writes<&Cell::heat>) { self.heat += 1; }\n"
                               "TESSERA_MODEL(cells, \"one column\");\n")
            .string();
};

TEST_F(HostMemory, IsLessThanAColumn) {
    if (memory_is_watched) GTEST_SKIP() << "a sanitizer has memory of its own";
    if (!forget_peak() || peak() == 0) GTEST_SKIP() << "this system does not say how much memory a process has had";
    (void)taken_by("[64,64]");                                     // what is compiled and loaded once
    constexpr std::int64_t column = std::int64_t{4096} * 6144 * 4; // bytes
    EXPECT_LT(taken_by("[4096,6144]"), column / 4);
}

} // namespace
} // namespace tessera::test::host_memory_test
