// Pictures of a state, made where it is: each device looks at the places and agents that it has, and a byte a pixel comes to the host
// (kernels/launch/frame.hpp).
#pragma once

#include "device_runtime/device.hpp"
#include "host/execute/frame_images.hpp"
#include "host/execute/frame_kernels.hpp"
#include "host/execute/loaded_model.hpp"
#include "jit/compiler.hpp"
#include "kernels/launch/frame_arguments.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Which part of a grid, at which scale: pixels of `across` x `across` places, and along the third axis all in [first, end).
struct FrameView {
    std::array<std::size_t, 3> axes{0, 1, 2}; // of the grid: those of the picture, which rise, and the one that it looks along
    std::int64_t x = 0, y = 0;                // along the first two: a place of the grid
    std::int64_t across = 1, width = 1, height = 1;
    std::int64_t first = 0, end = 1;
};

// What of places it shows.
struct FrameValues {
    ColumnId column;
    int element = 0;
    frame_reduction by = frame_reduction::nearest; // of one plane alone; categories have no other
    double low = 0, high = 1;
    bool categorical = false;
};

// In which colours agents are shown by the value of a member.
struct FrameShade {
    ColumnId column;
    int element = 0;
    double low = 0, high = 1;
    bool categorical = false;
};
struct FrameAgents {
    CollectionId id;
    std::optional<FrameShade> shade{};
};
// The collections of a run, by their numbers from 1 on; some are not shown.
using ShownAgents = std::vector<std::optional<FrameAgents>>;

// Of each pixel who stands there, and, where agents are shown by the value of a member, a byte of its colours.
struct AgentPixels {
    std::string numbers, shades;
};

// Which points there may be.
enum class PointChoice : unsigned char {
    all,  // or none, where there are more
    some, // by their ids, where there are more
};

struct FramePoints {
    std::vector<frame_point> points; // by collections and ids
    std::uint64_t all = 0;           // how many there are, of which these are some
};

// Between steps. It reads the state and changes nothing.
class FrameMaker {
public:
    // For GPUs it begins to compile, once for all runs with the same types of members. Both must outlive it.
    FrameMaker(LoadedModel& model, jit::Compiler& compiler);

    // Whether `load` need not wait for a compiler.
    [[nodiscard]] bool is_ready() const;
    void load(); // before any of the following

    // Row by row from the top: 0 to 254 from low to high, 255 for what is no number; of categories the number of their colour.
    [[nodiscard]] std::string places(const FrameView& view, const FrameValues& values);
    // The least and the largest number of an element of a column; nothing where it has none.
    [[nodiscard]] std::optional<frame_ends> ends(ColumnId column, int element);
    // Of each pixel the largest number k of a collection agents[k - 1] of which an agent stands there; 0: nobody. Of several agents of one
    // collection the highest of their colours. Each pixel of the view is `fine` x `fine` of these.
    [[nodiscard]] AgentPixels agents(const FrameView& view, const ShownAgents& agents, std::int64_t fine = 1);
    // Agents in sight one by one, by collections and ids, `most` at most. Nothing: there are more.
    [[nodiscard]] std::optional<FramePoints> points(const FrameView& view, const ShownAgents& agents, std::uint64_t most,
                                                    PointChoice choice);
    // Places of a volume one by one, those whose values are above the lower end of the colours.
    [[nodiscard]] FramePoints points_of_places(const FrameValues& values, std::uint64_t most);

private:
    // What a partition has for it. Memory grows as it is needed.
    struct Part {
        std::unique_ptr<Program> program; // of a GPU
        FrameKernels kernels;
        Memory bytes, shades, sums, pixels, points, counts;
    };
    // Rows of pixels that one launch makes.
    struct Rows {
        std::size_t partition = 0;
        std::int64_t first = 0, end = 0;
        frame_axis axis_y{}, axis_z{};
        bool is_part = false; // others have the rest of these pixels
    };
    [[nodiscard]] std::vector<Rows> rows_of(const FrameView& view, const FrameValues& values) const;
    [[nodiscard]] frame_arguments arguments_of(const FrameView& view, const FrameValues& values, const Rows& rows);
    void gather(const Rows& rows, const frame_arguments& arguments, std::string& picture, std::vector<frame_sum>& sums);
    [[nodiscard]] std::optional<frame_ends> ends_of_agents(ColumnId column, int element);
    // Of each partition, what its launches write to.
    using Into = std::function<void(frame_agents_arguments& arguments, std::size_t partition)>;
    void launch_agents(const FrameView& view, const FrameAgents& agents, std::uint32_t number, std::int64_t fine, const Into& into);
    void put_columns(frame_agents_arguments& arguments, const FrameAgents& agents, std::size_t partition) const;
    void launch_slots(frame_agents_arguments arguments, CollectionId id, std::size_t partition);
    void launch_list(frame_agents_arguments arguments, CollectionId id, std::size_t partition);
    [[nodiscard]] frame_column column_of_agents(ColumnId column, int element, int elements, std::size_t partition) const;
    // Has `launch` put points down, again with fewer ids where more than `most` were.
    [[nodiscard]] std::optional<FramePoints> put_points(std::uint64_t most, PointChoice choice, const std::function<void()>& launch);
    [[nodiscard]] frame_points points_of(std::size_t partition) const;
    void launch(const Kernel* kernel, std::size_t partition, std::int64_t items, std::int64_t threads, std::vector<std::byte> arguments);
    [[nodiscard]] void* room(Memory& memory, std::size_t partition, std::int64_t bytes);
    [[nodiscard]] const void* values_of(ColumnId column, int element, std::size_t partition) const;

    LoadedModel& model_;
    FrameImages images_;
    std::vector<Part> parts_;                   // one a partition
    std::uint64_t most_points_ = 0, limit_ = 0; // of the points that are being put down
};

// A colour's steps for 1, as kernels have it; 0 where the ends do not differ.
[[nodiscard]] double frame_scale(double low, double high) noexcept;

} // namespace tessera
