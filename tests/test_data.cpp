#include "tests/test_data.hpp"

#include <cstdlib>
#include <utility>

namespace tessera {
namespace {

std::filesystem::path from_environment(const char* variable, std::filesystem::path otherwise) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' ? std::filesystem::path(value) : std::move(otherwise);
}

std::filesystem::path folder_of_this_program() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

} // namespace

std::filesystem::path test_data(const std::string& name) { return from_environment("TESSERA_TEST_DATA", test_source("tests")) / name; }

std::filesystem::path test_shipped(const std::string& name) { return from_environment("TESSERA_TEST_SHARE", test_source("")) / name; }

std::filesystem::path test_program() { return from_environment("TESSERA_TEST_PROGRAM", folder_of_this_program() / "tessera"); }

std::filesystem::path test_library(const std::string& name) { return folder_of_this_program() / ("lib" + name + ".so"); }

std::filesystem::path test_source(const std::string& name) { return std::filesystem::path(TESSERA_SOURCE_DIR) / name; }

} // namespace tessera
