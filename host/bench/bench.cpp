#include "host/bench/bench.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "host/bench/copy_bandwidth.hpp"
#include "host/bench/files.hpp"
#include "host/bench/measure.hpp"
#include "host/bench/scaling.hpp"
#include "host/devices/spread.hpp"
#include "host/distribution/arranged.hpp"
#include "host/distribution/stripes.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/traffic.hpp"
#include "jit/nvrtc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tessera::bench {
namespace {

std::string compiler_text(bool cuda) {
    if (!cuda) return jit::HostCompiler::find().version();
    const auto& nvrtc = jit::Nvrtc::find();
    return fmt::format("NVRTC {}.{}", nvrtc.major(), nvrtc.minor());
}

std::string driver_text(bool cuda) {
    const int version = cuda_status().driver_version;
    return cuda ? fmt::format("driver for CUDA {}.{}", version / 1000, version % 1000 / 10) : "";
}

class Bench {
public:
    Bench(const BenchOptions& options, jit::Compiler& compiler)
        : options_(options), compiler_(compiler), views_(parse_views(options.views)),
          sizes_(options.sizes.empty() ? std::vector<Size>{} : parse_sizes(options.sizes)), usual_(prepare_usual()),
          threads_(choose_threads(usual_.setup.wishes)) {
        if (sizes_.empty()) sizes_ = usual_sizes(usual_.setup.collections.front().dimensions);
        find_kernels_by_hand();
        scaling_ = parse_scaling(options.scaling);
        const auto devices = choose_devices(usual_.setup.wishes, *usual_.model);
        counts_ = parse_counts(options.counts, devices.size());
        devices_ = open_devices(devices, threads_);
        describe();
    }

    [[nodiscard]] const std::string& name() const { return usual_.name; }
    [[nodiscard]] const Report& report() const { return report_; }

    Report run() {
        const InterruptGuard interrupt;
        const jit::CancelledBy cancelled(compiler_, interrupt.flag());
        ThreadPool pool(threads_);
        report_.copy_bandwidth = copy_bandwidth(*devices_.front(), compiler_);
        std::map<Size, std::uint64_t> hashes;
        Workbench workbench{{}, compiler_, pool, interrupt, views_, reference_, options_.samples, hashes};
        for (const auto& device : devices_) {
            workbench.devices.push_back(device.get());
            const auto count = static_cast<int>(workbench.devices.size());
            if (std::find(counts_.begin(), counts_.end(), count) == counts_.end()) continue;
            for (const auto& size : sizes_) {
                if (count == 1 || scaling_.strong) add_rows(workbench, size, 1);
                if (count > 1 && scaling_.weak) add_rows(workbench, size, count);
            }
        }
        if (interrupt.interrupted())
            report_.status = "interrupted";
        else if (std::any_of(report_.rows.begin(), report_.rows.end(), [](const Row& row) { return row.state == "differs"; }))
            report_.status = "failed";
        mark_fastest(report_.rows);
        return std::move(report_);
    }

private:
    [[nodiscard]] Prepared prepare_with(std::vector<std::string> overrides) const {
        overrides.emplace_back("output=[]");
        auto request = options_.request;
        request.overrides = std::move(overrides);
        auto prepared = prepare(request, compiler_);
        if (const auto& start = prepared.run_file.run.start)
            run_file::fail_at(start->checkpoint.where, "`start` cannot be measured", "sizes vary, and all of them begin with first values",
                              "measure a run file without it");
        return prepared;
    }

    // What is not typed with the sizes has to fit one of them, and not the size that the run file gives: a number of agents, say.
    [[nodiscard]] Prepared prepare_usual() const {
        if (sizes_.empty()) return prepare_with(options_.request.overrides);
        const auto run = read_run(options_.request, compiler_);
        for (const auto& size : sizes_)
            for (const auto& places : run.places) (void)extents_of(size, *places->name, places->size->size());
        for (auto size = sizes_.begin();; ++size) {
            auto overrides = options_.request.overrides;
            for (const auto& places : run.places)
                overrides.push_back(
                    size_override(*places->name, extents_of(*size, *places->name, places->size->size()), places->size->size()));
            try {
                return prepare_with(overrides);
            } catch (const Error& error) { // a row, later
                if (error.kind() == Failure::compile || size + 1 == sizes_.end()) throw;
            }
        }
    }

