// Wolves, sheep and grass as a plain C++ program of one thread, as somebody writes it who wants this model alone: animals are in two
// vectors, and go one after the other, so that an earlier one eats what a later one would have eaten. Random numbers are the program's own,
// so that it comes to other states than Tessera, of the same kind: populations go up and down together.
//
// sequential SIDE STEPS SHEEP WOLVES [SEED] prints microseconds a step, nanoseconds an animal and step, and how many of each are left. A
// torus of SIDE x SIDE places, and the parameters of examples/wolf_sheep. How it is built: ../../sequential.sh.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int regrow = 10;
constexpr float grass_energy = 5, sheep_energy = 20, sheep_births = 0.05f, wolf_births = 0.05f;

// xorshift128+ (Vigna, "Further scramblings of Marsaglia's xorshift generators", 2017).
class Random {
public:
    explicit Random(std::uint64_t seed) : a_(seed * 0x9e3779b97f4a7c15ull + 1), b_(362436069) {}

    int below(int n) { return static_cast<int>((bits() >> 32) * static_cast<std::uint64_t>(n) >> 32); }
    bool happens(float probability) { return static_cast<float>(bits() >> 40) * 0x1p-24f < probability; }

private:
    std::uint64_t bits() {
        std::uint64_t a = a_;
        const std::uint64_t b = b_;
        a ^= a << 23;
        a_ = b;
        b_ = a ^ b ^ (a >> 18) ^ (b >> 5);
        return b_ + b;
    }

    std::uint64_t a_, b_;
};

struct Animal {
    int x, y;
    float energy;
    bool dead;
};

class Pasture {
public:
    Pasture(int side, int sheep, int wolves, std::uint64_t seed) : side_(side), random_(seed), bare_(places()), first_(places()) {
        for (auto& steps : bare_)
            if (random_.happens(0.5f)) steps = static_cast<std::uint8_t>(1 + random_.below(regrow));
        populate(sheep_, sheep, grass_energy);
        populate(wolves_, wolves, sheep_energy);
    }

    void step() {
        for (auto& each : sheep_) walk(each);
        for (auto& each : wolves_) walk(each);
        graze();
        bury(sheep_);
        find_sheep();
        hunt();
        bury(sheep_);
        bury(wolves_);
        for (auto& steps : bare_) steps = static_cast<std::uint8_t>(steps - (steps > 0));
    }

    [[nodiscard]] std::size_t sheep() const { return sheep_.size(); }
    [[nodiscard]] std::size_t wolves() const { return wolves_.size(); }

private:
    [[nodiscard]] std::size_t places() const { return static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_); }
    [[nodiscard]] std::size_t place_of(const Animal& animal) const {
        return static_cast<std::size_t>(animal.y) * static_cast<std::size_t>(side_) + static_cast<std::size_t>(animal.x);
    }
    [[nodiscard]] int around(int i) const { return i < 0 ? i + side_ : i >= side_ ? i - side_ : i; }

    void populate(std::vector<Animal>& animals, int count, float energy) {
        for (int i = 0; i < count; ++i)
            animals.push_back(
                {random_.below(side_), random_.below(side_), static_cast<float>(1 + random_.below(2 * static_cast<int>(energy))), false});
    }

    void walk(Animal& animal) {
        const int drawn = random_.below(8), way = drawn + (drawn > 3); // of the nine 4 is where it stands
        animal.x = around(animal.x + way % 3 - 1);
        animal.y = around(animal.y + way / 3 - 1);
        animal.energy -= 1;
    }

    // Whether it lives on; then it may have a child, which gets half of its energy.
    void live(std::vector<Animal>& animals, std::size_t i, float least, float births) {
        auto& animal = animals[i];
        animal.dead = animal.energy < least;
        if (animal.dead || !random_.happens(births)) return;
        animal.energy /= 2;
        const Animal child = animal;
        animals.push_back(child);
    }

    void graze() {
        const std::size_t count = sheep_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (auto& steps = bare_[place_of(sheep_[i])]; steps == 0) {
                sheep_[i].energy += grass_energy;
                steps = regrow + 1;
            }
            live(sheep_, i, 1, sheep_births);
        }
    }

    // The sheep of a place are a chain.
    void find_sheep() {
        first_.assign(places(), -1);
        next_.resize(sheep_.size());
        for (std::size_t i = 0; i < sheep_.size(); ++i) {
            int& first = first_[place_of(sheep_[i])];
            next_[i] = first;
            first = static_cast<int>(i);
        }
    }

    void hunt() {
        const std::size_t count = wolves_.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (int& first = first_[place_of(wolves_[i])]; first >= 0) {
                const auto eaten = static_cast<std::size_t>(first);
                sheep_[eaten].dead = true;
                first = next_[eaten];
                wolves_[i].energy += sheep_energy;
            }
            live(wolves_, i, 0, wolf_births);
        }
    }

    static void bury(std::vector<Animal>& animals) {
        std::size_t kept = 0;
        for (const auto& each : animals)
            if (!each.dead) animals[kept++] = each;
        animals.resize(kept);
    }

    int side_;
    Random random_;
    std::vector<std::uint8_t> bare_; // steps for which a place is still without grass
    std::vector<Animal> sheep_, wolves_;
    std::vector<int> first_, next_;
};

int main(int count, char** words) {
    if (count < 5) return std::fprintf(stderr, "usage: sequential SIDE STEPS SHEEP WOLVES [SEED]\n"), 2;
    const int side = std::atoi(words[1]), steps = std::atoi(words[2]), sheep = std::atoi(words[3]), wolves = std::atoi(words[4]);
    if (side < 3 || side > 20000 || steps < 1 || sheep < 0 || wolves < 0)
        return std::fprintf(stderr, "sequential: SIDE is from 3 to 20000, STEPS at least 1, and there are no fewer animals than none\n"), 2;
    Pasture pasture(side, sheep, wolves, count > 5 ? std::strtoull(words[5], nullptr, 10) : 1);
    double animals = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int t = 0; t < steps; ++t) {
        animals += static_cast<double>(pasture.sheep() + pasture.wolves());
        pasture.step();
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    std::printf("%.3f %.2f %zu %zu\n", time.count() / steps, animals > 0 ? 1000 * time.count() / animals : 0, pasture.sheep(),
                pasture.wolves());
}
