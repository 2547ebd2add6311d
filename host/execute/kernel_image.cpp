#include "host/execute/kernel_image.hpp"

#include "host/execute/finished_code.hpp"
#include "host/generate/draws.hpp"
#include "host/views/program_source.hpp"
#include "jit/diagnostics.hpp"
#include "jit/sdk_headers.hpp"

namespace tessera {
namespace {

jit::Job job_with(const Setup& setup, const std::string& epilogue, const char* purpose, const jit::Target& target) {
    jit::Job job;
    job.model = &setup.model->source;
    job.sdk = jit::sdk_headers();
    job.prelude = kernel_prelude(setup);
    job.epilogue = draws_source(setup) + epilogue;
    if (target.checked) job.epilogue = "#include <tessera/kernels/mistakes.hpp>\n" + job.epilogue;
    job.purpose = purpose;
    job.target = target;
    return job;
}

} // namespace

jit::Target target_for(const Setup& setup, bool cuda, const std::string& architecture) {
    jit::Target target;
    target.kind = cuda ? jit::Target::Kind::cuda : jit::Target::Kind::cpu;
    if (cuda) target.architecture = architecture; // of a CPU it is that of this machine
    target.debug = setup.debug && !cuda;
    target.checked = setup.checked && !cuda;
    target.fast_float = *setup.run.run.float_mode == run_file::FloatMode::fast;
    return target;
}

jit::Job kernels_job(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target) {
    return job_with(setup, kernel_epilogue(setup, views), "kernels", target);
}

jit::Image compile_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler) {
    if (auto finished = setup.debug || setup.checked ? std::nullopt : finished_image(setup, views, target, compiler))
        return std::move(*finished);
    if (!setup.model->has_source()) fail_without_source(setup, target);
    return compiler.compile(kernels_job(setup, views, target));
}

jit::Image compile_programs(const Setup& setup, const std::vector<FusedProgram>& programs, const jit::Target& target,
                            jit::Compiler& compiler, const std::atomic<bool>* cancel) {
    const auto compile = [&](bool bounded) {
        auto job = job_with(setup, program_epilogue(setup, programs, bounded), "fused kernels", target);
        job.cancel = cancel;
        return compiler.compile(job);
    };
    try {
        return compile(true);
    } catch (const jit::DoesNotCompile&) {
        return compile(false);
    }
}

} // namespace tessera
