#include "jit/source.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "jit/check_members.hpp"
#include "jit/lexer.hpp"
#include "jit/source_limits.hpp"
#include "jit/source_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const SourceFile& file, int line, int column, const std::string& problem, const std::string& why,
                         const std::string& suggestion) {
    throw Error(Failure::compile, fmt::format("{}:{}:{}: {}", file.path, line, column, problem), why, suggestion);
}

// One form for every compiler: no byte order mark, lines that end in '\n'.
std::string normalised(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos; ++at) text.erase(at, 1);
    std::replace(text.begin(), text.end(), '\r', '\n'); // for some compilers alone it ends a line
    return text;
}

void check_text(const SourceFile& file) {
    const auto zero = file.text.find('\0');
    if (zero == std::string::npos) return;
    const auto line = 1 + std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    refuse(file, static_cast<int>(line), 1, "this is not a text", "it has a byte of value 0", "give the model's source");
}

[[noreturn]] void refuse_system_header(const SourceFile& file, const Token& token, const std::string& target) {
    std::string instead = "include <tessera/model.hpp> instead";
    if (target == "numbers")
        instead = "use tessera's own pi, or pi_v<float> among floats, of <tessera/model.hpp>";
    else if (target == "cmath" || target == "math.h")
        instead = "use tessera's own functions (tessera::sqrt, tessera::exp, ... of <tessera/model.hpp>), which give the same bits on "
                  "every device";
    else if (target == "random")
        instead = "use self.random, which gives the same numbers on every device";
    else if (target == "array")
        instead = "use an array member such as `float values[4]`";
    else if (target == "algorithm")
        instead = "use tessera::min, tessera::max and tessera::clamp of <tessera/model.hpp>";
    refuse(file, token.line, token.column, fmt::format("<{}> cannot be included in a model", target),
           "models see only the SDK, so that they mean the same on every device", instead);
}

bool leaves_folder(const std::string& target) {
    const fs::path path(target);
    return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

Inclusion inclusion(const SourceFile& file, const Token& token) {
    const bool own = token.text.front() == '"';
    const char close = own ? '"' : '>';
    if (token.text.size() < 3 || token.text.back() != close)
        refuse(file, token.line, token.column, "this #include names no header", "",
               "write #include \"rules.hpp\" or #include <tessera/model.hpp>");
    const Inclusion result{token.text.substr(1, token.text.size() - 2), own, token.line, token.column};
    if (own && leaves_folder(result.target))
        refuse(file, token.line, token.column, fmt::format("\"{}\" cannot be included", result.target),
               "it lies outside of the model's folder", "put the header into the model's folder");
    if (own && result.target.find_first_of("\\\n") != std::string::npos)
        refuse(file, token.line, token.column, fmt::format("\"{}\" cannot be included", result.target), "its name has a backslash",
               "separate folders with /");
    if (!own && fs::path(result.target).lexically_normal() == "tessera/hooks.hpp")
        refuse(file, token.line, token.column, fmt::format("<{}> cannot be included in a model", result.target),
               "hooks are no part of it: they run on the host, between steps",
               "write them into a file of their own, for `tessera build --hooks`");
    if (!own && fs::path(result.target).lexically_normal().string().starts_with("tessera/kernels/"))
        refuse(file, token.line, token.column, fmt::format("<{}> cannot be included in a model", result.target),
               "it is Tessera's own and changes with it", "include <tessera/model.hpp>, which has all that a model needs");
    const bool sdk = result.target.starts_with("tessera/") && !leaves_folder(result.target);
    if (!own && !sdk && result.target != "cstdint" && result.target != "cstddef") refuse_system_header(file, token, result.target);
    if (!own && result.target.starts_with("tessera/detail/"))
        refuse(file, token.line, token.column, fmt::format("<{}> cannot be included in a model", result.target),
               "the inner headers of the SDK change with its versions", "include <tessera/model.hpp>, which has all that a model uses");
    return result;
}

const Token* directive_name(const std::vector<Token>& tokens, std::size_t hash) {
    const bool is_directive = tokens[hash].starts_line && (tokens[hash].text == "#" || tokens[hash].text == "%:");
    return is_directive && hash + 1 < tokens.size() && !tokens[hash + 1].starts_line ? &tokens[hash + 1] : nullptr;
}

// As it stands in the text, and not put together of several lines.
bool on_one_line(const SourceFile& file, const Token& hash, const Token& header) {
    std::size_t at = 0;
    for (int line = 1; line < header.line; ++line) at = file.text.find('\n', at) + 1;
    const auto column = static_cast<std::size_t>(header.column - 1);
    return hash.line == header.line && file.text.compare(at + column, header.text.size(), header.text) == 0;
}

// Walks over the inclusions and reads each header once.
class Reader {
public:
    explicit Reader(const fs::path& path) {
        model_.main = {path.string(), {}, path.filename().string()};
        std::string why;
        auto text = read_regular(path, most_bytes_of_source, why);
        if (!text) throw Error(Failure::plugin, fmt::format("{} cannot be read", path.string()), why, "check the path");
        model_.main.text = normalised(std::move(*text));
        folder_ = path.parent_path();
    }

    ModelSource read() {
        add_headers_of(model_.main);
        check_names(model_);
        check_members(model_);
        return std::move(model_);
    }

private:
    void add_headers_of(const SourceFile file) { // by value: the list it may stand in grows
        check_text(file);
        check_source(file);
        for (const auto& each : inclusions(file))
            if (each.own) add(file, each);
    }

    void add(const SourceFile& from, const Inclusion& wanted) {
        const auto beside = (fs::path(from.name).parent_path() / wanted.target).lexically_normal();
        const auto below = fs::path(wanted.target).lexically_normal();
        for (const auto& name : {beside, below}) {
            if (name.string() == model_.main.name)
                refuse(from, wanted.line, wanted.column, fmt::format("\"{}\" cannot be included", wanted.target), "it is the model itself",
                       "put what both need into a header");
            if (known(name.string())) return;
            auto text = contents_inside(from, wanted, name);
            if (!text) continue;
            check_limits(from, wanted, text->size());
            model_.headers.push_back({(folder_ / name).string(), normalised(std::move(*text)), name.string()});
            add_headers_of(model_.headers.back());
            return;
        }
        refuse(from, wanted.line, wanted.column, fmt::format("\"{}\" is not there", wanted.target),
               fmt::format("looked for {}", (folder_ / below).string()), "check its name; headers are read from the model's folder");
    }

    std::optional<std::string> contents_inside(const SourceFile& from, const Inclusion& wanted, const fs::path& name) const {
        std::error_code error;
        const auto home = fs::canonical(folder_.empty() ? fs::path(".") : folder_, error);
        const auto real = fs::canonical(folder_ / name, error);
        if (error) return std::nullopt;
        if (leaves_folder(real.lexically_relative(home).string()))
            refuse(from, wanted.line, wanted.column, fmt::format("\"{}\" cannot be included", wanted.target),
                   fmt::format("it is a link to {}, outside of the model's folder", real.string()), "put a copy into the model's folder");
        std::string why;
        auto text = read_regular(real, most_bytes_of_source, why);
        if (!text)
            refuse(from, wanted.line, wanted.column, fmt::format("\"{}\" cannot be read", wanted.target), why,
                   "headers are texts in the model's folder");
        return text;
    }

    // Before one more file is added.
    void check_limits(const SourceFile& from, const Inclusion& wanted, std::size_t bytes) const {
        std::uint64_t all = model_.main.text.size() + bytes;
        for (const auto& header : model_.headers) all += header.text.size();
        const auto problem = fmt::format("\"{}\" cannot be included", wanted.target);
        if (all > most_bytes_of_source)
            refuse(from, wanted.line, wanted.column, problem,
                   fmt::format("with it the model's source has {} bytes, and the maximum is {}", all, most_bytes_of_source), "");
        if (model_.headers.size() + 2 > most_files_of_source)
            refuse(from, wanted.line, wanted.column, problem,
                   fmt::format("the model's source has {} files already, which is the maximum", most_files_of_source), "");
    }

    bool known(const std::string& name) const {
        return std::any_of(model_.headers.begin(), model_.headers.end(), [&](const auto& header) { return header.name == name; });
    }

    ModelSource model_;
    fs::path folder_;
};

} // namespace