    static std::string size_override(const std::string& places, const Extents& extents, std::size_t dimensions) {
        return fmt::format("places.{}.size=[{}]", places, fmt::join(extents.begin(), extents.begin() + static_cast<int>(dimensions), ","));
    }

    void find_kernels_by_hand() {
        report_.reference = "there are none for this model";
        const auto file = find_reference(*usual_.model, options_.reference);
        if (!file) return;
        reference_ = read_reference(*file);
        report_.reference = file->lexically_normal().string();
        if (const auto why = obstacle(*reference_, usual_.setup); !why.empty()) {
            report_.reference = fmt::format("not used; {}: {}", report_.reference, why);
            reference_.reset();
        }
    }

    void describe() {
        const auto& setup = usual_.setup;
        report_.command = options_.command;
        report_.model = setup.description().name;
        report_.model_path = setup.model->path.string();
        for (const auto& device : devices_) report_.devices.push_back(device->info());
        report_.driver = driver_text(report_.device().kind == DeviceKind::cuda);
        report_.compiler = compiler_text(report_.device().kind == DeviceKind::cuda);
        report_.threads = report_.device().kind == DeviceKind::cpu ? report_.device().processors : threads_; // several CPUs share them
        report_.bytes_a_place = static_cast<double>(bytes_a_step(setup)) / static_cast<double>(places_of(setup));
        report_.samples = options_.samples;
        if (const auto& latency = setup.wishes.inject_latency) report_.injected_latency = **latency;
    }

    // One device alone is asked nothing, and a latency that the run file injects is one of the several devices beside it.
    static Setup over_devices(const Setup& setup, const std::vector<Device*>& devices) {
        return devices.size() > 1 ? spread(setup, devices) : arranged(setup, divided(setup, 1));
    }

    // Of grids that are `longer` times as long along their last axis.
    void add_rows(const Workbench& workbench, const Size& size, int longer) {
        if (workbench.interrupt.interrupted()) return;
        auto overrides = options_.request.overrides;
        Row blank;
        blank.devices = static_cast<int>(workbench.devices.size());
        for (const auto& collection : usual_.setup.collections) {
            if (collection.agents) continue; // agents have the size of their places
            const auto extents = extents_of(size, collection);
            const auto all = weak_size({extents.begin(), extents.begin() + collection.dimensions}, longer);
            overrides.push_back(fmt::format("places.{}.size=[{}]", collection.name, fmt::join(all, ",")));
            if (blank.size.empty()) blank.size = all;
        }
        try {
            const auto prepared = prepare_with(overrides);
            const auto setup = over_devices(prepared.setup, workbench.devices);
            blank.places = places_of(setup);
            const auto rows = measure(workbench, setup, blank);
            report_.rows.insert(report_.rows.end(), rows.begin(), rows.end());
        } catch (const Error& error) { // a size that the run file's initial values, say, or the memory have no room for
            if (error.kind() == Failure::compile) throw;
            if (error.kind() == Failure::interrupted) return;
            blank.kind = blank.view = "all";
            blank.why_not = error.what();
            report_.rows.push_back(blank);
        }
    }

    const BenchOptions& options_;
    jit::Compiler& compiler_;
    const Views views_;
    std::vector<Size> sizes_;
    const Prepared usual_; // of the first size that can be had; if none is typed, of that which the run file or the model's defaults give
    const int threads_;
    ScalingWanted scaling_;
    std::vector<int> counts_; // of devices that are measured
    std::vector<std::unique_ptr<Device>> devices_;
    std::optional<Reference> reference_;
    Report report_;
};

} // namespace

BenchResult bench(const BenchOptions& options, jit::Compiler& compiler) {
    Bench bench(options, compiler);
    const auto folder = options.out ? claim_result_folder(*options.out, options.overwrite)
                                    : new_result_folder(std::filesystem::path("results") / ("bench-" + bench.name()));
    write_running(folder, bench.report());
    BenchResult result{folder.path(), bench.run()};
    write_files(folder, result.report);
    return result;
}

} // namespace tessera::bench
