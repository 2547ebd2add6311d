#include "jit/compiler_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

namespace tessera::jit {
namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (auto at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
        result.append(text.substr(0, at)).append(to);
        text.remove_prefix(at + from.size());
    }
    return result.append(text);
}

// "text [-fpermissive]" -> "text"
std::string without_option(std::string text) {
    const auto at = text.rfind(" [-");
    if (at != std::string::npos && text.ends_with(']')) text.erase(at);
    return text;
}

// The arguments of templates within templates fill pages, and nobody reads them.
std::string shortened(const std::string& text) {
    constexpr std::size_t long_text = 400, longest = 4000;
    if (text.size() <= long_text) return text;
    std::string result;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '>' && depth > 0 && (i == 0 || text[i - 1] != '-') && --depth == 0) result += "...";
        if (depth == 0) result += c;
        if (c == '<') ++depth;
    }
    return result.substr(0, longest);
}

// clang says what an assertion required, behind which its text might be cut.
std::string without_requirement(std::string text) {
    constexpr std::string_view before = " failed due to requirement '";
    const auto at = text.find(before);
    const auto end = at == std::string::npos ? at : std::min(text.find("' \"", at + before.size()), text.find("': ", at + before.size()));
    if (end != std::string::npos) text.erase(at + 7, end + 1 - (at + 7));
    return text;
}

std::string tidy(std::string_view text) {
    return shortened(without_requirement(without_option(replaced(replaced(text, "\xE2\x80\x98", "'"), "\xE2\x80\x99", "'"))));
}

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string_view> lines_of(std::string_view log) {
    std::vector<std::string_view> lines;
    while (!log.empty()) {
        const auto end = std::min(log.find('\n'), log.size());
        lines.push_back(log.substr(0, end));
        log.remove_prefix(std::min(end + 1, log.size()));
    }
    return lines;
}

// ---- g++ and clang: "file:line:column: kind: text" ----

// "file:12:3" or "file:12"
std::optional<Location> location(std::string_view text) {
    const auto last = text.rfind(':');
    if (last == std::string_view::npos) return std::nullopt;
    const auto second = number(text.substr(last + 1));
    if (!second) return std::nullopt;
    const auto before = text.substr(0, last);
    const auto middle = before.rfind(':');
    if (middle != std::string_view::npos)
        if (const auto first = number(before.substr(middle + 1))) return Location{std::string(before.substr(0, middle)), *first, *second};
    return Location{std::string(before), *second, 0};
}

struct Line {
    Location at;
    std::string_view kind, text;
};

std::optional<Line> message_line(std::string_view line) {
    static constexpr std::array<std::string_view, 6> kinds = {"error",   "fatal error", "internal compiler error", "sorry, unimplemented",
                                                              "warning", "note"};
    std::optional<Line> best;
    std::size_t best_at = std::string_view::npos;
    for (const auto kind : kinds) {
        const std::string between = ": " + std::string(kind) + ": ";
        for (auto at = line.find(between); at < best_at; at = line.find(between, at + 1)) {
            if (const auto found = location(line.substr(0, at))) {
                best = Line{*found, kind, line.substr(at + between.size())};
                best_at = at;
            }
        }
    }
    return best;
}

// g++ says how it came somewhere before the messages there, and once for all of them.
std::vector<CompilerMessage> gcc_messages(std::string_view log) {
    std::vector<CompilerMessage> messages;
    std::vector<Location> trail;
    bool in_trail = false;
    for (const auto line : lines_of(log)) {
        if (const auto message = message_line(line)) {
            in_trail = false;
            if (message->kind == "note") {
                if (!messages.empty()) messages.back().notes.push_back(tidy(message->text));
            } else {
                messages.push_back({message->at, tidy(message->text), {}, trail, message->kind == "warning"});
            }
            continue;
        }
        const auto step = line.find(":   "); // "file:12:3:   required from ..."
        if (const auto at = step == std::string_view::npos ? std::nullopt : location(line.substr(0, step))) {
            if (!in_trail) trail.clear();
            in_trail = true;
            trail.push_back(*at);
        } else if (line.find(": In ") != std::string_view::npos || line.find(": At ") != std::string_view::npos) {
            trail.clear(); // a new context
            in_trail = true;
        }
    }
    return messages;
}

