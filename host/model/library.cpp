#include "host/model/library.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"

#include <tessera/detail/records.hpp>
#include <tessera/version.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::model {
namespace {

constexpr const char* no_library = "it is no library of a model: `tessera build` makes one";

// Why a file cannot be used.
struct Unusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// An open file, read piece by piece.
class File {
public:
    explicit File(const std::filesystem::path& path) {
        std::string why;
        file_ = open_regular(path, why);
        if (file_ < 0) throw Unusable(why);
        struct stat status {};
        ::fstat(file_, &status);
        size_ = static_cast<std::uint64_t>(status.st_size);
    }
    ~File() { ::close(file_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] bool has(std::uint64_t at, std::uint64_t size) const noexcept { return at <= size_ && size <= size_ - at; }
    void read(std::uint64_t at, void* into, std::uint64_t size) const {
        if (!has(at, size)) throw Unusable("it is cut off: something of it is missing at its end");
        for (std::uint64_t done = 0; done < size;) {
            const auto got = ::pread(file_, static_cast<std::byte*>(into) + done, size - done, static_cast<off_t>(at + done));
            if (got <= 0) throw Unusable("it cannot be read");
            done += static_cast<std::uint64_t>(got);
        }
    }
    template<class T> [[nodiscard]] T value(std::uint64_t at) const {
        T result;
        read(at, &result, sizeof(result));
        return result;
    }

private:
    int file_ = -1;
    std::uint64_t size_ = 0;
};

std::vector<Elf64_Phdr> segments_of(const File& file) {
    if (!file.has(0, sizeof(Elf64_Ehdr))) throw Unusable(no_library);
    const auto header = file.value<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw Unusable(no_library);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
        throw Unusable("it is for another kind of processor than x86-64: build it again");
    if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) throw Unusable(no_library);
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr));
    return segments;
}

// Where the contents of our note are.
struct Place {
    std::uint64_t at = 0, size = 0, address = 0;
};
std::optional<Place> note_in(const File& file, const Elf64_Phdr& segment) {
    const std::uint64_t end = segment.p_offset + segment.p_filesz, alignment = segment.p_align == 8 ? 8 : 4;
    const auto aligned = [&](std::uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
    if (end < segment.p_offset) return {};
    for (auto at = segment.p_offset; at + sizeof(Elf64_Nhdr) <= end;) {
        const auto header = file.value<Elf64_Nhdr>(at);
        const auto name = at + sizeof(header), contents = name + aligned(header.n_namesz);
        if (header.n_namesz == sizeof(library_owner) && header.n_type == library_note_type) {
            char owner[sizeof(library_owner)];
            file.read(name, owner, sizeof(owner));
            if (std::memcmp(owner, library_owner, sizeof(owner)) == 0)
                return Place{contents, header.n_descsz, segment.p_vaddr + (contents - segment.p_offset)};
        }
        at = contents + aligned(header.n_descsz);
    }
    return {};
}
Place find_note(const File& file, const std::vector<Elf64_Phdr>& segments) {
    for (const auto& segment : segments)
        if (segment.p_type == PT_NOTE)
            if (const auto found = note_in(file, segment)) return *found;
    throw Unusable(no_library);
}

std::uint64_t place_in_file(const std::vector<Elf64_Phdr>& segments, std::uint64_t address, std::uint64_t size) {
    for (const auto& segment : segments)
        if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr <= segment.p_filesz &&
            size <= segment.p_filesz - (address - segment.p_vaddr))
            return segment.p_offset + (address - segment.p_vaddr);
    throw Unusable("it is damaged: a part of it lies outside of it");
}

