// Walkers by hand on a processor, in a list in the order of their places and there in any: a step is two loops over the list and two over
// the places. Columns: reference.toml; layout: ../README.md.
using word = unsigned int;
using number_type = unsigned long long;

struct state {
    word* land_visits;
    number_type* walker_id;
    word *walker_place, *walker_steps;
    number_type* next_id; // the list that is being written
    word *next_place, *next_steps;
    word* target;        // of a walker: the place that it goes to, or `dies`, or with `spawns` besides
    word* end;           // of a place: behind those who have come to it
    word* children;      // of a place: those who are still to be born there
    word* behind;        // of a place: behind its children, who follow
    number_type* number; // of walkers, and of steps that were made
    long long nx, ny, places, room;
    number_type key;
    float birth, death;
};

static constexpr word dies = 0x7fffffff, spawns = 0x80000000;

struct words {
    word w[4];
};

// Philox 4x32-10.
static words random_words(number_type key, number_type number, word step, word block) {
    word a = static_cast<word>(number), b = static_cast<word>(number >> 32), c = step, d = block;
    word k0 = static_cast<word>(key), k1 = static_cast<word>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const number_type p = 0xd2511f53ull * a, q = 0xcd9e8d57ull * c;
        a = static_cast<word>(q >> 32) ^ b ^ k0, b = static_cast<word>(q);
        c = static_cast<word>(p >> 32) ^ d ^ k1, d = static_cast<word>(p);
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    return {{a, b, c, d}};
}

static bool happens(word drawn, float probability) { return static_cast<float>(drawn >> 8) * 0x1p-24f < probability; }

static long long around(long long i, long long n) { return i < 0 ? i + n : i >= n ? i - n : i; }

static word draw_target(const state& s, number_type id, word place, word step) {
    const word which = random_words(s.key, id / 4, step, 0).w[id % 4] >> 29;
    const words more = random_words(s.key, id, step, 1);
    const long long k = which + (which > 3); // 4 is where it stands
    const long long y = around(place / s.nx + k / 3 - 1, s.ny), x = around(place % s.nx + k % 3 - 1, s.nx);
    const word to = happens(more.w[1], s.death) ? dies : static_cast<word>(y * s.nx + x);
    return happens(more.w[0], s.birth) ? to | spawns : to;
}

static void begin(const state& s, long long, long long) {
    while (s.number[0] < static_cast<number_type>(s.room) && s.walker_id[s.number[0]] != 0) ++s.number[0];
}

static void enter(const state& s, word at, number_type id, word place, word steps) {
    if (at >= s.room) return;
    s.next_id[at] = id;
    s.next_place[at] = place;
    s.next_steps[at] = steps;
}

static void step(const state& s, long long, long long) {
    const number_type count = s.number[0], now = s.number[1];
    for (long long p = 0; p < s.places; ++p) s.end[p] = s.children[p] = 0;
    for (number_type i = 0; i < count; ++i) {
        const word p = s.walker_place[i], move_request = draw_target(s, s.walker_id[i], p, static_cast<word>(now));
        s.land_visits[p] += 1;
        s.target[i] = move_request;
        if ((move_request & ~spawns) != dies) ++s.end[move_request & ~spawns];
        if (move_request & spawns) ++s.children[p];
    }
    word all = 0;
    for (long long p = 0; p < s.places; ++p) {
        const word here = s.end[p] + s.children[p];
        s.end[p] = all;
        s.behind[p] = all += here;
    }
    int place_bits = 0;
    while (1ll << place_bits < s.places) ++place_bits;
    for (number_type i = 0; i < count; ++i) {
        const word p = s.walker_place[i], move_request = s.target[i];
        if ((move_request & ~spawns) != dies)
            enter(s, s.end[move_request & ~spawns]++, s.walker_id[i], move_request & ~spawns, s.walker_steps[i] + 1);
        if (!(move_request & spawns)) continue;
        const word rank = s.children[p]--; // one child of a place is like another
        enter(s, s.behind[p] - rank, (now + 1) << 40 | static_cast<number_type>(p) << (40 - place_bits) | rank, p, 0);
    }
    s.number[0] = all;
    s.number[1] = now + 1;
}

static void leave(const state& s, long long, long long) {
    for (number_type i = s.number[0]; i < static_cast<number_type>(s.room); ++i) s.walker_id[i] = 0;
}
