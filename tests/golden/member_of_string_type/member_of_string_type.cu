#include <tessera/model.hpp>

struct Rock {
    float weight = 0;
    std::string s;
};
TESSERA_PLACE(Rock, weight, s);

TESSERA_CALL(Rock, go, writes<&Rock::weight>) {
    self.weight = 1;
}

TESSERA_MODEL(member_of_string_type, "a broken model");
