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
        {"wolves and sheep in slots",
         "wolf_sheep",
         60,
         {"places.grass={size=[67,59],boundary=\"torus\"}", "agents.sheep={count=395,capacity=8}", "agents.wolf={count=198,capacity=8}",
          "params={regrow=10,grass_energy=5,sheep_energy=13,sheep_births=0.4,wolf_births=0.2}"},
         0xa153f02989f8fa03},
        {"walkers in a list",
         "random_walk",
         60,
         {"places.land={size=[53,67],boundary=\"torus\"}", "agents.walker={count=3000,capacity=\"unlimited\"}",
          "params={birth=0.05,death=0.04}"},
         0x4da9aa41ab1e5650},
        {"birds in space",
         "boids",
         40,
         {"places.air={size=[11,13],extent=[57.5,65],boundary=\"torus\"}", "agents.bird.count=403"},
         0xd0e1fbcd5537f7e0},
        {"links that change", "opinion", 40, {"places.person.count=700"}, 0x6d56fa7535279050},
    };
    return runs;
}

} // namespace tessera
