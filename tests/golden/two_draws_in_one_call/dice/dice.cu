#include <tessera/model.hpp>

struct Table {
    float sum = 0, first = 0;
};
TESSERA_PLACE(Table, sum, first);

TESSERA_CALL(Table, roll, writes<&Table::sum, &Table::first>) {
    auto& dice = self.random;
    self.sum = dice.uniform() + max(dice.uniform(), 0.5f);
    const float both[2] = {dice.uniform(), dice.uniform()};
    self.first = max(both[0], both[1]);
    self.sum += max(static_cast<float>(self.random.below(6)),
                    1 + dice.uniform());
}

TESSERA_MODEL(dice, "dice");
