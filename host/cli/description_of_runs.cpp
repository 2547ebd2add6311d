#include "host/cli/description_of_runs.hpp"

#include "device_runtime/error.hpp"
#include "host/model/named_parameters.hpp"
#include "host/prepare/seen_values.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string listed(const Setup& setup, const std::map<std::string, std::string>& seen) {
    const auto& parameters = setup.description().parameters;
    std::string text;
    for (std::size_t p = 0; p < parameters.size(); ++p)
        if (seen.count(parameters[p].name) != 0)
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameters[p].name,
                                readable(parameters[p].type, setup.values.parameters[p].bytes.data()));
    return text.empty() ? "the defaults of the parameters" : text;
}

} // namespace

void DescriptionOfRuns::add(const std::string& run_file, const Prepared& run, const Prepared& of_one_cpu, jit::Compiler& compiler) {
    const auto values = seen_values(run.setup.description(), run.setup.values);
    if (values_ && *values_ != values)
        throw Error(Failure::input, fmt::format("{} cannot be another run of this library", run_file),
                    fmt::format("its functions see as far as {} says, those of the run before it as far as {}, and a library without "
                                "source is for one of these",
                                listed(run.setup, values), text_),
                    "make a library of each run, or leave out --without-source");
    values_ = values;
    text_ = listed(run.setup, values);
    if (values.empty()) return;
    library_.records = model::records_with(library_, values, compiler);
    run.model->records = of_one_cpu.model->records = library_.records;
}

} // namespace tessera
