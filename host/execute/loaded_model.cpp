#include "host/execute/loaded_model.hpp"

#include "device_runtime/cpu_program.hpp"
#include "device_runtime/error.hpp"
#include "host/execute/agent_records.hpp"
#include "host/execute/compile_kernels.hpp"
#include "host/execute/edited_kernels.hpp"
#include "host/execute/known_draws.hpp"
#include "host/execute/mistakes.hpp"
#include "host/execute/step_words.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/setup/uniforms.hpp"
#include "host/storage/changing_links.hpp"
#include "host/storage/list_plan.hpp"
#include "jit/files.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

namespace tessera {
namespace {

bool is_cuda(const Device& device) { return device.info().kind == DeviceKind::cuda; }

std::vector<ViewChoice> choose_views(const Setup& setup, const Device& device) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, is_cuda(device)));
    return views;
}

// manageAll of agents in lists in the order of ids, which is compiled with the program.
const Kernel& kernel_of_lists() {
    static const CpuKernel kernel("manageAll", &OrderedList::run);
    return kernel;
}
const Kernel& kernel_of_links() {
    static const CpuKernel kernel("manageAll", &ChangingLinks::run);
    return kernel;
}
const Kernel& kernel_of(ListWork work) { return work == ListWork::links ? kernel_of_links() : kernel_of_lists(); }
void make_lists(Partition& partition, const Setup& setup) {
    for (const auto id : setup.collections.ids()) {
        const auto& agents = setup.collections[id].agents;
        const bool is_ordered = agents && agents->storage->is_ordered();
        if (is_ordered && is_cuda(*partition.device)) throw Error(Failure::internal, "a list in the order of ids was to be on a GPU");
        partition.lists.push_back(is_ordered ? std::make_unique<OrderedList>(list_plan(setup, id)) : nullptr);
        const bool is_managed = std::any_of(setup.kernels.begin(), setup.kernels.end(), [&](const KernelSetup& kernel) {
            return kernel.collection == id && kernel.kind->list_work() == ListWork::links;
        });
        if (is_managed && is_cuda(*partition.device)) throw Error(Failure::internal, "a manageAll of links for a CPU was to be on a GPU");
        partition.links.push_back(is_managed ? std::make_unique<ChangingLinks>(links_plan(setup, id)) : nullptr);
    }
}

// The thread that asks does the work of a CPU that is alone; several devices go on by themselves.
Partitions make_partitions(const Setup& setup, const std::vector<Device*>& devices) {
    Partitions partitions;
    for (auto* device : devices) {
        Partition partition;
        partition.device = device;
        partition.queue = device->queue(Priority::normal, devices.size() == 1 ? Execution::inline_ : Execution::queued);
        partitions.push_back(std::move(partition));
    }
    make_step_words(partitions, setup);
    return partitions;
}

// For messages: "/usr/bin/g++ with -O3 -march=native, g++ (Debian 12.2.0-14) 12.2.0".
std::string maker_of(const Partition& partition, bool is_careful, jit::Compiler& compiler) {
    if (partition.code.origin.starts_with("finished")) return partition.code.origin;
    const auto& host_compiler = compiler.host_compiler();
    std::string flags;
    const auto output = jit::HostCompiler::Output::object;
    for (const auto& option : is_careful ? host_compiler.careful_options(output, false) : host_compiler.options(output, false))
        if (option.starts_with("-O") || option.starts_with("-march")) flags += " " + option;
    return fmt::format("{} with{}, {}", host_compiler.command(), flags, host_compiler.version());
}

std::vector<StripeOwner> owners_of(const Partitions& partitions) {
    std::vector<StripeOwner> owners;
    for (const auto& partition : partitions) owners.push_back({partition.device, partition.queue.get()});
    return owners;
}

} // namespace

