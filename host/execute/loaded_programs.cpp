#include "host/execute/loaded_programs.hpp"

#include "host/execute/loaded_model.hpp"

namespace tessera {
namespace {

void load_words(LoadedPrograms& loaded, LoadedProgram& program, LoadedModel& model) {
    const auto& setup = model.setup();
    auto& steps = program.steps;
    const auto layout = word_layout(setup.collections[steps.program.step.collection], steps.program.view);
    program.pack = &loaded.loaded->kernel(pack_symbol(steps.program));
    program.unpack = &loaded.loaded->kernel(unpack_symbol(steps.program));
    program.convert = layout.tiling;
    if (!loaded.words) loaded.words.emplace(model.world());
    for (const bool used : columns_used(setup, steps.all)) {
        auto& buffers = steps.words.emplace_back(std::array{Placement::none, Placement::none});
        if (used)
            for (int& buffer : buffers) buffer = loaded.words->add(layout.bytes);
    }
}

} // namespace

LoadedPrograms load_programs(LoadedModel& model, const std::vector<FusedProgram>& programs, jit::Image image) {
    LoadedPrograms loaded;
    loaded.image = std::move(image);
    loaded.loaded = model.load(loaded.image);
    for (const auto& program : programs) {
        LoadedProgram one;
        one.steps = {program, repeated(program.step, program.view.depth)};
        one.kernel = &loaded.loaded->kernel(program.symbol);
        one.tiling = tiling_of(model.setup(), program);
        if (program.view.words) load_words(loaded, one, model);
        loaded.programs.push_back(std::move(one));
    }
    return loaded;
}

} // namespace tessera
