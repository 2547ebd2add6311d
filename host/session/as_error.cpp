#include "host/session/as_error.hpp"

#include "jit/start_failure.hpp"

#include <new>
#include <system_error>

namespace tessera {

Error as_error(const std::exception& thrown) {
    if (const auto* error = dynamic_cast<const Error*>(&thrown)) return *error;
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
        return Error(Failure::memory, "the machine's memory is used up", "a column or an output needs more than is free",
                     "make the grid smaller");
    const auto* system = dynamic_cast<const std::system_error*>(&thrown);
    if (system != nullptr && jit::is_want(system->code()))
        return Error(Failure::memory, "the system refused a thread, a process or an open file", system->code().message(),
                     "end other programs, or raise the limits (`ulimit -a` shows them)");
    return Error(Failure::internal, thrown.what(), "a defect of Tessera", "please report it with the run file and the model");
}

} // namespace tessera
