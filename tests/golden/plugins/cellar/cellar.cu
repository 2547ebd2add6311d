#include <tessera/model.hpp>

struct Cask {
    double wine = 1;
};
TESSERA_PLACE(Cask, wine);

TESSERA_GLOBAL(double, total);

TESSERA_INIT(Cask, fill, writes<&Cask::wine>, reads<total>) { self.wine = self.get(total); }
TESSERA_CALL(Cask, drink, writes<&Cask::wine>) { self.wine *= 0.5; }

TESSERA_MODEL(cellar, "a value that is read before there is any");
