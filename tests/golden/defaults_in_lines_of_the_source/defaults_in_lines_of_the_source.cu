#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) { self.food += 1; }

TESSERA_DEFAULTS(R"toml(
run.steps = 10
places.mound = { size = [4, 4] }
)toml");

TESSERA_DEFAULTS("phase = [\n"
                 "    { callAll = \"mound.grow\" },\n"
                 "    { callAll = \"mound.grew\" },\n"
                 "]\n");

TESSERA_MODEL(defaults_in_lines_of_the_source, "a broken model");
