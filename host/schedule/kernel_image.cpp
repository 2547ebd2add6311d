#include "host/schedule/kernel_image.hpp"

#include "jit/sdk_headers.hpp"

namespace tessera {

jit::Target target_for(const Setup& setup, bool cuda, const std::string& architecture) {
    jit::Target target;
    target.kind = cuda ? jit::Target::Kind::cuda : jit::Target::Kind::cpu;
    target.architecture = architecture;
    target.fast_float = *setup.run.run.float_mode == run_file::FloatMode::fast;
    return target;
}

jit::Image compile_kernels(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target, jit::Compiler& compiler) {
    jit::Job job;
    job.model = &setup.model->source;
    job.sdk = jit::sdk_headers();
    job.prelude = kernel_prelude(setup);
    job.epilogue = kernel_epilogue(setup, views);
    job.purpose = "kernels";
    job.target = target;
    return compiler.compile(job);
}

} // namespace tessera
