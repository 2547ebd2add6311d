// Files that are read, and what pages of the viewer say, mutated: each is read or refused in words, whatever its bytes. A few hundred of
// each kind here; for hours by tests/fuzz/run.sh, which sets TESSERA_FUZZ_TRIES, TESSERA_FUZZ_SEED and TESSERA_FUZZ_KEEP (a folder for what
// is being tried).
#include "device_runtime/error.hpp"
#include "host/bind/read_network_file.hpp"
#include "host/checkpoint/store.hpp"
#include "host/edits/changes.hpp"
#include "host/inputs/csv.hpp"
#include "host/inputs/esri_grid.hpp"
#include "host/inputs/npy.hpp"
#include "host/inputs/png.hpp"
#include "host/inputs/rle.hpp"
#include "host/model/library.hpp"
#include "host/model/model.hpp"
#include "host/outputs/earlier_results.hpp"
#include "host/plugins/build_library.hpp"
#include "host/prepare/prepare.hpp"
#include "host/run_file/bytes.hpp"
#include "host/run_file/duration.hpp"
#include "host/run_file/run_file.hpp"
#include "host/viewer/inbox.hpp"
#include "host/viewer/page_message.hpp"
#include "host/viewer/read_message.hpp"
#include "host/world/check_state.hpp"
#include "host/world/state_hash.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <tessera/version.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <fcntl.h>

namespace tessera::mutations_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

std::uint64_t variable(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Makes other bytes of given ones, the same for the same seed.
class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : state_(seed) {}

    std::size_t below(std::size_t n) { // n > 0
        state_ += 0x9e3779b97f4a7c15;
        auto x = state_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return static_cast<std::size_t>((x ^ (x >> 31)) % n);
    }

    // A few changes, at places between `first` and `end`.
    std::string mutated(std::string bytes, const std::vector<std::string>& words, std::size_t first = 0,
                        std::size_t end = ~std::size_t{0}) {
        const auto changes = 1 + below(4);
        for (std::size_t i = 0; i < changes && bytes.size() > first; ++i)
            change(bytes, words, first + below(std::min(end, bytes.size()) - first));
        return bytes;
    }

private:
    void change(std::string& bytes, const std::vector<std::string>& words, std::size_t at) {
        static const std::vector<std::string> values = {
            "0",   "-1",  "1",    "4294967296", "18446744073709551615", "-9223372036854775808", "1e9",
            "nan", "inf", "-0.0", "1e-400",     "99999999999999999999"};
        switch (below(9)) {
        case 0: bytes[at] = static_cast<char>(below(256)); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
        case 2: bytes.erase(at, 1 + below(20)); break;
        case 3: bytes.insert(at, bytes.substr(at, 1 + below(40))); break;
        case 4: bytes.resize(at); break;
        case 5: bytes.insert(at, std::string(1 + below(300), bytes[at])); break;
        case 6: bytes.insert(at, values[below(values.size())]); break;
        case 7: bytes.insert(at, words[below(words.size())]); break;
        default: replace_number(bytes, at, values[below(values.size())]); break;
        }
    }
    static void replace_number(std::string& bytes, std::size_t at, const std::string& value) {
        const auto first = bytes.find_first_of("0123456789", at);
        if (first == std::string::npos) return;
        const auto end = std::min(bytes.find_first_not_of("0123456789.", first), bytes.size());
        bytes.replace(first, end - first, value);
    }

    std::uint64_t state_;
};

jit::Compiler& compiler() {
    static jit::Cache cache;
    static jit::Compiler instance(cache);
    return instance;
}

// The check of a grid of a million places.
void at_most_a_million(const std::array<std::int64_t, 3>& size) {
    if (size[0] > 1'000'000 / size[1] / size[2]) throw Error(Failure::input, "so many do not fit");
}

bool is_in_words(const std::string& text) {
    return !text.empty() && text.find_first_of(std::string("\x01\x02\x03\x07\x08\x0b\x0c\x0d\x1b\x7f\0", 11)) == std::string::npos;
}

class Mutations : public ::testing::Test {
protected:
    using Read = std::function<void(const std::string& bytes)>;

