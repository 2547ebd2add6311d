#include "host/viewer/inbox.hpp"

#include <algorithm>
#include <utility>

namespace tessera::viewer {

bool Inbox::put(Letter letter) {
    {
        const std::lock_guard lock(guard_);
        auto& letters = letters_[letter.steers ? 1 : 0];
        if (letter.kind == Letter::Kind::said) {
            const auto found = unheard_.find(letter.page);
            const auto has = found == unheard_.end() ? Unheard{} : found->second;
            const auto bytes = letter.text.size();
            if (has.letters >= most_letters || has.bytes + bytes > most_bytes || bytes_ + bytes > most_bytes_of_all) return false;
        } else if (letter.kind == Letter::Kind::left && !letter.steers && forget(letter.page, letters)) {
            return true; // nobody knows of it
        }
        note(letter, true);
        letters.push_back(std::move(letter));
        count();
    }
    came_.notify_one();
    return true;
}

std::optional<Letter> Inbox::take(bool of_lookers_too) {
    const std::lock_guard lock(guard_);
    auto& letters = letters_[letters_[1].empty() ? 0 : 1];
    if (letters.empty() || (&letters == &letters_[0] && !of_lookers_too)) return std::nullopt;
    std::optional<Letter> first(std::move(letters.front()));
    letters.pop_front();
    note(*first, false);
    count();
    return first;
}

void Inbox::wait(std::chrono::milliseconds most, bool of_lookers_too) {
    std::unique_lock lock(guard_);
    came_.wait_for(lock, most, [&] { return !letters_[1].empty() || (of_lookers_too && !letters_[0].empty()); });
}

void Inbox::note(const Letter& letter, bool comes) {
    if (letter.kind != Letter::Kind::said) return;
    const auto bytes = letter.text.size();
    auto& unheard = unheard_[letter.page];
    if (comes) {
        ++unheard.letters, unheard.bytes += bytes, bytes_ += bytes;
        return;
    }
    --unheard.letters, unheard.bytes -= bytes, bytes_ -= bytes;
    if (unheard.letters == 0) unheard_.erase(letter.page);
}

bool Inbox::forget(PageId page, Letters& letters) {
    bool has_come = false;
    const auto is_of_it = [&](const Letter& each) { return each.page == page; };
    for (const auto& each : letters)
        if (is_of_it(each)) note(each, false), has_come = has_come || each.kind == Letter::Kind::came;
    letters.erase(std::remove_if(letters.begin(), letters.end(), is_of_it), letters.end());
    count();
    return has_come;
}

void Inbox::count() noexcept {
    for (int of : {0, 1}) count_[of].store(letters_[of].size(), std::memory_order_relaxed);
}

} // namespace tessera::viewer
