// Birds that flock, by the rule of the boids of FLAME GPU 2's comparison of frameworks (after Reynolds 1987): each turns to where those in
// sight are and as they fly, and away from those too near.
#include <tessera/model.hpp>

struct Air {};
TESSERA_PLACE(Air);
struct Bird {
    float vx = 0, vy = 0;
};
TESSERA_AGENT(Bird, in<Air>, vx, vy);
TESSERA_DOC(Bird::vx, "velocity, at most 1 a step");

TESSERA_PARAM(float, sight, 5, range(0.1, 1000), "how far a bird sees; at most the width of a place");
TESSERA_PARAM(float, apart, 1, range(0, 1000), "how near is too near");
TESSERA_PARAM(float, cohere, 0.03f, range(0, 1), "share of the way to the middle of those in sight that it adds to its velocity");
TESSERA_PARAM(float, separate, 0.015f, range(0, 1), "how much it turns away from one that is too near");
TESSERA_PARAM(float, match, 0.05f, range(0, 1), "share of the mean velocity of those in sight");

TESSERA_INIT(Bird, take_off, sets<&Bird::vx, &Bird::vy>) {
    const float x = 2 * self.random.uniform() - 1, y = 2 * self.random.uniform() - 1;
    const float length = max(sqrt(x * x + y * y), 1e-6f);
    self.vx = x / length, self.vy = y / length;
}

TESSERA_CALL(Bird, fly, meets<within<sight>, &Bird::vx, &Bird::vy>, writes<&Bird::vx, &Bird::vy>, moves<within<1>>) {
    int seen = 0;
    float x = 0, y = 0, vx = 0, vy = 0, away_x = 0, away_y = 0;
    self.meet(within<sight>, agents<Bird>, [&](const auto& other) {
        const auto [dx, dy, dz] = other.away;
        seen += 1, x += dx, y += dy, vx += other.vx, vy += other.vy;
        const float distance = sqrt(dx * dx + dy * dy);
        if (distance >= apart) return;
        const float push = separate * (apart - distance) * (apart - distance);
        away_x -= push * dx, away_y -= push * dy;
    });
    if (seen > 0) {
        const float share = 1.0f / static_cast<float>(seen);
        away_x += cohere * x * share + (match * vx * share - self.vx);
        away_y += cohere * y * share + (match * vy * share - self.vy);
    }
    self.vx += away_x, self.vy += away_y;
    const float speed = sqrt(self.vx * self.vx + self.vy * self.vy);
    const float scale = speed > 1 ? 1 / speed : speed < 0.5f ? 0.5f / speed : 1;
    self.vx *= scale, self.vy *= scale;
    self.move_to(self.position.x + self.vx, self.position.y + self.vy);
}

TESSERA_MODEL(boids, "birds that flock");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.air = { size = [80, 80], extent = [400, 400], boundary = "torus" }
agents.bird = { count = 80000 }
phase = [{ callAll = "bird.fly" }, { manageAll = "bird" }]
)toml");
