// Libraries of models: what is read of one without running it, and every way in which a file is none.
#include "device_runtime/error.hpp"
#include "host/model/library.hpp"
#include "host/model/model.hpp"
#include "host/model/write_library.hpp"
#include "host/plugins/build_library.hpp"
#include "host/plugins/registry.hpp"
#include "jit/cache.hpp"
#include "tests/support/child_process.hpp"
#include "tests/test_data.hpp"

#include <tessera/version.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::library_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::text_of;
using testing::write_text;

constexpr const char* pond = R"(#include <tessera/model.hpp>
#include "depth.hpp"
TESSERA_CALL(Water, rise, writes<&Water::level>) { self.level += rate; }
TESSERA_MODEL(pond, "water that rises");
TESSERA_DEFAULTS(R"toml(run.steps = 3
places.water = { size = [8, 8] }
phase = [{ callAll = "water.rise" }]
)toml");
)";
constexpr const char* depth = R"(struct Water { int level = 0; };
TESSERA_PLACE(Water, level);
TESSERA_PARAM(int, rate, 2, range(0, 9), "how much it rises in a step");
)";

std::string as_text(const std::vector<std::byte>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class Libraries : public ::testing::Test {
protected:
    void SetUp() override {
        write_text(here() / "source/pond/pond.cu", pond);
        write_text(here() / "source/pond/depth.hpp", depth);
        model_ = model::load_model(here() / "source/pond/pond.cu", compiler_, model::any_target(compiler_));
        library_ = as_text(build_library(model_));
    }

    [[nodiscard]] const fs::path& here() const { return folder_.path(); }
    [[nodiscard]] const std::string& library() const { return library_; }
    [[nodiscard]] model::Model load(const fs::path& path) { return model::load_model(path, compiler_, model::any_target(compiler_)); }

    // What is said of a file of these bytes; "fine" of one that can be used.
    std::string verdict(const std::string& bytes) const {
        const auto path = here() / "verdict.so";
        write_text(path, bytes);
        std::string why = "fine";
        (void)model::read_library(path, why);
        return why;
    }
    // The library with another header of its note, whose contents are as they should be.
    std::string with_note(const std::function<void(model::library_note&)>& change) const { return with_note(library_, change); }
    static std::string with_note(std::string bytes, const std::function<void(model::library_note&)>& change) {
        auto* const at = bytes.data() + note_at(bytes);
        model::library_note note{};
        std::memcpy(&note, at, sizeof(note));
        change(note);
        std::memcpy(at, &note, sizeof(note));
        return bytes;
    }
    [[nodiscard]] std::vector<jit::DataSymbol> records_of(const std::string& bytes) const {
        write_text(here() / "records.so", bytes);
        std::string why;
        return model::read_library(here() / "records.so", why)->records;
    }
    [[nodiscard]] std::size_t note_at() const { return note_at(library_); }
    [[nodiscard]] static std::size_t note_at(const std::string& bytes) { return bytes.find(std::string("Tessera\0", 8)) + 8; }
    template<class T> std::string with(std::size_t at, const T& value) const {
        auto bytes = library_;
        std::memcpy(bytes.data() + at, &value, sizeof(value));
        return bytes;
    }

private:
    TemporaryFolder folder_;
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    model::Model model_;
    std::string library_;
};

TEST_F(Libraries, HoldTheModelThatTheyWereBuiltOf) {
    write_text(here() / "pond.so", library());
    const auto model = load(here() / "pond.so");
    EXPECT_EQ(model.source.main.text, pond);
    EXPECT_EQ(model.source.main.path, (here() / "pond.so/pond.cu").string());
    ASSERT_EQ(model.source.headers.size(), 1u);
    EXPECT_EQ(model.source.headers.front().text, depth);
    EXPECT_EQ(model.source.headers.front().name, "depth.hpp");
    EXPECT_EQ(model.description.name, "pond");
    EXPECT_EQ(model.description.parameters.front().name, "rate");
    EXPECT_EQ(model.description.defaults, load(here() / "source/pond/pond.cu").description.defaults);

    std::string why;
    const auto note = model::read_library(here() / "pond.so", why);
    ASSERT_TRUE(note) << why;
    EXPECT_EQ(note->sdk, (std::array<std::uint32_t, 3>{TESSERA_SDK_MAJOR, TESSERA_SDK_MINOR, TESSERA_SDK_PATCH}));
    EXPECT_EQ(note->result_epoch, TESSERA_RESULT_EPOCH);
}

TEST_F(Libraries, AreTheSameBytesWhereverTheSourceStands) {
    write_text(here() / "elsewhere/pond.cu", pond);
    write_text(here() / "elsewhere/depth.hpp", depth);
    EXPECT_EQ(as_text(build_library(load(here() / "elsewhere/pond.cu"))), library());
    write_text(here() / "pond.so", library()); // and of a library
    EXPECT_EQ(as_text(build_library(load(here() / "pond.so"))), library());
}

TEST_F(Libraries, AreReadAfterStrip) {
    write_text(here() / "pond.so", library());
    if (std::system(("strip " + (here() / "pond.so").string() + " 2> /dev/null").c_str()) != 0) GTEST_SKIP() << "there is no strip here";
    EXPECT_NE(text_of(here() / "pond.so"), library()) << "it has done nothing";
    EXPECT_EQ(load(here() / "pond.so").source.main.text, pond);
}

TEST_F(Libraries, AreRefusedInWords) {
    const std::string none = "it is not a library of a model; `tessera build` makes one";
    EXPECT_EQ(verdict(library()), "fine");
    EXPECT_EQ(verdict(""), none);
    EXPECT_EQ(verdict("#!/bin/sh\n"), none);
    EXPECT_EQ(verdict(std::string(100000, '\0')), none);
    EXPECT_EQ(verdict(text_of("/bin/sh")), none) << "a program, and no note of ours";

    const std::string other = "it is for another kind of processor than x86-64: build it again";
    EXPECT_EQ(verdict(with(offsetof(Elf64_Ehdr, e_machine), Elf64_Half{EM_AARCH64})), other);
    EXPECT_EQ(verdict(with(EI_CLASS, char{ELFCLASS32})), other);
    EXPECT_EQ(verdict(with(offsetof(Elf64_Ehdr, e_type), Elf64_Half{ET_REL})), none);

    EXPECT_EQ(verdict(with_note([](auto& note) { note.abi_major = 2; })),
              "it is built for plugins 2, and this program knows plugins 1: build it again");
    EXPECT_EQ(verdict(with_note([](auto& note) { note.abi_minor = 7; })), "fine");
    EXPECT_EQ(verdict(with_note([](auto& note) { note.struct_size = 8; })), "its note is damaged: its header is too short");
    EXPECT_EQ(verdict(with_note([](auto& note) { note.checksum ^= 1; })), "its note is damaged: it is not as it was written");
    EXPECT_EQ(verdict(with(note_at() + 100, char{1})), "its note is damaged: it is not as it was written");
    const auto size_at = note_at() - 8 - sizeof(Elf64_Nhdr) + offsetof(Elf64_Nhdr, n_descsz);
    EXPECT_EQ(verdict(with(size_at, std::uint32_t{5 << 20})), "its note is too large: 5242880 bytes, and the maximum is 1048576");
    EXPECT_EQ(verdict(library().substr(0, 100)), "it is cut off: its end is missing");
    EXPECT_EQ(verdict(library().substr(0, note_at() + 60)), "it is cut off: its end is missing");
}

TEST_F(Libraries, MayHavePartsThatThisProgramDoesNotKnow) {
    std::string why;
    write_text(here() / "pond.so", library());
    const auto note = model::read_library(here() / "pond.so", why);
    ASSERT_TRUE(note) << why;
    model::PartToWrite unknown;
    unknown.kind = static_cast<model::LibraryPart>(99);
    unknown.bytes.resize(1000);
    auto source = model::source_part(load(here() / "source/pond/pond.cu").source);
    write_text(here() / "pond.so", as_text(model::library_of("pond.so", note->records, {unknown, source})));
    EXPECT_EQ(load(here() / "pond.so").source.main.text, pond);
    EXPECT_EQ(load(here() / "pond.so").description.name, "pond");
}

TEST_F(Libraries, WithDamagedSourceAreRefusedWhenItIsRead) {
    auto bytes = library();
    bytes[bytes.find("water that rises")] = 'W'; // the first is that of the description, in the note
    EXPECT_EQ(verdict(bytes), "its note is damaged: it is not as it was written");
    bytes = library();
    bytes[bytes.rfind("water that rises")] = 'W';
    EXPECT_EQ(verdict(bytes), "fine");
    write_text(here() / "pond.so", bytes);
    try {
        (void)load(here() / "pond.so");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::plugin);
        EXPECT_EQ(std::string(error.what()),
                  (here() / "pond.so").string() + " cannot be used (it is damaged: a part of it is not as it was written) build it again");
    }
}