const SourceFile* ModelSource::find(const std::string& path) const noexcept {
    if (main.path == path) return &main;
    for (const auto& header : headers)
        if (header.path == path) return &header;
    return nullptr;
}

void check_model(const ModelSource& model) {
    check_names(model);
    const auto check = [](const SourceFile& file) {
        check_text(file);
        check_source(file);
        (void)inclusions(file);
    };
    check(model.main);
    for (const auto& header : model.headers) check(header);
    check_members(model);
}

ModelSource read_model(const fs::path& path) { return Reader(path).read(); }

std::vector<Inclusion> inclusions(const SourceFile& file) {
    const auto tokens = tokens_of(file.text);
    std::vector<Inclusion> result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token* name = directive_name(tokens, i);
        if (name == nullptr) continue;
        if (name->text == "include_next" || name->text == "import" || name->text == "embed")
            refuse(file, name->line, name->column, fmt::format("#{} cannot be used in a model", name->text), "it belongs to one compiler",
                   "use #include");
        if (name->text != "include") continue;
        const bool plain = i + 2 < tokens.size() && tokens[i + 2].kind == Token::Kind::header_name;
        if (!plain)
            refuse(file, name->line, name->column, "this #include names no header", "a macro cannot stand for the name",
                   "write #include \"rules.hpp\" or #include <tessera/model.hpp>");
        result.push_back(inclusion(file, tokens[i + 2]));
        if (!on_one_line(file, tokens[i], tokens[i + 2]))
            refuse(file, tokens[i].line, tokens[i].column, "this #include goes on in the next line", "it could hide what it includes",
                   "write it on one line");
    }
    return result;
}

std::string with_resolved_inclusions(const ModelSource& model, const SourceFile& file, const std::string& prefix) {
    const auto included = inclusions(file);
    std::string result;
    std::size_t at = 0;
    int line = 1;
    auto next = included.begin();
    while (at < file.text.size()) {
        const auto end = std::min(file.text.find('\n', at), file.text.size());
        std::string text = file.text.substr(at, end - at);
        for (; next != included.end() && next->line <= line; ++next) {
            if (!next->own || next->line != line) continue;
            const auto beside = (fs::path(file.name).parent_path() / next->target).lexically_normal().string();
            const auto below = fs::path(next->target).lexically_normal().string();
            const auto is = [&](const std::string& name) {
                return std::any_of(model.headers.begin(), model.headers.end(), [&](const auto& header) { return header.name == name; });
            };
            text.replace(static_cast<std::size_t>(next->column - 1), next->target.size() + 2,
                         "\"" + prefix + (is(beside) ? beside : below) + "\"");
        }
        result += text;
        if (end < file.text.size()) result += '\n';
        at = end + 1;
        ++line;
    }
    return result;
}

} // namespace tessera::jit
