#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
TESSERA_PARAM(int, r, 3, range(1, 5), "how many are kept");
template<int N> float twice() { return N * 2; }

TESSERA_CALL(Mound, grow, writes<&Mound::food>) {
    float q[r];
    for (int i = 0; i < r; ++i) q[i] = self.food;
    self.food = q[r - 1];
}
TESSERA_CALL(Mound, take, writes<&Mound::food>) { self.food = twice<r>(); }
TESSERA_CALL(Mound, know, writes<&Mound::food>) {
    constexpr int k = r * 2;
    self.food = k;
}

TESSERA_DEFAULTS(R"toml(places.mound = { size = [10, 10] }
run = { steps = 10, bake = false }
phase = [{ callAll = "mound.grow" }, { callAll = "mound.take" }, { callAll = "mound.know" }]
)toml");

TESSERA_MODEL(parameter_as_a_size, "a broken model");
