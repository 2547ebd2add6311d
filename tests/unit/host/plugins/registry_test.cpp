// Looking for models where anything may stand.
#include "device_runtime/error.hpp"
#include "host/plugins/registry.hpp"
#include "tests/support/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include <sys/stat.h>

namespace tessera::registry_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_text;

class Registry : public ::testing::Test {
protected:
    void SetUp() override {
        write_text(here() / "pond/pond.cu", "");
        ::setenv("TESSERA_PLUGIN_PATH", "", 1);
    }
    void TearDown() override { ::unsetenv("TESSERA_PLUGIN_PATH"); }

    [[nodiscard]] const fs::path& here() const { return folder_.path(); }

    // What is said of the candidate; "none" if there is none of that name.
    static std::string verdict(const PluginRegistry& registry, const std::string& name) {
        for (const auto& candidate : registry.candidates())
            if (candidate.name == name) return candidate.rejected.empty() ? "fine" : candidate.rejected;
        return "none";
    }
    static std::string failure(const std::function<void()>& act) {
        try {
            act();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::plugin) << error.what();
            return error.what();
        }
        return "none";
    }

private:
    TemporaryFolder folder_;
};

TEST_F(Registry, SaysOfEachCandidateForItselfWhyItCannotBeUsed) {
    fs::create_symlink("loop", here() / "loop");
    fs::create_symlink("nowhere", here() / "broken");
    fs::create_directory(here() / "pipe");
    ASSERT_EQ(::mkfifo((here() / "pipe/pipe.cu").c_str(), 0600), 0);
    fs::create_directory(here() / "zero");
    fs::create_symlink("/dev/zero", here() / "zero/zero.cu");
    fs::create_directory(here() / "circle");
    fs::create_symlink("circle.cu", here() / "circle/circle.cu");
    const std::string longest(255, 'x'); // and with .cu behind it, longer than a name can be
    fs::create_directory(here() / longest);
    write_text(here() / "README.md", "");

    const PluginRegistry registry({here()});
    EXPECT_EQ(verdict(registry, "loop"), "Too many levels of symbolic links");
    EXPECT_EQ(verdict(registry, "broken"), "it is a link that leads nowhere");
    EXPECT_EQ(verdict(registry, "pipe"), "its pipe.cu cannot be read: it is a pipe");
    EXPECT_EQ(verdict(registry, "zero"), "its zero.cu cannot be read: it is a device");
    EXPECT_EQ(verdict(registry, "circle"), "its circle.cu cannot be read: Too many levels of symbolic links");
    EXPECT_THAT(verdict(registry, longest), HasSubstr("cannot be read: File name too long"));
    EXPECT_EQ(verdict(registry, "README.md"), "none");
    EXPECT_EQ(verdict(registry, "pond"), "fine");
    EXPECT_EQ(registry.find("pond"), here() / "pond/pond.cu");
    EXPECT_THAT(failure([&] { (void)registry.find("loop"); }), HasSubstr("the model `loop` cannot be used ("));
}

TEST_F(Registry, PassesOverFoldersOfTheEnvironmentThatCannotBeLookedAtAndSaysWhy) {
    fs::create_symlink("loop", here() / "loop");
    write_text(here() / "file", "");
    ASSERT_EQ(::mkfifo((here() / "pipe").c_str(), 0600), 0);
    const std::string too_long(300, 'y');
    fs::create_directory(here() / "closed");
    fs::permissions(here() / "closed", fs::perms::none);
    const auto path = (here() / "loop").string() + ":" + (here() / "absent").string() + ":" + (here() / "file").string() + ":" +
                      (here() / "pipe").string() + ":" + (here() / too_long).string() + ":" + (here() / "closed").string() +
                      "::" + here().string();
    ::setenv("TESSERA_PLUGIN_PATH", path.c_str(), 1);
    const PluginRegistry registry({});
    EXPECT_EQ(registry.find("pond"), here() / "pond/pond.cu");
    const std::string opening = "models cannot be looked for there: ";
    EXPECT_EQ(verdict(registry, "loop"), opening + "Too many levels of symbolic links");
    EXPECT_EQ(verdict(registry, "absent"), "none");
    EXPECT_EQ(verdict(registry, "file"), opening + "it is no folder");
    EXPECT_EQ(verdict(registry, "pipe"), opening + "it is no folder");
    EXPECT_EQ(verdict(registry, too_long), opening + "File name too long");
    if (::geteuid() != 0) { // root may read it
        EXPECT_EQ(verdict(registry, "closed"), opening + "Permission denied");
    }
    fs::permissions(here() / "closed", fs::perms::owner_all);
}

TEST_F(Registry, RefusesAFolderThatWasGivenAndIsNone) {
    fs::create_symlink("loop", here() / "loop");
    const auto loop = here() / "loop", absent = here() / "absent";
    EXPECT_EQ(failure([&] { PluginRegistry({loop}); }),
              "no plugin folder " + loop.string() + " (Too many levels of symbolic links) check --plugins");
    EXPECT_EQ(failure([&] { PluginRegistry({absent}); }), "no plugin folder " + absent.string() + " (it is not there) check --plugins");
    EXPECT_THAT(failure([&] { PluginRegistry({here() / std::string(300, 'z')}); }), HasSubstr("(File name too long)"));
}

TEST_F(Registry, KnowsASourceThatLiesBesideTheRunFile) {
    write_text(here() / "sir.cu", "");
    fs::create_directory(here() / "flu.cu");
    EXPECT_EQ(source_beside("sir", here()), "sir.cu");
    EXPECT_EQ(source_beside("pond", here()), "pond/pond.cu");
    EXPECT_EQ(source_beside("flu", here()), "");
    EXPECT_EQ(source_beside(std::string(300, 'x'), here()), "");
    const PluginRegistry registry({here()});
    EXPECT_THAT(failure([&] { (void)registry.find("pont"); }), ::testing::EndsWith("did you mean `pond`?"));
    EXPECT_THAT(failure([&] { (void)registry.find("pont", "write model = \"pont.cu\""); }),
                ::testing::EndsWith("write model = \"pont.cu\""));
}

} // namespace
} // namespace tessera::registry_test
