#include "host/bench/table.hpp"
#include "tests/unit/host/bench/fixed_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::bench::table_test {
namespace {

using ::testing::HasSubstr;

TEST(Table, IsAligned) {
    EXPECT_THAT(text_table(fixed_report()), HasSubstr(R"(heat on cuda:0 (GPU <fast> & "large"), models compiled by NVRTC 13.0
driver for CUDA 13.0
a copy of memory moves 4000 GB/s, read and written
kernels by hand: heat/reference.toml

  size         view                us a step     quartiles  estimate  Gplaces/s  of the copy  ratio  state
  100 x 100    by hand, vector.cu       2.00   1.80 - 2.50         -      5.000          1 %   1.00  same
  100 x 100    by hand, simple.cu       4.00   3.60 - 5.00         -      2.500          0 %      -  same
  100 x 100    window, 4 x 1            1.50   1.35 - 1.88         -      6.667          1 %   0.75  same
* 100 x 100    direct                   1.25   1.12 - 1.56         -      8.000          2 %      -  same
  1000 x 1000  by hand, vector.cu       8.00  7.20 - 10.00         -    125.000         25 %      -  same
  1000 x 1000  window, 4 x 8           10.00  9.00 - 12.50         -    100.000         20 %      -  same
* 1000 x 1000  window, 2 x 8            5.00   4.50 - 6.25      4.20    200.000         40 %      -  same
  1000 x 1000  pipeline, 4 steps           -             -         -          -            -      -  differs
  1000 x 1000  pipeline, 8 steps           -             -         -          -            -      -  model.cu:3:1: no, "not" so

)"));
}

TEST(Table, ACpuSaysHowManyThreads) {
    auto report = fixed_report();
    report.devices[0].kind = DeviceKind::cpu;
    report.devices[0].name = "cpu";
    report.driver.clear();
    report.threads = 3;
    EXPECT_THAT(text_table(report), HasSubstr("NVRTC 13.0\na copy of memory moves 4000 GB/s, read and written, by 3 threads\n"));
}

TEST(Table, WithoutEstimatesThereIsNoColumnForThem) {
    auto report = fixed_report();
    report.rows[6].estimate.reset();
    EXPECT_THAT(text_table(report), ::testing::Not(HasSubstr("estimate")));
    EXPECT_THAT(text_table(report), HasSubstr("quartiles  Gplaces/s"));
}

TEST(Table, TheFastestHasTheRightState) {
    auto rows = fixed_report().rows;
    rows[6].state = "differs";
    mark_fastest(rows);
    EXPECT_FALSE(rows[6].fastest);
    EXPECT_TRUE(rows[5].fastest);
    EXPECT_FALSE(rows[4].fastest) << "a kernel by hand is no view";
    rows.push_back(row(1000, "by hand, fused", "by hand, fused.cu, 8 steps", 0.1));
    mark_fastest(rows);
    EXPECT_FALSE(rows.back().fastest);
}

TEST(Table, CommaSeparatedValuesAreWhole) {
    auto report = fixed_report();
    report.rows = {report.rows[2], report.rows[8]};
    EXPECT_EQ(csv_table(report),
              "model,device,devices,size,places,kind,view,fastest,microseconds_a_step,lower_quartile,upper_quartile,estimate,places_a_"
              "second,bytes_a_"
              "place,share_of_copy,ratio,state,"
              "why_not\n"
              "heat,cuda:0,1,100x100,10000,window,\"window, 4 x 1\",0,1.5,1.35,1.875,,6.66667e+09,8,0.0133333,0.75,same,\n"
              "heat,cuda:0,1,1000x1000,1000000,pipeline,\"pipeline, 8 steps\",0,,,,,,8,,,,\"model.cu:3:1: no, \"\"not\"\" so\n    second "
              "line\"\n");
}

} // namespace
} // namespace tessera::bench::table_test
