#include "host/plugins/build_library.hpp"

#include "host/model/write_library.hpp"

#include <tessera/detail/records.hpp>

#include <cstddef>
#include <cstring>
#include <string>

namespace tessera {
namespace {

// Their order stands for the files that they are of, whose paths are nobody else's.
std::vector<jit::DataSymbol> without_paths(std::vector<jit::DataSymbol> records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].name = "tessera_record_" + std::to_string(i);
        if (auto& bytes = records[i].bytes; bytes.size() >= sizeof(record_header))
            std::memset(bytes.data() + offsetof(record_header, file), 0, sizeof(record_header::file));
    }
    return records;
}

} // namespace

std::vector<std::byte> build_library(const model::Model& model) {
    return model::library_of(model.description.name + ".so", without_paths(model.records), {model::source_part(model.source)});
}

} // namespace tessera
