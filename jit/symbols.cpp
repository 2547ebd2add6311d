#include "jit/symbols.hpp"

#include "device_runtime/error.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

#include <elf.h>

namespace tessera::jit {
namespace {

using Bytes = std::span<const std::byte>;

// Nothing unless the whole range lies within.
std::optional<Bytes> part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
    return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

template<class T> std::optional<T> value_at(Bytes bytes, std::uint64_t offset) {
    const auto found = part(bytes, offset, sizeof(T));
    if (!found) return std::nullopt;
    T value;
    std::memcpy(&value, found->data(), sizeof(T));
    return value;
}

std::string text_at(Bytes strings, std::uint64_t offset) {
    if (offset >= strings.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(strings.data()) + offset;
    return {begin, strnlen(begin, strings.size() - static_cast<std::size_t>(offset))};
}

class ElfReader {
public:
    explicit ElfReader(Bytes file) : file_(file) {
        const auto header = value_at<Elf64_Ehdr>(file, 0);
        const bool ours = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
                          header->e_ident[EI_DATA] == ELFDATA2LSB;
        if (!ours) throw Error(Failure::internal, "a compiled image is not a 64-bit ELF file");
        relocatable_ = header->e_type == ET_REL;
        read_sections(*header);
    }

    std::vector<DataSymbol> symbols() const {
        std::vector<DataSymbol> result;
        const Elf64_Shdr* table = table_of(SHT_SYMTAB);
        if (table == nullptr) table = table_of(SHT_DYNSYM); // a stripped library
        if (table == nullptr || table->sh_link >= sections_.size()) return result;
        const auto entries = contents(*table), names = contents(sections_[table->sh_link]);
        if (!entries || !names) return result;
        std::size_t budget = 4 * file_.size() + (16u << 20); // symbols overlap only in a file that was made to do harm
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= entries->size(); at += sizeof(Elf64_Sym)) {
            auto symbol = data(*value_at<Elf64_Sym>(*entries, at), *names, budget);
            if (symbol) result.push_back(std::move(*symbol));
        }
        return result;
    }

private:
    void read_sections(const Elf64_Ehdr& header) {
        std::uint64_t count = header.e_shnum;
        const auto first = value_at<Elf64_Shdr>(file_, header.e_shoff);
        if (count == 0 && first && header.e_shoff != 0) count = first->sh_size; // more than fit into the header
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto section = value_at<Elf64_Shdr>(file_, header.e_shoff + i * sizeof(Elf64_Shdr));
            if (!section) break;
            sections_.push_back(*section);
        }
    }

    const Elf64_Shdr* table_of(Elf64_Word type) const {
        for (const auto& section : sections_)
            if (section.sh_type == type) return &section;
        return nullptr;
    }

    std::optional<Bytes> contents(const Elf64_Shdr& section) const { return part(file_, section.sh_offset, section.sh_size); }

    std::optional<DataSymbol> data(const Elf64_Sym& symbol, Bytes names, std::size_t& budget) const {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || symbol.st_shndx >= sections_.size()) return std::nullopt;
        const auto& section = sections_[symbol.st_shndx];
        const std::uint64_t offset = relocatable_ ? symbol.st_value : symbol.st_value - section.sh_addr;
        if (offset > section.sh_size || symbol.st_size > section.sh_size - offset || symbol.st_size > budget) return std::nullopt;
        budget -= static_cast<std::size_t>(symbol.st_size);
        auto name = text_at(names, symbol.st_name);
        if (name.empty()) return std::nullopt;
        if (section.sh_type == SHT_NOBITS)
            return DataSymbol{std::move(name), std::vector<std::byte>(static_cast<std::size_t>(symbol.st_size))};
        const auto bytes = contents(section);
        if (!bytes) return std::nullopt;
        const auto own = bytes->subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(symbol.st_size));
        return DataSymbol{std::move(name), {own.begin(), own.end()}};
    }

    Bytes file_;
    bool relocatable_ = false;
    std::vector<Elf64_Shdr> sections_;
};

} // namespace

std::vector<DataSymbol> data_symbols(Bytes elf) { return ElfReader(elf).symbols(); }

} // namespace tessera::jit
