// The ants of sugar.cu in slots, one a place: members stand where the ant does, and a byte of the place says what its ant is about to do.
// What looks around goes by ants: a block gathers those of 4096 places and gives each thread one. What is about a place alone goes by words
// of four places or sixteen. Columns and launches: reference.toml; layout: ../README.md.
struct state {
    unsigned char *field_sugar, *field_capacity;
    unsigned long long* ant_id; // of a place where nobody is: anything
    int* ant_sugar;
    unsigned char *ant_vision, *ant_metabolism;
    unsigned char* code; // of the place's ant
    unsigned char* mark; // what became of move requests
    int nx, ny;
    long long places, room;
};

enum : unsigned { nobody = 0, stays = 1, move_requests = 16 }; // codes: a move request is `move_requests` + 4 * (distance - 1) + direction
enum : unsigned { unmarked = 0, arrived = 1, left = 2 };

constexpr int threads = 256, a_thread = 16, tile = threads * a_thread;

__device__ __forceinline__ int around(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

// The place that is so far away: up, to the left, to the right, down, which is the order in which ants look at places as near.
__device__ __forceinline__ int neighbour(const state& s, int x, int y, int direction, int distance) {
    if (direction == 0) y = around(y - distance, s.ny);
    if (direction == 1) x = around(x - distance, s.nx);
    if (direction == 2) x = around(x + distance, s.nx);
    if (direction == 3) y = around(y + distance, s.ny);
    return y * s.nx + x;
}

__device__ __forceinline__ unsigned byte_of(unsigned word, int i) { return word >> 8 * i & 255; }

// Calls `visit(place)` for those of the block's places whose code is in [first, last], by any thread.
template<class Visit> __device__ __forceinline__ void for_each_ant(const state& s, unsigned first, unsigned last, const Visit& visit) {
    __shared__ unsigned short chosen[tile];
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const long long begin = (long long)blockIdx.x * tile, own = begin + threadIdx.x * a_thread;
    unsigned here = 0; // a bit a place
    if (own < s.places) {
        const uint4 codes = *(const uint4*)(s.code + own); // beyond the last place there is nobody
        const unsigned words[4] = {codes.x, codes.y, codes.z, codes.w};
#pragma unroll
        for (int i = 0; i < a_thread; ++i) here |= (unsigned)(byte_of(words[i / 4], i % 4) - first <= last - first) << i;
    }
    // Where this thread's begin: behind those of the lanes before it, of a warp that has taken a piece of the list.
    const int lane = threadIdx.x % 32, mine = __popc(here);
    int before = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(~0u, before, distance);
        if (lane >= distance) before += other;
    }
    int at = 0;
    if (lane == 31) at = atomicAdd(&count, before);
    at = __shfl_sync(~0u, at, 31) + before - mine;
    for (; here != 0; here &= here - 1) chosen[at++] = (unsigned short)(threadIdx.x * a_thread + __ffs((int)here) - 1);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += threads) visit((int)(begin + chosen[i]));
}

// Once: codes of the first ants.
__device__ __forceinline__ void enter(const state& s) {
    const long long p = (long long)blockIdx.x * threads + threadIdx.x;
    if (p < s.places) s.code[p] = s.ant_id[p] != 0 ? stays : nobody;
}

// Sixteen places a thread.
__device__ __forceinline__ void grow(const state& s) {
    const long long p = ((long long)blockIdx.x * threads + threadIdx.x) * a_thread;
    if (p >= s.places) return;
    const uint4 sugars = *(const uint4*)(s.field_sugar + p), capacities = *(const uint4*)(s.field_capacity + p);
    unsigned words[4] = {sugars.x, sugars.y, sugars.z, sugars.w};
    const unsigned limits[4] = {capacities.x, capacities.y, capacities.z, capacities.w};
#pragma unroll
    for (int i = 0; i < a_thread; ++i)
        words[i / 4] += (unsigned)(byte_of(words[i / 4], i % 4) < byte_of(limits[i / 4], i % 4)) << 8 * (i % 4);
    *(uint4*)(s.field_sugar + p) = make_uint4(words[0], words[1], words[2], words[3]);
}

