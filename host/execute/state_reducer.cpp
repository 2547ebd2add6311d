#include "host/execute/state_reducer.hpp"

#include "host/execute/kernel_image.hpp"
#include "host/execute/reduce_kernels.hpp"
#include "host/generate/reduce_code.hpp"
#include "host/generate/reduce_source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

constexpr ReductionId the_one{0};

// What memory of a reduction begins with: the step, and words that are 0. A multiple of 8 bytes.
std::vector<std::byte> beginning_of(const ReductionSetup& reduction, std::uint64_t step, const ReduceCode& code) {
    std::vector<std::byte> bytes((1 + static_cast<std::size_t>(reduction.words)) * sizeof(std::uint64_t));
    std::memcpy(bytes.data(), &step, sizeof step);
    const auto instructions = code.bytes();
    bytes.insert(bytes.end(), instructions.begin(), instructions.end());
    bytes.resize((bytes.size() + 7) / 8 * 8);
    return bytes;
}

void join_parts(const ReductionSetup& reduction, const std::uint64_t* words, expression::Partials& all) {
    for (const auto& part : reduction.parts) {
        const auto op = reduction.values.front().expression->node(part.node).op;
        combine(all[part.node], partial_of_words(op, part.of_reals, words + part.first_word), op, part.of_reals);
    }
}

// Of the plain kernel, by its bounds: with more of them the last ones have the device for themselves.
unsigned blocks_at_once(const DeviceInfo& device) {
    constexpr unsigned a_processor = 5;
    return std::max(a_processor * static_cast<unsigned>(std::max(device.processors, 1)), 1U);
}

} // namespace

StateReducer::StateReducer(LoadedModel& model, jit::Compiler& compiler) : model_(model) {
    for (const auto& partition : model_.partitions()) {
        auto& part = parts_.emplace_back();
        part.kernel = &reduce_kernel_of_cpus();
        part.plain = &plain_reduce_kernel_of_cpus();
        if (partition.device->info().kind != DeviceKind::cuda) continue;
        jit::Target target; // the same arithmetic for any model
        target.kind = jit::Target::Kind::cuda;
        target.architecture = partition.device->info().architecture;
        const auto image = compiler.compile(any_reduce_job(target));
        part.program = image.file.empty() ? partition.device->load({"reduces", image.bytes}) : partition.device->load(image.file);
        part.kernel = &part.program->kernel(any_reduce_symbol);
        part.plain = &part.program->kernel(plain_reduce_symbol);
    }
}

std::vector<expression::Partials> StateReducer::reduce(const std::vector<const Setup*>& asked, std::uint64_t step) {
    if (parts_.size() > 1) model_.executor().synchronize();
    std::vector<ReduceCode> codes;
    std::vector<std::size_t> starts; // of each reduction, in words
    std::vector<std::byte> beginning;
    for (const auto* each : asked) {
        starts.push_back(beginning.size() / sizeof(std::uint64_t));
        codes.emplace_back(*each);
        const auto bytes = beginning_of(each->reductions[the_one], step, codes.back());
        beginning.insert(beginning.end(), bytes.begin(), bytes.end());
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const auto& partition = model_.partitions()[p];
        if (parts_[p].memory.size() < beginning.size()) parts_[p].memory = partition.device->allocate(beginning.size());
        partition.queue->write(parts_[p].memory.address(), beginning.data(), beginning.size());
        for (std::size_t i = 0; i < asked.size(); ++i)
            for (const auto kernel : asked[i]->reductions[the_one].kernels)
                launch(*asked[i], asked[i]->kernels[kernel], codes[i], p,
                       static_cast<std::uint64_t*>(parts_[p].memory.address()) + starts[i]);
    }
    std::vector<expression::Partials> all(asked.size());
    std::vector<std::uint64_t> words(beginning.size() / sizeof(std::uint64_t));
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        model_.partitions()[p].queue->read(words.data(), parts_[p].memory.address(), beginning.size());
        for (std::size_t i = 0; i < asked.size(); ++i) join_parts(asked[i]->reductions[the_one], words.data() + starts[i] + 1, all[i]);
    }
    return all;
}

// As Binder does it for a reduce of the run.
void StateReducer::launch(const Setup& asked, const KernelSetup& kernel, const ReduceCode& code, std::size_t partition,
                          std::uint64_t* memory) {
    const auto rows = asked.stripe(kernel.collection, partition);
    if (rows.rows() <= 0) return;
    const auto& collection = asked.collections[kernel.collection];
    const auto& reduction = asked.reductions[the_one];
    any_reduce_arguments arguments{};
    static_cast<launch_arguments&>(arguments) = {memory, 0, 0, rows.first, rows.end};
    arguments.words = memory + 1;
    arguments.code = code.at(arguments.words + reduction.words, the_one);
    arguments.collection = static_cast<std::int64_t>(kernel.collection.index());
    arguments.places = collection.first_of_row(rows.end) - collection.first_of_row(rows.first);
    arguments.places_a_line = collection.size[0];
    arguments.lines_a_row = collection.dimensions == 3 ? collection.size[1] : 1;
    auto& world = model_.world();
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        arguments.in[i] = world.origin(world.placement().current_of(kernel.accesses[i].column), partition);
    const auto shape = reduction_shape(asked, kernel, rows);
    Launch launch;
    const bool is_plain = code.is_plain(the_one, kernel.collection);
    launch.kernel = is_plain ? parts_[partition].plain : parts_[partition].kernel;
    launch.grid = shape.grid;
    if (is_plain) launch.grid[0] = std::min(launch.grid[0], blocks_at_once(model_.partitions()[partition].device->info()));
    launch.block = shape.block;
    launch.items = shape.items;
    launch.args = bytes_of(arguments);
    model_.partitions()[partition].queue->launch(launch);
}

} // namespace tessera
