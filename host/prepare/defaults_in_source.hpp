// The text of a model's TESSERA_DEFAULTS where it stands in the model's source, so that errors name lines of that.
#pragma once

#include "host/model/model.hpp"

#include <optional>
#include <string>

namespace tessera {

struct DefaultsInSource {
    std::string file;
    std::string text; // of the same lines and columns as in the file, with blanks for what stands there besides
};

// Nothing where the text does not stand there by itself: in several files, in macros, in one line with others of its lines, in a library.
[[nodiscard]] std::optional<DefaultsInSource> defaults_in_source(const model::Model& model);

} // namespace tessera
