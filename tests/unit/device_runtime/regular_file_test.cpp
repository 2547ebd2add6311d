#include "device_runtime/regular_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace tessera::regular_file_test {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string refusal(const fs::path& path, std::uint64_t most = 1000) {
    std::string why;
    return read_regular(path, most, why) ? "none" : why;
}

TEST(RegularFile, IsReadWhole) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "a") << std::string(1000, 'x');
    fs::create_symlink("a", folder.path() / "link");
    std::string why;
    EXPECT_EQ(read_regular(folder.path() / "a", 1000, why), std::string(1000, 'x'));
    EXPECT_EQ(read_regular(folder.path() / "link", 1000, why), std::string(1000, 'x'));
    EXPECT_EQ(refusal(folder.path() / "a", 999), "it has 1000 bytes, and 999 is the most");
    EXPECT_EQ(refusal("/proc/self/maps", 10).substr(0, 6), "it has"); // says of itself that it is empty
}

TEST(RegularFile, AnythingElseIsNamedAndNotWaitedFor) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    fs::create_symlink("loop", folder.path() / "loop");
    fs::create_symlink("nowhere", folder.path() / "broken");
    EXPECT_EQ(refusal(folder.path()), "it is a folder");
    EXPECT_EQ(refusal(folder.path() / "pipe"), "it is a pipe");
    EXPECT_EQ(refusal("/dev/zero"), "it is a device");
    EXPECT_EQ(refusal(folder.path() / "loop"), "Too many levels of symbolic links");
    EXPECT_EQ(refusal(folder.path() / "broken"), "No such file or directory");
    EXPECT_EQ(refusal(folder.path() / std::string(300, 'x')), "File name too long");
    EXPECT_EQ(refusal(""), "No such file or directory");
    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto name = (folder.path() / "socket").string();
    ASSERT_LT(name.size(), sizeof address.sun_path);
    name.copy(address.sun_path, name.size());
    ASSERT_EQ(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(refusal(name), "it is a socket");
    ::close(listening);
}

} // namespace
} // namespace tessera::regular_file_test
