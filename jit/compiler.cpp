#include "jit/compiler.hpp"

#include "device_runtime/error.hpp"
#include "jit/ahead.hpp"
#include "jit/arrays.hpp"
#include "jit/cache.hpp"
#include "jit/diagnostics.hpp"
#include "jit/doubtful_arithmetic.hpp"
#include "jit/log.hpp"
#include "jit/nvrtc.hpp"
#include "jit/said_once.hpp"
#include "jit/start_failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace tessera::jit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* format_version = "tessera jit 1"; // to be counted up when the same parts would make another text
constexpr const char* own_prefix = "tessera-model/";

double milliseconds_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

std::string line_directive(const std::string& path) {
    std::string escaped;
    for (const char c : path) {
        if (c == '"' || c == '\\') escaped += '\\';
        if (static_cast<unsigned char>(c) < 32) // a line's end would end the directive
            escaped += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        else
            escaped += c;
    }
    return "#line 1 \"" + escaped + "\"\n";
}

// What a compiler is given.
struct Text {
    std::string main;
    std::vector<Header> sdk, own;
};

bool offers(const std::vector<Header>& headers, const std::string& name) {
    return std::any_of(headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; });
}

// The SDK has their types.
void add_types(std::vector<Header>& headers) {
    for (const char* name : {"cstdint", "cstddef"})
        if (!offers(headers, name)) headers.push_back({name, "#pragma once\n"});
}

// The SDK's headers cannot be included within a namespace: they come before it, so that the author's own #include finds nothing left to do.
void hoist_inclusions(const SourceFile& file, const std::vector<Header>& sdk, std::vector<std::string>& hoisted) {
    for (const auto& each : inclusions(file)) {
        if (each.own || !each.target.starts_with("tessera/")) continue;
        if (!offers(sdk, each.target))
            throw Error(Failure::compile, fmt::format("{}:{}:{}: <{}> is not there", file.path, each.line, each.column, each.target),
                        "the SDK has no such header", "include <tessera/model.hpp>");
        if (std::find(hoisted.begin(), hoisted.end(), each.target) == hoisted.end()) hoisted.push_back(each.target);
    }
}

Text text_of(const Job& job) {
    const auto& model = *job.model;
    const auto line_of = [&](const SourceFile& file) {
        return line_directive(job.target.debug ? std::filesystem::absolute(file.path).lexically_normal().string() : file.path);
    };
    Text text;
    text.sdk = job.sdk;
    add_types(text.sdk);

    std::vector<std::string> hoisted;
    hoist_inclusions(model.main, text.sdk, hoisted);
    for (const auto& header : model.headers) {
        hoist_inclusions(header, text.sdk, hoisted);
        text.own.push_back({own_prefix + header.name, line_of(header) + with_resolved_inclusions(model, header, own_prefix)});
    }
    text.main = line_directive("tessera-prelude") + job.prelude + "\n";
    for (const auto& name : hoisted) text.main += "#include <" + name + ">\n";
    text.main += "namespace tessera_model {\n" + line_of(model.main) + with_resolved_inclusions(model, model.main, own_prefix);
    text.main += "\n}\n" + line_directive("tessera-generated") + job.epilogue + "\n";
    return text;
}

void add_texts(Key& key, const Text& text) {
    for (const auto* headers : {&text.sdk, &text.own}) {
        key.add(std::to_string(headers->size()));
        for (const auto& header : *headers) key.add(header.name).add(header.text);
    }
    key.add(text.main);
}

void add_options(Key& key, const std::vector<std::string>& options) {
    key.add(std::to_string(options.size()));
    for (const auto& option : options) key.add(option);
}

// One way to make an image: which compiler, with what, into what.
struct Recipe {
    Image::Format format;
    std::string compiler, target; // for messages
    Toolchain toolchain;
    std::string key;
    struct Made {
        bool ok;
        std::vector<std::byte> image;
        std::string log;
    };
};

// What compiling needs besides the job.
struct Surroundings {
    Cache& cache;
    int processors;
    const std::atomic<bool>* cancel;
    SaidOnce& said;
    bool tells_again;  // of what comes from the cache
    bool makes = true; // what is not in the cache

    [[nodiscard]] CompileLimits limits() const {
        CompileLimits result;
        result.cancel = cancel;
        return result;
    }
};