TEST_F(Libraries, AreCheckedWhereTheyAreListed) {
    const auto listed = [&](const std::string& bytes) {
        write_text(here() / "plugins/pond.so", bytes);
        return testing::run({test_program(),
                             {"list", "--plugins", (here() / "plugins").string()},
                             here(),
                             {{"TESSERA_PLUGIN_PATH", std::nullopt}},
                             {}})
            .out;
    };
    EXPECT_THAT(listed(library()), HasSubstr("pond             water that rises  ("));
    auto bytes = library();
    bytes[bytes.rfind("water that rises")] = 'W';
    EXPECT_THAT(listed(bytes), HasSubstr("rejected: " + (here() / "plugins/pond.so").string() +
                                         " cannot be used (it is damaged: a part of it is not as it was written) build it again"));
    bytes = with_note([](auto& note) { note.sdk[0] ^= 1; });
    EXPECT_THAT(listed(bytes), HasSubstr("rejected: "));

    // A text that looks like an entry of the list.
    auto forged = records_of(library());
    bool found = false;
    for (auto& record : forged) {
        const std::string doc = "water that rises";
        const auto at = std::search(record.bytes.begin(), record.bytes.end(), reinterpret_cast<const std::byte*>(doc.data()),
                                    reinterpret_cast<const std::byte*>(doc.data() + doc.size()));
        if (at == record.bytes.end()) continue;
        const std::string other = "a\nsea  b\x1b[2J def"; // as long
        ASSERT_EQ(other.size(), doc.size());
        std::memcpy(&*at, other.data(), other.size());
        found = true;
    }
    ASSERT_TRUE(found);
    const auto source = load(here() / "source/pond/pond.cu").source;
    EXPECT_THAT(listed(as_text(model::library_of("pond.so", forged, {model::source_part(source)}))),
                HasSubstr("pond             a\\x0asea  b\\x1b[2J def  ("));
}

