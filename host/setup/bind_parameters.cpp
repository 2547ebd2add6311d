// [params] of the run file as the values of the model's parameters.
#include "host/run_file/nearest.hpp"
#include "host/setup/bind.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::vector<ParameterValue> bind_parameters(const model::Description& description, const run_file::RunFile& run) {
    std::vector<ParameterValue> values;
    for (const auto& parameter : description.parameters) values.push_back({parameter.name, parameter.type, parameter.initial});
    for (const auto& [name, number] : run.params) {
        const auto known = names_of(description.parameters);
        const auto found = std::find(known.begin(), known.end(), *name);
        if (found == known.end())
            run_file::fail_at(name.where, fmt::format("{} has no parameter `{}`", description.name, *name),
                              known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(*name, known));
        const auto index = static_cast<std::size_t>(found - known.begin());
        const auto& parameter = description.parameters[index];
        values[index].bytes = value_bytes(*number, parameter.type, number.where, "params." + *name);
        const auto* const bytes = values[index].bytes.data();
        if (parameter.range && !lies_within(parameter.type, bytes, (*parameter.range)[0], (*parameter.range)[1]))
            run_file::fail_at(number.where, fmt::format("params.{} is {}", *name, readable(parameter.type, bytes)),
                              fmt::format("{} allows {} to {}", description.name, readable(parameter.type, (*parameter.range)[0]),
                                          readable(parameter.type, (*parameter.range)[1])));
    }
    return values;
}

} // namespace tessera