    // Tries what becomes of `intact`: it is read, or refused with an error that is none of ours, in words that a terminal can show.
    void try_mutations(const std::string& kind, const std::string& intact, const std::vector<std::string>& words, const Read& read,
                       std::size_t first = 0, std::size_t end = ~std::size_t{0}) {
        const auto tries = variable("TESSERA_FUZZ_TRIES", 300);
        Mutator mutator(variable("TESSERA_FUZZ_SEED", variable("TESSERA_TEST_SEED", 1)) * 1'000'003 + std::hash<std::string>()(kind));
        const char* keep = std::getenv("TESSERA_FUZZ_KEEP");
        const fs::path kept = keep == nullptr ? folder_.path() / ("kept-" + kind) : fs::path(keep) / kind;
        for (std::uint64_t i = 0; i < tries; ++i) {
            const auto bytes = mutator.mutated(intact, words, first, end);
            if (keep != nullptr) write_text(kept, bytes); // before a crash
            const auto why = what_goes_wrong(bytes, read);
            if (why.empty()) continue;
            ADD_FAILURE() << kind << ", try " << i << ": " << why << "\n" << bytes.substr(0, 3000);
            return;
        }
    }

    [[nodiscard]] const fs::path& here() const { return folder_.path(); }

private:
    static std::string what_goes_wrong(const std::string& bytes, const Read& read) {
        try {
            read(bytes);
        } catch (const Error& error) {
            if (error.kind() == Failure::internal) return std::string("a defect: ") + error.what();
            if (!is_in_words(error.what())) return std::string("no words: ") + error.what();
        } catch (const std::exception& error) {
            return std::string("thrown: ") + error.what();
        }
        return {};
    }

    TemporaryFolder folder_;
};

void expect_whole(const Array& array) {
    EXPECT_GT(array.count(), 0);
    EXPECT_EQ(array.bytes.size(), static_cast<std::size_t>(array.count()) * size_of(array.type));
}

std::string array_bytes(const std::string& name) { return text_of(test_data("data/arrays/" + name)); }

TEST_F(Mutations, RunFiles) {
    const std::vector<std::string> words = {"[",       "]",        "{",          "}",      "=",      "\"",     "'''",     "\n",
                                            ".",       ",",        "[[output]]", "phase",  "places", "agents", "params",  "init",
                                            "every",   "csv",      "file",       "reduce", "sum(",   "mean(",  " where ", "and not",
                                            "\\u0000", "\x1b[31m", "#",          "inf",    "true",   "-"};
    for (const char* name : {"ants/ants.toml", "life/life.toml", "heat2d/heat2d.toml", "wolf_sheep/wolf_sheep.toml", "boids/boids.toml"})
        try_mutations("run-file", text_of(test_shipped(std::string("examples/") + name)), words, [](const std::string& text) {
            const auto run = parse_run_file(text, "r.toml");
            const auto written = resolved_toml(run);
            EXPECT_EQ(resolved_toml(parse_run_file(written, "r.toml")), written) << text; // what it means can be written out
        });
}

TEST_F(Mutations, Csv) {
    const std::vector<std::string> words = {",", ";", "\t", " ", "\n", "\r\n", "#", "\"", "NA", "1.#INF", "\xef\xbb\xbf", "e", "+"};
    try_mutations("csv", "x;y\n1;2.5\n-3e7;18446744073709551615\n# end\n7;8\n", words, [](const std::string& text) {
        const auto array = parse_csv(text, "a.csv");
        expect_whole(array);
        std::string again;
        for (std::int64_t i = 0; i < array.count(); ++i) {
            char number[40];
            std::snprintf(number, sizeof number, "%.17g", array.as_double(i));
            again += number + std::string((i + 1) % array.size[0] == 0 ? "\n" : ",");
        }
        const auto same = parse_csv(again, "b.csv");
        EXPECT_EQ(same.size, array.size) << text;
    });
}

TEST_F(Mutations, Esri) {
    const std::vector<std::string> words = {"ncols", "NROWS", "cellsize", "NODATA_value", "nodata", " ", "\n", "\r", "-9999", "xllcenter"};
    try_mutations("esri", "ncols 3\nnrows 2\nxllcorner 100.5\nyllcorner -20\ncellsize 30\nNODATA_value -1\n1 2 3\n4 5e3 6\n", words,
                  [](const std::string& text) { expect_whole(parse_esri_grid(text, "a.asc", 0, at_most_a_million)); });
}