// The contents of a note from front to back.
class Contents {
public:
    explicit Contents(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::span<const std::byte> take(std::uint64_t size) {
        if (size > bytes_.size()) throw Unusable("its note is damaged: it ends too early");
        const auto taken = bytes_.first(static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(static_cast<std::size_t>(size));
        return taken;
    }
    // What a struct of `size` bytes as it was written has of T.
    template<class T> T value(std::uint64_t size = sizeof(T)) {
        T result{};
        const auto written = take(size);
        std::memcpy(&result, written.data(), std::min<std::size_t>(sizeof(T), written.size()));
        return result;
    }
    void align(std::uint64_t whole) { // counted from the front of `whole` bytes
        if (const auto over = (whole - bytes_.size()) % 8; over != 0) (void)take(std::min<std::uint64_t>(8 - over, bytes_.size()));
    }
    [[nodiscard]] std::uint64_t left() const noexcept { return bytes_.size(); }
    [[nodiscard]] std::span<const std::byte> rest() const noexcept { return bytes_; }

private:
    std::span<const std::byte> bytes_;
};

library_note checked_header(Contents& contents) {
    auto peek = contents;
    const auto head = peek.take(8);
    std::uint32_t size = 0;
    std::uint16_t major = 0;
    std::memcpy(&size, head.data(), sizeof(size));
    std::memcpy(&major, head.data() + 4, sizeof(major));
    if (major != library_abi_major)
        throw Unusable(
            fmt::format("it is built for plugins {}, and this program knows plugins {}: build it again", major, library_abi_major));
    if (size < least_bytes_of_header) throw Unusable("its note is damaged: its header is too short");
    const auto note = contents.value<library_note>(size);
    const auto rest = contents.rest();
    if (XXH3_64bits(rest.data(), rest.size()) != note.checksum) throw Unusable("its note is damaged: it is not what was written");
    if (note.parts > 0 && note.part_size < least_bytes_of_part) throw Unusable("its note is damaged: its parts are too short");
    return note;
}

// Whether it can be used. Hooks of another revision are not passed over: the library is not to be run without them.
bool is_known(const library_part& part) {
    switch (static_cast<LibraryPart>(part.kind)) {
    case LibraryPart::hooks:
        if (part.revision != 1)
            throw Unusable(fmt::format("its hooks are of version {}, and this program knows version 1: build it again", part.revision));
        return true;
    case LibraryPart::source:
    case LibraryPart::code:
    case LibraryPart::run: return part.revision == 1;
    }
    return false;
}

void read_parts(const library_note& note, Contents& contents, const Place& place, const std::vector<Elf64_Phdr>& segments,
                Library& library) {
    for (std::uint32_t i = 0; i < note.parts; ++i) {
        const auto row = contents.value<library_part>(note.part_size);
        if (!is_known(row)) continue;
        Library::Part part;
        part.kind = static_cast<LibraryPart>(row.kind);
        part.target = std::string(row.target, ::strnlen(row.target, sizeof(row.target)));
        part.at = place_in_file(segments, place.address + static_cast<std::uint64_t>(row.offset), row.size);
        part.size = row.size;
        part.checksum = row.checksum;
        library.parts.push_back(std::move(part));
    }
}

void read_records(const library_note& note, Contents& contents, Library& library) {
    const auto whole = contents.left();
    for (std::uint32_t i = 0; i < note.records; ++i) {
        const auto head = contents.value<library_record>();
        jit::DataSymbol record;
        const auto name = contents.take(head.name_size), bytes = contents.take(head.size);
        record.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
        record.bytes.assign(bytes.begin(), bytes.end());
        contents.align(whole);
        library.records.push_back(std::move(record));
    }
}

[[noreturn]] void damaged(const Library& library, const std::string& why) {
    throw Error(Failure::plugin, fmt::format("{} cannot be used", library.path.string()), why, "build it again");
}

} // namespace

const Library::Part* Library::find(LibraryPart kind, const std::string& target) const noexcept {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.kind == kind && part.target == target; });
    return found == parts.end() ? nullptr : &*found;
}

bool is_library(const std::filesystem::path& path) { return path.extension() == ".so"; }

