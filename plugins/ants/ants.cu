// Ants that forage, by the rules of "Ants" in NetLogo's library of models (U. Wilensky, 1997): who has found food drops a scent on the way
// home, and others follow it. What differs: ants stand on places and face one of eight ways, so they turn by 45 degrees, where NetLogo's
// turn by up to 40; all decide by the same state; all leave at once; and one that has just taken food, or put it down, smells its way too.
#include <tessera/model.hpp>

struct Ground {
    float scent = 0, home = 0;
    int food = 0, pile = 0, brought = 0;
};
TESSERA_PLACE(Ground, scent, home, food, pile, brought);
TESSERA_DOC(Ground::home, "scent of the nest, 200 less the distance from its middle; more than 195 in it");
TESSERA_DOC(Ground::pile, "of which pile its food is: 1 the nearest, 3 the farthest");
struct Ant {
    bool carries = false;
    int heading = 0;
};
TESSERA_AGENT(Ant, on<Ground>, carries, heading);
TESSERA_DOC(Ant::heading, "which way it faces: 0 east, 1 south-east, and so on clockwise");

TESSERA_PARAM(float, diffusion, 0.5f, range(0, 1), "share of its scent that a place gives to its neighbours in a step");
TESSERA_PARAM(float, evaporation, 0.1f, range(0, 1), "share of the scent that is gone after a step");
TESSERA_PARAM(float, drop, 60, range(0, 1000), "scent that an ant with food drops in a step");
TESSERA_PARAM(float, wiggle, 0.13f, range(0, 1), "probability of a turn to the left or right in a step, whatever it smells");

TESSERA_INIT(Ground, lay_out, sets<&Ground::home, &Ground::food, &Ground::pile>) {
    const auto from = [&](float x, float y) { // how far it is from there; 1 is as far from the middle as the edge
        const float dx = float(self.position.x) - (1 + x) * float(self.size.x / 2);
        const float dy = float(self.position.y) - (1 + y) * float(self.size.y / 2);
        return sqrt(dx * dx + dy * dy);
    };
    self.home = 200 - from(0, 0);
    self.pile = from(0.6f, 0) < 5 ? 1 : from(-0.6f, 0.6f) < 5 ? 2 : from(-0.8f, -0.8f) < 5 ? 3 : 0;
    if (self.pile > 0) self.food = 1 + self.random.below(2);
}
TESSERA_CALL(Ant, carry, writes<&Ant::carries, &Ant::heading>, reads<&Ground::home>, adds<&Ground::scent, &Ground::brought>) {
    if (self.carries && self.place.home <= 195) self.place.scent += drop;
    if (self.carries && self.place.home > 195) self.place.brought += 1, self.carries = false, self.heading ^= 4; // turns round
}
TESSERA_CALL(Ant, take, writes<&Ant::carries, &Ant::heading>, reads<&Ground::food>, adds<&Ground::food>, meets<here, &Ant::carries>) {
    if (self.carries || self.place.food == 0) return;
    int before = 0; // where there is not enough for all, those of the lowest ids have it
    self.meet(here, agents<Ant>, [&](const auto& other) { before += !other.carries && other.id < self.id; });
    if (before < self.place.food) self.place.food -= 1, self.carries = true, self.heading ^= 4;
}
TESSERA_CALL(Ant, walk, reads<&Ant::carries>, reads<refused>, writes<&Ant::heading>, around<moore, &Ground::scent, &Ground::home>,
             moves<moore>) {
    constexpr int ways[] = {5, 8, 7, 6, 3, 0, 1, 2}; // by heading: which of the nine places of a square, row by row
    float smell[9] = {};
    self.place.each(moore, [&](const auto& site) { smell[4 + site.offset.x + 3 * site.offset.y] = self.carries ? site.home : site.scent; });
    const auto toward = [&](int turn) { return smell[ways[(self.heading + turn) & 7]]; };
    const bool follows = self.carries || (self.place.scent >= 0.05f && self.place.scent < 2); // else there is no trail, or it is on it
    int turn = self.refused() ? 4 : 0;                                                        // at the edge it turns round
    if (turn == 0 && follows && max(toward(-1), toward(1)) > toward(0)) turn = toward(1) > toward(-1) ? 1 : -1;
    if (self.random.bernoulli(wiggle)) turn += self.random.bernoulli(0.5f) ? 1 : -1;
    self.heading = (self.heading + turn) & 7;
    self.migrate(ways[self.heading] % 3 - 1, ways[self.heading] / 3 - 1);
}
TESSERA_CALL(Ground, spread, around<moore, &Ground::scent>, writes<&Ground::scent>) {
    float gained = 0; // of its neighbours: nothing spreads beyond an edge
    self.each(moore, [&](const auto& other) { gained += other.scent - self.scent; });
    self.scent = (self.scent + diffusion / 8 * gained) * (1 - evaporation);
}

TESSERA_MODEL(ants, "ants that forage and leave a scent");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.ground = { size = [71, 71], boundary = "open" }
agents.ant = { count = 125, place = { box = [[35, 35], [36, 36]] }, capacity = "unlimited", on_edge = "refuse", init.heading = { random = "below", n = 8 } }
phase = [{ callAll = "ant.carry" }, { callAll = "ant.take" }, { exchangeAll = "ground" }, { callAll = "ant.walk" }, { manageAll = "ant" },
         { callAll = "ground.spread" }])toml");
