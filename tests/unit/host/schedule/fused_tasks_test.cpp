// Programs of fused steps cut at any rows, their pieces made in any order that what they touch allows, give the state of single steps.
#include "device_runtime/error.hpp"
#include "host/execute/initialise.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/execute/load_programs.hpp"
#include "host/world/state_hash.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/shuffled_tasks.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <random>

namespace tessera::test::fused_tasks_test {
namespace {

struct Case {
    const char* name;
    std::string model;
    std::vector<std::string> keys;
    std::vector<FusedView> views; // of one image, and of as many steps each
};

// What is beyond a fixed boundary is not what a member begins with.
std::vector<std::string> site(std::int64_t nx, std::int64_t ny, Boundary x, Boundary y) {
    auto keys = geometry("site", {nx, ny, 1, x, y});
    if (x == Boundary::fixed || y == Boundary::fixed) keys.push_back("places.site.outside.value=99");
    return keys;
}

class CutPrograms : public ::testing::TestWithParam<Case> {
protected:
    static constexpr std::uint64_t times = 2;

    CutPrograms()
        : prepared_(prepare({GetParam().model, GetParam().keys + std::vector<std::string>{"output=[]", "run.steps=9"}, {}}, compiler())),
          device_(open_device("cpu", 1)) {
        for (const auto& view : GetParam().views) {
            const auto sequence = call_sequences(prepared_.setup, usual_phases(prepared_.setup)).front();
            EXPECT_EQ(obstacle(prepared_.setup, sequence, view), "") << to_string(view);
            programs_.push_back({sequence, view, "fused_" + std::to_string(programs_.size())});
        }
    }
    [[nodiscard]] const tessera::Setup& setup() const { return in_bands_; }

    // The hash of the state behind what `append` makes of its beginning.
    template<class Append> std::uint64_t hash_behind(const std::vector<std::int64_t>& cuts, const Append& append) {
        const auto cut_setup = arranged(prepared_.setup, cut_at(prepared_.setup, cuts));
        LoadedModel model(cut_setup, std::vector<Device*>(cut_setup.partitions(), device_.get()), compiler(), pool_, {});
        initialise(model);
        const auto programs = load_programs(model, programs_, compile_programs(setup(), programs_, model.target(), compiler()));
        for (const auto column : setup().columns.ids()) (void)model.world().add_spare(column);
        std::vector<Task> tasks;
        Placement placement = model.world().placement();
        append(model.schedule(), programs, placement, tasks);
        order_by_touches(tasks);
        const auto queue = device_->queue(Priority::normal, Execution::inline_);
        for (const auto number : drawn_order(tasks, dice_)) queue->launch(model.binder().bind(tasks[number], programs));
        model.world().placement() = placement;
        return state_hash(State(setup(), 0, model.world().reader()), pool_);
    }
    std::uint64_t single_steps(std::uint64_t steps) {
        return hash_behind({}, [&](const Schedule& schedule, const auto&, Placement& placement, std::vector<Task>& tasks) {
            for (std::uint64_t k = 0; k < steps; ++k)
                for (const auto phase : setup().phases.ids()) schedule.append_phase(phase, k, k, placement, tasks);
        });
    }
    std::uint64_t fused_steps(std::size_t number, const std::vector<std::int64_t>& cuts) {
        return hash_behind(cuts,
                           [&](const Schedule& schedule, const LoadedPrograms& programs, Placement& placement, std::vector<Task>& tasks) {
                               schedule.append_program(programs.programs[number].steps, number, times, 0, placement, tasks);
                           });
    }

    // The same where each partition has its own memory, and some send each other rows by way of the host; exchanging rows so often.
    std::uint64_t fused_steps_in_own_memory(std::size_t number, const std::vector<std::int64_t>& cuts, std::uint64_t programs_a_cycle) {
        const auto depth = static_cast<std::uint64_t>(programs_.front().view.depth);
        auto distribution = in_own_memory(setup(), cut_at(setup(), cuts), programs_a_cycle * depth, times * depth);
        for (std::size_t p = 0; p < distribution.partitions(); ++p) distribution.islands.push_back(dice_() % 2);
        const auto own = arranged(prepared_.setup, distribution);
        LoadedModel model(own, std::vector<Device*>(own.partitions(), device_.get()), compiler(), pool_, {});
        initialise(model);
        if (!image_of_own_)
            image_of_own_ = compile_programs(own, programs_, model.target(), compiler()); // cuts and cycles do not matter to it
        const auto programs = load_programs(model, programs_, *image_of_own_);
        for (const auto column : own.columns.ids()) (void)model.world().add_spare(column);
        std::vector<Task> tasks;
        model.schedule().append_program(programs.programs[number].steps, number, times, 0, model.world().placement(), tasks);
        model.executor().start(model.executor().bind(std::move(tasks), programs));
        model.executor().synchronize();
        return state_hash(State(own, 0, model.world().reader()), pool_);
    }

