// Agents and places that know nothing: of them there is but where they are and how many, so that nothing else keeps devices apart.
#include <tessera/model.hpp>

struct Ash {};
TESSERA_PLACE(Ash);

struct Spark {};
TESSERA_AGENT(Spark, on<Ash>);

TESSERA_CALL(Spark, fly, moves<moore>, spawns<Spark, moore>, dies) {
    const auto dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    self.migrate(dx, dy);
    if (self.random.below(3) == 0) self.spawn(Spark{}, offset<1, -1>);
    if (self.random.below(4) == 0) self.kill();
}

TESSERA_MODEL(sparks, "sparks that fly, split and go out");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.ash = { size = [40, 30], boundary = "torus" }
agents.spark = { count = 600, capacity = 1 }
phase = [{ callAll = "spark.fly" }, { manageAll = "spark" }]
)toml");
