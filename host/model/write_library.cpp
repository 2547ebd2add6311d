#include "host/model/write_library.hpp"

#include "device_runtime/error.hpp"
#include "host/model/library_code.hpp"

#include <tessera/detail/records.hpp>
#include <tessera/version.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include <elf.h>

namespace tessera::model {
namespace {

using Bytes = std::vector<std::byte>;

void append(Bytes& to, const void* from, std::size_t size) {
    const auto at = to.size();
    to.resize(at + size);
    if (size > 0) std::memcpy(to.data() + at, from, size);
}
template<class T>
requires std::is_trivially_copyable_v<T>
void append_value(Bytes& to, const T& value) { append(to, &value, sizeof(value)); }
void append_text(Bytes& to, std::string_view text) { append(to, text.data(), text.size()); }

void align(Bytes& bytes, std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); }

// The contents of the note, without the positions of the parts.
Bytes note_of(const std::vector<jit::DataSymbol>& records, const std::vector<PartToWrite>& parts) {
    library_note note{};
    note.struct_size = sizeof(note);
    note.abi_major = library_abi_major;
    note.abi_minor = library_abi_minor;
    note.record_format = static_cast<std::uint32_t>(record_magic[7]);
    note.result_epoch = TESSERA_RESULT_EPOCH;
    note.sdk[0] = TESSERA_SDK_MAJOR;
    note.sdk[1] = TESSERA_SDK_MINOR;
    note.sdk[2] = TESSERA_SDK_PATCH;
    note.parts = static_cast<std::uint32_t>(parts.size());
    note.part_size = sizeof(library_part);
    note.records = static_cast<std::uint32_t>(records.size());
    Bytes bytes;
    append_value(bytes, note);
    for (const auto& part : parts) {
        library_part row{};
        row.kind = static_cast<std::uint32_t>(part.kind);
        row.revision = 1;
        part.target.copy(row.target, sizeof(row.target) - 1);
        row.size = part.bytes.size();
        row.checksum = XXH3_64bits(part.bytes.data(), part.bytes.size());
        append_value(bytes, row);
    }
    for (const auto& record : records) {
        append_value(bytes,
                     library_record{static_cast<std::uint32_t>(record.name.size()), static_cast<std::uint32_t>(record.bytes.size())});
        append_text(bytes, record.name);
        append(bytes, record.bytes.data(), record.bytes.size());
        align(bytes, 8);
    }
    return bytes;
}

// Writes the positions of the parts into the note, and mends the checksum. The contents of the note are at `note_at`.
void settle_note(Bytes& file, std::size_t note_at, std::size_t note_size, const std::vector<std::size_t>& parts_at) {
    auto* const note = file.data() + note_at;
    for (std::size_t i = 0; i < parts_at.size(); ++i) {
        const auto offset = static_cast<std::int64_t>(parts_at[i] - note_at);
        std::memcpy(note + sizeof(library_note) + i * sizeof(library_part) + offsetof(library_part, offset), &offset, sizeof(offset));
    }
    const std::uint64_t checksum = XXH3_64bits(note + sizeof(library_note), note_size - sizeof(library_note));
    std::memcpy(note + offsetof(library_note, checksum), &checksum, sizeof(checksum));
}

// A section by its name, for tools that read sections.
struct Sections {
    Bytes names{std::byte{0}};
    std::vector<Elf64_Shdr> all{Elf64_Shdr{}};

    Elf64_Shdr& add(std::string_view name, Elf64_Word type, Elf64_Xword flags, std::size_t at, std::size_t size, std::size_t entry,
                    std::size_t alignment) {
        Elf64_Shdr section{};
        section.sh_name = static_cast<Elf64_Word>(names.size());
        section.sh_type = type;
        section.sh_flags = flags;
        section.sh_addr = (flags & SHF_ALLOC) != 0 ? at : 0;
        section.sh_offset = at;
        section.sh_size = size;
        section.sh_entsize = entry;
        section.sh_addralign = alignment;
        append_text(names, name);
        names.push_back(std::byte{0});
        all.push_back(section);
        return all.back();
    }
};

Elf64_Phdr segment(Elf64_Word type, Elf64_Word flags, std::size_t at, std::size_t size, std::size_t alignment) {
    Elf64_Phdr header{};
    header.p_type = type;
    header.p_flags = flags;
    header.p_offset = header.p_vaddr = header.p_paddr = at;
    header.p_filesz = header.p_memsz = size;
    header.p_align = alignment;
    return header;
}

// With the names of sections in the last of them.
Elf64_Ehdr file_header(Elf64_Half type, std::size_t segments, std::size_t sections_at, std::size_t sections) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = type;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_phoff = segments > 0 ? sizeof(Elf64_Ehdr) : 0;
    header.e_shoff = sections_at;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_phentsize = segments > 0 ? sizeof(Elf64_Phdr) : 0;
    header.e_phnum = static_cast<Elf64_Half>(segments);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections);
    header.e_shstrndx = static_cast<Elf64_Half>(sections - 1);
    return header;
}