// Between what the compiler said, and what a second one did that has read the text for its warnings.
constexpr std::string_view second_log = "\n---- read once more by clang++ ----\n";

// `-2 * self.u`: g++ says that -2 does not fit, clang++ and the text's own look at it what becomes of the product.
void leave_out_what_is_said_twice(std::vector<Diagnostic>& warnings) {
    const auto is_same_line = [](const Diagnostic& a, const Diagnostic& b) { return a.file == b.file && a.line == b.line; };
    const auto all = warnings;
    std::erase_if(warnings, [&](const Diagnostic& one) {
        return one.message.starts_with("a number here does not fit") && std::any_of(all.begin(), all.end(), [&](const Diagnostic& other) {
                   return is_same_line(one, other) && other.message.starts_with("an unsigned number becomes");
               });
    });
}

// Said when the kernels are compiled: all is there of what the model's text makes in its description and in fused kernels too, and nothing
// runs without them. They may be compiled for several sizes.
void tell_warnings(const Job& job, const Recipe& recipe, std::string_view log, SaidOnce& said) {
    if (job.purpose != "kernels") return;
    const auto own = log.substr(0, log.find(second_log));
    auto warnings = diagnose_warnings(own, recipe.toolchain, *job.model);
    if (own.size() < log.size()) {
        auto more = diagnose_warnings(log.substr(own.size()), Toolchain::clang, *job.model);
        warnings.insert(warnings.end(), more.begin(), more.end());
    }
    if (job.target.checked) {
        auto more = doubtful_arithmetic(*job.model);
        warnings.insert(warnings.end(), more.begin(), more.end());
    } else // clang++ tells of 64 bits that become 16, and of 32, by one option
        std::erase_if(warnings, [](const Diagnostic& one) { return one.message.starts_with("an integer may not fit into its narrower"); });
    leave_out_what_is_said_twice(warnings);
    for (const auto& warning : warnings) said.warn(render({warning}));
}

template<class Make> std::optional<Image> cached(const Surroundings& around, const Job& job, const Recipe& recipe, Make&& make) {
    const auto start = Clock::now();
    const auto name = std::filesystem::path(job.model->main.path).stem().string();
    if (auto entry = around.cache.find(recipe.key)) {
        log_debug("{} of {} for {}: from the cache", job.purpose, name, recipe.target);
        if (around.tells_again || job.target.checked) tell_warnings(job, recipe, entry->log, around.said);
        return Image{recipe.format, std::move(entry->file), std::move(entry->payload), true, milliseconds_since(start)};
    }
    if (!around.makes) return std::nullopt;
    const auto share = job.share.empty() ? std::string() : job.share + " of ";
    const auto what =
        job.purpose == "description" ? fmt::format("the description of {}", name) : fmt::format("{}{} for {}", share, name, recipe.target);
    log_info("compiling {}", what);
    Recipe::Made made = make();
    if (!made.ok) throw compile_error(made.log, recipe.toolchain, *job.model, recipe.compiler);
    tell_warnings(job, recipe, made.log, around.said);
    Entry entry;
    entry.payload = std::move(made.image);
    entry.log = std::move(made.log);
    entry.compile_milliseconds = milliseconds_since(start);
    entry.is_library = recipe.format == Image::Format::shared_library;
    log_info("compiling {} took {:.0f} ms", what, entry.compile_milliseconds);
    entry = around.cache.store(recipe.key, std::move(entry));
    return Image{recipe.format, std::move(entry.file), std::move(entry.payload), false, milliseconds_since(start)};
}

// A full disk is no reason not to run: it is compiled elsewhere, and the image kept there too if it has to be. `compile` is given a folder.
template<class Compile> HostCompiler::Result compile_with_room(Cache& cache, Compile&& compile) {
    try {
        return compile(cache.folder());
    } catch (const NoWorkFolder& failure) {
        if (cache.is_temporary()) throw;
        const auto& spare = cache.temporary_folder();
        log_warning("{}; {} is used instead", failure.what(), spare.string());
        return compile(spare);
    }
}

std::vector<std::string> with_definitions(std::vector<std::string> options, const Part& part) {
    if (part.pieces.empty()) return options; // all of it
    const auto definitions = part.definitions();
    options.insert(options.end(), definitions.begin(), definitions.end());
    return options;
}

