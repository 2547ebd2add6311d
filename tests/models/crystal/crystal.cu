// A grid of three dimensions with a lopsided neighbourhood, an array, random numbers and a column that is rotated. What a place sees at the
// edge changes all that follows, in arithmetic that wraps.
#include <tessera/model.hpp>

struct Atom {
    std::uint32_t charge = 5, before = 5, seen = 0;
    std::uint16_t bonds[2] = {1, 2};
};
TESSERA_PLACE(Atom, charge, before, seen, bonds);

inline constexpr auto bent =
    offsets<offset<2, 0, 0>, offset<-1, 1, 0>, offset<0, -1, 1>, offset<0, 0, -2>, offset<1, 0, 1>, offset<0, 2, 0>>;

TESSERA_INIT(Atom, grow, sets<&Atom::charge, &Atom::before>) {
    const auto id = static_cast<std::uint32_t>((self.position.z * self.size.y + self.position.y) * self.size.x + self.position.x);
    self.charge = id * 2654435761u + 1;
    self.before = id ^ 0x9e3779b9u;
}
TESSERA_CALL(Atom, feel, around<bent, &Atom::charge, &Atom::bonds>, sets<&Atom::seen>) {
    std::uint32_t seen = self.sum(bent, &Atom::charge);
    self.each(bent, [&](const auto& other) { seen = 3 * seen + other.charge + 7 * other.bonds[0] + other.bonds[1]; });
    self.seen = seen + (self.exists(offset<0, 0, -2>) ? 1 : 0) + 64 * static_cast<std::uint32_t>(self.position.z) +
                static_cast<std::uint32_t>(self.position.x);
}
TESSERA_CALL(Atom, bind, reads<&Atom::seen>, around<moore, &Atom::charge>, writes<&Atom::bonds, &Atom::before>) {
    self.bonds[0] = static_cast<std::uint16_t>(self.bonds[1] + self.sum(moore, &Atom::charge));
    self.bonds[1] = static_cast<std::uint16_t>(self.bonds[1] ^ self.seen);
    self.before =
        self.before + self.seen * 1664525u + static_cast<std::uint32_t>(self.random.below(1000)) + static_cast<std::uint32_t>(self.step);
}

TESSERA_MODEL(crystal, "what a place sees at the edge, in three dimensions");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.atom = { size = [9, 8, 7], boundary = "torus" }
phase = [{ exchangeAll = "atom" }, { callAll = "atom.feel" }, { callAll = "atom.bind" },
         { rotate = ["atom.charge", "atom.before"] }])toml");
