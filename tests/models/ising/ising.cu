// The Ising model at its critical temperature: spins on a square grid, updated by Metropolis in two phases, as the fields of a chessboard.
#include <tessera/model.hpp>

struct Spin {
    std::uint8_t up = 0;
};
TESSERA_PLACE(Spin, up);
TESSERA_DOC(Spin::up, "1 if the spin points up, else 0");
TESSERA_PARAM(float, against_two, 0.17157f, range(0, 1), "chance of a flip that two more neighbours are against: exp(-4 J / kT)");
TESSERA_PARAM(float, against_four, 0.02944f, range(0, 1), "chance of a flip that all neighbours are against: exp(-8 J / kT)");

template<class Self> void flip_some(Self& self, int colour) {
    const int same = self.up ? self.sum(von_neumann, &Spin::up) : 4 - self.sum(von_neumann, &Spin::up);
    const float chance = same == 4 ? against_four : same == 3 ? against_two : 1.0f;
    const bool turn = (self.position.x + self.position.y) % 2 == colour;
    self.up ^= static_cast<std::uint8_t>(self.random.bernoulli(chance) & turn);
}
TESSERA_CALL(Spin, black, around<von_neumann, &Spin::up>, writes<&Spin::up>) { flip_some(self, 0); }
TESSERA_CALL(Spin, white, around<von_neumann, &Spin::up>, writes<&Spin::up>) { flip_some(self, 1); }

TESSERA_MODEL(ising, "the Ising model at its critical temperature");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.spin = { size = [512, 512], boundary = "torus", init.up = { random = 0.5 } }
phase = [{ exchangeAll = "spin" }, { callAll = "spin.black" }, { exchangeAll = "spin" }, { callAll = "spin.white" }]
output = [{ every = 100, csv = "spins.csv", columns = { up = "mean(spin.up)" } }])toml");
