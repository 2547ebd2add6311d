#include "host/execute/finished_code.hpp"

#include "device_runtime/error.hpp"
#include "host/generate/any_run_source.hpp"
#include "host/model/library.hpp"
#include "jit/cache.hpp"
#include "jit/diagnostics.hpp"
#include "jit/log.hpp"
#include "jit/sdk_headers.hpp"

#include <tessera/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

namespace tessera {
namespace {

constexpr const char* ptx_prefix = "compute_";
constexpr std::size_t key_length = 32; // hexadecimal digits in front of an image

// All that code depends on but its target, from what is known without the source: `more` is what it was made for.
std::string key_with(const Setup& setup, bool fast_float, const std::string& more) {
    jit::Key key;
    key.add(std::to_string(TESSERA_RESULT_EPOCH)).add(fast_float ? "fast" : "exact");
    for (const auto& header : jit::sdk_headers()) key.add(header.name).add(header.text);
    const auto& records = setup.model->records;
    key.add(std::to_string(records.size()));
    for (auto record : records) {
        model::forget_path(record);
        key.add({reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size()});
    }
    return key.add(more).hex();
}

std::string key_of(const Setup& setup, const std::vector<ViewChoice>& views, bool fast_float) {
    return key_with(setup, fast_float, parameter_macros(setup) + kernel_epilogue(setup, views));
}
std::string any_run_key(const Setup& setup, std::size_t row, int dimensions) {
    return key_with(setup, false, fmt::format("any run, row {} in {} dimensions", row, dimensions));
}

std::string any_reduce_key(const Setup& setup) { return key_with(setup, false, "any run, reduces"); }

std::vector<ViewChoice> views_of(const Setup& setup, bool cuda) {
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, cuda));
    return views;
}

