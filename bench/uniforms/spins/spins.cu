// The Ising model as books write it, with exp of what a flip costs: from a table that is made once a step, or, with `once` = 0, worked out
// by each spin. The state is the same.
#include <tessera/model.hpp>

struct Spin {
    std::uint8_t up = 0;
};
TESSERA_PLACE(Spin, up);
TESSERA_PARAM(int, once, 1, range(0, 1), "whether chances are made once a step");
TESSERA_PARAM(float, temperature, 2.26918531f, range(0.01, 1000), "kT / J");

// Of a flip against so many of four neighbours that point the same way.
float chance_of(int same) { return same > 2 ? exp(-4.0f * static_cast<float>(same - 2) / temperature) : 1.0f; }

TESSERA_UNIFORM(float[5], chance) { return chance_of(self.index); }

template<class Self> void flip_some(Self& self, int colour) {
    const int same = self.up ? self.sum(von_neumann, &Spin::up) : 4 - self.sum(von_neumann, &Spin::up);
    const bool flips = self.random.uniform() < (once != 0 ? self.get(chance)[same] : chance_of(same));
    const bool turn = (self.position.x + self.position.y) % 2 == colour;
    self.up ^= static_cast<std::uint8_t>(flips & turn);
}
TESSERA_CALL(Spin, black, around<von_neumann, &Spin::up>, writes<&Spin::up>, reads<chance>) { flip_some(self, 0); }
TESSERA_CALL(Spin, white, around<von_neumann, &Spin::up>, writes<&Spin::up>, reads<chance>) { flip_some(self, 1); }

TESSERA_MODEL(spins, "the Ising model with exp of what a flip costs");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.spin = { size = [512, 512], boundary = "torus", init.up = { random = 0.5 } }
phase = [{ exchangeAll = "spin" }, { callAll = "spin.black" }, { exchangeAll = "spin" }, { callAll = "spin.white" }]
)toml");
