// Nothing includes what is above it: the folders of the repository, and those of `host` in the order in which docs/architecture.md has
// them.
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::layers_test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// The first word of each row of the table behind `heading`: "| `setup/` | ...".
std::vector<std::string> folders_behind(const std::string& page, const std::string& heading) {
    std::vector<std::string> folders;
    const std::regex row(R"(\| `([a-z_]+)/` \|[^\n]*\n)");
    const auto first = page.find("\n| `", page.find(heading)), last = page.find("\n\n", first);
    const auto table = page.substr(first + 1, last - first);
    for (std::sregex_iterator it(table.begin(), table.end(), row), end; it != end; ++it) folders.push_back((*it)[1]);
    return folders;
}
std::set<std::string> folders_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_directory()) names.insert(entry.path().filename().string());
    return names;
}

// `visit(file, "host/world/world.hpp")` for each file below the folder and each of our headers that it includes.
template<class Visit> void for_each_include(const fs::path& folder, const Visit& visit) {
    const std::regex include(R"~(#include "([a-z_/]+\.hpp)")~");
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
        const auto text = text_of(entry.path());
        for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) visit(entry.path(), (*it)[1].str());
    }
}

class FolderLayers : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(test_source("host"))) GTEST_SKIP() << "the source tree that the tests were built from is not here";
        page_ = text_of(test_source("docs/architecture.md"));
    }

    std::string page_;
};

TEST_F(FolderLayers, OfTheHostIncludeThoseAboveThemInTheTableAlone) {
    const auto order = folders_behind(page_, "Within `host/`");
    EXPECT_THAT(order, ::testing::UnorderedElementsAreArray(folders_in(test_source("host")))) << "the table has each folder";

    const auto place = [&](const std::string& folder) { return std::find(order.begin(), order.end(), folder) - order.begin(); };
    int seen = 0;
    for_each_include(test_source("host"), [&](const fs::path& file, const std::string& header) {
        const auto from = file.lexically_relative(test_source("host")), to = fs::path(header).lexically_relative("host");
        if (!from.has_parent_path() || !to.has_parent_path() || header.rfind("host/", 0) != 0) return;
        EXPECT_GE(place(from.begin()->string()), place(to.begin()->string())) << "host/" << from.string() << " includes " << header;
        ++seen;
    });
    EXPECT_GT(seen, 200);
}

// A run file is taken apart where it is bound. Those below the session know a setup's parts, and of run files the small types of which
// these are made.
TEST_F(FolderLayers, OfTheHostKnowNoRunFileUnlessTheyBindOneOrWriteItDown) {
    const std::set<std::string> may{"run_file", "bind", "prepare", "session", "edits", "run", "bench", "cli"};
    const std::set<std::string> small{"checkpoints", "choices", "expression",     "expression_partial", "file_name", "first_values",
                                      "nearest",     "outputs", "qualified_name", "reserved_names",     "timing",    "where"};
    int seen = 0;
    for_each_include(test_source("host"), [&](const fs::path& file, const std::string& header) {
        const auto from = file.lexically_relative(test_source("host"));
        if (!from.has_parent_path() || may.count(from.begin()->string()) != 0) return;
        const auto folder = fs::path(header).parent_path().string();
        EXPECT_NE(folder, "host/bind") << "host/" << from.string() << " includes " << header;
        if (folder != "host/run_file") return;
        EXPECT_EQ(small.count(fs::path(header).stem().string()), 1u) << "host/" << from.string() << " includes " << header;
        ++seen;
    });
    EXPECT_GT(seen, 10);
}

// Where a run is made is decided by numbers, which another process may have sent: of the devices' runtime there are errors alone, and how
// bytes are written.
TEST_F(FolderLayers, OfDistributionKnowsNoDevices) {
    const std::set<std::string> plain{"device_runtime/error.hpp", "device_runtime/machine.hpp"};
    int seen = 0;
    for_each_include(test_source("host/distribution"), [&](const fs::path& file, const std::string& header) {
        const auto of = fs::path(header).begin()->string();
        EXPECT_TRUE(of == "host" || plain.count(header) != 0) << file.string() << " includes " << header;
        ++seen;
    });
    EXPECT_GT(seen, 10);
}

TEST_F(FolderLayers, OfKernelsIncludeThoseAboveThemInTheTableAlone) {
    const auto order = folders_behind(page_, "Within `kernels/`");
    EXPECT_THAT(order, ::testing::UnorderedElementsAreArray(folders_in(test_source("kernels")))) << "the table has each folder";
    const auto place = [&](const std::string& folder) { return std::find(order.begin(), order.end(), folder) - order.begin(); };
    // `fused` and `agents` stand beside each other.
    const auto may = [&](const std::string& from, const std::string& to) {
        return from == to || (place(to) < place(from) && !(from == "agents" && to == "fused"));
    };
    const std::regex include(R"~(#include <tessera/kernels/([a-z]+)/[a-z_]+\.hpp>)~");
    int seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(test_source("kernels"))) {
        if (entry.path().extension() != ".hpp") continue;
        const auto from = entry.path().parent_path().filename().string(), text = text_of(entry.path());
        for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it, ++seen)
            EXPECT_TRUE(may(from, (*it)[1])) << "kernels/" << from << " includes " << it->str();
    }
    EXPECT_GT(seen, 40);
}

// What of `kernels` the host includes are headers for both, which include nothing of the SDK.
TEST_F(FolderLayers, OfTheRepositoryIncludeNoneAboveThem) {
    const std::map<std::string, std::set<std::string>> may{
        {"sdk", {}}, {"kernels", {}}, {"device_runtime", {"device_runtime"}}, {"jit", {"jit", "device_runtime"}}};
    for (const auto& [folder, others] : may)
        for_each_include(test_source(folder), [&, &allowed = others](const fs::path& file, const std::string& header) {
            const auto of = fs::path(header).begin()->string();
            EXPECT_TRUE(header.find('/') == std::string::npos || allowed.count(of) != 0) << file.string() << " includes " << header;
        });
}

} // namespace
} // namespace tessera::layers_test
