// Walkers in a list, in the order of their places and there in any: a step counts who comes to each place, adds the counts up, and writes
// the list anew. Columns and launches: reference.toml; layout: ../README.md. In a step 4095 may come to a place, and 15 be born there.
struct state {
    unsigned int* land_visits;
    unsigned long long* walker_id;
    unsigned int *walker_place, *walker_steps;
    unsigned long long* next_id; // the list that is being written, in three columns
    unsigned int *next_place, *next_steps;
    unsigned int* target;             // of a walker: the place that it goes to, or `dies`
    unsigned short* arrival;          // how many come there before it; and above, the number of its child among those of the place, from 1
    unsigned int *start, *next_start; // of a place: its first walker; behind the last place, how many there are
    unsigned int* count;              // of a place: those who come, and 2^16 for each child; 0 between steps
    unsigned int* sums;               // of a tile of places: how many come and are born
    unsigned int* cycle;              // one more than the steps that were made
    int nx, ny;
    long long places, room;
    unsigned long long key;
    float birth, death;
};

constexpr unsigned dies = ~0u, child = 1u << 16;
constexpr int bits_of_order = 12;
constexpr int threads = 256, tile = 4096;

struct words {
    unsigned w[4];
};

// Philox 4x32-10.
__device__ __forceinline__ words random_words(unsigned long long key, unsigned long long number, unsigned step, unsigned block) {
    unsigned a = (unsigned)number, b = (unsigned)(number >> 32), c = step, d = block;
    unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
        const unsigned long long p = 0xd2511f53ull * a, q = 0xcd9e8d57ull * c;
        a = (unsigned)(q >> 32) ^ b ^ k0, b = (unsigned)q;
        c = (unsigned)(p >> 32) ^ d ^ k1, d = (unsigned)p;
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    return {{a, b, c, d}};
}

__device__ __forceinline__ unsigned word_of(const words& all, unsigned i) {
    return i == 0 ? all.w[0] : i == 1 ? all.w[1] : i == 2 ? all.w[2] : all.w[3];
}

__device__ __forceinline__ bool happens(unsigned word, float probability) { return (float)(int)(word >> 8) * 0x1p-24f < probability; }

__device__ __forceinline__ int around(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

__device__ __forceinline__ unsigned this_thread() { return blockIdx.x * threads + threadIdx.x; }

// The sum over the block's threads up to this one, of which `partial` holds one of each warp meanwhile.
__device__ __forceinline__ unsigned sum_up_to_here(unsigned value, unsigned* partial) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned other = __shfl_up_sync(~0u, value, distance);
        if (lane >= distance) value += other;
    }
    if (lane == 31) partial[warp] = value;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < threads / 32; ++w)
        if (w < warp) value += partial[w];
    return value;
}

__device__ __forceinline__ unsigned heads(unsigned count) { return count % child + count / child; }

// Those of four places; there is nothing behind the last.
__device__ __forceinline__ uint4 heads_of(const state& s, long long p) {
    if (p >= s.places) return make_uint4(0, 0, 0, 0);
    const uint4 counts = *(const uint4*)(s.count + p);
    return make_uint4(heads(counts.x), heads(counts.y), heads(counts.z), heads(counts.w));
}

// Once: counts of the first walkers.
__device__ __forceinline__ void enter(const state& s) {
    const unsigned i = this_thread();
    if (i < s.room && s.walker_id[i] != 0) atomicAdd(s.count + s.walker_place[i], 1u);
}

__device__ __forceinline__ void walk(const state& s) {
    const unsigned i = this_thread();
    if (i >= s.start[s.places]) return;
    const unsigned p = s.walker_place[i], step = *s.cycle - 1;
    const unsigned long long id = s.walker_id[i];
    if (i == s.start[p]) s.land_visits[p] += s.start[p + 1] - i;
    const unsigned which = word_of(random_words(s.key, id / 4, step, 0), (unsigned)id & 3) >> 29;
    const words more = random_words(s.key, id, step, 1);
    unsigned to = dies, order = 0, rank = 0;
    if (!happens(more.w[1], s.death)) {
        const int k = (int)which + (which > 3), y = (int)(p / (unsigned)s.nx), x = (int)(p - (unsigned)y * s.nx); // 4 is where it stands
        to = (unsigned)around(y + k / 3 - 1, s.ny) * s.nx + around(x + k % 3 - 1, s.nx);
        order = atomicAdd(s.count + to, 1u) % child;
    }
    if (happens(more.w[0], s.birth)) rank = atomicAdd(s.count + p, child) / child + 1;
    s.target[i] = to;
    s.arrival[i] = (unsigned short)(rank << bits_of_order | order);
}

