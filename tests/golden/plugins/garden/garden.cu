// What the run files of these tests are about: two kinds of places, members of several types, parameters with and without a range.
#include <tessera/model.hpp>

struct Bed {
    float water = 0, light = 1;
    std::int32_t plants = 0;
    std::uint8_t marks[3] = {};
};
TESSERA_PLACE(Bed, water, light, plants, marks);

struct FootPath {
    bool wet = false;
};
TESSERA_PLACE(FootPath, wet);

TESSERA_PARAM(float, rain, 0.5f, range(0, 1), "water that falls on a place in a step");
TESSERA_PARAM(int, seeds, 1, "plants that a place starts with");

TESSERA_INIT(Bed, sow, sets<&Bed::plants>) { self.plants = seeds; }

TESSERA_CALL(Bed, grow, around<von_neumann, &Bed::water>, writes<&Bed::water, &Bed::plants>) {
    self.water += rain + self.sum(von_neumann, &Bed::water) / 4;
    self.plants += self.water > 1;
}

TESSERA_CALL(FootPath, dry, writes<&FootPath::wet>) { self.wet = false; }

TESSERA_MODEL(garden, "beds and foot paths");
