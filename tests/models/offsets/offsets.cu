// Neighbourhoods of all shapes: radius 2 and 3, and a list that reaches further to one side than to the other.
// Every place mixes what it gathers into its value, in arithmetic that wraps and in an order that shows.
#include <tessera/model.hpp>

struct Spot {
    std::uint32_t value = 1, square = 0, diamond = 0, upwind = 0;
};
TESSERA_PLACE(Spot, value, square, diamond, upwind);

inline constexpr auto lopsided = offsets<offset<-3, 0>, offset<0, -2>, offset<1, -1>, offset<-1, 0>>;

TESSERA_INIT(Spot, number, sets<&Spot::value>) {
    self.value = static_cast<std::uint32_t>(self.position.y * self.size.x + self.position.x) * 2654435761u;
}
TESSERA_CALL(Spot, gather, around<moore_of<2>, &Spot::value>, around<von_neumann_of<3>, &Spot::value>, around<lopsided, &Spot::value>,
             sets<&Spot::square, &Spot::diamond, &Spot::upwind>) {
    self.square = self.sum(moore_of<2>, &Spot::value);
    self.diamond = 0, self.upwind = 0;
    self.each(von_neumann_of<3>, [&](const auto& neighbour) { self.diamond = 3 * self.diamond + neighbour.value; });
    self.each(lopsided, [&](const auto& neighbour) { self.upwind = 5 * self.upwind + neighbour.value; });
}
TESSERA_CALL(Spot, mix, reads<&Spot::square, &Spot::diamond, &Spot::upwind>, writes<&Spot::value>) {
    self.value = self.value * 1664525u + (self.square ^ (self.diamond >> 3)) + 7 * self.upwind;
}

TESSERA_MODEL(offsets, "neighbourhoods of all shapes");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.spot = { size = [45, 31], boundary = "torus" }
phase = [{ exchangeAll = "spot" }, { callAll = "spot.gather" }, { callAll = "spot.mix" }])toml");