// NVRTC has threads of its own for one text, and several texts at once hinder each other: less than this is no part
// (docs/decisions/compiled-in-parts.md).
constexpr int least_weight_by_nvrtc = 16;

bool is_compiled_as_one(const Target& target) { return target.debug || target.checked || target.careful; }

// The parts in which a job is compiled on so many processors; none where all is compiled as one.
std::vector<Part> parts_of(const Job& job, int processors) {
    if (job.purpose != "kernels" || is_compiled_as_one(job.target) || job.pieces.empty()) return {};
    if (job.target.kind == Target::Kind::cpu) return parts_of(job.pieces, job.for_any_machine ? 1 : processors);
    if (job.for_any_machine) return {};
    auto pieces = job.pieces;
    int weight = 0;
    for (auto& piece : pieces) {
        piece.effort = Effort::full;
        weight += piece.weight;
    }
    auto parts = parts_of(pieces, std::min(processors, weight / least_weight_by_nvrtc));
    return parts.size() > 1 ? parts : std::vector<Part>{};
}

// An image is the same for a run in whatever parts it was made.
void add_pieces(Key& key, const Job& job) {
    key.add(job.for_any_machine ? "for any machine" : "").add(std::to_string(job.pieces.size()));
    for (const auto& piece : job.pieces) key.add(piece.effort == Effort::full ? "full" : "moderate");
}

bool has_beside(const Job& job) { return !job.beside.empty() && job.purpose == "kernels" && !is_compiled_as_one(job.target); }

