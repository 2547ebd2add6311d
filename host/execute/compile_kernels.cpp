#include "host/execute/compile_kernels.hpp"

#include "device_runtime/error.hpp"
#include "host/execute/edited_kernels.hpp"
#include "host/execute/finished_code.hpp"
#include "jit/diagnostics.hpp"

#include <exception>
#include <utility>

namespace tessera {

namespace {

KernelImages compiled(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler) {
    if (auto edited = target.careful ? std::nullopt : edited_kernels(setup, views, target, compiler)) {
        auto image = compiler.compile(edited->job);
        KernelImages images{{std::move(edited->before), std::move(image)}, "compiled"};
        images.edited = std::move(edited->changed);
        return images;
    }
    auto image = compiler.compile(kernels_job(setup, views, target));
    if (!image.from_cache && !target.careful) remember_kernels(setup, views, target, compiler);
    const char* const origin = image.from_cache ? "from the cache" : "compiled";
    return {{std::move(image)}, origin};
}

} // namespace

KernelImages compile_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler) {
    const bool as_usual = !setup.modes().debug && !setup.modes().checked && !target.careful;
    if (as_usual)
        if (auto finished = finished_code(setup, views, target)) return *finished;
    std::exception_ptr no_compiler;
    try {
        if (setup.model->has_source()) return compiled(setup, views, target, compiler);
    } catch (const jit::DoesNotCompile&) {
        throw;
    } catch (const Error& error) {
        if (error.kind() != Failure::compile) throw;
        no_compiler = std::current_exception();
    }
    if (as_usual)
        if (auto finished = any_run_code(setup, target)) return *finished;
    if (no_compiler) std::rethrow_exception(no_compiler);
    fail_without_source(setup, target);
}

} // namespace tessera
