// What somebody asks for in a page, on its way to the run, and what became of it: parameters, strokes, undo.
#pragma once

#include "host/edits/requests.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::viewer {

// What the run has taken from a page.
struct Taken {
    Edit edit;
    bool undoes = false;
};

// On the run's thread alone.
class Steering : public Requests {
public:
    // The last value of a parameter counts. Whoever knows the token may give values, and nothing else that a run file can say: what is no
    // name or no number is refused here.
    void set(const std::string& parameter, const std::string& value);
    void paint(Stroke stroke) { asked_.emplace_back(std::move(stroke)); }
    void undo() { asked_.emplace_back(Undo{}); }

    // Why something was refused, and what was taken, once.
    [[nodiscard]] std::optional<std::string> refusal() { return std::exchange(refusal_, std::nullopt); }
    [[nodiscard]] std::vector<Taken> taken() { return std::exchange(taken_, {}); }
    // Of another run nothing is asked yet.
    void forget() { *this = Steering(); }
    // How many strokes can be undone at a state.
    [[nodiscard]] std::size_t undoable(std::uint64_t step) const noexcept { return step == undoable_at_ ? undoable_ : 0; }

    [[nodiscard]] bool any() override { return !asked_.empty() || !given_.empty(); }
    [[nodiscard]] std::vector<Request> take() override;
    void done(const Edit& edit, std::size_t undoable, bool undoes) override;
    void refused(const std::string& why) override { refusal_ = why; }

private:
    ParameterRequest given_;
    std::vector<Request> asked_; // besides
    std::optional<std::string> refusal_;
    std::vector<Taken> taken_;
    std::size_t undoable_ = 0;
    std::uint64_t undoable_at_ = 0;
};

} // namespace tessera::viewer
