// Birds that flock as JuliaDynamics/ABMFrameworksComparison declares them, in doubles: each turns to where those in sight are and as they
// fly, and away from those too near. There they go one after the other; here all decide by the same state.
#include <tessera/model.hpp>

struct Air {};
TESSERA_PLACE(Air);
struct Bird {
    double vx = 0, vy = 0;
};
TESSERA_AGENT(Bird, in_double<Air>, vx, vy);
TESSERA_DOC(Bird::vx, "velocity, 1 a step");

TESSERA_PARAM(double, sight, 5, range(0.1, 1000), "how far a bird sees; at most the width of a place");
TESSERA_PARAM(double, apart, 1, range(0, 1000), "how near is too near");
TESSERA_PARAM(double, cohere, 0.03, range(0, 1), "weight of the way to the middle of those in sight");
TESSERA_PARAM(double, separate, 0.015, range(0, 1), "weight of the way from those too near");
TESSERA_PARAM(double, match, 0.05, range(0, 1), "weight of the mean velocity of those in sight");

TESSERA_INIT(Bird, take_off, sets<&Bird::vx, &Bird::vy>) {
    self.vx = 2 * self.random.uniform64() - 1;
    self.vy = 2 * self.random.uniform64() - 1;
}

TESSERA_CALL(Bird, fly, meets<within<sight>, &Bird::vx, &Bird::vy>, writes<&Bird::vx, &Bird::vy>, moves<within<1>>) {
    int seen = 0;
    double x = 0, y = 0, vx = 0, vy = 0, away_x = 0, away_y = 0;
    self.meet(within<sight>, agents<Bird>, [&](const auto& other) {
        const auto [dx, dy, dz] = other.away;
        seen += 1, x += dx, y += dy, vx += other.vx, vy += other.vy;
        if (dx * dx + dy * dy < apart * apart) away_x -= dx, away_y -= dy;
    });
    const double share = 1.0 / max(seen, 1);
    self.vx += (cohere * x + separate * away_x + match * vx) * share;
    self.vy += (cohere * y + separate * away_y + match * vy) * share;
    const double speed = sqrt(self.vx * self.vx + self.vy * self.vy);
    if (speed > 0) self.vx /= speed, self.vy /= speed;
    self.move_to(self.position.x + self.vx, self.position.y + self.vy);
}

TESSERA_MODEL(flocking, "birds that flock, as a comparison of frameworks declares them");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.air = { size = [20, 20], extent = [100, 100], boundary = "torus" }
agents.bird = { count = 200 }
phase = [{ callAll = "bird.fly" }, { manageAll = "bird" }]
)toml");
