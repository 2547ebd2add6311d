#include "host/checkpoint/zstd.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/shared_library.hpp"
#include "jit/environment.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace tessera::checkpoint {
namespace {

constexpr int level = 1;
constexpr const char* library_name = "libzstd.so.1";

} // namespace

Zstd::Zstd() try {
    const auto chosen = jit::variable("TESSERA_ZSTD");
    const SharedLibrary library(chosen.empty() ? std::filesystem::path(library_name) : std::filesystem::absolute(chosen));
    const auto bind = [&]<class Function>(Function& function, const char* name) {
        function = reinterpret_cast<Function>(library.find(name));
        if (function == nullptr) throw std::runtime_error(fmt::format("it has no {}", name));
    };
    bind(compress_bound_, "ZSTD_compressBound");
    bind(compress_, "ZSTD_compress");
    bind(decompress_, "ZSTD_decompress");
    bind(is_error_, "ZSTD_isError");
} catch (const std::runtime_error& failure) {
    throw Error(Failure::plugin, "Zstandard cannot be loaded", failure.what(),
                "install it (on Debian and Ubuntu: apt-get install libzstd1), or name its file in TESSERA_ZSTD");
}

std::string Zstd::why_not_there() {
    try {
        (void)Zstd();
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

void Zstd::compress(std::span<const std::byte> bytes, std::vector<std::byte>& frame) const {
    frame.resize(compress_bound_(bytes.size()));
    const auto size = compress_(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
    if (is_error_(size) != 0) throw Error(Failure::memory, "Zstandard could not compress", "it has no memory for that");
    frame.resize(size);
}

bool Zstd::decompress(std::span<const std::byte> frame, std::span<std::byte> into) const {
    const auto size = decompress_(into.data(), into.size(), frame.data(), frame.size());
    return is_error_(size) == 0 && size == into.size();
}

} // namespace tessera::checkpoint
