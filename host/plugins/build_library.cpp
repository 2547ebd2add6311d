#include "host/plugins/build_library.hpp"

#include <string>
#include <utility>

namespace tessera {
namespace {

// Their order stands for the files that they are of, whose paths are nobody else's.
std::vector<jit::DataSymbol> without_paths(std::vector<jit::DataSymbol> records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].name = "tessera_record_" + std::to_string(i);
        model::forget_path(records[i]);
    }
    return records;
}

std::vector<model::PartToWrite> parts_of(const model::Model& model, bool with_source, std::vector<model::PartToWrite> code) {
    std::vector<model::PartToWrite> parts;
    if (with_source)
        parts.push_back(model::source_part(model.source));
    else if (model::may_send_later(model)) {
        parts.emplace_back().kind = model::LibraryPart::late_sends;
        parts.back().bytes = {std::byte{1}};
    }
    for (auto& part : code) parts.push_back(std::move(part));
    return parts;
}

} // namespace

std::vector<std::byte> build_library(const model::Model& model, bool with_source, std::vector<model::PartToWrite> code) {
    return model::library_of(model.description.name + ".so", without_paths(model.records), parts_of(model, with_source, std::move(code)));
}

std::vector<std::byte> build_object(const model::Model& model, bool with_source, std::vector<model::PartToWrite> code) {
    auto parts = parts_of(model, with_source, std::move(code));
    model::PartToWrite hooks;
    hooks.kind = model::LibraryPart::hooks;
    parts.push_back(std::move(hooks));
    return model::object_of(model.description.name + ".o", without_paths(model.records), parts);
}

} // namespace tessera