// A place may be read while another thread writes its code: from `stays` to a move request, and somebody is there either way.
__device__ __forceinline__ void look(const state& s) {
    for_each_ant(s, stays, stays, [&](int p) {
        const int y = p / s.nx, x = p - y * s.nx, vision = s.ant_vision[p];
        unsigned best = s.field_sugar[p], move_request = stays;
        for (int distance = 1; distance <= vision; ++distance) {
            unsigned codes[4], sugars[4];
#pragma unroll
            for (int direction = 0; direction < 4; ++direction) {
                const int q = neighbour(s, x, y, direction, distance);
                codes[direction] = s.code[q], sugars[direction] = s.field_sugar[q];
            }
#pragma unroll
            for (int direction = 0; direction < 4; ++direction)
                if (codes[direction] == nobody && sugars[direction] > best)
                    best = sugars[direction], move_request = move_requests + 4 * (distance - 1) + direction;
        }
        if (move_request != stays) s.code[p] = (unsigned char)move_request;
    });
}

// Of the ants that want to go to a place the one with the lowest id goes. Codes stay as they are, for others to read.
__device__ __forceinline__ void settle(const state& s) {
    for_each_ant(s, move_requests, move_requests + 15, [&](int p) {
        const unsigned move_request = s.code[p] - move_requests;
        const int y = p / s.nx, x = p - y * s.nx, to = neighbour(s, x, y, move_request % 4, move_request / 4 + 1);
        const int to_y = to / s.nx, to_x = to - to_y * s.nx;
        const unsigned long long id = s.ant_id[p];
        bool first = true;
#pragma unroll
        for (int distance = 1; distance <= 4; ++distance) {
            int from[4];
            unsigned codes[4];
#pragma unroll
            for (int direction = 0; direction < 4; ++direction) {
                from[direction] = neighbour(s, to_x, to_y, 3 - direction, distance); // from where it is that direction
                codes[direction] = s.code[from[direction]];
            }
#pragma unroll
            for (int direction = 0; direction < 4; ++direction)
                if (codes[direction] == move_requests + 4 * (distance - 1) + direction) first &= s.ant_id[from[direction]] >= id;
        }
        if (!first) return;
        s.ant_id[to] = id;
        s.ant_sugar[to] = s.ant_sugar[p];
        s.ant_vision[to] = s.ant_vision[p];
        s.ant_metabolism[to] = s.ant_metabolism[p];
        s.mark[to] = arrived;
        s.mark[p] = left;
    });
}

// Four places a thread; ants that are left with nothing die.
__device__ __forceinline__ void eat(const state& s) {
    const long long p = ((long long)blockIdx.x * threads + threadIdx.x) * 4;
    if (p >= s.places) return;
    const unsigned codes = *(const unsigned*)(s.code + p), marks = *(const unsigned*)(s.mark + p);
    if ((codes | marks) == 0) return;
    const unsigned metabolisms = *(const unsigned*)(s.ant_metabolism + p);
    unsigned sugars = *(const unsigned*)(s.field_sugar + p), left_codes = 0;
    const int4 had = *(const int4*)(s.ant_sugar + p);
    int has[4] = {had.x, had.y, had.z, had.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const unsigned mark = byte_of(marks, i);
        if (mark == arrived || (byte_of(codes, i) != nobody && mark != left)) {
            has[i] += (int)byte_of(sugars, i) - (int)byte_of(metabolisms, i);
            sugars &= ~(255u << 8 * i);
            left_codes |= (unsigned)(has[i] > 0 ? stays : nobody) << 8 * i;
        }
    }
    *(unsigned*)(s.field_sugar + p) = sugars;
    *(int4*)(s.ant_sugar + p) = make_int4(has[0], has[1], has[2], has[3]);
    *(unsigned*)(s.code + p) = left_codes;
    if (marks != 0) *(unsigned*)(s.mark + p) = 0;
}

// Before the ants are read.
__device__ __forceinline__ void leave(const state& s) {
    const long long p = (long long)blockIdx.x * threads + threadIdx.x;
    if (p < s.places && s.code[p] == nobody) s.ant_id[p] = 0;
}
