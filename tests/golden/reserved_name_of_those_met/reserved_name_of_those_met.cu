#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
struct Termite { int gone = 0, away = 0; };
TESSERA_AGENT(Termite, on<Mound>,
              gone, away);

TESSERA_CALL(Termite, walk, writes<&Termite::away>) { self.away += 1; }

TESSERA_MODEL(reserved_name_of_those_met, "a broken model");
