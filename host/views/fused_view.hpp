// Views of fused steps: how a kernel that makes several steps at a time goes over the places (kernels/fused/).
//
// Each is a class in a file of its own: what it is called and how its name is read, what it can carry out and why not, which pieces are
// worth a try, how it is launched, how long a step should take, and the text that the kernel's source has for it. To add one is to write
// that file, and to name it in fused_views().
#pragma once

#include "device_runtime/device.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/setup/call_sequence.hpp"
#include "host/views/tiling.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

class FusedViewClass;
struct StepCosts;

// What a lane, a warp or a block has to itself. What one is counted in says the class that it is of.
struct Piece {
    int width = 1;  // along x
    int length = 1; // along the axis that is streamed
    int height = 1; // along the other one of y and z

    friend bool operator==(const Piece&, const Piece&) = default;
};

struct FusedView {
    const FusedViewClass* of = nullptr;
    int depth = 8; // steps
    Piece piece{};
    int bits = 0;       // 0: a place by itself; else 32 places to a word, and so many bits of a std::uint8_t
    bool words = false; // where there are bits: programs that follow each other hand on words, and not bytes

    friend bool operator==(const FusedView&, const FusedView&) = default;
};

// How a view is written: "tile:2x32x8x16" is the name and some numbers, the first of which is that of the steps.
struct Spelling {
    std::string name, form; // "tile", "DxWxHxP"
    std::size_t least, most;
    std::string example; // with what it means, for who wrote something else
};

class FusedViewClass {
public:
    virtual ~FusedViewClass() = default;

    // ---- its name
    [[nodiscard]] virtual std::vector<Spelling> spellings() const = 0;
    // Of as many numbers as the spelling of that name has. Nothing, where they mean nothing: `why_not` says why.
    [[nodiscard]] virtual std::optional<FusedView> read(const std::string& name, const std::vector<int>& numbers,
                                                        std::string& why_not) const = 0;
    [[nodiscard]] virtual std::string spelled(const FusedView& view) const = 0;
    [[nodiscard]] virtual std::string kind(const FusedView& view) const = 0; // of rows in a table: "pipeline of words"
    [[nodiscard]] virtual std::string text(const FusedView& view) const = 0; // "pipeline, 8 steps, 2 places a lane, strips of 64 rows"

    // ---- what it can do
    [[nodiscard]] virtual bool is_for_cpu() const { return false; } // else for a GPU, and on a CPU for tests
    // Why it cannot carry out a sequence, which calls something; empty if it can.
    [[nodiscard]] virtual std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view) const = 0;
    // Why none of its pieces makes `depth` steps where none is among the candidates; empty if it has nothing to tell.
    [[nodiscard]] virtual std::string obstacle_to_depth(const Setup&, const CallSequence&, int) const { return {}; }

    // ---- what is tried
    // All that may be worth it, whether they fit or not, in no order but of promise where the class has no estimate. With `bits`, views of
    // so many alone.
    [[nodiscard]] virtual std::vector<FusedView> pieces(const CollectionSetup& collection, const DeviceInfo& device, int bits) const = 0;
    // Whether it is tried only where the classes before it have nothing.
    [[nodiscard]] virtual bool is_last_resort(const CollectionSetup&) const { return false; }
    // What a step should take, of a view without an obstacle, in seconds; infinite where it is not to be tried.
    [[nodiscard]] virtual double seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                         const StepCosts& single, const FusedView& view) const = 0;
    [[nodiscard]] virtual bool has_estimate() const { return true; }

    // ---- the kernel
    [[nodiscard]] virtual int stream_axis(const CollectionSetup&) const { return 1; }   // 1 or 2: Program::stream
    [[nodiscard]] virtual int threads(const FusedView&) const { return block_threads; } // of a block
    // How many of them a multiprocessor is to have registers for, whatever that costs the compiler; 0: as many as there are.
    [[nodiscard]] virtual int blocks(const FusedView&) const { return 0; }
    [[nodiscard]] virtual Tiling tiling(const Setup& setup, const CallSequence& sequence, const FusedView& view) const = 0;
    [[nodiscard]] virtual std::string header() const = 0; // "pipeline.hpp", of kernels/fused
    // What is called with the arguments, of a type Program called `program`: "call_pipeline<program, 2, 64>".
    [[nodiscard]] virtual std::string call(const FusedView& view, const std::string& program) const = 0;
};

// All classes, in the order in which they are tried and listed.
[[nodiscard]] const std::vector<const FusedViewClass*>& fused_views();

[[nodiscard]] inline std::string to_string(const FusedView& view) { return view.of->text(view); }
[[nodiscard]] inline std::string spelled(const FusedView& view) { return view.of->spelled(view); }

// The spellings of all of them; and what is spelled so: a view, or else why it is none.
[[nodiscard]] std::vector<Spelling> fused_spellings();
struct ReadView {
    std::optional<FusedView> view;
    std::string why_not;
};
[[nodiscard]] ReadView read_fused_view(const std::string& text);

// Why a view cannot carry out a sequence; empty if it can.
[[nodiscard]] std::string obstacle(const Setup& setup, const CallSequence& sequence, const FusedView& view);

// "1 step", "2 steps".
[[nodiscard]] std::string counted(int number, const std::string& noun);

} // namespace tessera
