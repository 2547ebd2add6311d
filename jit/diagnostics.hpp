// Compile errors in the author's words: his file, his line, and the same text from every compiler.
#pragma once

#include "device_runtime/error.hpp"
#include "jit/compiler_log.hpp"
#include "jit/source.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

struct Diagnostic {
    std::string file;         // the author's, as he gave it; empty when the error has no place in his text
    int line = 0, column = 0; // from 1; 0 when unknown
    std::string message;
    std::string source_line;
    bool normalised = false; // in our words, the same for all three compilers
};

// The errors of a log that concern the author, in the order of his text: what happened within the SDK is told at the innermost place in his
// files that led there. As soon as one of them could be put into our words, those that could not are left out as consequences.
[[nodiscard]] std::vector<Diagnostic> diagnose(std::string_view log, Toolchain toolchain, const ModelSource& model);

// The warnings that stand in the author's own lines, in the order of his text, each once: none of what happens within the SDK.
[[nodiscard]] std::vector<Diagnostic> diagnose_warnings(std::string_view log, Toolchain toolchain, const ModelSource& model);

// "path:line:column: message", the source line and a caret, for the first few.
[[nodiscard]] std::string render(const std::vector<Diagnostic>& diagnostics);

// A compiler has refused a text; another one may be accepted. (What is no fault of the text is another Error.)
class DoesNotCompile : public Error {
public:
    enum class At { the_authors_line, our_text };
    template<class... Parts> DoesNotCompile(At at, const Parts&... parts) : Error(Failure::compile, parts...), at_(at) {}
    // Whether the first error stands in the text that Tessera puts around the model: then the author can do nothing about it.
    [[nodiscard]] bool is_ours() const noexcept { return at_ == At::our_text; }

private:
    At at_;
};

// The error to throw for a model that does not compile. If nothing in the log concerns the author's text, the log's end is told.
[[nodiscard]] DoesNotCompile compile_error(std::string_view log, Toolchain toolchain, const ModelSource& model,
                                           const std::string& compiler);

} // namespace tessera::jit
