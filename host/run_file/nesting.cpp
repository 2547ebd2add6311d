#include "host/run_file/nesting.hpp"

#include <algorithm>
#include <vector>

namespace tessera::run_file {
namespace {

class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::optional<Depth> scan() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#')
                skip_to_line_end();
            else if (c == '"' || c == '\'')
                skip_string(c);
            else if (!step(c))
                return where();
        }
        return std::nullopt;
    }

private:
    // False where this goes too deep. A dot in a number counts as one of a key, which is too few to matter.
    bool step(char c) {
        ++at_;
        if (c == '.') {
            ++dots_;
        } else if (c == '[' || c == '{') {
            around_.push_back(dots_);
            outside_ += dots_ + 1;
            dots_ = 0;
        } else if ((c == ']' || c == '}') && !around_.empty()) {
            dots_ = around_.back();
            outside_ -= dots_ + 1;
            around_.pop_back();
        } else if (c == ',' || c == '\n') {
            dots_ = 0;
        }
        return outside_ + dots_ < deepest_key;
    }

    void skip_to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    void skip_string(char quote) {
        const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
        if (text_.substr(at_, 3) != three) return skip_short_string(quote);
        for (at_ += 3; at_ < text_.size() && text_.substr(at_, 3) != three; ++at_)
            if (quote == '"' && text_[at_] == '\\') ++at_;
        at_ = std::min(at_ + 3, text_.size());
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_; // up to two quotes before the three
    }

    // A line's end ends what is no string then.
    void skip_short_string(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
            if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
        if (at_ < text_.size() && text_[at_] == quote) ++at_;
    }

    [[nodiscard]] Depth where() const {
        const auto before = text_.substr(0, at_ - 1);
        const auto line_start = before.rfind('\n') + 1; // npos + 1 is 0
        return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), static_cast<int>(at_ - line_start)};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int dots_ = 0;            // of the key that is being read
    int outside_ = 0;         // names and brackets around it
    std::vector<int> around_; // the dots before each bracket that is open
};

} // namespace

std::optional<Depth> too_deep(std::string_view toml) { return Scanner(toml).scan(); }

} // namespace tessera::run_file
