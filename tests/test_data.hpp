// Where a test finds files: in the source tree, or in an installed tree, whose `run_tests` sets the environment variables named here.
#pragma once

#include <filesystem>
#include <string>

namespace tessera {

// A file of the folder `tests`, e.g. test_data("data/gosper_gun.rle"). TESSERA_TEST_DATA names another folder.
std::filesystem::path test_data(const std::string& name);

// A file of what is shipped with the program, e.g. test_shipped("plugins/life/life.cu") or test_shipped("examples/life/life.toml").
// TESSERA_TEST_SHARE names another folder.
std::filesystem::path test_shipped(const std::string& name);

// The `tessera` program, or TESSERA_TEST_PROGRAM; in a build folder it lies beside the test programs.
std::filesystem::path test_program();

// A library that tests load, which the build made and put beside the test programs, e.g. test_library("test_kernels").
std::filesystem::path test_library(const std::string& name);

// A file of the source tree that the tests were built from, which is not there where an archive was unpacked.
std::filesystem::path test_source(const std::string& name);

} // namespace tessera
