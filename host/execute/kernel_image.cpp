#include "host/execute/kernel_image.hpp"

#include "device_runtime/error.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/generate/draws.hpp"
#include "host/generate/kernel_pieces.hpp"
#include "host/generate/leaving.hpp"
#include "host/generate/reduce_code.hpp"
#include "host/generate/sure_draws.hpp"
#include "host/views/program_source.hpp"
#include "jit/diagnostics.hpp"
#include "jit/sdk_headers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Draws of several agents at once, which all models with agents share.
constexpr const char* draws_beside = "#define TESSERA_WITHOUT_MATH 1\n#define TESSERA_MAKES_BESIDE\n"
                                     "#include <tessera/kernels/agents/draws_beside.hpp>\n";

jit::Job job_with(const Setup& setup, const std::string& epilogue, const char* purpose, const jit::Target& target) {
    jit::Job job;
    job.model = &setup.model->source;
    job.sdk = jit::sdk_headers();
    job.prelude = kernel_prelude(setup);
    job.epilogue = draws_source(setup) + leaving_source(setup) + sure_draws_source(setup) + epilogue;
    const bool is_cpu = target.kind == jit::Target::Kind::cpu;
    if (is_cpu && setup.has_agents()) job.beside = draws_beside;
    if (is_cpu && target.checked) job.epilogue = "#include <tessera/kernels/launch/mistakes.hpp>\n" + job.epilogue;
    job.purpose = purpose;
    job.target = target;
    return job;
}

jit::Job job_without_model(const jit::ModelSource& name, const std::string& epilogue, const jit::Target& target) {
    jit::Job job;
    job.model = &name;
    job.sdk = jit::sdk_headers();
    job.prelude = prelude_without_model();
    job.epilogue = epilogue;
    job.purpose = "kernels";
    job.target = target;
    return job;
}

} // namespace

jit::Target target_for(const Setup& setup, bool cuda, const std::string& architecture) {
    jit::Target target;
    target.kind = cuda ? jit::Target::Kind::cuda : jit::Target::Kind::cpu;
    if (cuda) target.architecture = architecture; // of a CPU it is that of this machine
    target.debug = setup.modes().debug && !cuda;
    target.checked = setup.modes().checked;
    target.fast_float = setup.modes().is_fast();
    return target;
}

jit::Job kernels_job(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target) {
    const auto is_ordered = [](const CollectionSetup& each) { return each.agents && each.agents->storage->is_ordered(); };
    if (target.kind == jit::Target::Kind::cuda && std::any_of(setup.collections.begin(), setup.collections.end(), is_ordered))
        throw Error(Failure::internal, "agents that are stored for one CPU were to be compiled for a GPU");
    auto job = job_with(setup, kernel_epilogue(setup, views), "kernels", target);
    const bool passes_parameters = !setup.modes().bake && !setup.values.parameters.empty(); // variables, which each image would have
    if (target.kind == jit::Target::Kind::cpu || !passes_parameters) job.pieces = kernel_pieces(setup).pieces;
    return job;
}

jit::Job some_kernels_job(const Setup& setup, const KernelTexts& texts, const std::vector<bool>& chosen, const std::string& share,
                          const jit::Target& target) {
    auto epilogue = texts.before;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) epilogue += texts.kernels[i];
    auto job = job_with(setup, epilogue + parameters_source(setup), "kernels", target);
    job.share = share;
    return job;
}

jit::Job any_run_job(const Setup& any, const std::string& epilogue, const jit::Target& target) {
    return job_with(any, epilogue, "kernels", target);
}

jit::Job any_reduce_job(const jit::Target& target) {
    static const jit::ModelSource no_model{{"reduces.cu", "", "reduces.cu"}, {}};
    return job_without_model(no_model, any_reduce_epilogue(), target);
}

jit::Job frame_job(const jit::Target& target, std::uint32_t types) {
    static const jit::ModelSource no_model{{"frames.cu", "", "frames.cu"}, {}};
    return job_without_model(
        no_model, fmt::format("#define TESSERA_FRAME_TYPES {:#x}u\n#include <tessera/kernels/launch/frame.hpp>\n", types), target);
}

double KernelImages::milliseconds() const {
    double sum = 0;
    for (const auto& image : images) sum += image.milliseconds;
    return sum;
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
    } catch (const jit::DoesNotCompile& error) {
        if (error.is_ours()) throw;
        return compile(false);
    }
}

} // namespace tessera
