// Every code block of README.md and docs/ is carried out as its language tag and the marker before it say; one that nothing is known to do
// with is a failure. Markers are HTML comments `<!-- test: ... -->` on the line before the block:
//
//     sh     (none)                                   a script; has to end well
//            status N                                 ends with this exit status
//            without lines that start with: a, b      these lines are for the reader alone
//     toml   (none)                                   a whole run file: runs for a few steps
//            file NAME                                the same, and stays there under this name for later blocks
//            model NAME[, with data]                  a part of a run file, completed by the model's own defaults
//     cpp    (none)                                   a whole model: goes to models/NAME/NAME.cu, compiles and runs for two steps
//            context                                  declarations that the later parts of the page stand on
//            with context                             a part of a model: compiles and runs behind the context
//            refused: TEXT                            the same, but it does not compile, and the message has this text
//            file NAME                                is no model, and stays there under this name for later blocks
//     json   manifest of FILE                         has the keys that the manifest of such a run has
//     text   output                                   every line was said by the script before
//            output, numbers vary                     the same, whatever the numbers are
//            expressions                              expressions of run files, separated by two blanks or more
//     any    shown: REASON                            cannot be carried out here
// sanitizers: none
#include "host/inputs/npy.hpp"
#include "host/run_file/expression.hpp"
#include "tests/support/web_socket.hpp"
#include "tests/unit/host/cli/docs_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <regex>
#include <set>

namespace tessera::docs::docs_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Pages about building say what ./test.sh and the packaging do; their commands need a network, a compiler for minutes, or another machine.
const std::set<std::string> pages_about_building = {"docs/building.md"};

std::vector<std::string> captures(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) found.push_back((*match)[1]);
    return found;
}

std::vector<std::string> split(const std::string& text, const std::string& separators) {
    std::vector<std::string> parts;
    const std::regex expression(separators);
    for (std::sregex_token_iterator part(text.begin(), text.end(), expression, -1), end; part != end; ++part)
        if (!part->str().empty()) parts.push_back(*part);
    return parts;
}

// The marker's text behind `word`, if it starts with it.
std::optional<std::string> behind(const std::string& marker, const std::string& word) {
    if (!marker.starts_with(word)) return std::nullopt;
    return marker.substr(word.size());
}

std::string without_numbers(const std::string& text) {
    return std::regex_replace(std::regex_replace(text, std::regex("\\b[0-9a-f]{16}\\b"), "#"),
                              std::regex("[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?"), "#");
}

std::set<std::string> keys_of(const json& value, const std::string& path = {}) {
    std::set<std::string> keys;
    if (value.is_object())
        for (const auto& [key, inner] : value.items()) {
            keys.insert(path + "/" + key);
            keys.merge(keys_of(inner, path + "/" + key));
        }
    if (value.is_array())
        for (const auto& inner : value) keys.merge(keys_of(inner, path));
    return keys;
}

// One page, carried out from top to bottom in a folder of its own.
class Reading {
public:
    explicit Reading(std::string page) : page_(std::move(page)) {}

    void carry_out(const Block& block) {
        SCOPED_TRACE(page_ + ":" + std::to_string(block.line));
        if (behind(block.marker, "shown: ")) return;
        if (pages_about_building.count(page_) != 0) return;
        const std::map<std::string, void (Reading::*)(const Block&)> treatments = {{"sh", &Reading::script},
                                                                                   {"toml", &Reading::run_file},
                                                                                   {"cpp", &Reading::model},
                                                                                   {"json", &Reading::manifest},
                                                                                   {"text", &Reading::text}};
        const auto treatment = treatments.find(block.language);
        if (treatment == treatments.end()) return unknown(block);
        (this->*treatment->second)(block);
    }

private:
    static void unknown(const Block& block) {
        ADD_FAILURE() << "nothing is known to do with a block of `" << block.language << "` marked `" << block.marker << "`";
    }

    void expect_status(const std::string& script, int status) {
        said_ = workplace_.shell(script);
        EXPECT_EQ(said_.status, status) << script << "\n" << said_.text;
    }

