// Reduces as text: expressions within and around their sums, the words of parts, and launches.
#include "host/generate/reduce_source.hpp"
#include "tests/unit/host/generate/reducing_toy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tessera::test::reduce_source_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Setup& setup, std::size_t kernel = 0) {
    return reduction_source(setup, setup.kernels[setup.reductions.front().kernels.at(kernel)]);
}

// The element's text, as it is handed to the part.
std::string added(const std::string& expression) {
    const auto text = text_of(setup_of_total(expression));
    const std::string begin = "to.s0.add(", end = ", to.words + 0);";
    const auto from = text.find(begin) + begin.size();
    return text.substr(from, text.find(end) - from);
}

TEST(ReduceText, OfElementsConvertsBetweenTruthsIntegersAndDoubles) {
    const std::string heat = "static_cast<double>(element.template at<0, 0>())",
                      age = "tessera::whole_of(element.template at<1, 0>(), faults)", wall = "element.template at<2, 0>()";
    EXPECT_EQ(added("sum(cell.heat)"), heat);
    EXPECT_EQ(added("sum(cell.flows[2])"), "static_cast<double>(element.template at<3, 2>())");
    EXPECT_EQ(added("sum(cell.age)"), age);
    EXPECT_EQ(added("sum(cell.wall)"), "static_cast<std::int64_t>(" + wall + ")");
    EXPECT_EQ(added("count(cell.wall)"), wall);
    EXPECT_EQ(added("count(cell.age)"), "(" + age + " != 0)");
    EXPECT_EQ(added("sum(cell.age + cell.heat)"), "(static_cast<double>(" + age + ") + " + heat + ")");
    EXPECT_EQ(added("sum(cell.age - 2)"), "tessera::whole_difference_of(" + age + ", std::int64_t{2l}, faults)");
    EXPECT_EQ(added("sum(cell.age * step)"), "tessera::whole_product_of(" + age + ", step, faults)");
    EXPECT_EQ(added("sum(cell.age % 2)"), "tessera::whole_remainder_of(" + age + ", std::int64_t{2l}, faults)");
    EXPECT_EQ(added("sum(cell.age / 2)"), "(static_cast<double>(" + age + ") / static_cast<double>(std::int64_t{2l}))");
    EXPECT_EQ(added("sum(cell.heat % 0.5)"), "tessera::fmod(" + heat + ", 0x1p-1)");
    EXPECT_EQ(added("sum(-cell.age)"), "tessera::whole_difference_of(0, " + age + ", faults)");
    EXPECT_EQ(added("sum(-cell.heat)"), "(-" + heat + ")");
    EXPECT_EQ(added("count(cell.heat > 1 or not cell.wall)"),
              "static_cast<bool>((" + heat + " > static_cast<double>(std::int64_t{1l})) | (!" + wall + "))");
    EXPECT_EQ(added("count(cell)"), "true");
}

TEST(ReduceText, OfKernelsHasThePartsOfTheirCollectionAlone) {
    const auto setup = setup_of_total("sum(cell.age) + max(lake.depth) + mean(cell.heat)");
    const auto cells = text_of(setup, 0), lakes = text_of(setup, 1);
    EXPECT_THAT(cells, AllOf(HasSubstr("tessera::whole_sum_part s0;\n        static_assert(tessera::whole_sum_part::words == 4);\n"),
                             HasSubstr("tessera::real_sum_part s2;"), HasSubstr("visit(s0, 0);"), HasSubstr("visit(s2, 8);"),
                             Not(HasSubstr("s1"))));
    EXPECT_THAT(cells, AllOf(HasSubstr("using grid = tessera_grid_of_cell;"),
                             HasSubstr("columns = 3, words = " + std::to_string(setup.reductions.front().words)),
                             HasSubstr("arguments[] = {1, 0, -1, -1};"),
                             HasSubstr("TESSERA_REDUCE(tessera_reduce_0_cell, tessera_reduce_0_cell_parts, reduce_places)")));
    EXPECT_THAT(lakes, AllOf(HasSubstr("tessera::extreme_part<std::int64_t, true> s1;"), HasSubstr("visit(s1, 4);"),
                             HasSubstr("arguments[] = {0};"), Not(HasSubstr("s0")), Not(HasSubstr("s2"))));
}