std::optional<Library> read_library(const std::filesystem::path& path, std::string& why) {
    try {
        const File file(path);
        const auto segments = segments_of(file);
        const auto place = find_note(file, segments);
        if (place.size > most_bytes_of_note)
            throw Unusable(fmt::format("its note is too large: {} bytes, and {} are the most", place.size, most_bytes_of_note));
        std::vector<std::byte> bytes(place.size);
        file.read(place.at, bytes.data(), bytes.size());
        Contents contents(bytes);
        const auto note = checked_header(contents);
        Library library;
        library.path = path;
        library.sdk = {note.sdk[0], note.sdk[1], note.sdk[2]};
        library.result_epoch = note.result_epoch;
        library.record_format = note.record_format;
        read_parts(note, contents, place, segments, library);
        read_records(note, contents, library);
        return library;
    } catch (const Unusable& reason) {
        why = reason.what();
        return std::nullopt;
    }
}

std::vector<std::byte> read_part(const Library& library, const Library::Part& part) {
    std::vector<std::byte> bytes;
    try {
        const File file(library.path);
        if (!file.has(part.at, part.size)) throw Unusable("it is cut off: something of it is missing at its end");
        bytes.resize(part.size);
        file.read(part.at, bytes.data(), bytes.size());
    } catch (const Unusable& reason) {
        damaged(library, reason.what());
    }
    if (XXH3_64bits(bytes.data(), bytes.size()) != part.checksum) damaged(library, "it is damaged: a part of it is not what was written");
    return bytes;
}

std::optional<jit::ModelSource> read_source(const Library& library) {
    const auto* const part = library.find(LibraryPart::source);
    if (part == nullptr) return std::nullopt;
    const auto bytes = read_part(library, *part);
    try {
        Contents contents(bytes);
        jit::ModelSource source;
        const auto files = contents.value<std::uint32_t>();
        for (std::uint32_t i = 0; i < files; ++i) {
            const auto name_size = contents.value<std::uint32_t>();
            const auto text_size = contents.value<std::uint64_t>();
            const auto name = contents.take(name_size), text = contents.take(text_size);
            jit::SourceFile file;
            file.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
            file.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
            file.path = library.path.string() + "/" + file.name; // an absolute name stays below it
            if (i == 0)
                source.main = std::move(file);
            else
                source.headers.push_back(std::move(file));
        }
        return source;
    } catch (const Unusable& reason) {
        damaged(library, reason.what());
    }
}

namespace {

// Entries of the dynamic section, to its end or that of the segment.
std::vector<Elf64_Dyn> dynamic_entries(const File& file, const std::vector<Elf64_Phdr>& segments) {
    std::vector<Elf64_Dyn> entries;
    for (const auto& segment : segments) {
        if (segment.p_type != PT_DYNAMIC) continue;
        for (std::uint64_t done = 0; done + sizeof(Elf64_Dyn) <= segment.p_filesz; done += sizeof(Elf64_Dyn)) {
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

std::vector<std::string> needed_libraries(const Library& library) {
    try {
        const File file(library.path);
        const auto segments = segments_of(file);
        const auto entries = dynamic_entries(file, segments);
        const auto size = value_of(entries, DT_STRSZ);
        std::string names(file.has(0, size) ? static_cast<std::size_t>(size) : 0, '\0');
        file.read(place_in_file(segments, value_of(entries, DT_STRTAB), names.size()), names.data(), names.size());
        std::vector<std::string> needed;
        for (const auto& entry : entries) {
            if (entry.d_tag != DT_NEEDED) continue;
            if (entry.d_un.d_val >= names.size()) throw Unusable("it is damaged: the name of a library that it needs lies outside of it");
            needed.emplace_back(names.c_str() + entry.d_un.d_val); // which ends in the zero byte of the whole at the latest
        }
        return needed;
    } catch (const Unusable& reason) {
        damaged(library, reason.what());
    }
}

bool is_of_this_sdk(const Library& library) noexcept {
    return library.sdk == std::array<std::uint32_t, 3>{TESSERA_SDK_MAJOR, TESSERA_SDK_MINOR, TESSERA_SDK_PATCH};
}

bool knows_records(const Library& library) noexcept { return library.record_format == static_cast<std::uint32_t>(record_magic[7]); }

} // namespace tessera::model