// Options that stay together whatever is compiled of a job: objects of one image have vectors of one width.
std::vector<std::string> for_its_arrays(std::vector<std::string> options, const HostCompiler& compiler, const Job& job) {
    if (!has_arrays(*job.model)) return options;
    const auto& more = compiler.options_for_arrays();
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

// The options by which each part is compiled.
std::vector<std::vector<std::string>> options_of(std::vector<Part> parts, const HostCompiler& compiler, const Job& job) {
    if (parts.empty() && has_beside(job)) parts.push_back({Effort::full, {}});
    std::vector<std::vector<std::string>> result;
    for (const auto& part : parts) {
        const auto output = HostCompiler::Output::object;
        auto options = part.effort == Effort::full ? compiler.options(output, job.target.fast_float, job.target.architecture)
                                                   : compiler.moderate_options(output, job.target.fast_float, job.target.architecture);
        options = for_its_arrays(std::move(options), compiler, job);
        if (has_beside(job)) options.emplace_back("-DTESSERA_BESIDE=1");
        result.push_back(with_definitions(std::move(options), part));
    }
    return result;
}
std::vector<std::vector<std::string>> options_of(const std::vector<Part>& parts, const std::vector<std::string>& of_all) {
    std::vector<std::vector<std::string>> result;
    for (const auto& part : parts) result.push_back(with_definitions(of_all, part));
    return result;
}

// The object of what a job has beside its text, from the cache or compiled; nothing where it does not compile.
std::vector<std::byte> object_beside(const Surroundings& around, const HostCompiler& compiler, const Job& job) {
    const auto output = HostCompiler::Output::object;
    const auto options = for_its_arrays(compiler.options(output, job.target.fast_float, job.target.architecture), compiler, job);
    Text text{job.beside, job.sdk, {}};
    add_types(text.sdk);
    Key key;
    key.add(format_version).add("beside").add(compiler.identity()).add(host_cpu_identity());
    add_options(key, options);
    add_texts(key, text);
    if (auto entry = around.cache.find(key.hex())) return std::move(entry->payload);
    auto made = compile_with_room(around.cache, [&](const std::filesystem::path& folder) {
        return compiler.compile(text.main, text.sdk, text.own, output, options, folder, around.limits());
    });
    if (!made.ok) {
        log_warning("what models share does not compile by itself, and is compiled with each model: {}", made.log);
        return {};
    }
    Entry entry;
    entry.payload = std::move(made.image);
    return std::move(around.cache.store(key.hex(), std::move(entry)).payload);
}

// Not ok also where the system refuses so many processes.
HostCompiler::Result compile_in_parts(const Surroundings& around, const HostCompiler& compiler, const Job& job, const Text& text,
                                      const std::vector<std::vector<std::string>>& parts, const std::filesystem::path& folder) try {
    if (!has_beside(job)) return compiler.compile_parts(text.main, text.sdk, text.own, parts, folder, around.limits());
    const auto beside = [&] { return object_beside(around, compiler, job); };
    return compiler.compile_parts(text.main, text.sdk, text.own, parts, folder, around.limits(), beside);
} catch (const CannotStart& error) {
    log_debug("compiling in parts: {}", error.what());
    return {};
}

std::optional<Image> compile_for_cpu(const Surroundings& around, const Job& job, const Text& text) {
    const auto& compiler = HostCompiler::find(&around.cache);
    const auto output = job.purpose == "description" ? HostCompiler::Output::object : HostCompiler::Output::shared_library;
    const auto options = for_its_arrays(job.target.debug     ? compiler.debug_options(output)
                                        : job.target.checked ? compiler.checked_options(output, job.target.fast_float)
                                        : job.target.careful ? compiler.careful_options(output, job.target.fast_float)
                                                             : compiler.options(output, job.target.fast_float, job.target.architecture),
                                        compiler, job);
    const auto parts = parts_of(job, around.processors);
    const auto options_of_parts = options_of(parts, compiler, job);
    Key key;
    key.add(format_version).add("cpu").add(compiler.identity()).add(host_cpu_identity());
    add_options(key, options);
    add_pieces(key, job);
    if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.effort == Effort::moderate; }))
        add_options(key, compiler.moderate_options(HostCompiler::Output::object, job.target.fast_float, job.target.architecture));
    key.add(has_beside(job) ? job.beside : std::string());
    add_texts(key, text);
    const auto* const reader = job.target.checked && job.purpose == "kernels" ? HostCompiler::second_reader() : nullptr;
    if (reader != nullptr) {
        key.add(reader->identity());
        add_options(key, reader->reading_options());
    }
    const bool library = output == HostCompiler::Output::shared_library;
    const Recipe recipe{library ? Image::Format::shared_library : Image::Format::object, compiler.command(), "the CPU",
                        compiler.family() == HostCompiler::Family::gcc ? Toolchain::gcc : Toolchain::clang, key.hex()};
    const auto limits = around.limits();
    return cached(around, job, recipe, [&]() -> Recipe::Made {
        auto made = compile_with_room(around.cache, [&](const std::filesystem::path& folder) -> HostCompiler::Result {
            if (!options_of_parts.empty()) {
                auto in_parts = compile_in_parts(around, compiler, job, text, options_of_parts, folder);
                if (in_parts.ok) return in_parts; // else what is wrong is said once, of all of it
            }
            return compiler.compile(text.main, text.sdk, text.own, output, options, folder, limits);
        });
        if (made.ok && reader != nullptr) {
            const auto read = compile_with_room(around.cache, [&](const std::filesystem::path& folder) {
                return reader->compile(text.main, text.sdk, text.own, HostCompiler::Output::object, reader->reading_options(), folder,
                                       limits);
            });
            made.log += std::string(second_log) + read.log;
        }
        return {made.ok, std::move(made.image), std::move(made.log)};
    });
}

std::optional<Image> compile_for_cuda(const Surroundings& around, const Job& job, const Text& text) {
    const auto& nvrtc = Nvrtc::find();
    const auto output = nvrtc.output_for(job.target.architecture, job.purpose == "description");
    auto options = nvrtc.options(output, job.target.fast_float);
    if (job.target.checked) options.emplace_back("-DTESSERA_CHECKED=1");
    auto headers = text.sdk;
    headers.insert(headers.end(), text.own.begin(), text.own.end());
    Key key;
    key.add(format_version).add("cuda").add(nvrtc.identity());
    add_options(key, options);
    const auto parts = nvrtc.major() < 13 ? std::vector<std::vector<std::string>>{} : options_of(parts_of(job, around.processors), options);
    add_pieces(key, job);
    add_texts(key, text);
    const Recipe recipe{output.ptx ? Image::Format::ptx : Image::Format::cubin, fmt::format("NVRTC {}.{}", nvrtc.major(), nvrtc.minor()),
                        output.architecture, Toolchain::nvrtc, key.hex()};
    return cached(around, job, recipe, [&]() -> Recipe::Made {
        Nvrtc::Result made;
        if (!parts.empty()) made = nvrtc.compile_parts(text.main, headers, output, parts, around.limits());
        if (!made.ok)
            made = nvrtc.compile(text.main, headers, output, options, around.limits()); // what is wrong is said once, of all of it
        return {made.ok, std::move(made.image), std::move(made.log)};
    });
}

