// Errors of a model's functions that show only when a run is bound: they name the function's line in the source, and not the run file.
#pragma once

#include "host/run_file/where.hpp"
#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// Throws Failure::input: "model.cu:12:20: PROBLEM", the function's own place. `otherwise` for a library without source.
[[noreturn]] void fail_in_function(const Setup& setup, const model::Function& function, const run_file::Where& otherwise,
                                   const std::string& problem, const std::string& why, const std::string& suggestion);
// The same at a member, where its row is declared.
[[noreturn]] void fail_at_member(const Setup& setup, std::size_t row, std::size_t member, const run_file::Where& otherwise,
                                 const std::string& problem, const std::string& why, const std::string& suggestion);

// Throws where a function asks for links of this row, or lets them die, and its access list does not say so: they have nothing to manage
// then.
void refuse_undeclared_requests(const Setup& setup, const model::Row& links);

} // namespace tessera
