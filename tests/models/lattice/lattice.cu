// A grid of three dimensions whose functions look along the axes alone, to each side another way far: with arrays, random numbers, a column
// that is rotated, and a division that only what is there allows. What a place sees at the edge changes all that follows, in arithmetic
// that wraps.
#include <tessera/model.hpp>

struct Node {
    std::uint32_t charge = 5, before = 5, seen = 0;
    std::uint16_t bonds[2] = {1, 2};
    float warmth = 1;
    std::uint8_t depth = 0; // that nothing changes
};
TESSERA_PLACE(Node, charge, before, seen, bonds, warmth, depth);

inline constexpr auto cross =
    offsets<offset<2, 0, 0>, offset<-1, 0, 0>, offset<0, -1, 0>, offset<0, 2, 0>, offset<0, 0, -2>, offset<0, 0, 1>>;

TESSERA_INIT(Node, grow, sets<&Node::charge, &Node::before, &Node::warmth, &Node::depth>) {
    const auto id = static_cast<std::uint32_t>((self.position.z * self.size.y + self.position.y) * self.size.x + self.position.x);
    self.charge = id * 2654435761u + 1;
    self.before = id ^ 0x9e3779b9u;
    self.warmth = static_cast<float>(id % 97) * 0.1f;
    self.depth = static_cast<std::uint8_t>(id % 5);
}
TESSERA_CALL(Node, feel, around<cross, &Node::charge, &Node::bonds>, sets<&Node::seen>) {
    std::uint32_t seen = self.sum(cross, &Node::charge);
    self.each(cross, [&](const auto& other) { seen = 3 * seen + other.charge + 7 * other.bonds[0] + other.bonds[1]; });
    // Further than it looks, on one side.
    seen +=
        (self.exists(offset<0, 0, 2>) ? 2u : 0u) + (self.exists(offset<0, -2, 0>) ? 4u : 0u) + (self.exists(offset<-2, 0, 0>) ? 8u : 0u);
    self.seen = seen + (self.exists(offset<0, 0, -2>) ? 1 : 0) + 64 * static_cast<std::uint32_t>(self.position.z) +
                static_cast<std::uint32_t>(self.position.x);
}
TESSERA_CALL(Node, bind, reads<&Node::depth>, around<von_neumann, &Node::seen, &Node::warmth>,
             writes<&Node::bonds, &Node::before, &Node::warmth>) {
    self.bonds[0] = static_cast<std::uint16_t>(self.bonds[1] + self.sum(von_neumann, &Node::seen));
    self.bonds[1] = static_cast<std::uint16_t>(self.bonds[1] ^ self.seen);
    self.before = self.before + self.seen * 1664525u + static_cast<std::uint32_t>(self.random.below(1000)) +
                  static_cast<std::uint32_t>(self.step) + 1000000u / (1 + self.bonds[0] % 7) + self.depth;
    self.warmth += 0.1f * (self.sum(von_neumann, &Node::warmth) - 6 * self.warmth);
}

TESSERA_MODEL(lattice, "what a place sees along the axes, in three dimensions");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.node = { size = [9, 8, 7], boundary = "torus" }
phase = [{ exchangeAll = "node" }, { callAll = "node.feel" }, { exchangeAll = "node" }, { callAll = "node.bind" },
         { rotate = ["node.charge", "node.before"] }])toml");