    void script(const Block& block) {
        std::string commands = block.text;
        int status = 0;
        if (const auto list = behind(block.marker, "without lines that start with: ")) {
            commands.clear();
            const auto left_out = split(*list, ", ");
            for (const auto& line : lines_of(block.text)) {
                const auto starts = [&](const std::string& word) { return line.starts_with(word + " "); };
                if (std::none_of(left_out.begin(), left_out.end(), starts)) commands += line + "\n";
            }
        } else if (const auto number = behind(block.marker, "status ")) {
            status = std::stoi(*number);
        } else if (!block.marker.empty()) {
            return unknown(block);
        }
        expect_status(commands, status);
    }

    void run_file(const Block& block) {
        std::string name = "block-" + std::to_string(block.line) + ".toml", text = block.text;
        if (const auto file = behind(block.marker, "file "))
            name = *file;
        else if (const auto given = behind(block.marker, "model ")) {
            const auto parts = split(*given, ", ");
            text = "model = \"" + parts.at(0) + "\"\n" + text;
            if (parts.size() > 1 && parts[1] == "with data")
                make_data();
            else if (parts.size() > 1)
                return unknown(block);
        } else if (!block.marker.empty() || captures(text, "(?:^|\n)(model) *=").empty()) {
            return unknown(block);
        }
        workplace_.write(name, text);
        const bool starts_elsewhere = text.find("\nstart = ") != std::string::npos; // steps keep their numbers
        const auto steps = starts_elsewhere ? " --set 'run.steps=\"+3\"'" : " --steps 3";
        expect_status("tessera run " + name + " --plugins models" + steps + " --out .out-" + std::to_string(block.line), 0);
    }

    void model(const Block& block) {
        const auto names = captures(block.text, "TESSERA_MODEL\\((\\w+),");
        if (block.marker.empty() && names.size() == 1) return expect_runs(names.front(), block.text, block.line);
        if (const auto file = behind(block.marker, "file ")) return workplace_.write(*file, block.text);
        if (block.marker == "context") return void(context_ = block.text);
        const auto whole = "#include <tessera/model.hpp>\n" + context_ + block.text + "\nTESSERA_MODEL(part, \"a part of a page\");\n";
        if (block.marker == "with context") return expect_runs("part", whole, block.line);
        const auto message = behind(block.marker, "refused: ");
        if (!message) return unknown(block);
        const int does_not_compile = 5;
        workplace_.write("models/part/part.cu", whole);
        expect_status("tessera check part --plugins models" + settings_for(whole), does_not_compile);
        EXPECT_THAT(said_.text, HasSubstr(*message));
    }

    void expect_runs(const std::string& name, const std::string& text, int line) {
        workplace_.write("models/" + name + "/" + name + ".cu", text);
        expect_status("tessera run " + name + " --plugins models --steps 2 --out .out-" + std::to_string(line) + settings_for(text), 0);
    }

    // What a model without defaults has to be told: a size of its places, and that there are some agents.
    static std::string settings_for(const std::string& model) {
        std::string settings;
        if (model.find("TESSERA_DEFAULTS") != std::string::npos) return settings;
        for (const auto& row : captures(model, "TESSERA_PLACE\\((\\w+),?"))
            settings += " --set places." + collection_of(row) + ".size=[19,13]";
        for (const auto& row : captures(model, "TESSERA_AGENT\\((\\w+),")) settings += " --set agents." + collection_of(row) + ".count=40";
        return settings + " --set run.steps=2";
    }

    static std::string collection_of(const std::string& row) {
        auto collection = std::regex_replace(row, std::regex("([a-z])([A-Z])"), "$1_$2");
        for (char& c : collection) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return collection;
    }

    void manifest(const Block& block) {
        const auto file = behind(block.marker, "manifest of ");
        if (!file) return unknown(block);
        const auto folder = ".manifest-" + std::to_string(block.line);
        expect_status("tessera run " + *file + " --steps 2000 --out " + folder, 0);
        if (said_.status != 0) return;
        const auto found = json::parse(read_text(workplace_.folder() / folder / "manifest.json"));
        const std::set<std::string> only_where_sampled = {"/timing/phases/mean_microseconds"};
        auto expected = keys_of(json::parse(block.text)), keys = keys_of(found);
        for (const auto& key : only_where_sampled) {
            expected.erase(key);
            keys.erase(key);
        }
        EXPECT_EQ(keys, expected);
    }

