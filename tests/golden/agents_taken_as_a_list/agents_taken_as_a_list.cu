#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
struct Termite { int gone = 0; };
TESSERA_AGENT(Termite, on<Mound>, gone);

TESSERA_CALL(Mound, count_one, writes<&Mound::food>, counts<here, Termite>) { self.food = float(self.count(here, agents<Termite>[3])); }
TESSERA_CALL(Mound, visit_one, writes<&Mound::food>, counts<here, Termite>) { self.food = float(agents<Termite>[3].gone); }
TESSERA_CALL(Mound, visit_all, writes<&Mound::food>, counts<here, Termite>) {
    for (auto& termite : agents<Termite>) self.food += 1;
}

TESSERA_MODEL(agents_taken_as_a_list, "a broken model");
