#include "host/cli/commands.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"
#include "device_runtime/printable.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/bench/table.hpp"
#include "host/cli/check_notes.hpp"
#include "host/cli/description_of_runs.hpp"
#include "host/cli/first_parents.hpp"
#include "host/cli/model_page.hpp"
#include "host/cli/standard_output.hpp"
#include "host/devices/choose_devices.hpp"
#include "host/devices/links_text.hpp"
#include "host/distribution/arranged.hpp"
#include "host/distribution/distribute.hpp"
#include "host/execute/compile_kernels.hpp"
#include "host/execute/finished_code.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/model/library.hpp"
#include "host/model/library_code.hpp"
#include "host/plugins/build_library.hpp"
#include "host/plugins/hook_library.hpp"
#include "host/plugins/link_hooks.hpp"
#include "host/prepare/any_run.hpp"
#include "host/run/check_run.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/schema.hpp"
#include "host/schedule/exchange_check.hpp"
#include "host/session/interrupt.hpp"
#include "host/setup/value.hpp"
#include "host/tune/explain.hpp"
#include "host/tune/explain_stripes.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/state_hash.hpp"
#include "jit/cache.hpp"
#include "jit/diagnostics.hpp"
#include "jit/files.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <unistd.h>

namespace tessera {
namespace {

struct Jit {
    jit::Cache cache;
    jit::Compiler compiler{cache};
};

constexpr std::size_t longest_doc = 1000; // bytes, of a text of which a line is made

// What a model says of something, at the end of its line.
std::string remark(const std::string& doc) { return doc.empty() ? "" : "   " + shown(doc, longest_doc); }

void say_row(const model::Description& description, const model::Row& row) {
    if (row.ground)
        say(fmt::format("\nagents `{}` (struct {}) {} `{}`{}", row.collection, row.name, row.position ? "in" : "on",
                        description.rows[*row.ground].collection,
                        row.position ? fmt::format(", with positions in {}", name_of(*row.position)) : ""));
    else if (row.ends)
        say(fmt::format("\nlinks `{}` (struct {}) {} `{}` {} `{}`", row.collection, row.name, row.ends->is_directed ? "from" : "between",
                        description.rows[row.ends->from].collection, row.ends->is_directed ? "to" : "and",
                        description.rows[row.ends->to].collection));
    else
        say(fmt::format("\nplaces `{}` (struct {})", row.collection, row.name));
    for (const auto& member : row.members)
        say(fmt::format("  {:<20} {:<12} default {}{}", member.name, type_text(member),
                        readable(member.type, member.initial.data(), member.elements), remark(member.doc) + remark(values_text(member))));
}

// "cell: 4096 places"; "ant: 400 agents on field, at most 1 on a place".
std::string collection_text(const Setup& setup, CollectionId id) {
    const auto& collection = setup.collections[id];
    if (const auto& links = collection.links)
        return fmt::format("{}: {} links {} {} {} {}", collection.name, setup.start[id].links->size(),
                           links->is_directed ? "from" : "between", setup.collections[links->from].name, links->is_directed ? "to" : "and",
                           setup.collections[links->to].name);
    if (!collection.agents) return fmt::format("{}: {} places", collection.name, collection.places());
    const auto born = first_parents(setup, id);
    return fmt::format("{}: {} agents{} on {}, {} on a place", collection.name, first_count(setup, id), born + (born.empty() ? "" : ","),
                       setup.collections[collection.agents->ground].name,
                       collection.agents->is_limited() ? fmt::format("at most {}", collection.agents->most_on_place) : "any number");
}

// What becomes of the grids on the devices that a run would use, which need not be here.
std::string stripes_of_run(const Setup& setup, const ChosenDevices& chosen) {
    const auto over_devices = arranged(setup, distribute(setup, assumed_machine(chosen.names)).distribution);
    return (chosen.why.empty() ? "" : fmt::format("  devices = \"auto\": {}\n", chosen.why)) + explain_stripes(over_devices, chosen.names);
}

// The GPU ("sm_90"), or what there is a compiler for.
jit::Target target_of(const std::string& gpu, jit::Compiler& compiler) {
    if (gpu.empty()) return model::any_target(compiler);
    jit::Target target;
    target.kind = jit::Target::Kind::cuda;
    target.architecture = gpu;
    return target;
}

// The request, with agents stored as a device of that target has them.
RunRequest as_compiled_for(RunRequest request, const std::string& gpu, jit::Compiler& compiler) {
    if (target_of(gpu, compiler).kind == jit::Target::Kind::cuda) request.on_one_cpu = false;
    return request;
}

// All of a model's functions, for a GPU, or, of no name, by a compiler that is here; the target. Throws Failure::compile.
jit::Target compile_for(const Setup& setup, const std::string& gpu, jit::Compiler& compiler) {
    const auto any = target_of(gpu, compiler);
    const bool cuda = any.kind == jit::Target::Kind::cuda;
    std::vector<ViewChoice> views;
    for (const auto& kernel : setup.kernels) views.push_back(choose_view(setup, kernel, cuda));
    const auto target = target_for(setup, cuda, any.architecture);
    (void)compile_kernels(setup, views, target, compiler);
    return target;
}

} // namespace

// Why no GPU is used, without the places that were searched.
std::string without_search(const std::string& why_not) {
    const auto search = why_not.find("; tried ");
    if (search != std::string::npos) log_debug("{}", why_not);
    return why_not.substr(0, search);
}

void tell(const RunResult& result) {
    const auto& report = result.report;
    say(fmt::format("{} after {} steps in {:.3g} s, state {}", report.status, report.steps, report.step_seconds,
                    hash_text(*report.state_hash)));
    say_text(result.shares);
    for (const auto& phase : report.phases)
        if (phase.unresolved > 0)
            say(fmt::format("the condition `{}` was still false after the maximum of {} rounds, in {} step{}", phase.name, phase.most,
                            phase.unresolved, phase.unresolved == 1 ? "" : "s"));
    say(fmt::format("results in {}", result.folder.string()));
    const auto resumed = fmt::format("`tessera resume {}` goes on", result.folder.string());
    if (report.status == "paused")
        throw Error(Failure::paused, report.steps > 0 ? fmt::format("paused after step {}", report.steps) : "paused before the first step",
                    report.steps > 0 ? "its state is kept" : "its time was over", resumed);
    if (report.status == "interrupted")
        throw Error(Failure::interrupted, fmt::format("interrupted after step {}", report.steps),
                    "outputs and manifest are complete until then", result.keeps_state ? resumed : "");
}

void run_command(const RunCommand& command) {
    if (command.view) return view_command(command, false);
    const InterruptGuard until_it_is_known(Keeping::unknown);
    Jit jit;
    auto request = command.request;
    auto options = command.options;
    std::unique_ptr<Changes> changes;
    if (!command.replay.empty()) {
        auto earlier = replay(command.replay, request, jit.compiler);
        request = std::move(earlier.request);
        changes = std::move(earlier.changes);
    }
    do {
        const auto prepared = prepare(request, jit.compiler);
        if (!options.again)
            for (const auto& note : notes_on_run(prepared.setup, prepared.run_file)) log_info("{}", note);
        if (request.debug)
            log_info("for a debugger: gdb -ex 'set breakpoint pending on' -ex 'break {}:LINE' -ex run --args {}",
                     prepared.model->source.main.name, command.line);
        if (command.watch) {
            changes = watch(request, prepared, jit.compiler);
            options.waits_at_end = ::isatty(STDIN_FILENO) != 0;
        }
        options.changes = changes.get();
        const auto result = run(prepared, jit.compiler, options);
        tell(result);
        options.again = result.begins_again;
    } while (options.again);
}

void check_command(const RunRequest& request, bool explain, const std::string& wanted_target) {
    Jit jit;
    jit.compiler.tell_again();
    const auto prepared = prepare(as_compiled_for(request, wanted_target, jit.compiler), jit.compiler, Functions::all);
    const auto& setup = prepared.setup;
    check_exchanges(setup);
    const auto chosen = choose_devices(setup);
    const auto notes = check_run(setup, chosen); // first: values for a grid that fits into no memory are not read
    check_initial_files(setup);
    const auto target = compile_for(setup, wanted_target, jit.compiler);

    say(fmt::format("{}: fine", request.what));
    say(fmt::format("  model {} ({})", setup.description().name, setup.model->path.string()));
    for (const auto id : setup.collections.ids()) say("  " + collection_text(setup, id));
    for (const auto& phase : setup.phases) say("  phase " + phase.name);
    for (const auto& note : notes_on(setup, prepared.run_file)) say("  " + note);
    say(fmt::format("  columns take {:.1f} MiB", static_cast<double>(setup.column_bytes()) / (1 << 20)));
    for (const auto& note : notes) say("  " + note);
    if (explain) say_text(explain_steps(setup, target, jit.compiler) + stripes_of_run(setup, chosen));
}

namespace {

// What has several lines, as what a compiler says, is seen to be one entry's: no text of a library looks like another entry.
std::string indented(const std::string& text) {
    std::string result;
    for (const char c : text) result += c == '\n' ? std::string("\n    ") : std::string(1, c);
    return result;
}

} // namespace

void list_command(const RunRequest& search) {
    Jit jit;
    const PluginRegistry registry({search.plugin_folders.begin(), search.plugin_folders.end()},
                                  search.allow_unsafe_plugins ? Unsafe::allowed : Unsafe::refused);
    const auto describe = [&](const std::filesystem::path& path) {
        return model::is_library(path) ? model::describe_library(path, jit.compiler) : model::load_model(path, jit.compiler).description;
    };
    for (const auto& candidate : registry.candidates()) {
        std::string verdict = candidate.rejected.empty() ? "" : "rejected: " + candidate.rejected;
        if (verdict.empty()) try {
                verdict = shown(describe(candidate.path).doc, longest_doc);
            } catch (const std::exception& error) { // whatever it is, the others are still listed
                verdict = fmt::format("rejected: {}", error.what());
            }
        say(fmt::format("{:<16} {}  ({})", shown(candidate.name), indented(verdict), shown(candidate.path.string(), 1000)));
    }
    if (registry.candidates().empty()) say("no models found; give a folder with --plugins or TESSERA_PLUGIN_PATH");
}

namespace {

void write_depfile(const std::filesystem::path& depfile, const std::filesystem::path& out, const jit::ModelSource& source,
                   const std::vector<std::string>& hooks) {
    const auto escaped = [](const std::string& path) {
        std::string text;
        for (const char c : std::filesystem::absolute(path).lexically_normal().string())
            text += c == ' ' ? "\\ " : c == '#' ? "\\#" : c == '$' ? "$$" : std::string(1, c);
        return text;
    };
    auto text = escaped(out.string()) + ": " + escaped(source.main.path);
    for (const auto& header : source.headers) text += " " + escaped(header.path);
    for (const auto& hook : hooks) text += " " + escaped(hook);
    try {
        jit::write_file(depfile, text + "\n");
    } catch (const std::system_error& error) {
        throw Error(Failure::output, fmt::format("{} cannot be written", depfile.string()), error.code().message());
    }
}

} // namespace

void new_command(const NewModel& wanted) {
    const auto files = new_model(wanted, ".");
    say(fmt::format("{}: a model that runs; change it and run it again", wanted.name));
    for (const auto& file : files) say("  " + file.lexically_normal().string());
    say(fmt::format("\ncd {0}\ntessera run {0}.toml", wanted.name));
}

namespace {

constexpr const char* common_ptx = "compute_75"; // of all GPUs that are supported

// "v3" -> a target of that architecture; "sm_90". Beside code for GPUs there is PTX for those that come later.
std::vector<jit::Target> targets_of(const BuildCommand& command) {
    std::vector<jit::Target> targets;
    const auto add = [&](jit::Target::Kind kind, const std::string& architecture) {
        jit::Target target;
        target.kind = kind;
        target.architecture = architecture;
        targets.push_back(target);
    };
    for (const auto& cpu : command.cpus) add(jit::Target::Kind::cpu, "x86-64-" + cpu);
    for (const auto& gpu : command.gpus) add(jit::Target::Kind::cuda, gpu);
    if (!command.gpus.empty() && std::find(command.gpus.begin(), command.gpus.end(), common_ptx) == command.gpus.end())
        add(jit::Target::Kind::cuda, common_ptx);
    if (targets.empty()) add(jit::Target::Kind::cpu, cpu_architectures().front());
    return targets;
}

// Code for any run; where it cannot be made, it is no loss if runs are named.
std::vector<model::PartToWrite> code_for_any_run(const BuildCommand& command, const Bound& run, jit::Compiler& compiler) try {
    std::vector<model::PartToWrite> parts;
    const auto any = for_any_run(run);
    for (const auto& target : targets_of(command))
        for (auto& part : any_run_parts(any, target, compiler)) parts.push_back(std::move(part));
    return parts;
} catch (const Error& error) {
    const bool does_not_compile = dynamic_cast<const jit::DoesNotCompile*>(&error) != nullptr; // all of it does, with what is known
    if (command.run_files.empty() && does_not_compile)
        throw Error(Failure::compile, fmt::format("{} cannot be built without its source for any run", run.setup.description().name),
                    fmt::format("such code does not know the parameters, and the model needs one as a constant: {}", error.what()),
                    "name the runs of the library with --for");
    if (command.run_files.empty() || (error.kind() != Failure::input && !does_not_compile)) throw;
    log_info("the library is for the runs of --for alone: {}", error.what());
    return {};
}

// Of a run that names several devices, as they make it where they share memory. Rows that are sent depend on the machine.
std::optional<Setup> over_named_devices(const Setup& setup, const std::string& run_file) {
    std::vector<std::string> devices;
    for (const auto& device : setup.wishes.devices) devices.push_back(*device);
    if (devices.size() < 2) return std::nullopt;
    auto distribution = distribute(setup, sharing_machine(devices)).distribution;
    if (distribution.own_memory) {
        log_warning("the code for {} is for one device (the devices that it names have memory of their own) name one device, or leave the "
                    "source in",
                    run_file);
        return std::nullopt;
    }
    return arranged(setup, std::move(distribution));
}

// The same for the runs that are named. The model becomes what the library says of it.
std::vector<model::PartToWrite> code_for_runs(const BuildCommand& command, model::Model& model, jit::Compiler& compiler) {
    std::vector<model::PartToWrite> parts;
    DescriptionOfRuns description(model);
    for (const auto& run_file : command.run_files) {
        auto request = command.request;
        request.what = run_file;
        request.on_one_cpu = false;
        const auto prepared = prepare(request, compiler);
        request.on_one_cpu = true;
        const auto of_one_cpu = prepare(request, compiler);
        const auto same = [](const jit::SourceFile& a, const jit::SourceFile& b) { return a.name == b.name && a.text == b.text; };
        const auto& source = prepared.model->source;
        if (!same(source.main, model.source.main) ||
            !std::equal(source.headers.begin(), source.headers.end(), model.source.headers.begin(), model.source.headers.end(), same))
            throw Error(Failure::input, fmt::format("{} is not a run of {}", run_file, model.path.string()),
                        fmt::format("it names {}", prepared.model->path.string()), "name the run files of this model with --for");
        check_exchanges(prepared.setup);
        if (command.without_source) description.add(run_file, prepared, of_one_cpu, compiler);
        for (auto target : targets_of(command)) {
            target.fast_float = prepared.setup.modes().is_fast();
            const bool is_cpu = target.kind == jit::Target::Kind::cpu;
            parts.push_back(finished_part(is_cpu ? of_one_cpu.setup : prepared.setup, target, compiler));
            if (const auto several = over_named_devices(prepared.setup, run_file))
                parts.push_back(finished_part(*several, target, compiler));
        }
        parts.push_back(run_part(prepared.setup));
    }
    return parts;
}

// Where nothing else is asked for: code for the CPU, so that the library runs where there is no compiler. That of a model of places is for
// any run; of another one, for the run that it has by default, and for more than one kind of processor, for it is taken before any compiler
// is. Where there can be none, that is no loss: the library has its source.
std::vector<model::PartToWrite> code_by_default(const BuildCommand& command, const Bound& run, jit::Compiler& compiler) {
    std::vector<model::PartToWrite> parts;
    std::string why;
    try {
        return code_for_any_run(command, run, compiler);
    } catch (const Error& error) {
        if (error.kind() == Failure::interrupted) throw;
        why = error.what();
    }
    try {
        auto request = command.request;
        request.on_one_cpu = true;
        const auto prepared = prepare(request, compiler);
        check_exchanges(prepared.setup);
        for (const auto& architecture : cpu_architectures()) {
            jit::Target target;
            target.architecture = architecture;
            target.fast_float = prepared.setup.modes().is_fast();
            parts.push_back(finished_part(prepared.setup, target, compiler));
        }
        parts.push_back(run_part(prepared.setup));
        return parts;
    } catch (const Error& error) {
        if (error.kind() == Failure::interrupted) throw;
        log_info("the library needs a compiler where it runs: {}", why);
        return {};
    }
}

std::vector<std::byte> bytes_to_build(const BuildCommand& command, const model::Model& model, std::vector<model::PartToWrite> code) {
    if (!command.object && command.hooks.empty()) return build_library(model, !command.without_source, std::move(code));
    auto object = build_object(model, !command.without_source, std::move(code));
    if (command.object) return object;
    return link_hooks(model.description.name + ".so", object, {command.hooks.begin(), command.hooks.end()});
}

// A run takes no library that is called otherwise.
void expect_name_of_library(const std::filesystem::path& out, const std::string& model) {
    if (out.filename() == model + ".so") return;
    throw Error(Failure::usage, fmt::format("{} cannot be a library of the model {}", out.string(), model),
                fmt::format("a run finds it only under the name {}.so", model),
                fmt::format("write --out {}, in any folder", (out.parent_path() / (model + ".so")).string()));
}

} // namespace

void build_command(const BuildCommand& command) {
    Jit jit;
    (void)locate_model(command.request); // no run file
    const auto prepared = prepare(as_compiled_for(command.request, {}, jit.compiler), jit.compiler, Functions::all);
    auto& model = *prepared.model;
    if (!model.has_source())
        throw Error(Failure::plugin, fmt::format("{} cannot be built", model.path.string()), "it is a library without source",
                    "build it from its source");
    if (model.library && model.library->has_hooks())
        throw Error(Failure::plugin, fmt::format("{} cannot be built", model.path.string()),
                    "it is a library with hooks, and does not have their sources", "build it from its sources");
    const std::filesystem::path out = command.out.empty() ? model.description.name + (command.object ? ".o" : ".so") : command.out;
    if (!command.object) expect_name_of_library(out, model.description.name);
    (void)compile_for(prepared.setup, {}, jit.compiler);
    auto code = code_for_runs(command, model, jit.compiler);
    const bool is_chosen = command.without_source || !command.cpus.empty() || !command.gpus.empty() || !command.run_files.empty();
    for (auto& part : is_chosen ? code_for_any_run(command, prepared, jit.compiler) : code_by_default(command, prepared, jit.compiler))
        code.push_back(std::move(part));
    const auto bytes = bytes_to_build(command, model, std::move(code));
    if (!command.hooks.empty())
        if (const auto functions = arithmetic_functions(bytes); !functions.empty())
            log_warning("the hooks of {} have {}, which changes how a thread computes; a run restores the arithmetic after each call",
                        out.string(), fmt::join(functions, ", "));
    try {
        namespace fs = std::filesystem;
        fs::create_directories(fs::absolute(out).parent_path());
        jit::replace_file(fs::absolute(out), bytes);
        fs::permissions(out, fs::perms::group_read | fs::perms::others_read, fs::perm_options::add); // it is made to be given away
    } catch (const std::system_error& error) {
        throw Error(Failure::output, fmt::format("{} cannot be written", out.string()), error.code().message(), "name another with --out");
    }
    if (!command.depfile.empty()) write_depfile(command.depfile, out, model.source, command.hooks);
    say(fmt::format("{}: {}, {} bytes, {} its source{}", out.string(), model.description.name, bytes.size(),
                    command.without_source ? "without" : "with", command.hooks.empty() ? "" : ", with hooks"));
}

void seal_command(const std::filesystem::path& library) {
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    std::string why;
    const auto text = read_regular(library, most_bytes, why);
    if (!text) throw Error(Failure::input, fmt::format("{} cannot be read", library.string()), why, "name a library that is linked");
    const auto all = std::as_bytes(std::span(*text));
    std::vector<std::byte> bytes(all.begin(), all.end());
    model::seal(bytes, library);
    try {
        const auto permissions = std::filesystem::status(library).permissions();
        jit::replace_file(std::filesystem::absolute(library), bytes);
        std::filesystem::permissions(library, permissions);
    } catch (const std::system_error& error) {
        throw Error(Failure::output, fmt::format("{} cannot be written", library.string()), error.code().message());
    }
}

void info_command(const RunRequest& request) {
    Jit jit;
    const auto path = locate_model(request);
    const auto model = model::load_model(path, jit.compiler);
    const auto& description = model.description;
    say(fmt::format("{}: {}", description.name, shown(description.doc, longest_doc)));
    say(path.string());
    if (!description.about.empty()) say(description.about);
    if (model.library && model.library->has_hooks()) say("has hooks: code of its own that runs call between steps");
    for (std::size_t r = 0; r < description.rows.size(); ++r) {
        say_row(description, description.rows[r]);
        for (const auto& function : description.functions)
            if (function.row == r)
                say(fmt::format("  {} {}({}){}", function.is_init ? "init" : "call", function.name, shown(function.access, longest_doc),
                                remark(function.doc)));
    }
    if (!description.parameters.empty()) say("\nparameters");
    for (const auto& parameter : description.parameters) {
        const std::string range = parameter.range ? fmt::format("  {} to {}", readable(parameter.type, (*parameter.range)[0]),
                                                                readable(parameter.type, (*parameter.range)[1]))
                                                  : "";
        say(fmt::format("  {:<20} {:<12} default {}{}{}", parameter.name, name_of(parameter.type),
                        readable(parameter.type, parameter.initial.data()), range, remark(parameter.doc)));
    }
    if (!description.values.empty()) say("\nvalues that a phase `reduce` makes");
    for (const auto& value : description.values) say(fmt::format("  {:<20} {}{}", value.name, name_of(value.type), remark(value.doc)));
    if (!description.uniforms.empty()) say("\nvalues that are made once a step");
    for (const auto& uniform : description.uniforms)
        say(fmt::format("  {:<20} {}{}{}", uniform.name, name_of(uniform.type),
                        uniform.elements > 1 ? fmt::format("[{}]", uniform.elements) : "", remark(uniform.doc)));
    if (!description.defaults.empty()) say("\nby default, runs with\n" + description.defaults);
}

void run_file_docs_command() {
    auto text = run_file::table_of_keys();
    for (const auto& table : run_file::keys_of_tables())
        text += fmt::format("\n`{}`\n\n{}", table.heading, run_file::table_of_keys(table.heading));
    say_text(text);
}

void schema_command() { say_text(run_file::schema_of_run_files()); }

void docs_command(const RunRequest& request) {
    Jit jit;
    const auto prepared = prepare(request, jit.compiler, Functions::all);
    const bool is_run_file = std::filesystem::path(request.what).extension() == ".toml";
    say_text(printable(model_page(prepared, is_run_file || !prepared.setup.description().defaults.empty())));
}

void bench_command(const bench::BenchOptions& options) {
    Jit jit;
    const auto [folder, report] = bench::bench(options, jit.compiler);
    say_text(bench::text_table(report));
    say(fmt::format("results in {}", folder.string()));
    if (report.status == "interrupted") throw Error(Failure::interrupted, "interrupted", "all measurements until then are complete");
    if (report.status == "failed")
        throw Error(Failure::mismatch, fmt::format("not all rows make the same steps of {}", report.model),
                    "see the rows that say `differs`", "please report it");
}

void devices_command() {
    const auto cpu = cpu_info(usable_threads());
    say(fmt::format("{:<8} {}", cpu.name, cpu.description));
    const auto cuda = cuda_status();
    for (const auto& device : cuda.devices) say(fmt::format("{:<8} {} ({})", device.name, device.description, device.architecture));
    if (!cuda.available) say(fmt::format("{:<8} not available: {}", "cuda", without_search(cuda.why_not)));
    std::vector<std::string> names{cpu.name};
    for (const auto& device : cuda.devices) names.push_back(device.name);
    say_text("\n" + links_text(names, cuda_driver()));
}

} // namespace tessera
