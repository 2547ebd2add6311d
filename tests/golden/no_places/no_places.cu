#include <tessera/model.hpp>

TESSERA_MODEL(no_places, "a broken model");