TEST_F(Mutations, Rle) {
    const std::vector<std::string> words = {"$", "!", "b", "o", "A", "yO", "pA", "x = ", "rule = 345/2/4", ":T8,8", "#r ", "\n", ",", "/"};
    try_mutations("rle", "#C a glider\nx = 3, y = 3, rule = B3/S23:T20,20\nbo$2bo$3o!\n", words, [](const std::string& text) {
        const auto pattern = parse_rle(text, "a.rle", {}, at_most_a_million);
        expect_whole(pattern.cells);
        static_cast<void>(universe_of(pattern.bounds));
        if (const auto states = states_of(pattern.rule); states) {
            EXPECT_GE(*states, 2) << text;
        }
    });
    try_mutations("rle-states", "x = 6, y = 2, rule = 345/2/4\n.ABC2A$2B!\n", words, [](const std::string& text) {
        const auto pattern = parse_rle(text, "a.rle", {}, at_most_a_million);
        const auto states = states_of(pattern.rule);
        if (pattern.rule != "345/2/4") return;
        for (const auto cell : pattern.cells.data<std::uint8_t>()) EXPECT_LT(cell, *states) << text;
    });
}

TEST_F(Mutations, Npy) {
    const std::vector<std::string> words = {"'descr'", "<f8", ">i2", "|O", "fortran_order", "True", "(3,)",
                                            "(",       "-1",  ", ",  "}",  "\x93NUMPY"};
    for (const char* name : {"f4_big.npy", "ny_nx_n_fortran.npy", "version2.npy", "b1_one.npy"})
        try_mutations(
            "npy", array_bytes(name), words,
            [&](const std::string& bytes) {
                write_text(here() / "a.npy", bytes);
                expect_whole(read_npy(here() / "a.npy", name[0] == 'n' ? 2 : 1, at_most_a_million));
            },
            0, 160); // the header, mostly
}

TEST_F(Mutations, Networks) {
    const std::vector<std::string> words = {"%", "%%MatrixMarket", "symmetric", "pattern", "\n", "\n\n", " ", "\t", "\r", "11", "5 5 4"};
    CollectionSetup places;
    places.name = "person", places.count = 5;
    model::Row row;
    row.name = "Contact";
    row.members.emplace_back();
    row.members.front().name = "chance", row.members.front().type = Scalar::f32;
    const auto expect_links = [&](const std::string& path, const LinksFile& file) {
        EXPECT_EQ(file.links.from.size(), file.links.to.size()) << path;
        EXPECT_EQ(file.links.from.size(), file.lines.size()) << path;
        for (const auto* ends : {&file.links.from, &file.links.to})
            for (const auto end : *ends) EXPECT_TRUE(end >= 0 && end < 5) << path;
    };
    for (const bool is_directed : {false, true}) {
        try_mutations("matrix-market", "%%MatrixMarket matrix coordinate real symmetric\n% so\n5 5 3\n2 1 0.5\n3 2 1e-3\n5 5 2\n", words,
                      [&](const std::string& text) {
                          write_text(here() / "a.mtx", text);
                          expect_links("a.mtx", read_matrix_market((here() / "a.mtx").string(), {row, places, places, is_directed}));
                      });
        try_mutations("metis", "% so\n5 3 11 1\n1 2 0.5 3 2\n1 1 0.5\n1 1 2\n0 5 1\n0 4 1\n", words, [&](const std::string& text) {
            write_text(here() / "a.graph", text);
            expect_links("a.graph", read_metis((here() / "a.graph").string(), {row, places, places, is_directed}));
        });
    }
}

TEST_F(Mutations, Png) {
    const std::vector<std::string> words = {"IHDR", "IDAT", "IEND", "PLTE", "tRNS", std::string(4, '\0'), std::string(8, '\xff')};
    for (const char* name : {"grey16_interlaced.png", "grey1.png", "grey_alpha8.png"})
        try_mutations("png", array_bytes(name), words,
                      [](const std::string& bytes) { expect_whole(parse_png(bytes, "a.png", at_most_a_million)); });
}

