// What stands in a library of a model: a shared library of ELF with one note, which says all that has to be known of it before anything of
// it is used, and parts, which are bytes that are loaded with it.
//
// The note's owner is "Tessera". What it holds: a library_note, its library_parts, and the records of the model's description in the order
// of declaration, each a library_record, the name of its symbol and its bytes, and padding to 8 bytes. There are no pointers in it: where a
// part stands is how far it is from the note when both are loaded, which neither a linker nor `strip` changes.
//
// A library without hooks is written as it is, parts in a section of their own. One with hooks is linked of an object file and the hooks.
// In the object the parts are the contents of a second note of ours (library_parts_type), right behind the first one in the same section:
// within a section a linker moves nothing, so the distances are known before it has been called.
#pragma once

#include <cstdint>

namespace tessera::model {

inline constexpr char library_owner[8] = {'T', 'e', 's', 's', 'e', 'r', 'a', '\0'};
inline constexpr std::uint32_t library_note_type = 1, library_parts_type = 2;
inline constexpr std::uint64_t most_bytes_of_note = 1 << 20;

// Of another major version nothing is known. A newer minor one has more at the ends of library_note and library_part, whose sizes stay
// multiples of 8, or more kinds and revisions of parts, which can be done without: what a program does not know it passes over. What an
// older one has not is 0.
inline constexpr std::uint16_t library_abi_major = 1, library_abi_minor = 1;
inline constexpr std::uint32_t least_bytes_of_header = 48, least_bytes_of_part = 64; // of minor version 0

struct library_note {
    std::uint32_t struct_size; // of this struct as it was written
    std::uint16_t abi_major, abi_minor;
    std::uint32_t record_format; // the last character of record_magic (tessera/detail/records.hpp)
    std::uint32_t result_epoch;  // tessera/version.hpp
    std::uint32_t sdk[3];
    std::uint32_t parts, part_size; // how many, and of how many bytes each as it was written
    std::uint32_t records;
    std::uint64_t checksum; // XXH3-64 of all that stands after this struct
    // Since minor version 1 (model/library_code.hpp). A linker that makes the library does not write them: `tessera seal` does. 0: there
    // are none.
    std::uint64_t code_checksum; // XXH3-64 of all that a loader takes of the file, with 0 in place of the two checksums here
    std::uint64_t file_size;     // when it was sealed: one that `strip` has been at has another
    std::uint64_t file_checksum; // XXH3-64 of a file of that size, with 0 in place of this
};
static_assert(sizeof(library_note) >= least_bytes_of_header && sizeof(library_note) % 8 == 0);

enum class LibraryPart : std::uint32_t {
    source = 1,     // a number of files, and of each the lengths of its name and its text, and both; the main one first
    code = 2,       // 32 digits that say of what it is compiled (execute/finished_code), and the image
    run = 3,        // the run file that code is for, as `tessera` writes it into manifests
    hooks = 4,      // nothing: the library exports tessera_hooks_v1 (tessera/detail/hooks_abi.hpp), and is not to be run without
    late_sends = 5, // a byte, 1: functions may send along links what is there some steps later. Of libraries without source
};

struct library_part {
    std::uint32_t kind, revision;
    char target[32];              // of code: "x86-64-v3", "sm_90"; ends in a zero byte
    std::int64_t offset;          // from the beginning of the library_note
    std::uint64_t size, checksum; // XXH3-64
};
static_assert(sizeof(library_part) >= least_bytes_of_part && sizeof(library_part) % 8 == 0);

struct library_record {
    std::uint32_t name_size, size;
};

} // namespace tessera::model