bool is_step(std::string_view note) {
    return note.find("requested here") != std::string_view::npos || note.find("in instantiation of") != std::string_view::npos ||
           note.starts_with("in call to") || note.starts_with("expanded from macro");
}

std::vector<CompilerMessage> clang_messages(std::string_view log) {
    std::vector<CompilerMessage> messages;
    for (const auto line : lines_of(log)) {
        const auto message = message_line(line);
        if (!message) continue;
        if (message->kind != "note") {
            messages.push_back({message->at, tidy(message->text), {}, {}, message->kind == "warning"});
        } else if (!messages.empty()) {
            messages.back().notes.push_back(tidy(message->text));
            if (is_step(message->text)) messages.back().trail.push_back(message->at);
            if (message->text == "uninitialized use occurs here") messages.back().at = message->at; // and not where it may be set
        }
    }
    return messages;
}

// ---- NVRTC: "file(line): error: text", the source line, a caret, and indented lines ----

std::optional<Line> nvrtc_line(std::string_view line) {
    std::optional<Line> result;
    if (line.starts_with(' ')) return result;
    for (auto close = line.find("): "); close != std::string_view::npos; close = line.find("): ", close + 1)) {
        const auto open = line.rfind('(', close);
        const auto at = open == std::string_view::npos ? std::nullopt : number(line.substr(open + 1, close - open - 1));
        if (!at) continue;
        const auto rest = line.substr(close + 3);
        for (const std::string_view kind : {"error", "catastrophic error", "internal error", "note", "warning", "remark"}) {
            const auto colon = rest.find(": ");
            if (!rest.starts_with(kind) || colon == std::string_view::npos || (rest[kind.size()] != ':' && rest[kind.size()] != ' '))
                continue;
            result.emplace();
            result->at.file = line.substr(0, open);
            result->at.line = *at;
            result->kind = kind;
            result->text = rest.substr(colon + 2);
            return result;
        }
    }
    return result;
}

// "... at line 12 of file", or "... at line 12" of the file that the error is in.
std::optional<Location> nvrtc_step(std::string_view line, const std::string& own_file) {
    constexpr std::string_view before = " at line ", between = " of ";
    const auto at = line.rfind(before);
    if (at == std::string_view::npos) return std::nullopt;
    const auto rest = line.substr(at + before.size());
    const auto of = rest.find(between);
    const auto found = number(rest.substr(0, of));
    if (!found) return std::nullopt;
    return Location{of == std::string_view::npos ? own_file : std::string(rest.substr(of + between.size())), *found, 0};
}

bool is_caret(std::string_view line) {
    const auto caret = line.find('^');
    return caret != std::string_view::npos && line.find_first_not_of(" \t^") == std::string_view::npos;
}

std::vector<CompilerMessage> nvrtc_messages(std::string_view log) {
    std::vector<CompilerMessage> messages;
    bool inside = false; // of a message that is kept
    for (const auto line : lines_of(log)) {
        if (const auto message = nvrtc_line(line)) {
            const bool note = message->kind == "note";
            inside = message->kind != "remark" && !(note && messages.empty());
            if (note && inside)
                messages.back().notes.push_back(tidy(message->text));
            else if (inside)
                messages.push_back({message->at, tidy(message->text), {}, {}, message->kind == "warning"});
        } else if (inside && is_caret(line)) {
            auto& last = messages.back();
            if (last.at.column == 0) last.at.column = static_cast<int>(line.find('^')) - 1; // the source line is indented by two
        } else if (inside && line.starts_with("          ")) {
            if (const auto step = nvrtc_step(line, messages.back().at.file))
                messages.back().trail.push_back(*step);
            else
                messages.back().notes.push_back(
                    tidy(line.substr(line.find_first_not_of(' ') == line.npos ? 0 : line.find_first_not_of(' '))));
        }
    }
    return messages;
}

} // namespace

std::vector<CompilerMessage> messages_in(std::string_view log, Toolchain toolchain) {
    switch (toolchain) {
    case Toolchain::gcc: return gcc_messages(log);
    case Toolchain::clang: return clang_messages(log);
    case Toolchain::nvrtc: break;
    }
    return nvrtc_messages(log);
}

std::vector<CompilerMessage> errors_in(std::string_view log, Toolchain toolchain) {
    auto messages = messages_in(log, toolchain);
    std::erase_if(messages, [](const auto& message) { return message.is_warning; });
    return messages;
}

} // namespace tessera::jit
