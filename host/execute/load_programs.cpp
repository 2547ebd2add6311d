#include "host/execute/load_programs.hpp"

namespace tessera {
namespace {

void add_words(LoadedPrograms& loaded, LoadedProgram& program, LoadedModel& model) {
    const auto& setup = model.setup();
    const auto& of = program.steps.program;
    const auto layout = word_layout(setup, of);
    program.convert = layout.tiling;
    if (!loaded.words) loaded.words.emplace(model.world());
    for (const bool used : columns_used(setup, program.steps.all)) {
        auto& buffers = program.steps.words.emplace_back(std::array{Placement::none, Placement::none});
        if (used)
            for (int& buffer : buffers) buffer = loaded.words->add(layout.words);
    }
}

LoadedKernels kernels_of(const FusedProgram& program, Program& loaded) {
    LoadedKernels kernels;
    kernels.kernel = &loaded.kernel(program.symbol);
    if (program.view.words) {
        kernels.pack = &loaded.kernel(pack_symbol(program));
        kernels.unpack = &loaded.kernel(unpack_symbol(program));
    }
    return kernels;
}

} // namespace

LoadedPrograms load_programs(LoadedModel& model, const std::vector<FusedProgram>& programs, jit::Image image) {
    LoadedPrograms loaded;
    loaded.image = std::move(image);
    for (const auto& partition : model.partitions()) loaded.loaded.push_back(model.load(loaded.image, partition));
    for (const auto& program : programs) {
        LoadedProgram one;
        one.steps = {program, repeated(program.step, program.view.depth)};
        one.tiling = tiling_of(model.setup(), program);
        for (const auto& on : loaded.loaded) one.on.push_back(kernels_of(program, *on));
        if (program.view.words) add_words(loaded, one, model);
        loaded.programs.push_back(std::move(one));
    }
    return loaded;
}

} // namespace tessera
