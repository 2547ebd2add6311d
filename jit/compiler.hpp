// The front door: a model's source and what the host puts around it, into an image for a device, from the cache if it can be.
#pragma once

#include "device_runtime/machine.hpp"
#include "jit/host_compiler.hpp"
#include "jit/pieces.hpp"
#include "jit/source.hpp"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::jit {

class Ahead;
class Cache;
class SaidOnce;

struct Target {
    enum class Kind { cpu, cuda };
    Kind kind = Kind::cpu;
    std::string architecture; // cuda: "sm_90", or "compute_75" for PTX; cpu: "x86-64-v3"; anything else: this machine's
    bool fast_float = false;  // lets a * b + c become one rounding: other bits on other devices
    bool debug = false;       // of the CPU: for a debugger, not optimised, and with the paths of files as they are on this machine
    bool careful = false;     // of the CPU: with little optimisation, where what more of it made was wrong
    bool checked = false;     // what the model does wrong is told: on the CPU what mistakes.hpp says, on a GPU what checks.hpp does
};

// The text that is compiled: prelude, then the author's text in namespace tessera_model, then epilogue. The author's text keeps its lines.
struct Job {
    const ModelSource* model = nullptr; // must outlive the call
    std::vector<Header> sdk;            // all that `<...>` can name; usually sdk_headers()
    std::string prelude;
    std::string epilogue;
    std::string purpose; // "description": data that is read by data_symbols; "kernels": code that is loaded
    Target target;
    const std::atomic<bool>* cancel = nullptr; // where this becomes true it is given up, as by CancelledBy. Must outlive the call
    // Of "kernels" of which parts may be compiled side by side, some pieces of the text each, on as many processors as there are. What
    // stands outside of all pieces is in each part, and is the same in each.
    std::vector<Piece> pieces{};
    // Of "kernels" for a CPU: a text that many models share, of headers of `sdk` alone. It is compiled once, as an object that is linked;
    // what is in it is left out where TESSERA_BESIDE is defined. Without such an object, as for a debugger, the macro is not defined.
    std::string beside{};
    bool for_any_machine = false; // in the same parts wherever it is compiled; for a GPU as one
    std::string share{};          // for messages, of "kernels" that are only some of the model's: which. "Wolf.hunt"
};

struct Image {
    enum class Format { shared_library, object, cubin, ptx };
    Format format = Format::shared_library;
    std::filesystem::path file;   // shared_library: to be loaded by this name, which no other build has; else empty, and bytes are loaded
    std::vector<std::byte> bytes; // ptx ends in a zero byte; of a cubin or ptx in parts a bundle (device_runtime/image_bundle.hpp)
    bool from_cache = false;
    double milliseconds = 0; // what this call took
};

class Compiler {
public:
    // The cache must outlive the compiler. `processors`: how many parts are compiled side by side.
    explicit Compiler(Cache& cache, int processors = usable_threads());
    ~Compiler();
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    // Throws DoesNotCompile, with the author's file and line; Error: Failure::compile when there is no compiler or it cannot go on,
    // Failure::interrupted when it was cancelled. Thread-safe. Warnings of the compiler for the author's own lines are logged when
    // "kernels" are compiled, each once; of what comes from the cache only of a checked target, or after tell_again(). A "description" is
    // an object file on a CPU; for a GPU that is newer than NVRTC, code for the newest GPU that NVRTC knows.
    [[nodiscard]] Image compile(const Job& job);

    // What compile() would take from the cache; nothing where it would have to compile.
    [[nodiscard]] std::optional<Image> find(const Job& job);

    // From now on warnings for what comes from the cache are logged as well.
    void tell_again() noexcept { tells_again_ = true; }
    // HostCompiler::find with this cache.
    [[nodiscard]] const HostCompiler& host_compiler();

    // The same for a text that is no model: compiled as it stands, with nothing to include, to be loaded. `text.path` is for
    // messages.
    [[nodiscard]] Image compile_text(const SourceFile& text, const Target& target);

    // What was noted about the result of a job under a topic, on this machine, by this process or an earlier one; and noting it.
    [[nodiscard]] std::optional<std::string> noted(const Job& job, const std::string& topic);
    void note(const Job& job, const std::string& topic, const std::string& text);

private:
    Cache& cache_;
    int processors_;
    const std::atomic<bool>* cancel_ = nullptr;
    std::unique_ptr<SaidOnce> said_;
    Ahead* ahead_ = nullptr;
    bool tells_again_ = false;

    friend class CancelledBy;
    friend class CompiledAhead;
};

// As long as it lives, jobs without a flag of their own are given up where `flag` becomes true: the host compiler is killed, NVRTC 13.0 or
// later looks at it between the parts of a compilation. Both must outlive it; nothing may be compiling when it is made or goes.
class CancelledBy {
public:
    CancelledBy(Compiler& compiler, const std::atomic<bool>& flag) noexcept : compiler_(compiler) { compiler_.cancel_ = &flag; }
    ~CancelledBy() { compiler_.cancel_ = nullptr; }
    CancelledBy(const CancelledBy&) = delete;
    CancelledBy& operator=(const CancelledBy&) = delete;

private:
    Compiler& compiler_;
};

// Kernels that are likely to be asked for while it lives, compiled in threads of its own: `compile` waits for them, and they are given up
// where it is asked for others, and where this goes. Nothing is told of what does not compile. One at a time for a compiler, which must
// outlive it; made, used and gone in one thread.
class CompiledAhead {
public:
    CompiledAhead(Compiler& compiler, const std::vector<Job>& jobs);
    ~CompiledAhead();
    CompiledAhead(const CompiledAhead&) = delete;
    CompiledAhead& operator=(const CompiledAhead&) = delete;

private:
    Compiler& compiler_;
    std::unique_ptr<Ahead> ahead_;
};

} // namespace tessera::jit
