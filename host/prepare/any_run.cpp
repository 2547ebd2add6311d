#include "host/prepare/any_run.hpp"

#include "device_runtime/error.hpp"
#include "host/generate/any_run_source.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera {
namespace {

[[noreturn]] void fail_of(const Setup& setup, const std::string& why) {
    throw Error(Failure::input, fmt::format("{} cannot be built without its source for any run", setup.description().name), why,
                "name the runs of the library with --for");
}

} // namespace

Setup for_any_run(const Bound& run) {
    if (const auto why = obstacle_to_any_run(run.setup); !why.empty()) fail_of(run.setup, why);
    auto unbaked = run.run_file;
    unbaked.run.bake.value = false;
    auto any = bound_again(run.setup, std::move(unbaked)).setup;
    for (const auto& parameter : any.description().parameters)
        if (is_baked(any, parameter))
            fail_of(any, fmt::format("the parameter {} stands in an access list, which has to be known then", parameter.name));
    return any;
}

} // namespace tessera
