#include "host/execute/pacer.hpp"

namespace tessera {

const Pacer& Pacer::of_one_process() {
    static const Pacer alone; // which holds nothing
    return alone;
}

} // namespace tessera
