// The devices that the tests run on, and images for each of them.
#pragma once

#include "device_runtime/devices.hpp"
#include "device_runtime/shared_library.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/test_data.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace tessera::test {

inline const std::filesystem::path sources = test_data("data/device_runtime");

// Argument of the tests' kernels. `size` is for the stand-in driver, which cannot ask a kernel for it.
struct Args {
    std::int32_t size = sizeof(Args);
    std::uint32_t value = 0;
    std::uint32_t* data = nullptr;
    std::int64_t count = 0;
};

// Libraries that the build made (tests/support), and what is written and compiled once a process, at first use.
class Images {
public:
    static const std::filesystem::path& kernels() {
        static const auto file = test_library("test_kernels");
        return file;
    }
    static const std::filesystem::path& kernels_for_fake() {
        static const auto file = folder().write("fake.image", kernels().string());
        return file;
    }
    static const std::filesystem::path& fake_driver() {
        static const auto file = test_library("fake_libcuda");
        return file;
    }
    static const TemporaryFolder& folder() {
        static const TemporaryFolder it;
        return it;
    }
};

// Why a test can compile no image of its own; empty if it can.
inline std::string no_compiler() {
    static const bool there = std::system("c++ --version > /dev/null 2>&1") == 0;
    return there ? "" : "needs a C++ compiler, and `c++` is not there";
}

// Skips the test where it cannot compile an image of its own.
#define NEEDS_COMPILER() \
    if (const auto tessera_why = ::tessera::test::no_compiler(); !tessera_why.empty()) GTEST_SKIP() << tessera_why

// A function that the stand-in driver has for tests alone.
template<class Function> Function* of_fake(const std::string& name) {
    return reinterpret_cast<Function*>(SharedLibrary(Images::fake_driver()).find(name));
}

inline std::size_t live_objects_of_fake() { return of_fake<std::size_t()>("fake_cuda_live")(); }
inline int close_launches_of_fake() { return of_fake<int()>("fake_cuda_close_launches")(); }
inline int misuses_of_fake() { return of_fake<int()>("fake_cuda_misuses")(); }

// Sets an environment variable while it lives.
class Setting {
public:
    Setting(std::string name, const std::string& value) : name_(std::move(name)) { setenv(name_.c_str(), value.c_str(), 1); }
    ~Setting() { unsetenv(name_.c_str()); }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    std::string name_;
};

inline CudaSearch search_fake() { return find_cuda_driver({Images::fake_driver()}); }

inline std::unique_ptr<Device> open_fake() { return open_device("cuda:0", 0, search_fake()); }

// A launch of `kernel` over all `count` elements, for a CPU and for a GPU.
inline Launch launch_over(const Kernel& kernel, void* data, std::int64_t count, std::uint32_t value) {
    Args args;
    args.value = value;
    args.data = static_cast<std::uint32_t*>(data);
    args.count = count;
    Launch launch;
    launch.kernel = &kernel;
    launch.block = {128, 1, 1};
    launch.grid = {static_cast<unsigned>((count + 127) / 128), 1, 1};
    launch.items = count;
    launch.args = bytes_of(args);
    return launch;
}

} // namespace tessera::test