void check_size(const std::string& name, const Bytes& note) {
    if (note.size() > most_bytes_of_note)
        throw Error(Failure::plugin, fmt::format("{} cannot be written", name),
                    fmt::format("its description takes {} bytes, and a library has room for {}", note.size(), most_bytes_of_note),
                    "shorten its TESSERA_DEFAULTS and its documentation");
}

// Appends a note of ours; returns where its contents begin.
std::size_t append_note(Bytes& file, std::uint32_t type, const Bytes& contents) {
    append_value(file, Elf64_Nhdr{sizeof(library_owner), static_cast<Elf64_Word>(contents.size()), type});
    append(file, library_owner, sizeof(library_owner));
    append(file, contents.data(), contents.size());
    return file.size() - contents.size();
}

struct Stretch {
    std::size_t at = 0, size = 0; // bytes of a file
};

// Appends the tables that a loader needs, for a library that exports nothing: symbols, their hash table and names, and the dynamic section.
// Returns the last.
Stretch append_dynamic(Bytes& file, Sections& sections, const std::string& name) {
    align(file, 8);
    const auto symbols_at = file.size();
    append_value(file, Elf64_Sym{});
    const auto hash_at = file.size();
    for (const std::uint32_t word : {1U, 1U, 0U, 0U}) append_value(file, word);
    const auto strings_at = file.size();
    append_text(file, std::string_view("\0", 1));
    append_text(file, name);
    append_text(file, std::string_view("\0", 1));
    const auto strings_end = file.size();
    align(file, 8);
    const auto dynamic_at = file.size();
    const std::pair<Elf64_Sxword, std::size_t> entries[] = {{DT_SONAME, 1},
                                                            {DT_HASH, hash_at},
                                                            {DT_STRTAB, strings_at},
                                                            {DT_SYMTAB, symbols_at},
                                                            {DT_STRSZ, strings_end - strings_at},
                                                            {DT_SYMENT, sizeof(Elf64_Sym)},
                                                            {DT_NULL, 0}};
    for (const auto& [tag, value] : entries) {
        Elf64_Dyn entry{};
        entry.d_tag = tag;
        entry.d_un.d_val = value;
        append_value(file, entry);
    }
    sections.add(".dynsym", SHT_DYNSYM, SHF_ALLOC, symbols_at, hash_at - symbols_at, sizeof(Elf64_Sym), 8).sh_link = 4;
    sections.all.back().sh_info = 1; // no local symbol but the first
    sections.add(".hash", SHT_HASH, SHF_ALLOC, hash_at, strings_at - hash_at, 4, 8).sh_link = 2;
    sections.add(".dynstr", SHT_STRTAB, SHF_ALLOC, strings_at, strings_end - strings_at, 0, 1);
    sections.add(".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, dynamic_at, file.size() - dynamic_at, sizeof(Elf64_Dyn), 8).sh_link = 4;
    return {dynamic_at, file.size() - dynamic_at};
}

// Returns where each part begins.
std::vector<std::size_t> append_parts(Bytes& file, const std::vector<PartToWrite>& parts, std::size_t alignment) {
    std::vector<std::size_t> parts_at;
    for (const auto& part : parts) {
        align(file, alignment);
        parts_at.push_back(file.size());
        append(file, part.bytes.data(), part.bytes.size());
    }
    return parts_at;
}

// Appends the names of sections, which are the last section, and the table of sections; returns where the table begins.
std::size_t append_sections(Bytes& file, Sections& sections) {
    const auto names_at = file.size();
    sections.add(".shstrtab", SHT_STRTAB, 0, names_at, 0, 0, 1);
    sections.all.back().sh_size = sections.names.size();
    append(file, sections.names.data(), sections.names.size());
    align(file, 8);
    const auto at = file.size();
    append(file, sections.all.data(), sections.all.size() * sizeof(Elf64_Shdr));
    return at;
}

} // namespace