    QuickCompiler quick_{};
    Prepared prepared_;
    tessera::Setup in_bands_ = arranged(prepared_.setup, cut_at(prepared_.setup, {}));
    std::unique_ptr<Device> device_;
    ThreadPool pool_{1};
    std::vector<FusedProgram> programs_;
    std::optional<jit::Image> image_of_own_;
    std::mt19937 dice_{11};
};

TEST_P(CutPrograms, GiveTheStateOfSingleSteps) {
    const auto expected = single_steps(times * static_cast<std::uint64_t>(programs_.front().view.depth));
    std::vector<std::int64_t> every_row(static_cast<std::size_t>(setup().collections[programs_.front().step.collection].whole().end));
    std::iota(every_row.begin(), every_row.end(), 0);
    for (std::size_t number = 0; number < programs_.size(); ++number) {
        const auto view = to_string(programs_[number].view);
        EXPECT_EQ(fused_steps(number, {}), expected) << view << ", not cut";
        EXPECT_EQ(fused_steps(number, every_row), expected) << view << ", row by row";
        for (int again = 0; again < 3; ++again) {
            const auto cuts = some_cuts(setup(), dice_);
            ASSERT_EQ(fused_steps(number, cuts), expected) << view << ", " << ::testing::PrintToString(cuts);
        }
    }
}

TEST_P(CutPrograms, GiveTheStateOfSingleStepsInOwnMemory) {
    const auto expected = single_steps(times * static_cast<std::uint64_t>(programs_.front().view.depth));
    for (std::size_t number = 0; number < programs_.size(); ++number)
        for (int again = 0; again < 2; ++again) {
            const auto cuts = some_cuts(setup(), dice_);
            for (const std::uint64_t programs_a_cycle : {std::uint64_t{1}, times})
                ASSERT_EQ(fused_steps_in_own_memory(number, cuts, programs_a_cycle), expected)
                    << to_string(programs_[number].view) << ", " << ::testing::PrintToString(cuts) << ", " << programs_a_cycle
                    << " times between exchanges";
        }
}

TEST(CutProgram, ThatIsCompiledForTheWholeGridIsRefusedSomeRows) {
    const QuickCompiler quick;
    const auto prepared = prepare({plugin("life"), {"output=[]", "places.cell.size=[40,20]"}, {}}, compiler());
    const auto& setup = prepared.setup;
    const auto device = open_device("cpu", 1);
    ThreadPool pool(1);
    LoadedModel model(setup, {device.get()}, compiler(), pool, {});
    const auto sequence = call_sequences(setup, usual_phases(setup)).front();
    const std::vector<FusedProgram> fused{{sequence, blocks_view(2, 4096, 8), "fused"}};
    const auto programs = load_programs(model, fused, compile_programs(setup, fused, model.target(), compiler()));
    std::vector<Task> tasks;
    Placement placement = model.world().placement();
    const auto cut_setup = arranged(setup, cut_at(setup, {7}));
    Schedule(cut_setup).append_program(programs.programs.front().steps, 0, 1, 0, placement, tasks);
    EXPECT_THROW((void)model.binder().bind(tasks.front(), programs), Error);
}

INSTANTIATE_TEST_SUITE_P(Models, CutPrograms,
                         ::testing::Values(Case{"Torus",
                                                test_model("boundaries"),
                                                site(131, 43, Boundary::open, Boundary::torus),
                                                {pipeline_view(2, 1, 8), patch_view(2, 1, 5), tile_view(2, 48, 6), blocks_view(2, 64, 7)}},
                                           Case{"Fixed",
                                                test_model("boundaries"),
                                                site(131, 43, Boundary::torus, Boundary::fixed),
                                                {pipeline_view(2, 2, 16), patch_view(2, 1, 8), tile_view(2, 32, 8),
                                                 blocks_view(2, 4096, 16)}},
                                           Case{"Open",
                                                test_model("boundaries"),
                                                site(70, 43, Boundary::fixed, Boundary::open),
                                                {pipeline_view(2, 1, 16), patch_view(2, 1, 8)}},
                                           Case{"Mirror",
                                                test_model("mirrors"),
                                                geometry("pane", {90, 45, 1, Boundary::torus, Boundary::reflect}),
                                                {pipeline_view(2, 1, 8), tile_view(2, 16, 8), blocks_view(2, 64, 8)}},
                                           Case{"Narrow",
                                                test_model("boundaries"),
                                                site(9, 5, Boundary::reflect, Boundary::torus),
                                                {pipeline_view(2, 1, 8), tile_view(2, 8, 2)}},
                                           Case{"Words",
                                                test_model("reversible"),
                                                geometry("cell", {96, 39, 1, Boundary::fixed, Boundary::torus}),
                                                {pipeline_view(3, 1, 16, 1, true), pipeline_view(3, 1, 8, 1), patch_view(3, 2, 4)}},
                                           Case{"MirroredWords",
                                                plugin("life"),
                                                geometry("cell", {1100, 39, 1, Boundary::torus, Boundary::reflect}),
                                                {pipeline_view(3, 1, 8, 1)}},
                                           Case{"Planes",
                                                test_model("crystal"),
                                                geometry("atom", {21, 13, 19, Boundary::open, Boundary::torus, Boundary::reflect}, 3),
                                                {tile_view(2, 8, 6, 4)}},
                                           Case{"PlanesOfATorus",
                                                test_model("crystal"),
                                                geometry("atom", {21, 13, 19, Boundary::reflect, Boundary::fixed, Boundary::torus}, 3),
                                                {tile_view(2, 8, 6, 4)}},
                                           Case{"Line",
                                                test_model("rule110"),
                                                geometry("cell", reference::line(211, Boundary::torus), 1),
                                                {tile_view(4, 32, 1), blocks_view(4, 100, 1)}}),
                         [](const auto& tested) { return std::string(tested.param.name); });

} // namespace
} // namespace tessera::test::fused_tasks_test
