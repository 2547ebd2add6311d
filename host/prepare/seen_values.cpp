#include "host/prepare/seen_values.hpp"

#include "host/model/named_parameters.hpp"
#include "host/setup/value.hpp"

namespace tessera {

std::map<std::string, std::string> seen_values(const model::Description& description, const Values& values) {
    const auto& parameters = description.parameters;
    std::map<std::string, std::string> seen;
    for (std::size_t p = 0; p < parameters.size(); ++p)
        if (values.parameters[p].bytes != parameters[p].initial && model::is_in_access_list(description, parameters[p]))
            seen[parameters[p].name] = as_source(parameters[p].type, values.parameters[p].bytes.data());
    return seen;
}

} // namespace tessera