TEST_F(Libraries, AreNoLargerThanFilesMayBe) {
    write_text(here() / "pond.so", library());
    const auto records = records_of(library());
    auto source = load(here() / "pond.so").source;
    const auto said_of = [&](const jit::ModelSource& of) {
        write_text(here() / "pond.so", as_text(model::library_of("pond.so", records, {model::source_part(of)})));
        try {
            (void)load(here() / "pond.so");
            return std::string("fine");
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::plugin);
            return std::string(error.what());
        }
    };
    const auto refused = [&](const std::string& reason) {
        return (here() / "pond.so").string() + " cannot be used (" + reason + ") build it again";
    };
    auto large = source;
    large.headers.front().text += std::string(8 << 20, '\n');
    large.main.text += std::string(8 << 20, '\n');
    EXPECT_EQ(said_of(large), refused("its source has more than 16777216 bytes"));
    large.main.text += std::string(8 << 20, '\n');
    EXPECT_THAT(said_of(large), HasSubstr("a part of it has "));
    auto many = source;
    for (int i = 0; i < 1000; ++i) many.headers.push_back({"", "", "h" + std::to_string(i) + ".hpp"});
    EXPECT_EQ(said_of(many), refused("its source has 1002 files, and the maximum is 1000"));

    write_text(here() / "large/pond/depth.hpp", depth + std::string(16 << 20, '\n')); // the same of a source that is no library
    write_text(here() / "large/pond/pond.cu", pond);
    EXPECT_THROW((void)load(here() / "large/pond/pond.cu"), Error);
    write_text(here() / "large/pond/depth.hpp", depth + std::string((16 << 20) - 1000, '\n'));
    write_text(here() / "large/pond/pond.cu", pond + std::string(1000, '\n'));
    try {
        (void)load(here() / "large/pond/pond.cu");
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("pond.cu:2:10: \"depth.hpp\" cannot be included (with it the model's source has "));
    }
}

