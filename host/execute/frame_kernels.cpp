// The one source of the host that is made of kernels' text: it includes what models include, and is compiled by itself.
#include "host/execute/frame_kernels.hpp"

#include "device_runtime/cpu_program.hpp"

#include <tessera/kernels/launch/frame.hpp>

namespace tessera {

const FrameKernels& frame_kernels_of_cpus() {
    static const CpuKernel places("frame of places", frame_places_on_cpu), ends("ends of a column", frame_ends_on_cpu),
        slots("frame of agents in slots", frame_slots_on_cpu), list("frame of agents in a list", frame_list_on_cpu),
        volume("frame of a volume", frame_volume_on_cpu), pack("frame of agents", frame_pack_on_cpu);
    static const FrameKernels all{&places, &ends, &slots, &list, &volume, &pack};
    return all;
}

} // namespace tessera
