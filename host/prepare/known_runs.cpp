#include "host/prepare/known_runs.hpp"

namespace tessera {

const std::vector<KnownRun>& known_runs() {
    static const std::vector<KnownRun> runs{
        {"Life", "life", 100, {"places.cell={size=[517,389],boundary=\"torus\",init={alive={random=0.3}}}"}, 0x2cd6ee16ecee2308},
        {"heat",
         "heat2d",
         100,
         {"places.plate={size=[301,203],boundary=\"reflect\",init={heat={random=\"uniform\",low=0,high=19}}}", "params.heat_time=20"},
         0xd7784b36746dcd57},
        {"leadership", "leadership", 60, {"places.person={size=[257,131],boundary=\"open\"}"}, 0x57b3b33789c9e1ce},
    };
    return runs;
}

} // namespace tessera