// A file of a few KiB whose holes are as large as it says.
TEST_F(Libraries, AreLookedAtInABoundedPart) {
    const auto sparse = [&](std::size_t segments, std::uint64_t size, std::uint64_t from) {
        Elf64_Ehdr header{};
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_ident[EI_CLASS] = ELFCLASS64;
        header.e_ident[EI_DATA] = ELFDATA2LSB;
        header.e_type = ET_DYN;
        header.e_machine = EM_X86_64;
        header.e_phoff = sizeof(header);
        header.e_phentsize = sizeof(Elf64_Phdr);
        header.e_phnum = static_cast<Elf64_Half>(segments);
        Elf64_Phdr note{};
        note.p_type = PT_NOTE;
        note.p_offset = from;
        note.p_filesz = size - from;
        note.p_align = 4;
        std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
        for (std::size_t i = 0; i < segments; ++i) bytes.append(reinterpret_cast<const char*>(&note), sizeof(note));
        write_text(here() / "sparse.so", bytes);
        fs::resize_file(here() / "sparse.so", size);
        std::string why = "fine";
        (void)model::read_library(here() / "sparse.so", why);
        return why;
    };
    EXPECT_EQ(sparse(65000, std::uint64_t{1} << 32, 1 << 22), "it has 65000 segments, and the maximum is 128");
    EXPECT_EQ(sparse(100, std::uint64_t{1} << 32, 1 << 22), "it has more than 1000 notes");
    EXPECT_EQ(sparse(1, 1 << 22, (1 << 22) - 600), "it is not a library of a model; `tessera build` makes one"); // 50 notes of nothing
}

TEST_F(Libraries, ComeWithSourceThatIsCheckedLikeAnyOther) {
    std::string why;
    write_text(here() / "pond.so", library());
    const auto note = model::read_library(here() / "pond.so", why);
    ASSERT_TRUE(note) << why;
    auto source = load(here() / "pond.so").source;
    source.main.text += "int* leak() { return new int(5); }\n";
    write_text(here() / "pond.so", as_text(model::library_of("pond.so", note->records, {model::source_part(source)})));
    EXPECT_THROW((void)load(here() / "pond.so"), Error);
}

