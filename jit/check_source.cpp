// What a model may not say, found before a compiler sees it: every compiler gives the same verdict, and most have no words for it.
#include "device_runtime/error.hpp"
#include "jit/source_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tessera::jit {
namespace {

// `asm`, and the scopes of compilers' attributes: a macro may hide the brackets around them, but not the word.
constexpr std::array<std::string_view, 4> compilers_words = {"asm", "gnu", "clang", "msvc"};

bool belongs_to_one_compiler(const std::string& name) {
    static constexpr std::array<std::string_view, 5> standard = {"__LINE__", "__FILE__", "__VA_ARGS__", "__VA_OPT__", "__func__"};
    if (std::find(compilers_words.begin(), compilers_words.end(), name) != compilers_words.end()) return true;
    if (name.size() < 2 || name[0] != '_') return false;
    const bool reserved = name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z');
    return reserved && std::find(standard.begin(), standard.end(), name) == standard.end();
}

// Parts of the language, or of what most compilers add to it, that a GPU or NVRTC does not have, or has for itself.
struct Unavailable {
    std::string_view word;
    const char *why, *suggestion;
};
constexpr const char* no_heap = "a model has no memory management";
constexpr const char* use_arrays = "use local variables, and array members such as `float values[4]`";
constexpr const char* no_exceptions = "a model has no exceptions; its functions cannot fail";
constexpr const char* use_member = "let a member of the row keep what happened";
constexpr const char* no_types_at_run_time = "a model has no types at run time";
constexpr std::array<Unavailable, 10> unavailable = {{
    {"new", no_heap, use_arrays},
    {"delete", no_heap, use_arrays},
    {"throw", no_exceptions, use_member},
    {"try", no_exceptions, use_member},
    {"catch", no_exceptions, use_member},
    {"thread_local", "a model does not know which thread serves a place", "make it a member of the row, or a local variable"},
    {"typeid", no_types_at_run_time, "use overloads or templates"},
    {"dynamic_cast", no_types_at_run_time, "use overloads or templates"},
    {"__COUNTER__", "NVRTC does not have it", "write the numbers out, or use __LINE__"},
    {"goto", "a function runs for many places at the same time", "use a loop, or a function of its own"},
}};

// Pastes any two tokens, for the SDK's own macros.
bool is_machinery(const std::string& name) { return name == "TESSERA_CAT" || name == "TESSERA_CAT_"; }

void check_word(const SourceFile& file, const Token& token, bool deleted_function) {
    if (is_machinery(token.text))
        refuse(file, token, fmt::format("`{}` cannot be used in a model", token.text), "the SDK keeps it for itself", "write the name out");
    const auto* const found =
        std::find_if(unavailable.begin(), unavailable.end(), [&](const auto& each) { return each.word == token.text; });
    if (found != unavailable.end() && !deleted_function)
        refuse(file, token, fmt::format("`{}` cannot be used in a model", token.text), found->why, found->suggestion);
    if (belongs_to_one_compiler(token.text)) refuse_as_of_one_compiler(file, token, fmt::format("`{}`", token.text));
}

void check_words(const SourceFile& file, const Tokens& tokens) {
    bool in_error = false; // the words of an `#error`
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& token = tokens[i];
        if (token.starts_line) in_error = token.text == "#" && i + 1 < tokens.size() && tokens[i + 1].text == "error";
        if (token.kind == Token::Kind::identifier && !in_error)
            check_word(file, token, token.text == "delete" && i > 0 && tokens[i - 1].text == "=");
    }
}

} // namespace

[[noreturn]] void refuse(const SourceFile& file, const Token& token, const std::string& problem, const std::string& why,
                         const std::string& suggestion) {
    throw Error(Failure::compile, fmt::format("{}:{}:{}: {}", file.path, token.line, token.column, problem), why, suggestion);
}

[[noreturn]] void refuse_as_of_one_compiler(const SourceFile& file, const Token& token, const std::string& what) {
    refuse(file, token, fmt::format("{} cannot be used in a model", what), "it belongs to one compiler, and a model means the same on all",
           "write it in plain C++ with what the SDK offers");
}

bool begins_forbidden_word(const std::string& text) {
    const auto begins = [&](std::string_view word) { return word.starts_with(text); };
    return std::any_of(compilers_words.begin(), compilers_words.end(), begins) || begins("TESSERA_CAT_") || begins("static") ||
           std::any_of(unavailable.begin(), unavailable.end(), [&](const auto& each) { return begins(each.word); });
}

void check_source(const SourceFile& file) {
    const auto tokens = tokens_of(file.text);
    check_preprocessing(file, tokens);
    check_attributes(file, tokens);
    check_words(file, tokens);
    check_variables(file, tokens);
    check_draws(file, tokens);
}

} // namespace tessera::jit