TEST_F(Mutations, Libraries) {
    const auto model = model::load_model(test_shipped("plugins/life/life.cu"), compiler());
    const auto built = build_library(model);
    const std::string library(reinterpret_cast<const char*>(built.data()), built.size());
    const auto read = [&](const std::string& bytes) {
        write_text(here() / "life.so", bytes);
        std::string why;
        const auto found = model::read_library(here() / "life.so", why);
        if (!found) {
            EXPECT_TRUE(is_in_words(why)) << why;
            return;
        }
        for (const auto& part : found->parts) static_cast<void>(model::read_part(*found, part));
        const auto source = model::read_source(*found);
        if (source && source->main.name == "life.cu") { // it would be refused if it were another
            EXPECT_EQ(source->main.text, model.source.main.text);
        }
        static_cast<void>(model::needed_libraries(*found));
        static_cast<void>(model::read_description(found->records, "life.so"));
    };
    EXPECT_NO_THROW(read(library));
    const std::vector<std::string> words = {std::string(8, '\0'), std::string(8, '\xff'),
                                            std::string("\x7f"
                                                        "ELF"),
                                            "TESSERA_MODEL", "\n"};
    try_mutations("library-headers", library, words, read, 0, 1024);
    try_mutations("library", library, words, read);
}

// By a plain reading of the same text.
void expect_time(const std::string& text, std::optional<double> seconds, const std::map<std::string, double>& units, double least,
                 double most) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (!seconds) return; // refused
    std::string unit(end);
    unit.erase(0, unit.find_first_not_of(' '));
    ASSERT_TRUE(units.contains(unit)) << text;
    EXPECT_DOUBLE_EQ(*seconds, number * units.at(unit)) << text;
    EXPECT_TRUE(*seconds >= least && *seconds <= most && text.front() != '-') << text;
}

TEST_F(Mutations, Times) {
    const std::vector<std::string> words = {"-", "s", "min", "h", "m", "us", "ms", " ", "KiB", "MiB", "GiB", ".", "e"};
    for (const char* text : {"10 min", "1.5h", "30 s", "100us", "1.5ms", "64 MiB", "2 GiB"})
        try_mutations("time", text, words, [&](const std::string& changed) {
            if (changed.find('\0') != std::string::npos || changed.empty()) return; // which strtod does not see
            expect_time(changed, run_file::read_duration(changed), {{"s", 1}, {"min", 60}, {"h", 3600}}, 0, 1e6);
            expect_time(changed, run_file::read_latency(changed), {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}, 0, 1);
            const auto bytes = run_file::read_bytes(changed);
            if (bytes) {
                EXPECT_LE(*bytes, std::uint64_t{1} << 50) << changed;
                EXPECT_NE(changed.front(), '-') << changed;
            }
        });
}

// A checkpoint with right hashes: its record, and its columns.
TEST_F(Mutations, Checkpoints) {
    const auto results = here() / "kept", kept = results / "checkpoints/000000000010";
    fs::copy(test_data("data/checkpoints/format_1/wolf_sheep"), results, fs::copy_options::recursive);
    const auto prepared = prepare({(results / "source/run.toml").string(), {}, {}}, compiler());
    const auto intact = [&] {
        auto record = nlohmann::json::parse(text_of(kept / "checkpoint.json"));
        record.erase("xxh3_of_all_before");
        record["result_epoch"] = TESSERA_RESULT_EPOCH;
        return record;
    }();
    const auto read = [&](const std::string& record) {
        write_text(kept / "checkpoint.json", checkpoint::sealed(record));
        const auto found = checkpoint::open_elsewhere(kept);
        check_state(prepared.setup, found.saved.state, Lacking::refused);
        for (const auto& piece : found.saved.state.pieces) {
            if (piece.member != "(place)") continue;
            std::vector<std::int32_t> places(static_cast<std::size_t>(piece.shape.places()));
            piece.read(0, {0, piece.shape.places()}, reinterpret_cast<std::byte*>(places.data()));
            for (const auto place : places) EXPECT_TRUE(place >= 0 && place < 192) << record;
        }
    };
    ASSERT_NO_THROW(read(intact.dump(1)));
    try_mutations("checkpoint", intact.dump(1), {"\"", "[", "]", "{", "}", ",", ":", "null", "true", "-", "../", "(start)"}, read);
    for (const char* name : {"sheep.(place).npy", "sheep.(start).npy", "wolf.(id).npy", "wolf.(code).npy"}) {
        const auto whole = text_of(kept / name);
        try_mutations("column", whole, {"\xff\xff\xff\xff", std::string(4, '\0')}, [&](const std::string& bytes) {
            write_text(kept / name, bytes);
            auto record = intact;
            for (auto& column : record["columns"])
                if (column["file"]["name"] == name)
                    column["file"]["bytes"] = bytes.size(), column["file"]["xxh3_of_16_MiB"] = {hash_text(checkpoint::hash_of(bytes))};
            read(record.dump(1));
        });
        write_text(kept / name, whole);
    }
}