TEST(ReduceText, OfJoinsIsTheExpressionAroundTheParts) {
    const auto text = joins_source(setup_of(R"({reduce={first='2 * count(cell.wall) - min(cell.age)', total='mean(cell.heat) / -step'}})"));
    EXPECT_THAT(text, HasSubstr("tessera::difference_of(tessera::product_of(tessera::whole_value(2l), tessera::counted_part::value(words + "
                                "0, faults), faults), "
                                "tessera::extreme_part<std::int64_t, false>::value(words + 2, faults), faults);\n"
                                "            tessera::put_value<std::int32_t>(args, step, 0, 0, made, faults);\n"));
    EXPECT_THAT(text, HasSubstr("auto faults = static_cast<std::uint32_t>(0 | words[0] | words[2]);\n")) << "of its own parts";
    EXPECT_THAT(text, HasSubstr("tessera::quotient_of(tessera::real_sum_part::mean(words + 6, faults), "
                                "tessera::negative_of(tessera::whole_value(static_cast<std::int64_t>(step)), faults), faults);\n"
                                "            tessera::put_value<double>(args, step, 1, 1, made, faults);\n"));
    EXPECT_THAT(text, HasSubstr("auto faults = static_cast<std::uint32_t>(0 | words[6]);\n"));
    EXPECT_THAT(text,
                HasSubstr("        visit(tessera::counted_part{}, 0);\n        visit(tessera::extreme_part<std::int64_t, false>{}, 2);\n"
                          "        visit(tessera::real_sum_part{}, 6);\n"));
    EXPECT_THAT(text,
                HasSubstr("TESSERA_TASK(tessera_join_0, tessera::join_arguments, tessera::join_partitions<tessera_join_0_of_all>(args))"));
}

TEST(ReduceText, OfQuestionsDecides) {
    const auto text =
        joins_source(setup_of(R"({repeat={until='max(cell.age) <= 4 and not false', most=1, phases=[{callAll="cell.tick"}]}})"));
    EXPECT_THAT(
        text,
        HasSubstr(
            "tessera::whole_value(tessera::as_truth(tessera::is_less_or_equal(tessera::extreme_part<std::int64_t, true>::value(words + 0, "
            "faults), tessera::whole_value(4l))) & "
            "tessera::as_truth(tessera::whole_value(!tessera::as_truth(tessera::whole_value(0l)))));\n"
            "            tessera::put_decision(args, step, made, faults);\n"));
}

TEST(ReduceText, TakesAlongRemaindersWhereThereAreAny) {
    EXPECT_EQ(reduce_headers(setup_of(R"({callAll="cell.tick"})")), "");
    EXPECT_EQ(reduce_headers(setup_of_total("sum(cell.age)")), "#include <tessera/kernels/reduce/reduce.hpp>\n");
    EXPECT_EQ(reduce_headers(setup_of_total("sum(cell.age % 2)")),
              "#include <tessera/kernels/reduce/remainder.hpp>\n#include <tessera/kernels/reduce/reduce.hpp>\n");
}

TEST(ReduceLaunches, HaveAThreadForAPlaceOrForSeveralOfMany) {
    const auto shape = [](const std::string& size, const RowRange& band) {
        const auto setup = setup_of("{reduce={total=\"sum(cell.heat)\"}}", size);
        return reduction_shape(setup, setup.kernels[setup.reductions.front().kernels.front()], band);
    };
    const auto few = shape("[10, 6]", {2, 5}), some = shape("[100, 60]", {0, 60}), more = shape("[1000, 60]", {0, 60}),
               volume = shape("[1000, 60, 20]", {3, 8}), many = shape("[100000, 6000]", {0, 6000});
    EXPECT_EQ(few.items, 3);
    EXPECT_EQ(few.grid[0], 1u);
    EXPECT_EQ(some.grid[0], 24u) << "6000 places, 256 a block";
    EXPECT_EQ(some.block[0], 256u);
    EXPECT_EQ(more.grid[0], 128u) << "60000 places: two a thread, or one for some";
    EXPECT_EQ(volume.items, 5 * 60);
    EXPECT_EQ(volume.grid[0], 147u) << "300000 places, 2048 a block";
    EXPECT_EQ(many.grid[0], 1024u) << "whose words are joined one after the other";
}

} // namespace
} // namespace tessera::test::reduce_source_test
