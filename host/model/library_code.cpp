#include "host/model/library_code.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/model/elf_file.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>

namespace tessera::model {
namespace {

constexpr std::uint64_t most_bytes_of_library = std::uint64_t{1} << 30;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
    throw Error(Failure::plugin, fmt::format("{} cannot be used", path.string()), why, "build it again");
}

struct Range {
    std::uint64_t at = 0, size = 0;
};

// The sum over parts of a file, in which some bytes count as zeros.
class Sum {
public:
    Sum(const ElfFile& file, std::vector<Range> blank)
        : file_(file), blank_(std::move(blank)), state_(XXH3_createState(), &XXH3_freeState) {
        XXH3_64bits_reset(state_.get());
    }

    void add(Range part) {
        constexpr std::uint64_t most = 1 << 20;
        if ((total_ += part.size) > most_bytes_of_library || part.size > most_bytes_of_library)
            throw Unusable(fmt::format("more than {} bytes of it are loaded", most_bytes_of_library));
        for (std::uint64_t done = 0; done < part.size; done += bytes_.size()) {
            bytes_.resize(static_cast<std::size_t>(std::min(most, part.size - done)));
            file_.read(part.at + done, bytes_.data(), bytes_.size());
            for (const auto& each : blank_) blank_out(part.at + done, each);
            XXH3_64bits_update(state_.get(), bytes_.data(), bytes_.size());
        }
    }
    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

private:
    void blank_out(std::uint64_t at, const Range& blank) {
        const auto begin = std::max(at, blank.at), end = std::min(at + bytes_.size(), blank.at + blank.size);
        if (begin < end) std::memset(bytes_.data() + (begin - at), 0, static_cast<std::size_t>(end - begin));
    }

    const ElfFile& file_;
    std::vector<Range> blank_;
    std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
    std::vector<std::byte> bytes_;
    std::uint64_t total_ = 0;
};

Range file_checksum_in(std::uint64_t note) { return {note + offsetof(library_note, file_checksum), sizeof(library_note::file_checksum)}; }

// Of all of it.
std::uint64_t checksum_of_file(const ElfFile& file) {
    Sum sum(file, {file_checksum_in(file.note().at)});
    sum.add({0, file.size()});
    return sum.value();
}

// Of all that a loader takes of the file: its header, but for where its sections are, which it does not read and `strip` moves; the table
// of segments; and the contents of those that are loaded, but for the checksums themselves. 0 stands for none.
std::uint64_t checksum_of_code(const ElfFile& file) {
    const auto& header = file.header();
    constexpr Range sections_at{offsetof(Elf64_Ehdr, e_shoff), sizeof(header.e_shoff)};
    constexpr Range sections{offsetof(Elf64_Ehdr, e_shentsize),
                             sizeof(header.e_shentsize) + sizeof(header.e_shnum) + sizeof(header.e_shstrndx)};
    const auto note = file.note().at;
    const Range checksum{note + offsetof(library_note, code_checksum), sizeof(library_note::code_checksum)};
    Sum sum(file, {sections_at, sections, checksum, file_checksum_in(note)});
    sum.add({0, sizeof(header)});
    sum.add({header.e_phoff, file.segments().size() * sizeof(Elf64_Phdr)});
    for (const auto& segment : file.segments())
        if (segment.p_type == PT_LOAD) sum.add({segment.p_offset, segment.p_filesz});
    return std::max<std::uint64_t>(sum.value(), 1);
}

// The header of the note, or as much of it as its version has.
library_note header_of(const ElfFile& file) {
    const auto place = file.note();
    library_note note{};
    const auto size = file.value<std::uint32_t>(place.at);
    file.read(place.at, &note, std::min<std::uint64_t>({size, place.size, sizeof(note)}));
    return note;
}

Seal check(const ElfFile& file) {
    const auto written = header_of(file);
    if (written.code_checksum == 0) return Seal::none;
    const bool is_whole = file.size() == written.file_size;
    if (checksum_of_code(file) != written.code_checksum || (is_whole && checksum_of_file(file) != written.file_checksum))
        throw Unusable("it is damaged: its code is not as it was written");
    return Seal::fine;
}

} // namespace

void seal(std::vector<std::byte>& library, const std::filesystem::path& name) {
    try {
        const ElfFile file{std::span<const std::byte>(library)};
        if (header_of(file).struct_size != sizeof(library_note)) throw Unusable("it was built by another version of Tessera");
        const auto write = [&](std::size_t at, std::uint64_t value) {
            std::memcpy(library.data() + file.note().at + at, &value, sizeof(value));
        };
        write(offsetof(library_note, file_size), file.size());
        write(offsetof(library_note, code_checksum), checksum_of_code(file));
        write(offsetof(library_note, file_checksum), checksum_of_file(file));
    } catch (const Unusable& reason) {
        refuse(name, reason.what());
    }
}

Seal check_code(const Library& library) {
    try {
        return check(ElfFile(library.path));
    } catch (const Unusable& reason) {
        refuse(library.path, reason.what());
    }
}

CheckedCopy checked_copy(const Library& library) {
    std::string why;
    const auto text = read_regular(library.path, most_bytes_of_library, why);
    if (!text) refuse(library.path, why);
    CheckedCopy copy;
    const auto* const begin = reinterpret_cast<const std::byte*>(text->data());
    copy.bytes.assign(begin, begin + text->size());
    try {
        const ElfFile file{std::span<const std::byte>(copy.bytes)};
        const auto note = header_of(file);
        if (note.checksum != library.checksum || note.code_checksum != library.code_checksum)
            throw Unusable("it has been replaced by another library meanwhile");
        copy.seal = check(file);
    } catch (const Unusable& reason) {
        refuse(library.path, reason.what());
    }
    return copy;
}

bool needs_its_place(const Library& library) {
    try {
        const ElfFile file(library.path);
        for (const auto tag : {DT_RPATH, DT_RUNPATH, DT_NEEDED})
            for (const auto& text : file.dynamic_texts(tag))
                if (text.find("$ORIGIN") != std::string::npos || text.find("${ORIGIN}") != std::string::npos) return true;
        return false;
    } catch (const Unusable& reason) {
        refuse(library.path, reason.what());
    }
}

} // namespace tessera::model
