// NVRTC, NVIDIA's run-time compiler, loaded at run time: the model's text into an image for a GPU.
#pragma once

#include "jit/compile_limits.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera::jit {

struct Header;

class Nvrtc {
public:
    // The library of this process. If $TESSERA_NVRTC is set: that file, or the newest in that folder. Else the first that loads of: beside
    // the executable (../lib), $CUDA_PATH and $CUDA_HOME, /usr/local/cuda*, and where the system's loader looks. Version 12.0 or later.
    // Throws Error (Failure::compile) where $NVRTC_PREPEND_FLAGS or $NVRTC_APPEND_FLAGS have options that change results; and with every
    // file tried and what the loader said. Looked for once for each value of $TESSERA_NVRTC.
    // Thread-safe; the object lives until the process ends.
    [[nodiscard]] static const Nvrtc& find();

    Nvrtc(const Nvrtc&) = delete;
    Nvrtc& operator=(const Nvrtc&) = delete;
    ~Nvrtc();

    [[nodiscard]] int major() const noexcept;
    [[nodiscard]] int minor() const noexcept;
    [[nodiscard]] const std::filesystem::path& file() const noexcept;     // where it was loaded from
    [[nodiscard]] const std::string& identity() const noexcept;           // changes when another library, or other flags, would compile
    [[nodiscard]] const std::vector<int>& architectures() const noexcept; // compute capabilities it knows, ascending: 75, 80, 90, 100

    // What an image for a device is made as.
    struct Output {
        std::string architecture; // "sm_90", or "compute_121" for PTX
        bool ptx = false;         // the driver compiles it for a device that is newer than this NVRTC
    };
    // For a device of compute capability `capability` ("sm_90"): code for exactly this one when NVRTC knows it, else PTX of the newest that
    // it knows below it. With `data_only`, code for the newest known one instead of PTX: it is read, and never run. Throws Error
    // (Failure::compile) for a device that is older than all it knows.
    [[nodiscard]] Output output_for(const std::string& capability, bool data_only = false) const;

    [[nodiscard]] std::vector<std::string> options(const Output& output, bool fast_float) const;

    struct Result {
        bool ok = false;
        std::vector<std::byte> image; // CUBIN, or PTX that ends in a zero byte
        std::string log;
    };
    // Compiles `text` with nothing but `headers` to include. A text that does not compile is a Result that is not ok.
    // Throws Error (Failure::internal) when NVRTC itself refuses the options or fails; Failure::interrupted when it was cancelled, and
    // Failure::compile when it took more time than `limits` has, counted from where no other compilation is in its way (before version 13).
    // NVRTC 13.0 and later let themselves be stopped between the parts of a compilation: after all of the text is read, and some times
    // more. Memory is not limited: this happens within the process. Thread-safe; before version 13 one compilation at a time.
    [[nodiscard]] Result compile(const std::string& text, const std::vector<Header>& headers, const Output& output,
                                 const std::vector<std::string>& options, const CompileLimits& limits = {}) const;

    // The same of a text that is compiled several times at once, into images that are bundled (device_runtime/image_bundle.hpp). `parts`
    // has the options of each.
    [[nodiscard]] Result compile_parts(const std::string& text, const std::vector<Header>& headers, const Output& output,
                                       const std::vector<std::vector<std::string>>& parts, const CompileLimits& limits = {}) const;

private:
    struct Library;
    explicit Nvrtc(std::unique_ptr<Library> library);
    std::unique_ptr<Library> library_;
};

} // namespace tessera::jit
