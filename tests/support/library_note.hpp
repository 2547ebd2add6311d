// The note of a library of a model, taken apart byte by byte and written anew: what a program of another version would have written.
#pragma once

#include "host/model/library_format.hpp"

#include <xxhash.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <elf.h>

namespace tessera::testing {

class LibraryNote {
public:
    struct Part {
        model::library_part row{}; // `offset` is its address
        std::string more;          // behind what this version knows of it; as long in all of them
    };
    model::library_note header{}; // sizes, counts and the checksum are those of what stands here, once it is written
    std::string more;             // behind what this version knows of the header
    std::vector<Part> parts;
    std::string records; // as they are written, the number of them in `header.records`

    explicit LibraryNote(std::string library) : library_(std::move(library)) {
        const auto segment = at<Elf64_Phdr>(segment_at());
        note_at_ = segment.p_offset;
        const auto note = at<Elf64_Nhdr>(note_at_);
        auto from = note_at_ + sizeof(note) + sizeof(model::library_owner);
        const auto end = from + note.n_descsz, address = from - segment.p_offset + segment.p_vaddr;
        header = at<model::library_note>(from);
        from += sizeof(header);
        for (std::uint32_t i = 0; i < header.parts; ++i, from += sizeof(model::library_part)) {
            parts.push_back({at<model::library_part>(from), {}});
            parts.back().row.offset += static_cast<std::int64_t>(address);
        }
        records = library_.substr(from, end - from);
    }

    void add_record(const std::string& name, const std::string& bytes) {
        records += as_text(model::library_record{static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(bytes.size())});
        records += name + bytes;
        records.resize((records.size() + 7) / 8 * 8);
        ++header.records;
    }

    // The library with this note at its end, and nothing where the old one was.
    [[nodiscard]] std::string library() const {
        auto bytes = library_;
        const auto old = at<Elf64_Nhdr>(note_at_);
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(note_at_), sizeof(old) + sizeof(model::library_owner) + old.n_descsz, '\0');
        bytes.resize((bytes.size() + 7) / 8 * 8);
        auto segment = at<Elf64_Phdr>(segment_at());
        segment.p_offset = segment.p_vaddr = segment.p_paddr = bytes.size();
        const auto contents = contents_at(bytes.size() + sizeof(Elf64_Nhdr) + sizeof(model::library_owner));
        bytes += as_text(Elf64_Nhdr{sizeof(model::library_owner), static_cast<Elf64_Word>(contents.size()), model::library_note_type});
        bytes.append(model::library_owner, sizeof(model::library_owner));
        bytes += contents;
        segment.p_filesz = segment.p_memsz = bytes.size() - segment.p_offset;
        std::memcpy(bytes.data() + segment_at(), &segment, sizeof(segment));
        return bytes;
    }

    template<class T> static std::string as_text(const T& value) { return {reinterpret_cast<const char*>(&value), sizeof(value)}; }

private:
    template<class T> [[nodiscard]] T at(std::size_t place) const {
        T value;
        if (place + sizeof(T) > library_.size()) throw std::logic_error("no library of a model");
        std::memcpy(&value, library_.data() + place, sizeof(T));
        return value;
    }
    [[nodiscard]] std::size_t segment_at() const {
        const auto elf = at<Elf64_Ehdr>(0);
        for (std::size_t i = 0; i < elf.e_phnum; ++i)
            if (const auto place = elf.e_phoff + i * sizeof(Elf64_Phdr); at<Elf64_Phdr>(place).p_type == PT_NOTE) return place;
        throw std::logic_error("no note");
    }
    [[nodiscard]] std::string contents_at(std::size_t address) const {
        std::string behind;
        for (const auto& [row, part_more] : parts) {
            auto written = row;
            written.offset -= static_cast<std::int64_t>(address);
            behind += as_text(written) + part_more;
        }
        behind += records;
        auto written = header;
        written.code_checksum = written.file_size = written.file_checksum = 0; // of what it was before
        written.struct_size = static_cast<std::uint32_t>(sizeof(header) + more.size());
        written.parts = static_cast<std::uint32_t>(parts.size());
        if (!parts.empty()) written.part_size = static_cast<std::uint32_t>(sizeof(model::library_part) + parts.front().more.size());
        written.checksum = XXH3_64bits(behind.data(), behind.size());
        return as_text(written) + more + behind;
    }

    std::string library_;
    std::size_t note_at_ = 0;
};

} // namespace tessera::testing