__device__ __forceinline__ void sum(const state& s) {
    __shared__ unsigned partial[threads / 32];
    unsigned mine = 0;
#pragma unroll
    for (int i = 0; i < tile; i += 4 * threads) {
        const uint4 four = heads_of(s, (long long)blockIdx.x * tile + i + 4 * threadIdx.x);
        mine += four.x + four.y + four.z + four.w;
    }
    const unsigned up_to_here = sum_up_to_here(mine, partial);
    if (threadIdx.x == threads - 1) s.sums[blockIdx.x] = up_to_here;
}

// Where the walkers of each place begin, those of the tiles before counted by the block itself.
__device__ __forceinline__ void starts_into(const state& s, unsigned* start) {
    __shared__ unsigned partial[threads / 32], carried[2];
    unsigned before = 0;
    for (unsigned i = threadIdx.x; i < blockIdx.x; i += threads) before += s.sums[i];
    before = sum_up_to_here(before, partial);
    if (threadIdx.x == threads - 1) carried[0] = before;
    __syncthreads();
    for (int i = 0; i < tile; i += 4 * threads) {
        const int turn = i / (4 * threads) % 2; // while some read what is carried, others write what will be
        const long long p = (long long)blockIdx.x * tile + i + 4 * threadIdx.x;
        const uint4 four = heads_of(s, p);
        const unsigned all = four.x + four.y + four.z + four.w;
        const unsigned end = carried[turn] + sum_up_to_here(all, partial);
        if (threadIdx.x == threads - 1) carried[1 - turn] = end;
        if (p < s.places) {
            const unsigned x = end - all, y = x + four.x, z = y + four.y, w = z + four.z;
            *(uint4*)(start + p) = make_uint4(x, y, z, w); // a row of four may end behind the last place: their number is there too
            *(uint4*)(s.count + p) = make_uint4(0, 0, 0, 0);
            if (p + 4 >= s.places) start[s.places] = end;
        }
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *s.cycle += 1;
}

__device__ __forceinline__ void first_starts(const state& s) { starts_into(s, s.start); }

__device__ __forceinline__ void starts(const state& s) { starts_into(s, s.next_start); }

__device__ __forceinline__ void enter_next(const state& s, unsigned at, unsigned long long id, unsigned place, unsigned steps) {
    if (at >= s.room) return;
    s.next_id[at] = id;
    s.next_place[at] = place;
    s.next_steps[at] = steps;
}

// Behind those who arrive. One child of a place is like another, so that it does not matter whose is the first.
__device__ __forceinline__ void spawn(const state& s, unsigned p, unsigned rank) {
    const int place_bits = s.places > 1 ? 32 - __clz((int)(s.places - 1)) : 0;
    const unsigned long long cycle = *s.cycle - 1;
    enter_next(s, s.next_start[p + 1] - rank, cycle << 40 | (unsigned long long)p << (40 - place_bits) | rank, p, 0);
}

__device__ __forceinline__ void go(const state& s) {
    const unsigned i = this_thread();
    if (i >= s.start[s.places]) return;
    const unsigned to = s.target[i], arrival = s.arrival[i], order = arrival % (1u << bits_of_order), rank = arrival >> bits_of_order;
    if (to != dies) enter_next(s, s.next_start[to] + order, s.walker_id[i], to, s.walker_steps[i] + 1);
    if (rank != 0) spawn(s, s.walker_place[i], rank);
}

// Before the walkers are read: behind the last there is nobody.
__device__ __forceinline__ void leave(const state& s) {
    const unsigned i = this_thread();
    if (i >= s.start[s.places] && i < s.room) s.walker_id[i] = 0;
}