int depth_of(const nlohmann::json& json) {
    int deepest = 0;
    if (json.is_structured())
        for (const auto& each : json) deepest = std::max(deepest, depth_of(each));
    return json.is_structured() ? deepest + 1 : 0;
}

TEST_F(Mutations, MessagesOfPages) {
    const std::vector<std::string> words = {
        "[",   "]",  "{", "}",       "\"",        ",",    ":",    "[[[[[[[[[",    "null",    "true", "\\u0000",
        "0.5", "\\", "x", "[[1,2]]", "\"layer\"", "1e99", "\xff", "\xed\xa0\x80", "{\"a\":", "-1",   "[3,4]"};
    for (const char* said :
         {R"({"do":"paint","layer":"grass.countdown","element":0,"plane":0,"shape":"brush","size":3,"path":[[3,4],[5,6]],"value":"3"})",
          R"({"do":"look","layer":"grass.countdown","x":3,"y":2,"across":2,"width":15,"height":100,"agents":["sheep"],"look":7,)"
          R"("shades":[{"collection":"sheep","member":"energy","colours":"viridis","element":0}]})",
          R"({"do":"range","layer":"grass.countdown","low":"0","high":"10"})"})
        try_mutations("page-message", said, words, [](const std::string& text) {
            const auto message = viewer::read_message(text);
            EXPECT_TRUE(message.is_null() || message.is_object()) << text;
            EXPECT_LE(depth_of(message), 8) << text;
            if (message.is_null()) return;
            EXPECT_GE(viewer::look_of(message).element, -1) << text;
            static_cast<void>(viewer::end_of(message, "low"));
            for (const auto& point : viewer::stroke_of(message).path) EXPECT_EQ(point.size(), 2U);
        });
}

// An inbox of pages beside a plain list of what it has to keep.
class Flood {
public:
    explicit Flood(std::uint64_t seed) : mutator_(seed) {}

    void go_on() {
        const auto what = mutator_.below(8);
        if (pages_.empty() || what == 0) return come();
        if (what == 1) return leave();
        if (what == 2) return hear();
        say();
    }

private:
    using Kind = viewer::Letter::Kind;
    struct Kept {
        viewer::PageId page;
        Kind kind;
        std::size_t bytes;
    };
    struct Page {
        viewer::PageId id;
        bool steers;
    };
    struct Said {
        std::size_t letters = 0, bytes = 0;
    };

    [[nodiscard]] std::deque<Kept>& kept(bool steers) { return kept_[steers ? 1 : 0]; }
    [[nodiscard]] Said said(const std::function<bool(const Kept&)>& counts) const {
        Said all;
        for (const auto& of : kept_)
            for (const auto& each : of)
                if (each.kind == Kind::said && counts(each)) ++all.letters, all.bytes += each.bytes;
        return all;
    }
    void come() {
        pages_.push_back({++last_, mutator_.below(2) == 0});
        EXPECT_TRUE(inbox_.put({last_, Kind::came, {}, pages_.back().steers}));
        kept(pages_.back().steers).push_back({last_, Kind::came, 0});
    }
    void leave() {
        const auto at = pages_.begin() + static_cast<std::ptrdiff_t>(mutator_.below(pages_.size()));
        const auto page = *at;
        pages_.erase(at);
        EXPECT_TRUE(inbox_.put({page.id, Kind::left, {}, page.steers}));
        std::deque<Kept> others;
        bool is_known = true;
        for (const auto& each : kept(page.steers))
            if (page.steers || each.page != page.id)
                others.push_back(each);
            else
                is_known = is_known && each.kind != Kind::came;
        if (is_known) others.push_back({page.id, Kind::left, 0});
        kept(page.steers) = others;
    }
    void hear() {
        for (auto times = mutator_.below(3000); times > 0; --times) {
            const bool lookers = mutator_.below(4) != 0;
            auto& of = kept(!kept_[1].empty());
            const auto letter = inbox_.take(lookers);
            ASSERT_EQ(letter.has_value(), !of.empty() && (lookers || &of == &kept_[1]));
            if (!letter) continue;
            ASSERT_EQ(letter->page, of.front().page);
            ASSERT_EQ(letter->kind, of.front().kind);
            ASSERT_EQ(letter->text.size(), of.front().bytes);
            of.pop_front();
        }
    }
    void say() {
        const auto page = pages_[mutator_.below(pages_.size())];
        const auto bytes = mutator_.below(2) == 0 ? mutator_.below(65537) : mutator_.below(10);
        auto own = said([&](const Kept&each) { return each.page == page.id; }), all = said([](const Kept&) { return true; });
        for (auto times = mutator_.below(5000); times > 0; --times) {
            const bool fits = own.letters < 4096 && own.bytes + bytes <= 1U << 20 && all.bytes + bytes <= 16U << 20;
            ASSERT_EQ(inbox_.put({page.id, Kind::said, std::string(bytes, '['), page.steers}), fits);
            if (!fits) break;
            kept(page.steers).push_back({page.id, Kind::said, bytes});
            ++own.letters, own.bytes += bytes, all.bytes += bytes;
        }
    }

