#include "host/model/elf_file.hpp"

#include "device_runtime/regular_file.hpp"
#include "host/model/library_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

namespace tessera::model {
namespace {

constexpr const char* no_library = "it is not a library of a model; `tessera build` makes one";

// More than any linker writes into a library that somebody can use.
constexpr std::size_t most_segments = 128, most_notes = 1000, most_dynamic_entries = 10000;
constexpr std::uint64_t most_dynamic_text = 16 << 20, longest_dynamic_text = 4096; // bytes, of all and of one

// Notes that were looked at, of all segments together.
struct NotesSeen {
    std::size_t count = 0;
    void add() {
        if (++count > most_notes) throw Unusable(fmt::format("it has more than {} notes", most_notes));
    }
};

std::optional<ElfFile::Note> note_in(const ElfFile& file, const Elf64_Phdr& segment, NotesSeen& seen) {
    const std::uint64_t end = segment.p_offset + segment.p_filesz, alignment = segment.p_align == 8 ? 8 : 4;
    const auto aligned = [&](std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
    if (end < segment.p_offset) return {};
    for (auto at = segment.p_offset; at + sizeof(Elf64_Nhdr) <= end;) {
        seen.add();
        const auto header = file.value<Elf64_Nhdr>(at);
        const auto name = at + sizeof(header), contents = name + aligned(header.n_namesz);
        if (header.n_namesz == sizeof(library_owner) && header.n_type == library_note_type) {
            char owner[sizeof(library_owner)];
            file.read(name, owner, sizeof(owner));
            if (std::memcmp(owner, library_owner, sizeof(owner)) == 0)
                return ElfFile::Note{contents, header.n_descsz, segment.p_vaddr + (contents - segment.p_offset)};
        }
        at = contents + aligned(header.n_descsz);
    }
    return {};
}

// Entries of the dynamic section, to its end or that of the segment.
std::vector<Elf64_Dyn> dynamic_entries(const ElfFile& file) {
    std::vector<Elf64_Dyn> entries;
    for (const auto& segment : file.segments()) {
        if (segment.p_type != PT_DYNAMIC) continue;
        for (std::uint64_t done = 0; done + sizeof(Elf64_Dyn) <= segment.p_filesz; done += sizeof(Elf64_Dyn)) {
            if (entries.size() == most_dynamic_entries)
                throw Unusable(fmt::format("its dynamic section has more than {} entries", most_dynamic_entries));
            entries.push_back(file.value<Elf64_Dyn>(segment.p_offset + done));
            if (entries.back().d_tag == DT_NULL) return entries;
        }
    }
    return entries;
}

std::uint64_t value_of(const std::vector<Elf64_Dyn>& entries, Elf64_Sxword tag) {
    const auto found = std::find_if(entries.begin(), entries.end(), [tag](const Elf64_Dyn& entry) { return entry.d_tag == tag; });
    return found == entries.end() ? 0 : found->d_un.d_val;
}

} // namespace

ElfFile::ElfFile(const std::filesystem::path& path) {
    std::string why;
    file_ = open_regular(path, why);
    if (file_ < 0) throw Unusable(why);
    struct stat status {};
    ::fstat(file_, &status);
    size_ = static_cast<std::uint64_t>(status.st_size);
    try {
        read_headers();
    } catch (...) {
        ::close(file_);
        throw;
    }
}

ElfFile::ElfFile(std::span<const std::byte> bytes) : bytes_(bytes.data()), size_(bytes.size()) { read_headers(); }

ElfFile::~ElfFile() {
    if (file_ >= 0) ::close(file_);
}

void ElfFile::read(std::uint64_t at, void* into, std::uint64_t size) const {
    if (!has(at, size)) throw Unusable("it is cut off: its end is missing");
    if (file_ < 0) {
        if (size > 0) std::memcpy(into, bytes_ + at, size);
        return;
    }
    for (std::uint64_t done = 0; done < size;) {
        const auto got = ::pread(file_, static_cast<std::byte*>(into) + done, size - done, static_cast<off_t>(at + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Unusable("it cannot be read");
        done += static_cast<std::uint64_t>(got);
    }
}

void ElfFile::read_headers() {
    if (!has(0, sizeof(Elf64_Ehdr))) throw Unusable(no_library);
    header_ = value<Elf64_Ehdr>(0);
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) throw Unusable(no_library);
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB || header_.e_machine != EM_X86_64)
        throw Unusable("it is for another kind of processor than x86-64: build it again");
    if (header_.e_type != ET_DYN || header_.e_phentsize != sizeof(Elf64_Phdr)) throw Unusable(no_library);
    if (header_.e_phnum > most_segments)
        throw Unusable(fmt::format("it has {} segments, and the maximum is {}", header_.e_phnum, most_segments));
    segments_.resize(header_.e_phnum);
    read(header_.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
}

std::uint64_t ElfFile::place_of(std::uint64_t address, std::uint64_t size) const {
    for (const auto& segment : segments_)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr <= segment.p_filesz &&
            size <= segment.p_filesz - (address - segment.p_vaddr))
            return segment.p_offset + (address - segment.p_vaddr);
    throw Unusable("it is damaged: a part of it lies outside of it");
}

ElfFile::Note ElfFile::note() const {
    NotesSeen seen;
    for (const auto& segment : segments_)
        if (segment.p_type == PT_NOTE)
            if (const auto found = note_in(*this, segment, seen)) return *found;
    throw Unusable(no_library);
}

std::vector<std::string> ElfFile::dynamic_texts(Elf64_Sxword tag) const {
    const auto entries = dynamic_entries(*this);
    const auto size = value_of(entries, DT_STRSZ);
    if (size > most_dynamic_text)
        throw Unusable(fmt::format("its dynamic section has {} bytes of texts, and the maximum is {}", size, most_dynamic_text));
    std::string all(static_cast<std::size_t>(size), '\0');
    read(place_of(value_of(entries, DT_STRTAB), all.size()), all.data(), all.size());
    std::vector<std::string> texts;
    for (const auto& entry : entries) {
        if (entry.d_tag != tag) continue;
        if (entry.d_un.d_val >= all.size()) throw Unusable("it is damaged: a text of its dynamic section lies outside of it");
        texts.emplace_back(all.c_str() + entry.d_un.d_val); // which ends in the zero byte of the whole at the latest
        if (texts.back().size() > longest_dynamic_text) throw Unusable("it is damaged: a text of its dynamic section does not end");
    }
    return texts;
}

} // namespace tessera::model
