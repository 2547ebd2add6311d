#include "host/model/library.hpp"

#include "device_runtime/error.hpp"
#include "host/model/elf_file.hpp"
#include "jit/source_limits.hpp"

#include <tessera/detail/records.hpp>
#include <tessera/version.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace tessera::model {
namespace {

// A sparse file has as much of everything as it says.
constexpr std::uint64_t most_bytes_of_code = 256 << 20, most_bytes_of_run = 1 << 20;

std::uint64_t most_bytes_of(LibraryPart kind) {
    switch (kind) {
    case LibraryPart::source: return jit::most_bytes_of_source + jit::most_files_of_source * 4200; // with their names
    case LibraryPart::code: return most_bytes_of_code;
    case LibraryPart::run: return most_bytes_of_run;
    case LibraryPart::late_sends: return 1;
    case LibraryPart::hooks: break;
    }
    return 0;
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
    if (XXH3_64bits(rest.data(), rest.size()) != note.checksum) throw Unusable("its note is damaged: it is not as it was written");
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
    case LibraryPart::run:
    case LibraryPart::late_sends: return part.revision == 1;
    }
    return false;
}

void read_parts(const library_note& note, Contents& contents, const ElfFile& file, const ElfFile::Note& place, Library& library) {
    for (std::uint32_t i = 0; i < note.parts; ++i) {
        const auto row = contents.value<library_part>(note.part_size);
        if (!is_known(row)) continue;
        Library::Part part;
        part.kind = static_cast<LibraryPart>(row.kind);
        part.target = std::string(row.target, ::strnlen(row.target, sizeof(row.target)));
        part.at = file.place_of(place.address + static_cast<std::uint64_t>(row.offset), row.size);
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
        const ElfFile file(path);
        const auto place = file.note();
        if (place.size > most_bytes_of_note)
            throw Unusable(fmt::format("its note is too large: {} bytes, and the maximum is {}", place.size, most_bytes_of_note));
        std::vector<std::byte> bytes(place.size);
        file.read(place.at, bytes.data(), bytes.size());
        Contents contents(bytes);
        const auto note = checked_header(contents);
        Library library;
        library.path = path;
        library.sdk = {note.sdk[0], note.sdk[1], note.sdk[2]};
        library.result_epoch = note.result_epoch;
        library.record_format = note.record_format;
        library.checksum = note.checksum;
        library.code_checksum = note.code_checksum;
        read_parts(note, contents, file, place, library);
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
        const ElfFile file(library.path);
        const auto most = most_bytes_of(part.kind);
        if (part.size > most) throw Unusable(fmt::format("a part of it has {} bytes, and the maximum is {}", part.size, most));
        if (!file.has(part.at, part.size)) throw Unusable("it is cut off: its end is missing");
        bytes.resize(part.size);
        file.read(part.at, bytes.data(), bytes.size());
    } catch (const Unusable& reason) {
        damaged(library, reason.what());
    }
    if (XXH3_64bits(bytes.data(), bytes.size()) != part.checksum) damaged(library, "it is damaged: a part of it is not as it was written");
    return bytes;
}

std::optional<jit::ModelSource> read_source(const Library& library) {
    const auto* const part = library.find(LibraryPart::source);
    if (part == nullptr) return std::nullopt;
    const auto bytes = read_part(library, *part);
    try {
        Contents contents(bytes);
        jit::ModelSource source;
        std::uint64_t size = 0;
        const auto files = contents.value<std::uint32_t>();
        if (files > jit::most_files_of_source)
            throw Unusable(fmt::format("its source has {} files, and the maximum is {}", files, jit::most_files_of_source));
        for (std::uint32_t i = 0; i < files; ++i) {
            const auto name_size = contents.value<std::uint32_t>();
            const auto text_size = contents.value<std::uint64_t>();
            const auto name = contents.take(name_size), text = contents.take(text_size);
            if ((size += text_size) > jit::most_bytes_of_source)
                throw Unusable(fmt::format("its source has more than {} bytes", jit::most_bytes_of_source));
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

std::vector<std::string> needed_libraries(const Library& library) {
    try {
        return ElfFile(library.path).dynamic_texts(DT_NEEDED);
    } catch (const Unusable& reason) {
        damaged(library, reason.what());
    }
}

bool is_of_this_sdk(const Library& library) noexcept {
    return library.sdk == std::array<std::uint32_t, 3>{TESSERA_SDK_MAJOR, TESSERA_SDK_MINOR, TESSERA_SDK_PATCH};
}

bool knows_records(const Library& library) noexcept { return library.record_format == static_cast<std::uint32_t>(record_magic[7]); }

} // namespace tessera::model
