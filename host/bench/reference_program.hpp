// A program written by hand for a model with agents: several kernels and columns of its own, stepped like the engine.
#pragma once

#include "device_runtime/device.hpp"
#include "host/array.hpp"
#include "host/bench/reference.hpp"
#include "host/world/state_reader.hpp"
#include "jit/compiler.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

// What a program is handed, and has to come to: members of places, and the agents in the order of their ids.
struct AgentState {
    std::vector<std::vector<std::byte>> members;
    std::vector<std::uint64_t> ids;
    std::vector<std::int64_t> places;           // numbers of the places that they stand on
    std::vector<std::vector<std::byte>> values; // of each member, of all agents
    friend bool operator==(const AgentState&, const AgentState&) = default;
};

// The engine's, of a run that the reference is for.
[[nodiscard]] AgentState agent_state(const Reference& reference, const Setup& setup, const StateReader& read);

// What is compiled: the author's text with an entry point for each kernel, "entry_look". Throws Failure::input if the file cannot be read.
[[nodiscard]] jit::SourceFile program_text(const Reference& reference, const ReferenceSource& source, const Setup& setup, bool cuda);

class ReferenceProgram {
public:
    // `initial` and `device` must outlive the program. Throws what compiling, loading and allocating throw, and Failure::input for columns
    // that cannot exchange names.
    ReferenceProgram(const Reference& reference, const ReferenceSource& source, const Setup& setup, const AgentState& initial,
                     Device& device, jit::Compiler& compiler);

    // Back to the state before the first step.
    void restart();
    // Makes so many steps, and returns how many when they are done.
    std::uint64_t advance(std::uint64_t steps);

    [[nodiscard]] AgentState state();

private:
    struct Column {
        std::string name;
        Scalar type = Scalar::u8;
        std::int64_t count = 0;
        Memory memory{};
        std::size_t swapped_with = 0; // itself, of most
    };

    void add_columns(const Setup& setup);
    void add_swaps();
    [[nodiscard]] std::int64_t how_many(Each each, std::int64_t covers) const;
    [[nodiscard]] std::vector<std::size_t> slots_of_agents() const; // where each of the first agents is put
    template<class T> void enter(std::size_t column, const std::vector<T>& values, const std::vector<std::size_t>& at);
    void write(std::size_t column, const std::vector<std::byte>& bytes);
    template<class T> [[nodiscard]] std::vector<T> read(std::size_t column) const;
    [[nodiscard]] const Memory& memory(std::size_t column, bool swapped) const;
    [[nodiscard]] Launch launch(const OwnKernel& kernel, bool swapped) const;
    void launch_all(const std::vector<OwnKernel>& kernels);

    const Reference& reference_;
    const ReferenceSource source_;
    const AgentState& initial_;
    Device& device_;
    std::unique_ptr<Queue> queue_;
    std::int64_t nx_, ny_, room_;   // room: entries of the agents
    std::vector<std::byte> handed_; // behind the columns' addresses: extents, the key of random numbers and parameters
    std::unique_ptr<Program> program_;
    std::vector<Column> columns_;     // as handed_columns() has them, and its own behind them
    std::size_t own_ = 0;             // the first of its own
    std::unique_ptr<Recording> many_; // of several steps
    bool swapped_ = false;
};

} // namespace tessera::bench
