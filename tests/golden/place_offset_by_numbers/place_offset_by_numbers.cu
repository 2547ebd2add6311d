#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
struct Termite { int gone = 0; };
TESSERA_AGENT(Termite, on<Mound>, gone);

TESSERA_CALL(Termite, walk, writes<&Termite::gone>, around<moore, &Mound::food>) {
    const int d = 1;
    self.gone += to_int<int>(self.place.at(d, 0).food);
}

TESSERA_MODEL(place_offset_by_numbers, "a broken model");
