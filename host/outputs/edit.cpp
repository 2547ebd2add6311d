#include "host/outputs/edit.hpp"

#include <nlohmann/json.hpp>

namespace tessera {

nlohmann::ordered_json as_json(const Edit& edit) {
    nlohmann::ordered_json json{{"step", edit.step}};
    if (edit.kind() != Edit::Kind::parameters) json["folder"] = edit.folder;
    for (const auto& [name, value] : edit.given) json["parameters"][name] = value;
    if (edit.kind() == Edit::Kind::values) {
        json["values"] = edit.member;
        json["element"] = edit.element;
        json["corner"] = edit.corner;
    }
    return json;
}

} // namespace tessera
