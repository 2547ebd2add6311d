// The system's C++ compiler: the model's text into a shared library for the CPU, or into an object file.
#pragma once

#include "device_runtime/error.hpp"
#include "jit/compile_limits.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera::jit {

class Cache;
struct Command;

// A header that is handed to a compiler together with the text that includes it.
struct Header {
    std::string name; // as it stands in an #include
    std::string text;
};

// There is no room, or no permission, where a compiler should work.
class NoWorkFolder : public Error {
public:
    NoWorkFolder(const std::filesystem::path& folder, const std::string& why);
};

class HostCompiler {
public:
    enum class Family { gcc, clang };

    // The first of $CXX, c++, g++ and clang++ that works and is g++ 11 or clang 14 or later; found once for each value of $CXX and $PATH.
    // One whose arithmetic is not exact is passed over (exactness.hpp); the cache, if there is one, keeps what was found of each.
    // Throws Error (Failure::compile) that says what was tried; CannotStart. Thread-safe.
    [[nodiscard]] static const HostCompiler& find(Cache* cache = nullptr);

    // The clang++ on $PATH that reads a checked run's text once more for its warnings, where models are compiled by g++; nullptr where
    // there is none, or models are compiled by clang++ themselves. Thread-safe.
    [[nodiscard]] static const HostCompiler* second_reader();

    [[nodiscard]] Family family() const noexcept { return family_; }
    // Its path, and what $CXX adds.
    [[nodiscard]] const std::vector<std::string>& words() const noexcept { return command_; }
    [[nodiscard]] const std::string& command() const noexcept { return shown_; }     // "/usr/bin/g++", with what $CXX adds
    [[nodiscard]] const std::string& version() const noexcept { return version_; }   // first line of `--version`
    [[nodiscard]] const std::string& identity() const noexcept { return identity_; } // changes when another program would run

    enum class Output { shared_library, object };

    // What it is called with, beside the files. `architecture`: "x86-64-v3"; anything else: this machine's.
    [[nodiscard]] std::vector<std::string> options(Output output, bool fast_float, const std::string& architecture = {}) const;

    [[nodiscard]] std::vector<std::string> moderate_options(Output output, bool fast_float, const std::string& architecture = {}) const;

    // The same for a debugger.
    [[nodiscard]] std::vector<std::string> debug_options(Output output) const;
    // With little optimisation and no vectors that are not written out, for what came out wrong otherwise.
    [[nodiscard]] std::vector<std::string> careful_options(Output output, bool fast_float) const;
    // With arithmetic that has no result, and arrays, looked at while it runs.
    [[nodiscard]] std::vector<std::string> checked_options(Output output, bool fast_float) const;

    // What is added to any of these for a text with arrays (arrays.hpp), which keeps places that are taken together from sharing the arrays
    // of a body. Nothing where they do not anyway.
    [[nodiscard]] const std::vector<std::string>& options_for_arrays() const noexcept { return options_for_arrays_; }

    // For a text that is read for its warnings alone: those of checked options, with what g++ does not say.
    [[nodiscard]] std::vector<std::string> reading_options() const;

    struct Result {
        bool ok = false;
        std::vector<std::byte> image;
        std::string log; // all that the compiler said, in English
    };
    // Compiles `text`, which finds the headers `sdk` (as system headers, which may use what a compiler adds to C++) and `own`, and no
    // others. Works in a private folder below `work_folder`, which it removes. A text that does not compile is a Result that is not ok.
    // With reading options there is no image. Throws NoWorkFolder; Error (Failure::compile) when the compiler cannot be run or went beyond
    // the limits, Failure::interrupted when it was cancelled. The compiler and the folder go also when this process dies meanwhile.
    // Thread-safe.
    [[nodiscard]] Result compile(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own, Output output,
                                 const std::vector<std::string>& options, const std::filesystem::path& work_folder,
                                 const CompileLimits& limits = {}) const;

    // The same of a text that is compiled several times at once, into objects, which are linked to a library. `parts` has the options of
    // each. Of what several parts define the first is taken. `beside`, if there is one, is called meanwhile, in this thread, and gives an
    // object that is linked too; nothing: the result is not ok.
    [[nodiscard]] Result compile_parts(const std::string& text, const std::vector<Header>& sdk, const std::vector<Header>& own,
                                       const std::vector<std::vector<std::string>>& parts, const std::filesystem::path& work_folder,
                                       const CompileLimits& limits = {}, const std::function<std::vector<std::byte>()>& beside = {}) const;

private:
    HostCompiler(std::vector<std::string> command, Family family, std::string version);
    [[nodiscard]] Command command_for(const std::filesystem::path& folder, const std::string& image, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& options, const CompileLimits& limits) const;

    std::vector<std::string> command_, options_for_arrays_;
    Family family_;
    std::string shown_, version_, identity_;

    friend struct HostCompilerSearch;
};

// What `-march=native` means on this machine, as text.
[[nodiscard]] const std::string& host_cpu_identity();

} // namespace tessera::jit