bool runs_on_this_cpu(const std::string& architecture) {
    __builtin_cpu_init();
    const bool v2 = __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("popcnt") != 0;
    if (architecture == "x86-64-v2") return v2;
    return architecture == "x86-64-v3" && v2 && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
           __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

// "sm_90" -> 90; 0 for what is none.
int version_of(const std::string& architecture, const std::string& kind = "sm_") {
    return architecture.starts_with(kind) ? std::atoi(architecture.c_str() + kind.size()) : 0;
}

// Code for a GPU runs on those of the same major version that are not older, PTX on all that are not older.
bool runs_on(const std::string& built_for, const jit::Target& target) {
    if (target.kind == jit::Target::Kind::cpu) return runs_on_this_cpu(built_for);
    const int built = version_of(built_for), device = version_of(target.architecture), ptx = version_of(built_for, ptx_prefix);
    if (ptx > 0) return ptx <= device;
    return built > 0 && built / 10 == device / 10 && built <= device;
}

std::vector<std::byte> bytes_of(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

// Whether code depends on what a line of a run file says, as far as that can be seen from its key.
bool may_matter(const std::string& line) {
    static const std::set<std::string> free{"model",   "seed", "steps",         "stop",           "stop_every", "devices",
                                            "threads", "out",  "output_memory", "output_threads", "tune"};
    return !line.empty() && line.front() != '[' && free.count(line.substr(0, line.find(' '))) == 0;
}

// The lines of a run file that stand in none other.
std::vector<std::string> lines_beside(const std::string& text, const std::string& others) {
    std::set<std::string> known;
    std::string line;
    for (std::istringstream stream(others); std::getline(stream, line);) known.insert(line);
    std::vector<std::string> lines;
    for (std::istringstream stream(text); std::getline(stream, line);)
        if (may_matter(line) && known.count(line) == 0) lines.push_back(line);
    return lines;
}

} // namespace

bool has_code_for_gpu(const model::Model& model, const std::string& architecture) {
    jit::Target gpu;
    gpu.kind = jit::Target::Kind::cuda;
    gpu.architecture = architecture;
    const auto& library = model.library;
    return library && std::any_of(library->parts.begin(), library->parts.end(), [&](const model::Library::Part& part) {
               return part.kind == model::LibraryPart::code && runs_on(part.target, gpu);
           });
}

const std::vector<std::string>& cpu_architectures() {
    static const std::vector<std::string> all{"x86-64-v2", "x86-64-v3"};
    return all;
}

namespace {

model::PartToWrite code_part(const jit::Image& image, const std::string& key, const jit::Target& target) {
    model::PartToWrite part;
    part.kind = model::LibraryPart::code;
    part.target = target.architecture;
    part.bytes = bytes_of(key);
    part.bytes.insert(part.bytes.end(), image.bytes.begin(), image.bytes.end());
    return part;
}

struct FinishedImage {
    jit::Image image;
    std::string target;
};

// The part that has this key, for a target that runs it: of several, the one that asks for most of the processor.
std::optional<FinishedImage> image_of(const Setup& setup, const std::string& key, const jit::Target& target) {
    const auto& library = setup.model->library;
    if (!library || library->result_epoch != TESSERA_RESULT_EPOCH) return std::nullopt;
    std::vector<const model::Library::Part*> usable;
    for (const auto& part : library->parts)
        if (part.kind == model::LibraryPart::code && part.size > key_length && runs_on(part.target, target)) usable.push_back(&part);
    // Names of architectures rise, and those of PTX come before those of code.
    std::sort(usable.begin(), usable.end(), [](const auto* a, const auto* b) { return a->target > b->target; });
    for (const auto* part : usable) {
        auto bytes = model::read_part(*library, *part);
        if (std::memcmp(bytes.data(), key.data(), key_length) != 0) continue;
        bytes.erase(bytes.begin(), bytes.begin() + key_length);
        const auto format = target.kind == jit::Target::Kind::cpu  ? jit::Image::Format::shared_library
                            : part->target.starts_with(ptx_prefix) ? jit::Image::Format::ptx
                                                                   : jit::Image::Format::cubin;
        return FinishedImage{{format, {}, std::move(bytes)}, part->target};
    }
    return std::nullopt;
}

KernelImages logged(const Setup& setup, KernelImages code) {
    log_info("{}: {}", setup.model->library->path.string(), code.origin);
    return code;
}

} // namespace

model::PartToWrite finished_part(const Setup& setup, const jit::Target& target, jit::Compiler& compiler) {
    const auto views = views_of(setup, target.kind == jit::Target::Kind::cuda);
    auto job = kernels_job(setup, views, target);
    job.for_any_machine = true;
    return code_part(compiler.compile(job), key_of(setup, views, target.fast_float), target);
}

std::vector<model::PartToWrite> any_run_parts(const Setup& any, const jit::Target& target, jit::Compiler& compiler) {
    std::vector<model::PartToWrite> parts;
    for (std::size_t row = 0; row < any.description().rows.size(); ++row)
        for (const int dimensions : {1, 2, 3}) {
            const auto epilogue = any_run_epilogue(any, row, dimensions, target.kind == jit::Target::Kind::cuda);
            if (epilogue.empty()) continue;
            const bool is_of_it = std::any_of(any.collections.begin(), any.collections.end(), [&](const CollectionSetup& collection) {
                return collection.row == row && collection.dimensions == dimensions;
            });
            try {
                const auto image = compiler.compile(any_run_job(any, epilogue, target));
                parts.push_back(code_part(image, any_run_key(any, row, dimensions), target));
            } catch (const jit::DoesNotCompile& error) {
                if (is_of_it) throw;
                log_debug("{} is not for {} dimensions: {}", any.description().rows[row].name, dimensions, error.what());
            }
        }
    parts.push_back(code_part(compiler.compile(any_reduce_job(target)), any_reduce_key(any), target));
    return parts;
}

model::PartToWrite run_part(const Setup& setup) {
    model::PartToWrite part;
    part.kind = model::LibraryPart::run;
    part.bytes = bytes_of(setup.run_text);
    return part;
}

std::optional<KernelImages> finished_code(const Setup& setup, const std::vector<ViewChoice>& views, const jit::Target& target) {
    if (!setup.model->library) return std::nullopt;
    auto found = image_of(setup, key_of(setup, views, target.fast_float), target);
    if (!found) return std::nullopt;
    return logged(setup, {{std::move(found->image)}, "finished code for " + found->target});
}

std::optional<KernelImages> any_run_code(const Setup& setup, const jit::Target& target) {
    if (!setup.model->library || !obstacle_to_any_run(setup).empty()) return std::nullopt;
    KernelImages code;
    code.are_for_any_run = true;
    for (const auto& collection : setup.collections) {
        auto found = image_of(setup, any_run_key(setup, collection.row, collection.dimensions), target);
        if (!found) return std::nullopt;
        code.origin = fmt::format("finished code for any run, for {}", found->target);
        code.images.push_back(std::move(found->image));
    }
    if (!setup.reductions.empty()) {
        auto found = image_of(setup, any_reduce_key(setup), target);
        if (!found) return std::nullopt;
        code.reduces = std::move(found->image);
    }
    return logged(setup, std::move(code));
}

void fail_without_source(const Setup& setup, const jit::Target& target) {
    const auto& library = *setup.model->library;
    const auto path = library.path.string();
    const auto what = target.kind == jit::Target::Kind::cpu ? std::string("the CPU") : target.architecture;
    if (library.result_epoch != TESSERA_RESULT_EPOCH)
        throw Error(
            Failure::plugin, fmt::format("{} cannot be run", path),
            fmt::format("its code was built for result_epoch {}, and this program has {}", library.result_epoch, TESSERA_RESULT_EPOCH),
            "build it again");
    std::vector<std::string> least;
    bool any = false;
    for (const auto& part : library.parts) {
        if (part.kind != model::LibraryPart::run) continue;
        const auto bytes = model::read_part(library, part);
        auto lines = lines_beside(setup.run_text, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        if (!any || lines.size() < least.size()) least = std::move(lines);
        any = true;
    }
    const auto obstacle = obstacle_to_any_run(setup);
    const char* const links = setup.has_links() ? ", or for another number of links, which a seed may change" : "";
    std::string differing;
    for (std::size_t i = 0; i < std::min<std::size_t>(least.size(), 3); ++i) differing += (i > 0 ? "; " : "") + least[i];
    throw Error(Failure::plugin, fmt::format("{} has no compiled code of this run for {}", path, what),
                !any && !obstacle.empty() ? fmt::format("it has no source, its code is for any run of places alone, and {}", obstacle)
                : differing.empty()
                    ? fmt::format("it has no source, and its code is for other processors, devices or versions of Tessera{}", links)
                    : fmt::format("it has no source, and was not built for: {}", differing),
                "ask for a library with its source, or for one that is built for this run");
}

} // namespace tessera