LoadedModel::LoadedModel(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
                         const std::vector<ViewChoice>& views)
    : setup_(setup), pool_(pool), parameters_(setup.values.parameters), partitions_(make_partitions(setup, devices)), answers_(partitions_),
      world_(setup, owners_of(partitions_), pool), schedule_(setup), binder_(setup, world_, partitions_), executor_(partitions_, binder_) {
    if (const auto& latency = setup.wishes.inject_latency; latency && setup.own_memory())
        executor_.delay_copies(std::chrono::nanoseconds(std::llround(**latency * 1e9)));
    make_agent_records(partitions_, setup);
    for (auto& partition : partitions_) {
        make_lists(partition, setup_);
        load_kernels(partition, compiler, views);
    }
}

LoadedModel::~LoadedModel() {
    try {
        executor_.synchronize();
    } catch (const std::exception& error) {
        log_debug("while ending the simulation: {}", error.what());
    }
}

void LoadedModel::load_kernels(Partition& partition, jit::Compiler& compiler, const std::vector<ViewChoice>& views) {
    auto& kernels = partition.kernels;
    kernels.views = views.empty() ? choose_views(setup_, *partition.device) : views;
    load_images(partition, compiler);
    auto& first = *partition.programs.front();
    const auto& edited = partition.code.edited;
    if (partition.code.are_for_any_run) {
        tell_what_is_run(partition);
    } else {
        for (const auto id : setup_.kernels.ids()) {
            const auto& kernel = setup_.kernels[id];
            auto& program = !edited.empty() && edited[id.index()] ? *partition.programs.back() : first;
            const auto work = kernel.kind->list_work();
            kernels.calls.push_back(work ? &kernel_of(*work) : &program.kernel(kernel.symbol));
        }
        if (is_cuda(*partition.device) && edited.empty()) kernels.chains = chains_of(setup_); // else some of their parts are others now
        for (std::size_t code = 0; code < kernels.chains.codes.size(); ++code) kernels.chained.push_back(&first.kernel(chain_symbol(code)));
        for (const auto& reduction : setup_.reductions) kernels.joins.push_back(&first.kernel(reduction.symbol));
    }
    for (const auto id : setup_.kernels.ids()) log_debug("{}: view {}", setup_.kernels[id].name, to_string(kernels.views[id.index()]));
    for (std::size_t u = 0; u < setup_.description().uniforms.size(); ++u) kernels.uniforms.push_back(&first.kernel(uniform_symbol(u)));
    kernels.advance = &first.kernel(advance_symbol);
    if (setup_.modes().checked && is_cuda(*partition.device)) partition.mistake = first.global(mistake_symbol).address;
}

void LoadedModel::load_images(Partition& partition, jit::Compiler& compiler) {
    const auto load_all = [&] {
        partition.code = compile_kernels(setup_, partition.kernels.views, target_of(*partition.device), compiler);
        partition.programs.clear();
        for (const auto& image : partition.code.images) partition.programs.push_back(load_image(*partition.device, image));
    };
    load_all();
    if (!draws_what_it_should(partition)) {
        const auto made_by = maker_of(partition, is_careful_, compiler);
        if (is_careful_ || !setup_.model->has_source() || setup_.modes().debug || setup_.modes().checked) refuse_draws(made_by);
        log_warning("{} is compiled again with less optimisation, and is slower (its random numbers are wrong as made by {})",
                    setup_.model->path.string(), made_by);
        is_careful_ = true; // and so are all that follow, and fused steps
        load_all();
        if (!draws_what_it_should(partition)) refuse_draws(maker_of(partition, is_careful_, compiler));
    }
    if (passes_parameters())
        for (const auto& program : partition.programs) set_parameters(*program, *partition.queue);
}

bool LoadedModel::draws_what_it_should(const Partition& partition) const {
    if (is_cuda(*partition.device) || !setup_.has_agents() || partition.code.are_for_any_run) return true;
    return std::all_of(partition.programs.begin(), partition.programs.end(),
                       [](const auto& program) { return draws_what_is_known(*program); });
}

void LoadedModel::refuse_draws(const std::string& made_by) const {
    throw Error(Failure::compile, fmt::format("{} cannot be run on this processor", setup_.model->path.string()),
                fmt::format("its random numbers are wrong as made by {}", made_by),
                setup_.model->has_source() ? "name another compiler in $CXX" : "ask for a library with its source");
}

