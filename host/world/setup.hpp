// What a run will do, with every name of the run file resolved against the model: collections, parameters, phases, kernels.
// Everything that can be refused before work starts is refused while this is made.
#pragma once

#include "host/model/model.hpp"
#include "host/run_file/run_file.hpp"
#include "host/world/layout.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

// A member's column in a collection.
struct ColumnSetup {
    Layout layout;
    bool has_spare = false;         // a function reads it around itself and writes it: it needs a second buffer
    std::vector<std::byte> outside; // the value of the ghosts of fixed axes
    std::vector<std::byte> missing; // of the ghosts of open axes, also where a fixed axis is outside too: the member's default
};

struct CollectionSetup {
    std::string name;
    std::size_t row = 0; // in Description::rows
    int dimensions = 2;
    Extents size{1, 1, 1};
    std::array<run_file::Boundary, 3> boundary{};
    std::vector<ColumnSetup> columns; // one a member of the row

    [[nodiscard]] std::int64_t places() const noexcept { return size[0] * size[1] * size[2]; }
};

// A function of a collection that the run calls.
struct KernelSetup {
    std::size_t collection = 0, function = 0; // in Setup::collections, Description::functions
    std::string symbol;                       // of its entry point in the image: "tessera_4_cell_tick"
    std::string name;                         // "cell.tick"
};

struct CallPhase {
    std::size_t kernel;
}; // in Setup::kernels
struct ExchangePhase {
    std::vector<std::size_t> collections;
};
struct RotatePhase {
    std::size_t collection;
    std::vector<std::size_t> columns;
}; // each takes the column of the one before it

struct PhaseSetup {
    std::variant<CallPhase, ExchangePhase, RotatePhase> action;
    run_file::Timing timing;
    std::string name; // "callAll cell.tick"
    run_file::Where where;
    int call_in_step = 0; // the how-manieth call of its function in the step
};

struct ParameterValue {
    std::string name;
    Scalar type = Scalar::f32;
    std::vector<std::byte> bytes;
};

struct Setup {
    const model::Model* model = nullptr;
    run_file::RunFile run;
    std::vector<CollectionSetup> collections;
    std::vector<ParameterValue> parameters; // as the description has them
    std::vector<KernelSetup> kernels;
    std::vector<PhaseSetup> phases;
    std::vector<std::size_t> init_kernels; // in Setup::kernels, in the order in which they run

    [[nodiscard]] const model::Description& description() const noexcept { return model->description; }
    [[nodiscard]] const model::Row& row_of(const CollectionSetup& collection) const { return description().rows[collection.row]; }
    [[nodiscard]] std::optional<std::size_t> find_collection(const std::string& name) const;
    // Bytes that the columns take on the device.
    [[nodiscard]] std::int64_t column_bytes() const noexcept;
};

// Which of a model's functions get kernels.
enum class Functions { called, all };

// Throws Failure::input with file, line and column for what the run file says wrongly of the model. `model` must outlive the result.
[[nodiscard]] Setup bind(const model::Model& model, run_file::RunFile run, Functions functions = Functions::called);

} // namespace tessera
