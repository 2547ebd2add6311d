// Two on a stair. The second goes a step up, and then wants to go back; but the first comes and takes its place. Meanwhile it asks for a
// child, for which there is no room where it stands.
#include <tessera/model.hpp>

struct Stair {
    std::int32_t worn = 0;
};
TESSERA_PLACE(Stair, worn);

struct Guest {
    std::int32_t number = 0, told = 0;
};
TESSERA_AGENT(Guest, on<Stair>, number, told);

TESSERA_INIT(Stair, come, spawns<Guest, here>) {
    if (self.position.y == 1 || self.position.y == 2) self.spawn(Guest{.number = static_cast<std::int32_t>(self.position.y)});
}
TESSERA_CALL(Guest, walk, reads<&Guest::number>, writes<&Guest::told>, reads<refused_births>, moves<offsets<offset<0, -1>, offset<0, 1>>>,
             spawns<Guest, here>) {
    self.told += self.refused_births();
    if (self.step == 0 && self.number == 2) self.migrate(0, 1);
    if (self.step == 1 && self.number == 1) self.migrate(0, 1);
    if (self.step == 1 && self.number == 2) {
        self.migrate(0, -1);
        self.spawn(Guest{});
    }
}

TESSERA_DEFAULTS(R"toml(run.steps = 3
places.stair = {size = [1, 6], boundary = "open"}
agents.guest = {capacity = 1, priority = "id"}
phase = [{callAll = "guest.walk"}, {manageAll = "guest"}]
)toml");
TESSERA_MODEL(returners, "A parent who is refused the way back");