// To images for any run.
void LoadedModel::tell_what_is_run(Partition& partition) const {
    for (const auto id : setup_.collections.ids()) {
        auto& program = *partition.programs[id.index()];
        if (setup_.modes().bake && !setup_.values.parameters.empty()) set_parameters(program, *partition.queue);
        const auto geometry = geometry_bytes(setup_, setup_.collections[id]);
        partition.queue->write(program.global(geometry_symbol).address, geometry.data(), geometry.size());
    }
    if (partition.code.reduces) tell_reduces(partition);
    auto& kernels = partition.kernels;
    for (const auto id : setup_.kernels.ids()) {
        const auto& kernel = setup_.kernels[id];
        if (kernel.is_reduction()) {
            kernels.calls.push_back(&partition.reduces->program->kernel(any_run_symbol(setup_, kernel)));
            continue;
        }
        kernels.views[id.index()] = any_run_view(setup_, kernel, is_cuda(*partition.device));
        kernels.calls.push_back(&partition.programs[kernel.collection.index()]->kernel(any_run_symbol(setup_, kernel)));
    }
}

void LoadedModel::tell_reduces(Partition& partition) const {
    auto& device = *partition.device;
    auto& reduces = partition.reduces.emplace(RuntimeReduces{ReduceCode(setup_), {}, load_image(device, *partition.code.reduces)});
    const auto bytes = reduces.code.bytes();
    reduces.memory = device.allocate(bytes.size());
    partition.queue->write(reduces.memory.address(), bytes.data(), bytes.size());
    partition.kernels.joins.assign(setup_.reductions.size(), &reduces.program->kernel(any_join_symbol));
}

void LoadedModel::set_step(std::uint64_t step) {
    for (const auto& partition : partitions_) partition.set_step(step);
}

std::vector<jit::Job> LoadedModel::jobs_with(const Setup& changed, jit::Compiler& compiler) const {
    std::vector<jit::Job> jobs;
    std::set<std::string> targets; // devices of one kind share code
    for (const auto& partition : partitions_)
        if (const auto target = target_of(*partition.device); targets.insert(target.architecture).second) {
            auto edited = edited_kernels(changed, partition.kernels.views, target, compiler);
            jobs.push_back(edited ? std::move(edited->job) : kernels_job(changed, partition.kernels.views, target));
        }
    return jobs;
}

jit::Target LoadedModel::target_of(const Device& device) const {
    auto target = target_for(setup_, is_cuda(device), device.info().architecture);
    target.careful = is_careful_ && !is_cuda(device);
    return target;
}

// By its file, or from memory under the model's name. Loaded by its file, a library of a CPU is the same for all runs of the process: not
// where parameters are its variables (but a debugger finds the file alone).
std::unique_ptr<Program> LoadedModel::load_image(Device& device, const jit::Image& image) const {
    if (image.file.empty()) return device.load({setup_.model->path, image.bytes});
    if (is_cuda(device) || setup_.modes().debug || setup_.modes().bake) return device.load(image.file);
    const auto bytes = jit::read_file(image.file); // a library of its own
    return device.load({image.file, bytes});
}

std::unique_ptr<Program> LoadedModel::load(const jit::Image& image, const Partition& partition) const {
    auto program = load_image(*partition.device, image);
    if (passes_parameters()) set_parameters(*program, *partition.queue);
    return program;
}

void LoadedModel::set_parameters(std::vector<ParameterValue> values) {
    parameters_ = std::move(values);
    if (!passes_parameters()) return;
    for (const auto& partition : partitions_)
        for (const auto& program : partition.programs) set_parameters(*program, *partition.queue);
}

void LoadedModel::set_parameters(Program& program, Queue& queue) const {
    Launch launch;
    launch.kernel = &program.kernel(parameters_symbol);
    for (const auto& parameter : parameters_) {
        launch.args.insert(launch.args.end(), parameter.bytes.begin(), parameter.bytes.end());
        launch.args.resize((launch.args.size() + 7) / 8 * 8);
    }
    queue.launch(launch);
}

} // namespace tessera
