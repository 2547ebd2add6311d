// Where a test finds files: in the source tree, or in an installed tree, whose `run_tests` sets the environment variables named here.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace tessera {

namespace detail {

inline std::filesystem::path from_environment(const char* variable, std::filesystem::path otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::filesystem::path(value) : std::move(otherwise);
}

} // namespace detail

// A file of the folder `tests`, e.g. test_data("data/gosper_gun.rle").
inline std::filesystem::path test_data(const std::string& name) {
    return detail::from_environment("TESSERA_TEST_DATA", std::filesystem::path(TESSERA_SOURCE_DIR) / "tests") / name;
}

// A file of what is shipped with the program, e.g. test_shipped("plugins/life/life.cu") or test_shipped("examples/life/life.toml").
inline std::filesystem::path test_shipped(const std::string& name) {
    return detail::from_environment("TESSERA_TEST_SHARE", TESSERA_SOURCE_DIR) / name;
}

// The `tessera` program; in a build folder it lies beside the test programs.
inline std::filesystem::path test_program() {
    return detail::from_environment("TESSERA_TEST_PROGRAM", std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tessera");
}

} // namespace tessera