std::optional<Image> compile_text_of(const Job& job, const Text& text, const Surroundings& around) {
    return job.target.kind == Target::Kind::cpu ? compile_for_cpu(around, job, text) : compile_for_cuda(around, job, text);
}

// Tells jobs of one process apart.
std::string job_key(const Job& job, const Text& text) {
    const auto& target = job.target;
    Key key;
    key.add(target.kind == Target::Kind::cpu ? "cpu" : "cuda").add(target.architecture).add(target.fast_float ? "fast" : "exact");
    key.add(target.debug ? "debug" : "").add(target.checked ? "checked" : "").add(target.careful ? "careful" : "");
    add_texts(key, text);
    return key.hex();
}

} // namespace

Compiler::Compiler(Cache& cache, int processors) : cache_(cache), processors_(processors), said_(std::make_unique<SaidOnce>()) {}
Compiler::~Compiler() = default;

const HostCompiler& Compiler::host_compiler() { return HostCompiler::find(&cache_); }

Image Compiler::compile(const Job& job) {
    const auto text = text_of(job);
    const Surroundings around{cache_, processors_, job.cancel != nullptr ? job.cancel : cancel_, *said_, tells_again_};
    if (job.purpose == "kernels" && ahead_ != nullptr) ahead_->ask_for(job_key(job, text), around.cancel);
    return *compile_text_of(job, text, around);
}

std::optional<Image> Compiler::find(const Job& job) {
    return compile_text_of(job, text_of(job),
                           {cache_, processors_, job.cancel != nullptr ? job.cancel : cancel_, *said_, tells_again_, false});
}

CompiledAhead::CompiledAhead(Compiler& compiler, const std::vector<Job>& jobs) : compiler_(compiler), ahead_(std::make_unique<Ahead>()) {
    for (auto job : jobs) {
        const auto model = std::make_shared<const ModelSource>(*job.model); // which may be gone by then
        auto text = std::make_shared<const Text>(text_of(job));
        ahead_->begin(job_key(job, *text), [&compiler, job, model, text](const std::atomic<bool>& cancel) mutable {
            job.model = model.get();
            (void)compile_text_of(job, *text, {compiler.cache_, compiler.processors_, &cancel, *compiler.said_, compiler.tells_again_});
        });
    }
    compiler_.ahead_ = ahead_.get();
}

CompiledAhead::~CompiledAhead() { compiler_.ahead_ = nullptr; }

Image Compiler::compile_text(const SourceFile& text, const Target& target) {
    const ModelSource source{text, {}};
    Job job;
    job.model = &source;
    job.purpose = "text";
    job.target = target;
    const Text whole{line_directive(text.path) + text.text, {}, {}};
    const Surroundings around{cache_, processors_, cancel_, *said_, false};
    return *(target.kind == Target::Kind::cpu ? compile_for_cpu(around, job, whole) : compile_for_cuda(around, job, whole));
}

namespace {

std::string note_key(Cache& cache, const Job& job, const std::string& topic) {
    Key key;
    key.add(format_version).add("note").add(topic).add(job.target.architecture).add(job.target.fast_float ? "fast" : "exact");
    if (job.target.kind == Target::Kind::cpu)
        key.add(HostCompiler::find(&cache).identity()).add(host_cpu_identity());
    else
        key.add(Nvrtc::find().identity());
    add_texts(key, text_of(job));
    return key.hex();
}

} // namespace

std::optional<std::string> Compiler::noted(const Job& job, const std::string& topic) {
    const auto entry = cache_.find(note_key(cache_, job, topic));
    if (!entry) return {};
    return std::string(reinterpret_cast<const char*>(entry->payload.data()), entry->payload.size());
}

void Compiler::note(const Job& job, const std::string& topic, const std::string& text) {
    Entry entry;
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    entry.payload.assign(first, first + text.size());
    cache_.store(note_key(cache_, job, topic), std::move(entry));
}

} // namespace tessera::jit
