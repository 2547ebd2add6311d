#include "host/execute/frame_images.hpp"

#include "host/execute/kernel_image.hpp"

#include <chrono>

namespace tessera {
namespace {

// Of which types there are columns, a bit for each scalar_code.
std::uint32_t types_of_columns(const Setup& setup) {
    std::uint32_t types = 0;
    for (const auto& collection : setup.collections)
        for (const auto& column : collection.columns) types |= std::uint32_t{1} << static_cast<int>(column.layout.type);
    return types;
}

} // namespace

FrameImages::FrameImages(const LoadedModel& model, jit::Compiler& compiler) {
    const auto types = types_of_columns(model.setup());
    for (const auto& partition : model.partitions()) {
        const auto& info = partition.device->info();
        if (info.kind != DeviceKind::cuda || images_.count(info.architecture) != 0) continue;
        jit::Target target; // the same arithmetic for any model
        target.kind = jit::Target::Kind::cuda;
        target.architecture = info.architecture;
        auto job = frame_job(target, types);
        job.cancel = &given_up_;
        images_[info.architecture] = std::async(std::launch::async, [&compiler, job] { return compiler.compile(job); }).share();
    }
}

FrameImages::~FrameImages() {
    given_up_ = true;
    images_.clear(); // waits
}

bool FrameImages::are_ready() const {
    for (const auto& [architecture, image] : images_)
        if (image.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
    return true;
}

const jit::Image& FrameImages::image(const std::string& architecture) const { return images_.at(architecture).get(); }

} // namespace tessera
