// Kernels of functions, and what there is of each kind where nothing else is said.
#include "device_runtime/error.hpp"
#include "host/storage/list_kinds.hpp"
#include "host/storage/slot_kinds.hpp"
#include "host/storage/storage.hpp"
#include "kernels/agents/code_blocks.hpp"

namespace tessera {
namespace {

// By places: of a function of places that has to do with agents, and of shares.
LaunchShape shape_of_places(const CollectionSetup& places, const RowRange& rows) {
    const auto lines = rows.rows() * (places.dimensions == 3 ? places.size[1] : 1);
    LaunchShape shape;
    shape.block = {static_cast<unsigned>(agent_threads), 1, 1};
    shape.items = lines;
    shape.grid = {static_cast<unsigned>((lines * places.size[0] + agent_threads - 1) / agent_threads), 1, 1};
    return shape;
}

class FunctionKind : public KernelKind {
public:
    [[nodiscard]] Purpose purpose() const noexcept override { return Purpose::function; }
    [[nodiscard]] const char* name() const noexcept override { return "function"; }
    [[nodiscard]] std::string entry(const Setup& setup, const KernelSetup& kernel) const override {
        return setup.collections[kernel.collection].agents ? "call_agents" : "call_places";
    }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        const auto& collection = setup.collections[kernel.collection];
        return collection.agents ? collection.agents->storage->shape_of_function(setup, kernel, rows) : shape_of_places(collection, rows);
    }
};

class SharesKind : public KernelKind {
public:
    [[nodiscard]] Purpose purpose() const noexcept override { return Purpose::shares; }
    [[nodiscard]] const char* name() const noexcept override { return "shares"; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return "join_shares"; }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_places(setup.collections[kernel.collection], rows);
    }
};

class ArrivalsKind : public KernelKind { // by places, as functions that go along links (host/generate/numbered.cpp)
public:
    [[nodiscard]] Purpose purpose() const noexcept override { return Purpose::arrivals; }
    [[nodiscard]] const char* name() const noexcept override { return "arrivals"; }
};

class ReductionKind : public KernelKind {
public:
    [[nodiscard]] Purpose purpose() const noexcept override { return Purpose::reduction; }
    [[nodiscard]] const char* name() const noexcept override { return "reduction"; }
    // Of agents; places have a shape of their own (host/generate/reduce_source.cpp).
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return setup.collections[kernel.collection].agents->storage->shape_of_reduction(setup, kernel, rows);
    }
};

[[noreturn]] void is_not_among_agents(const KernelSetup& kernel) {
    throw Error(Failure::internal, kernel.name + " has to do with agents", "it is none of a function of theirs, and no part of manageAll");
}

} // namespace

std::string KernelKind::entry(const Setup&, const KernelSetup& kernel) const { is_not_among_agents(kernel); }
LaunchShape KernelKind::shape(const Setup&, const KernelSetup& kernel, const RowRange&) const { is_not_among_agents(kernel); }
std::vector<Access> KernelKind::accesses(const Setup&, const KernelSetup& kernel) const { is_not_among_agents(kernel); }
int KernelKind::rows_beyond(const Setup&, const KernelSetup&) const { return 0; }
int KernelKind::rows_gone(const Setup&, const KernelSetup&) const { return 0; }
ColumnId KernelKind::seen_as(const Setup&, const KernelSetup&, ColumnId column) const { return column; }
bool KernelKind::is_only_written(const Setup&, const KernelSetup&, ColumnId) const { return false; }

const KernelKind& kind_of_functions() {
    static const FunctionKind kind;
    return kind;
}
const KernelKind& kind_of_shares() {
    static const SharesKind kind;
    return kind;
}
const KernelKind& kind_of_arrivals() {
    static const ArrivalsKind kind;
    return kind;
}
const KernelKind& kind_of_reductions() {
    static const ReductionKind kind;
    return kind;
}

} // namespace tessera
