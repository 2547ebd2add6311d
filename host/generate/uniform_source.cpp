#include "host/generate/uniform_source.hpp"

#include "host/setup/uniforms.hpp"

#include <fmt/format.h>

#include <tuple>

namespace tessera {

std::string uniform_macros(const model::Description& description) {
    auto text = fmt::format("#define TESSERA_UNIFORM_WORDS {}\n", words_of_uniforms(description));
    for (std::size_t u = 0; u < description.uniforms.size(); ++u)
        text += fmt::format("#define TESSERA_SLOT_{} {}\n", description.uniforms[u].name,
                            description.values.size() + word_of_uniform(description, u));
    return text;
}

std::string uniforms_source(const model::Description& description) {
    if (description.uniforms.empty()) return {};
    std::string text = "#include <tessera/kernels/launch/uniforms.hpp>\n";
    for (std::size_t u = 0; u < description.uniforms.size(); ++u) {
        const auto& [name, scope] = std::tie(description.uniforms[u].name, description.uniforms[u].scope);
        text += fmt::format(
            "TESSERA_TASK({}, tessera::uniform_arguments, tessera::make_uniforms<tessera_model::{}{}tessera_uniform_{}>(args))\n",
            uniform_symbol(u), scope, scope.empty() ? "" : "::", name);
    }
    return text;
}

} // namespace tessera