void forget_path(jit::DataSymbol& record) {
    if (record.bytes.size() >= sizeof(record_header))
        std::memset(record.bytes.data() + offsetof(record_header, file), 0, sizeof(record_header::file));
}

PartToWrite source_part(const jit::ModelSource& source) {
    PartToWrite part;
    part.kind = LibraryPart::source;
    append_value(part.bytes, static_cast<std::uint32_t>(1 + source.headers.size()));
    const auto add = [&](const jit::SourceFile& file) {
        append_value(part.bytes, static_cast<std::uint32_t>(file.name.size()));
        append_value(part.bytes, static_cast<std::uint64_t>(file.text.size()));
        append_text(part.bytes, file.name);
        append_text(part.bytes, file.text);
    };
    add(source.main);
    for (const auto& header : source.headers) add(header);
    return part;
}

Bytes library_of(const std::string& name, const std::vector<jit::DataSymbol>& records, const std::vector<PartToWrite>& parts) {
    constexpr std::size_t page = 4096, part_alignment = 64;
    const auto note = note_of(records, parts);
    check_size(name, note);
    Bytes file(sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Phdr));
    Sections sections;

    const auto header_at = file.size();
    const auto note_at = append_note(file, library_note_type, note);
    const auto note_end = file.size();
    sections.add(".note.tessera", SHT_NOTE, SHF_ALLOC, header_at, note_end - header_at, 0, 4);

    const auto dynamic = append_dynamic(file, sections, name);
    align(file, part_alignment);
    const auto first_part = file.size();
    const auto parts_at = append_parts(file, parts, part_alignment);
    const auto loaded = file.size();
    if (loaded > first_part) sections.add(".tessera", SHT_PROGBITS, SHF_ALLOC, first_part, loaded - first_part, 0, part_alignment);

    const auto sections_at = append_sections(file, sections);
    const auto header = file_header(ET_DYN, 4, sections_at, sections.all.size());
    const Elf64_Phdr segments[] = {segment(PT_LOAD, PF_R | PF_W, 0, loaded, page), // a loader may write into the dynamic section
                                   segment(PT_DYNAMIC, PF_R | PF_W, dynamic.at, dynamic.size, 8),
                                   segment(PT_NOTE, PF_R, header_at, note_end - header_at, 4),
                                   segment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16)};
    std::memcpy(file.data(), &header, sizeof(header));
    std::memcpy(file.data() + sizeof(header), segments, sizeof(segments));
    settle_note(file, note_at, note.size(), parts_at);
    seal(file, name);
    return file;
}

Bytes object_of(const std::string& name, const std::vector<jit::DataSymbol>& records, const std::vector<PartToWrite>& parts) {
    const auto note = note_of(records, parts);
    check_size(name, note);
    Bytes together;
    auto parts_at = append_parts(together, parts, 8);
    if (together.size() > UINT32_MAX)
        throw Error(Failure::plugin, fmt::format("{} cannot be written", name),
                    fmt::format("its parts take {} bytes, and a library with hooks has room for {}", together.size(), UINT32_MAX),
                    "compile fewer runs beforehand");
    align(together, 4);
    Bytes file(sizeof(Elf64_Ehdr));
    Sections sections;
    const auto note_at = append_note(file, library_note_type, note);
    const auto together_at = append_note(file, library_parts_type, together);
    for (auto& at : parts_at) at += together_at;
    sections.add(".note.tessera", SHT_NOTE, SHF_ALLOC, sizeof(Elf64_Ehdr), file.size() - sizeof(Elf64_Ehdr), 0, 4).sh_addr = 0;
    sections.add(".note.GNU-stack", SHT_PROGBITS, 0, file.size(), 0, 0, 1); // the stack needs no code
    const auto sections_at = append_sections(file, sections);
    const auto header = file_header(ET_REL, 0, sections_at, sections.all.size());
    std::memcpy(file.data(), &header, sizeof(header));
    settle_note(file, note_at, note.size(), parts_at);
    return file;
}

} // namespace tessera::model
