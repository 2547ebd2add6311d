// Expressions of tables, conditions and curves, reduced by the devices of a run.
#pragma once

#include "host/execute/simulation.hpp"
#include "host/run_file/expression_partial.hpp"
#include "host/setup/setup.hpp"
#include "jit/compiler.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class Reductions {
public:
    // All must outlive it.
    Reductions(const Setup& setup, Simulation& simulation, jit::Compiler& compiler)
        : setup_(setup), simulation_(simulation), compiler_(compiler) {}

    // What the reductions of each expression come to in the state of the simulation. Nothing of agents, of what was counted of them, and of
    // an expression that is too deep for the kernels, nor where these cannot be had: that is for the host.
    [[nodiscard]] std::vector<std::optional<expression::Partials>> of(const std::vector<const expression::Expression*>& expressions);

private:
    [[nodiscard]] StateReducer* reducer();
    [[nodiscard]] const std::optional<Setup>& asked(const expression::Expression& expression);

    const Setup& setup_;
    Simulation& simulation_;
    jit::Compiler& compiler_;
    bool has_none_ = false;                             // no kernels, for want of a compiler, say
    std::map<std::string, std::optional<Setup>> asked_; // by the text: the setup with that reduction alone; none: for the host
};

} // namespace tessera