TEST_F(Libraries, WriteNoFileByTheNamesOfTheirSources) {
    write_text(here() / "victim", "mine");
    write_text(here() / "plugins/pond.so", library());
    const auto records = records_of(library());
    auto source = load(here() / "plugins/pond.so").source;
    ::setenv("TESSERA_PLUGIN_PATH", "", 1);
    for (const auto& name :
         std::vector<std::string>{(here() / "victim").string(), "../../../../../../../.." + (here() / "victim").string()}) {
        source.headers.push_back({"", "overwritten", name});
        const auto bytes = as_text(model::library_of("pond.so", records, {model::source_part(source)}));
        // That of a library of another SDK is compiled as soon as somebody asks what the model is.
        for (const auto& each : {bytes, with_note(bytes, [](auto& note) { note.sdk[2] = 99, note.code_checksum = 0; })})
            for (const auto& command : std::vector<std::vector<std::string>>{{"list"}, {"info", "pond"}, {"check", "pond"}}) {
                write_text(here() / "plugins/pond.so", each);
                auto arguments = command;
                arguments.insert(arguments.end(), {"--plugins", (here() / "plugins").string()});
                const auto outcome = testing::run({test_program(), arguments, here(), {}, {}});
                EXPECT_THAT(outcome.out + outcome.err, HasSubstr("a file of its source cannot be called \"" + name + "\""));
                EXPECT_EQ(text_of(here() / "victim"), "mine");
            }
        source.headers.pop_back();
    }
    ::unsetenv("TESSERA_PLUGIN_PATH");
}

TEST_F(Libraries, AreFoundByTheirNamesBesideOrWithoutSource) {
    const auto folder = here() / "plugins";
    write_text(folder / "pond.so", library());
    write_text(folder / "lake/lake.so", library());
    write_text(folder / "notes.so", "not one");
    ::setenv("TESSERA_PLUGIN_PATH", "", 1);
    const PluginRegistry registry({folder});
    EXPECT_EQ(registry.find("pond"), folder / "pond.so");
    EXPECT_EQ(registry.find("lake"), folder / "lake/lake.so"); // whose name is told when it is loaded
    EXPECT_THROW((void)load(folder / "lake/lake.so"), Error);
    EXPECT_THROW((void)registry.find("notes"), Error);

    fs::copy(here() / "source/pond", folder / "pond");
    const PluginRegistry both({folder});
    EXPECT_EQ(both.find("pond"), folder / "pond/pond.cu");
    bool told = false;
    for (const auto& candidate : both.candidates())
        if (candidate.path == folder / "pond.so")
            told = candidate.rejected.find("is used, which stands in the same folder") != std::string::npos;
    EXPECT_TRUE(told);
    write_text(folder / "pond/pond.so", library()); // beside it in its own folder
    EXPECT_EQ(PluginRegistry({folder}).find("pond"), folder / "pond/pond.cu");
    ::unsetenv("TESSERA_PLUGIN_PATH");
}

TEST_F(Libraries, AreScannedByHundredsWithoutBeingRun) {
    for (int i = 0; i < 100; ++i) write_text(here() / ("many/pond" + std::to_string(i) + ".so"), library());
    ::setenv("TESSERA_PLUGIN_PATH", "", 1);
    std::size_t usable = 0;
    const PluginRegistry registry({here() / "many"});
    for (const auto& candidate : registry.candidates()) usable += candidate.path.extension() == ".so" && candidate.rejected.empty() ? 1 : 0;
    EXPECT_EQ(usable, 100u);
    ::unsetenv("TESSERA_PLUGIN_PATH");
}

// ---- whose files are run

class TrustedFiles : public Libraries {
protected:
    void SetUp() override {
        Libraries::SetUp();
        ::setenv("TESSERA_PLUGIN_PATH", "", 1);
        write_text(folder() / "pond/pond.so", library());
        write_text(folder() / "sea/sea.cu", pond);
    }
    void TearDown() override { ::unsetenv("TESSERA_PLUGIN_PATH"); }

    [[nodiscard]] fs::path folder() const { return here() / "shared/plugins"; }
    std::string said_of(const std::string& name, Unsafe unsafe = Unsafe::refused) const {
        const PluginRegistry registry({folder()}, unsafe);
        for (const auto& candidate : registry.candidates())
            if (candidate.name == name) return candidate.rejected.empty() ? "fine" : candidate.rejected;
        return "none";
    }
    void expect_refused(const std::string& name, const std::string& why) const {
        EXPECT_EQ(said_of(name), why + "; --allow-unsafe-plugins allows it");
        EXPECT_EQ(said_of(name, Unsafe::allowed), "fine");
    }
};

