// The ants of sugar.cu by hand on a processor: a loop over the places for each phase. Columns: reference.toml; layout: ../README.md.
struct state {
    unsigned char *field_sugar, *field_capacity;
    unsigned long long* ant_id; // 0: nobody
    int* ant_sugar;
    unsigned char *ant_vision, *ant_metabolism;
    long long* move_request; // of a place's ant: the place that it wants to go to, and 1; 0 where there is none
    long long* first;        // of a place: that of the first who wants to go there, and 1
    long long nx, ny, places, room;
};

static long long around(long long i, long long n) { return i < 0 ? i + n : i >= n ? i - n : i; }

static void grow(const state& s) {
    for (long long p = 0; p < s.places; ++p)
        s.field_sugar[p] = static_cast<unsigned char>(s.field_sugar[p] + (s.field_sugar[p] < s.field_capacity[p]));
}

static long long best_place(const state& s, long long p) {
    const long long y = p / s.nx, x = p % s.nx;
    long long best = p;
    const auto look_at = [&](long long q) {
        if (s.ant_id[q] == 0 && s.field_sugar[q] > s.field_sugar[best]) best = q;
    };
    for (long long distance = 1; distance <= s.ant_vision[p]; ++distance) {
        look_at(around(y - distance, s.ny) * s.nx + x);
        look_at(y * s.nx + around(x - distance, s.nx));
        look_at(y * s.nx + around(x + distance, s.nx));
        look_at(around(y + distance, s.ny) * s.nx + x);
    }
    return best;
}

static void look(const state& s) {
    for (long long p = 0; p < s.places; ++p) {
        const long long to = s.ant_id[p] == 0 ? p : best_place(s, p);
        s.move_request[p] = to == p ? 0 : to + 1;
        if (to != p && (s.first[to] == 0 || s.ant_id[p] < s.ant_id[s.first[to] - 1])) s.first[to] = p + 1;
    }
}

static void settle(const state& s) {
    for (long long p = 0; p < s.places; ++p) {
        if (s.move_request[p] == 0) continue;
        const long long to = s.move_request[p] - 1;
        if (s.first[to] != p + 1) continue;
        s.first[to] = 0;
        s.ant_id[to] = s.ant_id[p];
        s.ant_sugar[to] = s.ant_sugar[p];
        s.ant_vision[to] = s.ant_vision[p];
        s.ant_metabolism[to] = s.ant_metabolism[p];
        s.ant_id[p] = 0;
    }
}

static void eat(const state& s) {
    for (long long p = 0; p < s.places; ++p) {
        if (s.ant_id[p] == 0) continue;
        s.ant_sugar[p] += s.field_sugar[p] - s.ant_metabolism[p];
        s.field_sugar[p] = 0;
        if (s.ant_sugar[p] <= 0) s.ant_id[p] = 0;
    }
}

static void step(const state& s, long long, long long) {
    grow(s);
    look(s);
    settle(s);
    eat(s);
}
