#include "host/bind/function_errors.hpp"

#include "device_runtime/error.hpp"
#include "host/model/where_declared.hpp"
#include "jit/lexer.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

[[noreturn]] void fail_in_macro(const Setup& setup, const std::vector<std::string_view>& macros, const std::vector<std::string>& words,
                                const run_file::Where& otherwise, const std::string& problem, const std::string& why,
                                const std::string& suggestion) {
    const auto place = model::WhereDeclared(setup.model->source, {}).in_macro(macros, words);
    if (place.empty()) run_file::fail_at(otherwise, problem, why, suggestion);
    throw Error(Failure::input, fmt::format("{}: {}", place, problem), why, suggestion);
}

// `self.spawn(Friend{...}, to)`
bool spawns(const std::vector<jit::Token>& tokens, std::size_t i, const std::string& row) {
    return i + 2 < tokens.size() && tokens[i].text == "spawn" && tokens[i + 1].text == "(" && tokens[i + 2].text == row;
}
// `self.kill()`
bool kills(const std::vector<jit::Token>& tokens, std::size_t i) {
    return i + 1 < tokens.size() && tokens[i].text == "kill" && tokens[i + 1].text == "(";
}

[[noreturn]] void refuse(const jit::SourceFile& file, const jit::Token& token, const std::string& problem) {
    throw Error(Failure::input, fmt::format("{}:{}:{}: {}", file.path, token.line, token.column, problem));
}

void refuse_undeclared_requests(const jit::SourceFile& file, const std::string& links) {
    const auto tokens = jit::tokens_of(file.text);
    for (const auto& function : jit::outline_of(file.text).functions)
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i].offset < function.body || tokens[i].offset >= function.body_end) continue;
            if (spawns(tokens, i, links))
                refuse(file, tokens[i],
                       fmt::format("spawn({0}{{...}}, ...) needs spawns<{0}> in the access list of {1}", links, function.function));
            if (function.row == links && kills(tokens, i))
                refuse(file, tokens[i], fmt::format("kill() needs dies in the access list of {}", function.function));
        }
}

} // namespace

void fail_in_function(const Setup& setup, const model::Function& function, const run_file::Where& otherwise, const std::string& problem,
                      const std::string& why, const std::string& suggestion) {
    fail_in_macro(setup, {"TESSERA_CALL", "TESSERA_INIT"}, {setup.description().rows[function.row].name, function.name}, otherwise, problem,
                  why, suggestion);
}

void fail_at_member(const Setup& setup, std::size_t row, std::size_t member, const run_file::Where& otherwise, const std::string& problem,
                    const std::string& why, const std::string& suggestion) {
    const auto& declared = setup.description().rows[row];
    fail_in_macro(setup, {"TESSERA_PLACE", "TESSERA_AGENT", "TESSERA_LINK"}, {declared.name, declared.members[member].name}, otherwise,
                  problem, why, suggestion);
}

void refuse_undeclared_requests(const Setup& setup, const model::Row& links) {
    const auto& source = setup.model->source;
    refuse_undeclared_requests(source.main, links.name);
    for (const auto& header : source.headers) refuse_undeclared_requests(header, links.name);
}

} // namespace tessera