    void text(const Block& block) {
        if (block.marker == "expressions") {
            for (const auto& expression : split(block.text, "\n|  +")) EXPECT_NO_THROW((void)expression::parse(expression)) << expression;
        } else if (block.marker == "output" || block.marker == "output, numbers vary") {
            const bool exact = block.marker == "output";
            for (const auto& line : lines_of(block.text))
                EXPECT_THAT(exact ? said_.text : without_numbers(said_.text), HasSubstr(exact ? line : without_numbers(line)));
        } else {
            unknown(block);
        }
    }

    // The files that parts of run files read.
    void make_data() {
        if (fs::exists(workplace_.folder() / "start.npy")) return;
        workplace_.write("patch.csv", "# a heading\n1; 2.5; 3\n4; 5; 6\n");
        workplace_.write("height.asc", "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n1 2 3\n-9999 5 6\n");
        const auto made = workplace_.shell("tessera run heat2d --steps 0 --out .data --set places.plate.size=[64,64] "
                                           "--set 'output=[{npy=\"{step}.npy\",every=1,attribute=\"plate.heat\"}]'\n"
                                           "mv .data/0.npy start.npy\n"
                                           "tessera run heat2d --steps 0 --out .photo --set places.plate.size=[32,32] --set "
                                           "'output=[{png=\"{step}.png\",every=1,attribute=\"plate.heat\"}]'\n"
                                           "mv .photo/0.png photo.png\ncp examples/life/glider.rle .\n");
        ASSERT_EQ(made.status, 0) << made.text;
    }

    std::string page_;
    Workplace workplace_;
    std::string context_;
    Outcome said_;
};

std::vector<std::string> all_pages() {
    std::vector<std::string> pages;
    if (const auto root = docs_root())
        for (const auto& page : pages_below(*root)) pages.push_back(page.generic_string());
    return pages;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& page) { return std::regex_replace(page.param, std::regex("\\W"), "_"); }

class Page : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Page); // an installed tree may come without pages
INSTANTIATE_TEST_SUITE_P(Docs, Page, ::testing::ValuesIn(all_pages()), test_name);

TEST_P(Page, DoesWhatItSays) {
    Reading reading(GetParam());
    for (const auto& block : blocks_of(*docs_root() / GetParam())) reading.carry_out(block);
}

