#include "host/model/declaration_order.hpp"

#include <tessera/detail/name_hash.hpp>
#include <tessera/detail/records.hpp>

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

namespace tessera::model {
namespace {

// The line, behind the lines of the inclusions that lead to its file: these compare as the text is read.
using Position = std::vector<int>;

class Files {
public:
    explicit Files(const jit::ModelSource& source) : source_(source) { visit(source.main, {}); }

    [[nodiscard]] Position position(const jit::DataSymbol& symbol) const {
        record_header header{};
        if (symbol.bytes.size() >= sizeof(header)) std::memcpy(&header, symbol.bytes.data(), sizeof(header));
        const auto found = inclusions_.find(header.file);
        Position result = found == inclusions_.end() ? Position{INT_MAX} : found->second;
        result.push_back(static_cast<int>(header.line));
        return result;
    }

private:
    void visit(const jit::SourceFile& file, const Position& inclusions) {
        if (!inclusions_.emplace(name_hash(file.path.c_str()), inclusions).second) return;
        for (const auto& each : jit::inclusions(file)) {
            if (!each.own) continue;
            auto next = inclusions;
            next.push_back(each.line);
            if (const auto* const header = included(file, each.target)) visit(*header, next);
        }
    }
    [[nodiscard]] const jit::SourceFile* included(const jit::SourceFile& from, const std::string& target) const {
        for (const auto& name : {std::filesystem::path(from.name).parent_path() / target, std::filesystem::path(target)})
            for (const auto& header : source_.headers)
                if (header.name == name.lexically_normal().string()) return &header;
        return nullptr;
    }

    const jit::ModelSource& source_;
    std::map<std::uint64_t, Position> inclusions_; // by name_hash of the path
};

} // namespace

std::vector<jit::DataSymbol> in_order_of_declaration(std::vector<jit::DataSymbol> symbols, const jit::ModelSource& source) {
    const Files files(source);
    std::vector<std::tuple<Position, std::string, std::size_t>> order;
    for (std::size_t i = 0; i < symbols.size(); ++i)
        if (symbols[i].name.find("tessera_record_") != std::string::npos)
            order.emplace_back(files.position(symbols[i]), symbols[i].name, i);
    std::sort(order.begin(), order.end());
    std::vector<jit::DataSymbol> sorted;
    for (const auto& [position, name, index] : order) sorted.push_back(std::move(symbols[index]));
    return sorted;
}

} // namespace tessera::model
