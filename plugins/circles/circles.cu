// Circles in three dimensions that push each other away and pull each other near, as FLAME GPU 2's benchmark of that name.
#include <tessera/model.hpp>

struct Space {};
TESSERA_PLACE(Space);
struct Circle {};
TESSERA_AGENT(Circle, in<Space>);

TESSERA_PARAM(float, radius, 2, range(0.01, 1000), "how far they feel each other; at most the width of a place");
TESSERA_PARAM(float, repulse, 0.05f, range(0, 1), "how far one goes in a step, at most");

TESSERA_CALL(Circle, push, meets<within<radius>, agents<Circle>>, moves<within<repulse>>) {
    int felt = 0;
    float x = 0, y = 0, z = 0;
    self.meet(within<radius>, agents<Circle>, [&](const auto& other) {
        const auto [dx, dy, dz] = other.away;
        const float distance = sqrt(dx * dx + dy * dy + dz * dz);
        if (distance == 0) return; // two on one spot: there is no direction
        const float force = sin(-2 * 3.141f * distance / radius) * repulse / distance;
        x += force * dx, y += force * dy, z += force * dz, felt += 1;
    });
    if (felt == 0) return;
    const float share = 1 / static_cast<float>(felt);
    self.move_to(self.position.x + x * share, self.position.y + y * share, self.position.z + z * share);
}

TESSERA_MODEL(circles, "circles that push each other away");
TESSERA_DEFAULTS(R"toml(run.steps = 200
places.space = { size = [12, 12, 12], extent = [24, 24, 24], boundary = "torus" }
agents.circle = { count = 13824 }
phase = [{ callAll = "circle.push" }, { manageAll = "circle" }]
)toml");