// The anchors of a page's headings, as GitHub makes them.
std::set<std::string> anchors_of(const fs::path& page) {
    std::set<std::string> anchors;
    for (const auto& line : lines_of(read_text(page))) {
        std::smatch heading;
        if (!std::regex_match(line, heading, std::regex("#+ (.*)"))) continue;
        std::string anchor;
        for (const char c : heading[1].str()) {
            if (c == ' ' || c == '-')
                anchor += '-';
            else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
                anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        anchors.insert(anchor);
    }
    return anchors;
}

TEST_P(Page, LinksLeadSomewhere) {
    const auto root = *docs_root();
    if (!fs::exists(root / "CMakeLists.txt")) GTEST_SKIP() << "pages of an installed tree link to sources that are not there";
    const auto page = root / GetParam();
    for (const auto& link : captures(read_text(page), "\\]\\(([^)\\s]+)\\)")) {
        if (link.starts_with("http")) continue;
        const auto hash = link.find('#');
        const auto target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
        EXPECT_TRUE(fs::exists(target)) << GetParam() << " links to " << link;
        if (hash == std::string::npos || !fs::exists(target)) continue;
        EXPECT_THAT(anchors_of(target), ::testing::Contains(link.substr(hash + 1))) << GetParam();
    }
}

TEST(Docs, AreThere) {
    if (!docs_root())
        GTEST_SKIP() << "there are no README.md and docs/ at " << test_shipped(".") << " or " << test_shipped("../doc/tessera");
    EXPECT_THAT(all_pages(),
                ::testing::IsSupersetOf({"README.md", "docs/manual.md", "docs/sdk.md", "docs/architecture.md", "docs/building.md"}));
}

// What burns, by a flood fill from the western edge over the trees of the initial state.
std::vector<std::uint8_t> burnt_by_flood_fill(std::vector<std::uint8_t> state, std::int64_t nx, std::int64_t ny) {
    constexpr std::uint8_t tree = 1, burning = 2, burnt = 3;
    std::vector<std::int64_t> front;
    for (std::int64_t y = 0; y < ny; ++y)
        if (state[static_cast<std::size_t>(y * nx)] == burning) front.push_back(y * nx);
    while (!front.empty()) {
        const auto at = front.back();
        front.pop_back();
        state[static_cast<std::size_t>(at)] = burnt;
        const auto x = at % nx, y = at / nx;
        const auto spread = [&](bool there, std::int64_t to) {
            if (!there || state[static_cast<std::size_t>(to)] != tree) return;
            state[static_cast<std::size_t>(to)] = burnt;
            front.push_back(to);
        };
        spread(x > 0, at - 1);
        spread(x + 1 < nx, at + 1);
        spread(y > 0, at - nx);
        spread(y + 1 < ny, at + nx);
    }
    return state;
}

TEST(Docs, TheReadmeOpensAPage) {
    const auto root = docs_root();
    if (!root) GTEST_SKIP() << "there is no README.md";
    const auto blocks = blocks_of(*root / "README.md");
    const auto view =
        std::find_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.text.starts_with("./run.sh view"); });
    ASSERT_NE(view, blocks.end());
    Workplace workplace;
    const auto command = view->text.substr(0, view->text.find('#'));
    (void)workplace.shell("unset DISPLAY WAYLAND_DISPLAY\n" + command + " > said 2>&1 &\necho $! > pid\n" +
                          "for i in $(seq 900); do [ -s results/*/viewer.url ] && break; sleep 0.1; done");
    const auto url = workplace.shell("cat results/*/viewer.url");
    EXPECT_EQ(url.status, 0) << read_text(workplace.folder() / "said");
    if (url.status == 0) {
        test::Connection connection(test::Address(url.text).port);
        EXPECT_THAT(connection.ask("/", "Host: localhost\r\n"), ::testing::StartsWith("HTTP/1.1 200"));
        EXPECT_THAT(connection.read(100000), HasSubstr("<title>Tessera</title>"));
    }
    EXPECT_EQ(workplace.shell("kill -INT $(cat pid)\nwhile kill -0 $(cat pid) 2> /dev/null; do sleep 0.1; done").status, 0);
}

TEST(Docs, TheFireOfTheReadmeBurnsWhatIsConnected) {
    const auto root = docs_root();
    if (!root) GTEST_SKIP() << "there is no README.md";
    const auto blocks = blocks_of(*root / "README.md");
    const auto model = std::find_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.language == "cpp"; });
    ASSERT_NE(model, blocks.end());
    Workplace workplace;
    workplace.write("models/fire/fire.cu", model->text);
    const auto outcome = workplace.shell("tessera run fire --plugins models --out fire --set places.patch.size=[131,67] "
                                         "--set 'output=[{npy=\"{step}.npy\",every=1000000,attribute=\"patch.state\"}]'");
    ASSERT_EQ(outcome.status, 0) << outcome.text;
    const auto steps = json::parse(read_text(workplace.folder() / "fire" / "manifest.json")).at("steps").get<int>();
    const auto state_at = [&](int step) {
        const auto array = read_npy(workplace.folder() / "fire" / (std::to_string(step) + ".npy"));
        const auto values = array.data<std::uint8_t>();
        return std::vector<std::uint8_t>(values.begin(), values.end());
    };
    EXPECT_GT(steps, 30);
    EXPECT_EQ(state_at(steps), burnt_by_flood_fill(state_at(0), 131, 67));
}

} // namespace
} // namespace tessera::docs::docs_test
