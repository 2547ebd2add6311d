// Looks along y, so that a grid has two dimensions at least.
#include <tessera/model.hpp>

struct Field {
    float snow = 0;
};
TESSERA_PLACE(Field, snow);

TESSERA_CALL(Field, slide, around<offsets<north>, &Field::snow>, writes<&Field::snow>) { self.snow = self.at(north).snow; }

TESSERA_MODEL(valley, "snow that slides");
