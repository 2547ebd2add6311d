#include "host/model/model.hpp"

#include "device_runtime/error.hpp"
#include "host/model/declaration_order.hpp"
#include "host/model/library.hpp"
#include "host/model/library_code.hpp"
#include "host/model/named_parameters.hpp"
#include "jit/host_compiler.hpp"
#include "jit/lexer.hpp"
#include "jit/nvrtc.hpp"
#include "jit/sdk_headers.hpp"
#include "jit/source_names.hpp"
#include "jit/start_failure.hpp"
#include "jit/symbols.hpp"

#include <tessera/detail/records.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <utility>

namespace tessera::model {
namespace {

// A plugin is <folder>/<name>/<name>.cu; a file anywhere else may be called anything that is the model's name.
void check_name(const Description& description, const std::filesystem::path& path) {
    const std::string file = path.stem().string();
    if (description.name == file) return;
    throw Error(Failure::plugin, fmt::format("{} declares the model `{}`", path.string(), description.name),
                fmt::format("its file is called `{}`", file), fmt::format("write TESSERA_MODEL({}, ...), or rename the file", file));
}

// Whether a file may use a macro, also one that it makes the name of.
bool may_use(const jit::SourceFile& file, std::string_view macro) {
    const auto tokens = jit::tokens_of(file.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool pastes = i > 0 && (tokens[i].text == "#" || tokens[i].text == "%:") && tokens[i - 1].text == tokens[i].text;
        if (pastes || tokens[i].text == macro || tokens[i].text.starts_with("TESSERA_CAT")) return true;
    }
    return false;
}

bool may_use(const jit::ModelSource& source, std::string_view macro) {
    return may_use(source.main, macro) ||
           std::any_of(source.headers.begin(), source.headers.end(), [&](const jit::SourceFile& file) { return may_use(file, macro); });
}

} // namespace

bool may_have_agents(const jit::ModelSource& source) { return may_use(source, "TESSERA_AGENT"); }
bool may_have_links(const jit::ModelSource& source) { return may_use(source, "TESSERA_LINK"); }
bool may_send_later(const Model& model) {
    if (model.has_source()) return may_use(model.source, "after");
    return model.library && model.library->find(LibraryPart::late_sends) != nullptr;
}

namespace {

// `values`: macros of parameters that are to have others than their defaults.
std::vector<jit::DataSymbol> compile_records(const jit::ModelSource& source, jit::Compiler& compiler, const jit::Target& target,
                                             const std::string& values = {}) {
    jit::Job job;
    job.model = &source;
    job.sdk = jit::sdk_headers();
    job.prelude = values;
    if (!may_have_agents(source)) job.prelude += "#define TESSERA_WITHOUT_AGENTS 1\n";
    if (!may_have_links(source)) job.prelude += "#define TESSERA_WITHOUT_LINKS 1\n";
    job.prelude += "#include <tessera/model.hpp>\n#include <tessera/detail/prelude.hpp>\n";
    job.purpose = "description";
    job.target = target;
    return in_order_of_declaration(jit::data_symbols(compiler.compile(job).bytes), source);
}

bool is_of_parameter(const jit::DataSymbol& record) {
    record_kind kind{};
    if (record.bytes.size() < offsetof(record_header, kind) + sizeof(kind)) return false;
    std::memcpy(&kind, record.bytes.data() + offsetof(record_header, kind), sizeof(kind));
    return kind == record_kind::parameter;
}

Library checked_library(const std::filesystem::path& path) {
    std::string why;
    auto library = read_library(path, why);
    if (!library) throw Error(Failure::plugin, fmt::format("{} cannot be used", path.string()), why);
    return std::move(*library);
}

[[noreturn]] void fail_of_other_sdk(const Library& library) {
    throw Error(Failure::plugin, fmt::format("{} cannot be used", library.path.string()),
                fmt::format("it was built with the SDK {}.{}.{}, which describes models in another way", library.sdk[0], library.sdk[1],
                            library.sdk[2]),
                "build it again");
}

// Records of another SDK are made anew of the source, as the code will be.
bool has_records_for_us(const Library& library) {
    return knows_records(library) && (is_of_this_sdk(library) || library.find(LibraryPart::source) == nullptr);
}

} // namespace

Model load_model(const std::filesystem::path& path, jit::Compiler& compiler, const std::optional<jit::Target>& target) {
    Model model;
    model.path = path;
    if (is_library(path)) {
        model.library = checked_library(path);
        if (auto source = read_source(*model.library)) {
            model.source = std::move(*source);
            jit::check_model(model.source);
        } else
            model.source.main = {path.string(), {}, path.stem().string() + ".cu"};
        if (has_records_for_us(*model.library)) model.records = model.library->records;
        if (model.records.empty() && !model.has_source()) fail_of_other_sdk(*model.library);
    } else
        model.source = jit::read_model(path);
    if (model.records.empty()) model.records = compile_records(model.source, compiler, target ? *target : any_target(compiler));
    model.description = read_description(model.records, path.string(), model.source);
    check_name(model.description, path);
    return model;
}

bool is_in_access_list(const Description& description, const Parameter& parameter) {
    const auto& name = parameter.name;
    const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    return std::any_of(description.functions.begin(), description.functions.end(), [&](const Function& function) {
        const auto& list = function.access;
        for (auto at = list.find(name); at != std::string::npos; at = list.find(name, at + 1)) {
            const auto end = at + name.size();
            if ((at == 0 || !is_of_name(list[at - 1])) && (end == list.size() || !is_of_name(list[end]))) return true;
        }
        return false;
    });
}

std::vector<jit::DataSymbol> records_with(const Model& model, const std::map<std::string, std::string>& values, jit::Compiler& compiler) {
    std::string macros = "#define TESSERA_VALUES_ARE_KNOWN 1\n";
    for (const auto& parameter : model.description.parameters) {
        const auto value = values.find(parameter.name);
        macros += fmt::format("#define TESSERA_KIND_{} {}\n", parameter.name, value == values.end() ? "DEFAULT" : "BAKED");
        if (value != values.end()) macros += fmt::format("#define TESSERA_VALUE_{} {}\n", parameter.name, value->second);
    }
    auto records = compile_records(model.source, compiler, any_target(compiler), macros);
    // A default may name another parameter.
    auto own = model.records.begin();
    for (auto& record : records) {
        if (!is_of_parameter(record)) continue;
        own = std::find_if(own, model.records.end(), is_of_parameter);
        if (own != model.records.end()) record = *own++;
    }
    return records;
}

void describe_with(Model& model, const std::map<std::string, std::string>& values, jit::Compiler& compiler) {
    model.description = read_description(records_with(model, values, compiler), model.path.string(), model.source);
}

Description describe_library(const std::filesystem::path& path, jit::Compiler& compiler) {
    const auto library = checked_library(path);
    const auto source = read_source(library);
    if (source) jit::check_names(*source);
    (void)check_code(library);
    if (!has_records_for_us(library)) return load_model(path, compiler).description;
    auto description = read_description(library.records, path.string(), source ? *source : jit::ModelSource{});
    check_name(description, path);
    return description;
}

jit::Target any_target(jit::Compiler& compiler) {
    jit::Target target;
    try {
        (void)compiler.host_compiler();
    } catch (const jit::CannotStart&) {
        throw; // nor could another
    } catch (const Error& no_compiler) {
        try {
            const auto& nvrtc = jit::Nvrtc::find();
            target.kind = jit::Target::Kind::cuda;
            target.architecture = fmt::format("sm_{}", nvrtc.architectures().back());
        } catch (const Error& no_nvrtc) {
            throw Error(Failure::compile, "models cannot be compiled here", "a model is compiled when it is run",
                        fmt::format("\n  for the CPU: {}\n  for a GPU: {}", no_compiler.what(), no_nvrtc.what()));
        }
    }
    return target;
}

} // namespace tessera::model
