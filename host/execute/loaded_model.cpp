#include "host/execute/loaded_model.hpp"

#include "host/schedule/kernel_image.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace tessera {
namespace {

bool is_cuda(const Device& device) { return device.info().kind == DeviceKind::cuda; }

std::vector<ViewChoice> choose_views(const Setup& setup, const Device& device) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, is_cuda(device)));
    return views;
}

} // namespace

LoadedModel::LoadedModel(const Setup& setup, Device& device, jit::Compiler& compiler, ThreadPool& pool, std::vector<ViewChoice> views)
    : setup_(setup), device_(device), queue_(device.queue(Priority::normal, Execution::inline_)), pool_(pool),
      world_(setup, device, *queue_, pool), schedule_(setup), binder_(setup, world_, kernels_) {
    kernels_.views = views.empty() ? choose_views(setup, device) : std::move(views);
    image_ = compile_kernels(setup_, kernels_.views, target(), compiler);
    program_ = load(image_);
    for (const auto id : setup_.kernels.ids()) {
        kernels_.calls.push_back(&program_->kernel(setup_.kernels[id].symbol));
        spdlog::debug("{}: view {}", setup_.kernels[id].name, to_string(kernels_.views[id.index()]));
    }
    kernels_.advance = &program_->kernel(advance_symbol);
}

LoadedModel::~LoadedModel() {
    try {
        queue_->synchronize();
    } catch (const std::exception& error) {
        spdlog::debug("while ending the simulation: {}", error.what());
    }
}

jit::Target LoadedModel::target() const { return target_for(setup_, is_cuda(device_), device_.info().architecture); }

// A shared library is loaded by its file, code for a GPU from memory under the model's name.
std::unique_ptr<Program> LoadedModel::load(const jit::Image& image) const {
    auto program = image.file.empty() ? device_.load({setup_.model->path, image.bytes}) : device_.load(image.file);
    if (!*setup_.run.run.bake && !setup_.parameters.empty()) set_parameters(*program);
    return program;
}

void LoadedModel::set_parameters(Program& program) const {
    Launch launch;
    launch.kernel = &program.kernel(parameters_symbol);
    for (const auto& parameter : setup_.parameters) {
        launch.args.insert(launch.args.end(), parameter.bytes.begin(), parameter.bytes.end());
        launch.args.resize((launch.args.size() + 7) / 8 * 8);
    }
    queue_->launch(launch);
}

} // namespace tessera
