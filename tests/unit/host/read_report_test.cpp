// cmake/read_report.awk, by which test.sh reads what ctest reports.
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace tessera::read_report_test {
namespace {

const char* const report = R"~(<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)"
	tests="4"
	failures="1"
	disabled="1"
	skipped="1"
	>
	<testcase name="Good&lt;int&gt;/&quot;1&quot;" classname="Good" time="0.5" status="run">
		<system-out>a &lt; b &amp;amp; "c"
</system-out>
	</testcase>
	<testcase name="Bad.one" classname="Bad" time="1.25" status="fail">
		<failure message=""/>
		<system-out>it says &lt;testcase name="fake" status="fail"&gt;
and no more</system-out>
	</testcase>
	<testcase name="Skipped" classname="Skipped" time="9.5e-05" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
		<system-out></system-out>
	</testcase>
	<testcase name="Off" classname="Off" time="0" status="disabled">
		<system-out>Disabled</system-out>
	</testcase>
</testsuite>
)~";

std::string read_report(const std::string& output_of) {
    const testing::TemporaryFolder folder;
    testing::write_text(folder.path() / "tests.xml", report);
    const auto outcome = testing::run({"/usr/bin/env",
                                       {"awk", "-f", test_source("cmake/read_report.awk").string(), "tests.xml"},
                                       folder.path(),
                                       {{"output_of", output_of}},
                                       {}});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
}

TEST(ReadReport, TellsWhatBecameOfEachTestAndWhatItSaid) {
    if (!std::filesystem::exists(test_source("cmake/read_report.awk")))
        GTEST_SKIP() << "the source tree that the tests were built from is not here";
    EXPECT_EQ(read_report(""), "passed 0.500 Good<int>/\"1\"\nfailed 1.250 Bad.one\nskipped 0.000 Skipped\nskipped 0.000 Off\n");
    EXPECT_EQ(read_report("Bad.one"), "it says <testcase name=\"fake\" status=\"fail\">\nand no more\n(after 1.250 s)\n");
    EXPECT_EQ(read_report("Good<int>/\"1\""), "a < b &amp; \"c\"\n\n(after 0.500 s)\n");
    EXPECT_EQ(read_report("Missing"), "");
}

} // namespace
} // namespace tessera::read_report_test