TEST_F(TrustedFiles, AreThoseThatNobodyElseWrites) {
    EXPECT_EQ(said_of("pond"), "fine");
    EXPECT_EQ(said_of("sea"), "fine");
    ::chmod((folder() / "pond/pond.so").c_str(), 0666);
    expect_refused("pond", "everybody may write into " + (folder() / "pond/pond.so").string());
    ::chmod((folder() / "sea").c_str(), 0777);
    expect_refused("sea", "everybody may write into " + (folder() / "sea").string());
    ::chmod((folder() / "sea").c_str(), 01777); // as /tmp is
    EXPECT_EQ(said_of("sea"), "fine");
    ::chmod((here() / "shared").c_str(), 0777);
    expect_refused("sea", "everybody may write into " + (here() / "shared").string());
}

TEST_F(TrustedFiles, AreWrittenByNoGroupOfOthers) {
    ::chmod((folder() / "pond/pond.so").c_str(), 0664);
    EXPECT_EQ(said_of("pond"), "fine") << "its group is ours";
    if (::geteuid() != 0) GTEST_SKIP() << "root alone gives files to groups that it is not in";
    ASSERT_EQ(::chown((folder() / "pond/pond.so").c_str(), 0, 4242), 0);
    expect_refused("pond", "a group that we are not in (group 4242) may write into " + (folder() / "pond/pond.so").string());
    ::chmod((folder() / "pond/pond.so").c_str(), 0644);
    EXPECT_EQ(said_of("pond"), "fine");
    ASSERT_EQ(::chown((folder() / "sea").c_str(), 0, 4242), 0);
    ::chmod((folder() / "sea").c_str(), 0775);
    expect_refused("sea", "a group that we are not in (group 4242) may write into " + (folder() / "sea").string());
}

TEST_F(TrustedFiles, BelongToUsOrToRoot) {
    if (::geteuid() != 0) GTEST_SKIP() << "root alone gives files away";
    ASSERT_EQ(::chown((folder() / "pond/pond.so").c_str(), 4242, 4242), 0);
    expect_refused("pond", (folder() / "pond/pond.so").string() + " belongs to somebody else (user 4242)");
}

TEST_F(TrustedFiles, StandInTheFolderThatWasNamed) {
    write_text(here() / "outside/bay/bay.cu", pond);
    fs::create_directory_symlink(here() / "outside/bay", folder() / "bay");
    fs::create_directory_symlink(folder() / "sea", folder() / "ocean");
    expect_refused("bay", "it is a link to " + (here() / "outside/bay/bay.cu").string() + ", which is not in " + folder().string());
    EXPECT_EQ(said_of("sea"), "fine");
}

// Whatever stands in a file, it is refused or read; nothing else happens.
RC_GTEST_PROP(DamagedLibraries, AreRefusedOrRead, (const std::vector<std::pair<std::uint16_t, std::uint8_t>>& changes)) {
    static const std::string library = [] {
        jit::Cache cache;
        jit::Compiler compiler(cache);
        const TemporaryFolder folder;
        write_text(folder.path() / "pond/pond.cu", pond);
        write_text(folder.path() / "pond/depth.hpp", depth);
        return as_text(build_library(model::load_model(folder.path() / "pond/pond.cu", compiler, model::any_target(compiler))));
    }();
    static const TemporaryFolder folder;
    auto bytes = library;
    for (const auto& [at, value] : changes) bytes[at % bytes.size()] = static_cast<char>(value);
    const auto path = folder.path() / "pond.so";
    write_text(path, bytes);
    std::string why;
    const auto note = model::read_library(path, why);
    RC_ASSERT(note.has_value() == why.empty());
    if (!note) return;
    try {
        (void)model::read_source(*note);
    } catch (const Error& error) {
        RC_ASSERT(error.kind() == Failure::plugin);
    }
}

} // namespace
} // namespace tessera::library_test