    Mutator mutator_;
    viewer::Inbox inbox_;
    std::deque<Kept> kept_[2]; // of pages that look, and that steer
    std::vector<Page> pages_;
    viewer::PageId last_ = 0;
};

// Pages that come, say any number of texts of any length and leave, while somebody hears some of them at times.
TEST_F(Mutations, FloodsOfPages) {
    Flood flood(variable("TESSERA_FUZZ_SEED", variable("TESSERA_TEST_SEED", 1)));
    for (std::uint64_t i = 0; i < variable("TESSERA_FUZZ_TRIES", 300) && !HasFatalFailure(); ++i) flood.go_on();
}

TEST_F(Mutations, ANumberOfAManifestThatIsNoneIsRefused) {
    const auto refusal = [&](const std::string& epoch, const std::string& steps, const std::string& step) {
        write_text(here() / "manifest.json", R"({"result_epoch": )" + epoch + R"(, "steps": )" + steps + R"(, "edits": [{"step": )" + step +
                                                 R"(, "folder": "edits/000"}]})");
        try {
            static_cast<void>(replay(here() / "manifest.json", {}, compiler()));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input);
            return std::string(error.what()).substr((here() / "").string().size());
        }
        return std::string("no error");
    };
    const auto epoch = std::to_string(TESSERA_RESULT_EPOCH);
    EXPECT_EQ(refusal(epoch, "20", "0"), "no error");
    const auto said = [](const std::string& key, const std::string& none) {
        return "manifest.json cannot be replayed (its \"" + key + "\" is " + none + ", and no number)";
    };
    for (const char* none : {"\"1\"", "[1]", "-1", "0.5", "null", "{}"}) {
        EXPECT_EQ(refusal(none, "20", "0"), said("result_epoch", none));
        EXPECT_EQ(refusal(epoch, none, "0"), said("steps", none));
        EXPECT_EQ(refusal(epoch, "20", none), said("step", none));
    }
}

TEST_F(Mutations, Manifests) {
    const std::string manifest =
        R"({"tessera": "1.0.0", "result_epoch": )" + std::to_string(TESSERA_RESULT_EPOCH) +
        R"(, "status": "running", "steps": 20, "files": ["t.csv", "edits/000/run.toml"], "writing": ["life-{step:06}.png", "t.csv"],)"
        R"( "edits": [{"step": 0, "folder": "edits/000"}, {"step": 7, "folder": "edits/001"}], "hooks": []})";
    const std::vector<std::string> words = {"\"",   "[",   "]",    "{",       "}",    ",",     ":",
                                            "null", "../", "/etc", "\\u0000", "true", "\"x\"", "{step}"};
    const auto results = here() / "results", outside = here() / "outside.txt", foreign = results / "letter.txt";
    try_mutations("manifest", manifest, words, [&](const std::string& text) {
        for (const auto& file : {outside, foreign, results / "t.csv", results / "life-000004.png", results / "edits/000/run.toml"})
            write_text(file, "x");
        write_text(results / "manifest.json", text);
        static_cast<void>(replay(results / "manifest.json", {}, compiler()));
        const auto folder = std::make_shared<const Descriptor>(::open(results.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        try {
            remove_earlier_results(folder, results);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::output) << error.what();
        }
        EXPECT_TRUE(fs::exists(outside) && fs::exists(foreign)) << text; // only what the run has written goes
    });
}

} // namespace
} // namespace tessera::mutations_test
