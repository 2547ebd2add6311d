// A model's source as its author wrote it: one file, and the headers that it includes from its own folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::jit {

struct SourceFile {
    std::string path; // as messages show it: the path the user gave, or the folder of that and the header's name
    std::string text; // lines end in '\n'
    std::string name; // relative to the model's folder: "life.cu", "parts/rules.hpp"

    friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

// An `#include` of an author's text.
struct Inclusion {
    std::string target; // "parts/rules.hpp" relative to the model's folder; "tessera/model.hpp", "cstdint" for the others
    bool own;           // a header of the model's own
    int line, column;   // of the header's name in the text
};

struct ModelSource {
    SourceFile main;
    std::vector<SourceFile> headers; // each once, in the order of their first inclusion

    // The author's file with this path, as messages show it; nullptr when there is none.
    [[nodiscard]] const SourceFile* find(const std::string& path) const noexcept;

    friend bool operator==(const ModelSource&, const ModelSource&) = default;
};

// Reads a model's source and, recursively, the headers that it includes with `#include "x.hpp"`: looked for in the including file's
// folder, then in the model's, and never outside of that. Whether an `#include` stands in a branch that is never compiled does not matter.
// `<tessera/...>` is the SDK; `<cstdint>` and `<cstddef>` mean nothing, for the SDK has their types. The same checks as `check_source`.
// Throws Error: Failure::plugin when the file itself cannot be read, Failure::compile with path:line for everything else.
[[nodiscard]] ModelSource read_model(const std::filesystem::path& path);

// The checks of `read_model` for a source that comes from elsewhere. Throws as it does; Failure::plugin too for a name by which no file is
// made in a folder of our own: one that is not plain (plain_name.hpp), has a backslash, or is that of two files or of a file and a folder.
void check_model(const ModelSource& model);

// The inclusions of one file, in order. Throws Error (Failure::compile) for one that a model may not have. Whether the file of an own
// header is there is not looked at; `target` is as written.
[[nodiscard]] std::vector<Inclusion> inclusions(const SourceFile& file);

// Refuses what belongs to one compiler: `asm`, names that start with `__` or with `_` and a capital (the standard's few excepted),
// attributes and pragmas of compilers, and spellings and pasted tokens that could hide these; what no model has: memory management,
// exceptions, types at run time, `goto`; and variables that outlive a call. Throws Error (Failure::compile) with path:line:column.
void check_source(const SourceFile& file);

// The file's text with each inclusion of an own header renamed to `prefix` + the header's name, so that no compiler has to search.
[[nodiscard]] std::string with_resolved_inclusions(const ModelSource& model, const SourceFile& file, const std::string& prefix);

} // namespace tessera::jit
