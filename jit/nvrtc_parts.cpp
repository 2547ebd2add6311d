#include "device_runtime/error.hpp"
#include "device_runtime/image_bundle.hpp"
#include "jit/host_compiler.hpp"
#include "jit/log.hpp"
#include "jit/nvrtc.hpp"

#include <future>
#include <system_error>
#include <utility>

namespace tessera::jit {

Nvrtc::Result Nvrtc::compile_parts(const std::string& text, const std::vector<Header>& headers, const Output& output,
                                   const std::vector<std::vector<std::string>>& parts, const CompileLimits& limits) const {
    std::vector<std::future<Result>> running; // waits for all of them when it goes
    try {
        for (const auto& part : parts)
            running.push_back(std::async(std::launch::async, [&] { return compile(text, headers, output, part, limits); }));
    } catch (const std::system_error& error) {
        log_debug("no thread for a part of a compilation: {}", error.what());
        return {};
    }
    Result result{true, {}, {}};
    std::vector<std::vector<std::byte>> images;
    for (auto& part : running) {
        auto made = part.get();
        result.ok = result.ok && made.ok;
        result.log += made.log;
        images.push_back(std::move(made.image));
    }
    if (result.ok) result.image = bundled(images);
    return result;
}

} // namespace tessera::jit
