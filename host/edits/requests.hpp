// What somebody asks of a run while it goes on, besides saving its sources: other values of parameters, places to paint.
#pragma once

#include "host/outputs/edit.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

// Names and values, as somebody typed them.
using ParameterRequest = std::vector<std::pair<std::string, std::string>>;

// Places of a plane, and the value that a member of them gets.
struct Stroke {
    // A round brush along a path; all places between two corners; all that hang together over their sides, not over the grid's edges, and
    // have the value of the first.
    enum class Shape { brush, box, fill };

    std::string places, member; // "grass", "countdown"
    int element = 0;            // of an array member
    std::int64_t plane = 0;     // z
    Shape shape = Shape::brush;
    std::int64_t size = 1; // of the brush: places across
    std::vector<std::array<std::int64_t, 2>> path;
    std::string value; // as somebody typed it
};

struct Undo {}; // of the last stroke, where no step was made since

using Request = std::variant<ParameterRequest, Stroke, Undo>;

// Where somebody asks. Called on the run's thread.
class Requests {
public:
    virtual ~Requests() = default;
    [[nodiscard]] virtual bool any() = 0;
    // Those since the last time, in their order.
    [[nodiscard]] virtual std::vector<Request> take() = 0;
    // What became of each: the run has it from its state on, so many strokes can be undone at that state, and this undid one; or why not.
    virtual void done(const Edit& edit, std::size_t undoable, bool undoes) = 0;
    virtual void refused(const std::string& why) = 0;
};

} // namespace tessera
