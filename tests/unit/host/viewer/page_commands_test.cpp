// The commands of the page, as they stand in its source.
#include "host/viewer/page_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

namespace tessera::test::page_commands_test {
namespace {

std::string page_file(const std::string& name) {
    const auto& files = viewer::page_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.name == name; });
    return found == files.end() ? std::string() : found->text;
}

using Found = std::sregex_iterator;

TEST(PageCommands, ShareNoKey) {
    const auto source = page_file("main.js");
    std::map<std::string, std::string> owners;
    for (char digit = '1'; digit <= '9'; ++digit) owners[std::string(1, digit)] = "the layer of that number";
    const std::regex command(R"~(\{ id: "(\w+)".*? keys: \[([^\n]*?)\])~"), key(R"~("((?:[^"\\]|\\.)+)")~");
    std::size_t commands = 0;
    for (Found each(source.begin(), source.end(), command), end; each != end; ++each, ++commands) {
        const auto keys = (*each)[2].str();
        for (Found one(keys.begin(), keys.end(), key); one != end; ++one) {
            const auto [owner, is_new] = owners.emplace((*one)[1], (*each)[1]);
            EXPECT_TRUE(is_new) << "key " << (*one)[1] << " is of " << owner->second << " and of " << (*each)[1];
        }
    }
    EXPECT_GT(commands, 25U) << "they are found";
}

// A button of which there is no command does nothing.
TEST(PageCommands, AreThereForEachButton) {
    const auto page = page_file("index.html"), source = page_file("main.js");
    const std::regex button(R"~(data-do="(\w+)")~");
    for (Found each(page.begin(), page.end(), button), end; each != end; ++each)
        EXPECT_NE(source.find("{ id: \"" + (*each)[1].str() + "\""), std::string::npos) << (*each)[1];
}

// So that the browser asks for all at once, and not for each when another one needs it.
TEST(PageCommands, ComeWithAllTheirParts) {
    const auto page = page_file("index.html");
    for (const auto& file : viewer::page_files()) {
        if (file.name.size() <= 3 || file.name.compare(file.name.size() - 3, 3, ".js") != 0) continue;
        EXPECT_NE(page.find("<link rel=\"modulepreload\" href=\"" + file.name + "\">"), std::string::npos) << file.name;
    }
}

} // namespace
} // namespace tessera::test::page_commands_test
