// [params] of the run file as the values of the model's parameters.
#include "device_runtime/error.hpp"
#include "host/bind/steps.hpp"
#include "host/model/model.hpp"
#include "host/model/where_declared.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

namespace {

std::string range_of(const model::Parameter& parameter) {
    return fmt::format("{} to {}", readable(parameter.type, (*parameter.range)[0]), readable(parameter.type, (*parameter.range)[1]));
}

// What nobody may set it to, it is not by itself.
void check_defaults(const model::Description& description, const model::WhereDeclared& where) {
    for (const auto& parameter : description.parameters) {
        if (!parameter.range) continue;
        const auto [low, high] = *parameter.range;
        const auto place = where.in_macro({"TESSERA_PARAM"}, {parameter.name});
        if (low > high)
            throw Error(Failure::plugin, fmt::format("{}: the parameter {} can have no value", place, parameter.name),
                        fmt::format("its range is {}", range_of(parameter)), "write the lower end first");
        if (!lies_within(parameter.type, parameter.initial.data(), low, high))
            throw Error(Failure::plugin,
                        fmt::format("{}: the parameter {} has the default {}", place, parameter.name,
                                    readable(parameter.type, parameter.initial.data())),
                        fmt::format("its range is {}", range_of(parameter)), "give it a default within its range, or a wider range");
    }
}

std::vector<ParameterValue> parameters_of(const model::Model& model, const run_file::RunFile& run) {
    const auto& description = model.description;
    check_defaults(description, {model.source, description.name});
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
                              fmt::format("{} allows {}", description.name, range_of(parameter)));
    }
    return values;
}

} // namespace

Values bind_values(const model::Model& model, const run_file::RunFile& run) { return {*run.run.seed, parameters_of(model, run)}; }

} // namespace tessera
