#include "host/run/as_error.hpp"

#include <new>

namespace tessera {

Error as_error(const std::exception& thrown) {
    if (const auto* error = dynamic_cast<const Error*>(&thrown)) return *error;
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
        return Error(Failure::memory, "the machine's memory is used up", "a column or an output needs more than is free",
                     "make the grid smaller");
    return Error(Failure::internal, thrown.what(), "a defect of Tessera", "please report it with the run file and the model");
}

} // namespace tessera
