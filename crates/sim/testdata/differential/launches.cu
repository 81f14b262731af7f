// Launches of every shape, dynamic shared memory, structures by value, orders between threads and blocks.
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL 0xffffffffu

KERNEL(three_axes) {
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] =
        in[thread] + blockIdx.x * 3 + blockIdx.y * 5 + blockIdx.z * 7 + threadIdx.x * 11 + threadIdx.y * 13 + threadIdx.z * 17;
}

KERNEL(flat_lanes) {
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x, lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned neighbour = __shfl_xor_sync(ALL, threadIdx.y * 100 + threadIdx.x, 1);
    out[blockIdx.y * 64 + thread] = lane + neighbour * 100;
}

KERNEL(broken_warp) {
    __shared__ unsigned sums[4];
    unsigned t = threadIdx.x, lanes = t / 32 == 3 ? 0xf : ALL;
    unsigned sum = in[INDEX] & 0xffff;
    unsigned odd = __ballot_sync(lanes, sum & 1);
    for (int step = 16; step > 0; step /= 2) {
        unsigned other = __shfl_down_sync(lanes, sum, step);
        if (t % 32 + step < __popc(lanes)) sum += other;
    }
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    out[INDEX] = odd + sums[t % 4];
}

KERNEL(lonely_thread) { out[blockIdx.x] = in[blockIdx.x] * blockDim.x + gridDim.x; }

extern __shared__ unsigned dynamic[];

KERNEL(dynamic_reverse) {
    for (unsigned at = threadIdx.x; at < 512; at += blockDim.x) dynamic[at] = in[at] * (blockIdx.x + 1);
    __syncthreads();
    for (unsigned at = threadIdx.x; at < 512; at += blockDim.x) out[blockIdx.x * 512 + at] = dynamic[511 - at];
}

// The dynamic memory is two arrays behind a static one.
KERNEL(dynamic_in_parts) {
    __shared__ unsigned still[64];
    double* wide = (double*)dynamic;
    unsigned short* narrow = (unsigned short*)(wide + 64);
    unsigned t = threadIdx.x;
    still[t] = in[t];
    wide[t] = in[t + 64] * 0.5;
    narrow[t] = (unsigned short)in[t + 128];
    __syncthreads();
    out[INDEX] = still[63 - t] ^ (unsigned)(long long)wide[(t + 9) % 64] ^ narrow[(t * 7) % 64];
}

struct Setting {
    float scale;
    short steps[3];
    double shift;
    unsigned char kind;
};

extern "C" __global__ void by_value(const unsigned* in, unsigned* out, Setting setting, long long offset, unsigned char mask) {
    float value = (float)(in[INDEX] % 1000) * setting.scale + (float)setting.shift;
    out[INDEX] = __float_as_uint(value) + (unsigned)setting.steps[INDEX % 3] + (unsigned)offset + (setting.kind & mask);
}

KERNEL(tiled_product) {
    __shared__ unsigned a[8][8], b[8][9];
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    unsigned row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    for (unsigned tile = 0; tile < 4; ++tile) {
        a[y][x] = in[(row * 32 + tile * 8 + x) % 1024];
        b[y][x] = in[((tile * 8 + y) * 32 + column) % 1024];
        __syncthreads();
        for (unsigned k = 0; k < 8; ++k) sum += a[y][k] * b[k][x];
        __syncthreads();
    }
    out[row * 32 + column] = sum;
}

KERNEL(stencil) {
    __shared__ int room[130];
    int t = threadIdx.x, at = INDEX;
    room[t + 1] = (int)in[at] >> 4;
    if (t == 0) room[0] = at > 0 ? (int)in[at - 1] >> 4 : 0;
    if (t == 127) room[129] = (int)in[at + 1] >> 4;
    __syncthreads();
    out[at] = (unsigned)(room[t] - 2 * room[t + 1] + room[t + 2]);
}

KERNEL(bitonic_sort) {
    __shared__ unsigned room[128];
    unsigned t = threadIdx.x;
    room[t] = in[INDEX];
    __syncthreads();
    for (unsigned size = 2; size <= 128; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            unsigned other = t ^ step;
            if (other > t) {
                unsigned low = min(room[t], room[other]), high = max(room[t], room[other]);
                bool up = (t & size) == 0;
                room[t] = up ? low : high;
                room[other] = up ? high : low;
            }
            __syncthreads();
        }
    }
    out[INDEX] = room[t];
}

KERNEL(radix_split) {
    __shared__ unsigned room[32];
    unsigned lane = threadIdx.x, value = in[blockIdx.x * 32 + lane];
    for (unsigned bit = 0; bit < 32; ++bit) {
        unsigned ones = __ballot_sync(ALL, value >> bit & 1), below = (1u << lane) - 1;
        unsigned place = value >> bit & 1 ? __popc(~ones) + __popc(ones & below) : __popc(~ones & below);
        room[place] = value;
        __syncwarp();
        value = room[lane];
        __syncwarp();
    }
    out[blockIdx.x * 32 + lane] = value;
}

KERNEL(compaction) {
    __shared__ unsigned base[4];
    unsigned t = threadIdx.x, value = in[INDEX];
    bool stays = value % 3 == 0;
    unsigned ballot = __ballot_sync(ALL, stays);
    if (t % 32 == 0) base[t / 32] = __popc(ballot);
    __syncthreads();
    unsigned start = 0;
    for (unsigned warp = 0; warp < t / 32; ++warp) start += base[warp];
    if (stays) out[blockIdx.x * 128 + start + __popc(ballot & ((1u << t % 32) - 1))] = value;
}

KERNEL(matrix_transpose) {
    __shared__ unsigned tile[16][17];
    unsigned x = blockIdx.x * 16 + threadIdx.x;
    for (unsigned y = threadIdx.y; y < 16; y += blockDim.y) tile[y][threadIdx.x] = in[(blockIdx.y * 16 + y) * 32 + x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 16; y += blockDim.y) out[(blockIdx.x * 16 + y) * 32 + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][y];
}

// One thread: what an atomic returns is what was there.
KERNEL(returned_values) {
    if (INDEX != 0) return;
    unsigned sum = 0;
    for (unsigned at = 0; at < 12; ++at) {
        sum = sum * 31 + atomicInc(&out[1], 5);
        sum = sum * 31 + atomicDec(&out[2], 7);
        sum = sum * 31 + atomicExch(&out[3], in[at]);
        sum = sum * 31 + atomicCAS(&out[4], at, at + 1);
        sum = sum * 31 + atomicMin((int*)&out[5], (int)in[at]);
        sum = sum * 31 + atomicXor(&out[6], in[at]);
        sum = sum * 31 + __float_as_uint(atomicAdd((float*)&out[7], 0.1f));
    }
    out[0] = sum;
}

KERNEL(wide_swaps) {
    unsigned long long* wide = (unsigned long long*)out;
    if (INDEX == 0) {
        unsigned long long old = atomicExch(&wide[1], 0x123456789abcdefull);
        old = old * 3 + atomicCAS(&wide[1], 0x123456789abcdefull, 77ull);
        wide[2] = old * 3 + atomicCAS(&wide[1], 76ull, 5ull);
    }
    unsigned long long seen, old = ((volatile unsigned long long*)wide)[3];
    do {
        seen = old;
        old = atomicCAS(&wide[3], seen, seen + in[INDEX]);
    } while (old != seen);
    atomicMax(&wide[4], (unsigned long long)in[INDEX] << 9);
}

KERNEL(short_swap) {
    unsigned short* place = (unsigned short*)out + 1;
    unsigned short old = *(volatile unsigned short*)place, seen;
    do {
        seen = old;
        old = atomicCAS(place, seen, (unsigned short)(seen + 3));
    } while (old != seen);
}

// The first block gives, the second one takes, by acquire and release.
KERNEL(across_blocks) {
    unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        out[256 + t] = in[t] * 5;
        __syncthreads();
        if (t == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&out[0]) : "memory");
    } else {
        if (t == 0) {
            unsigned ready = 0;
            while (ready == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(&out[0]) : "memory");
        }
        __syncthreads();
        out[512 + t] = out[256 + (t ^ 3)] + 1;
    }
}

// A ring of four boxes between two warps.
KERNEL(ring_of_boxes) {
    __shared__ unsigned boxes[4][32];
    __shared__ volatile unsigned filled, emptied;
    unsigned lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x == 0) filled = emptied = 0;
    __syncthreads();
    for (unsigned turn = 0; turn < 16; ++turn) {
        if (threadIdx.x < 32) {
            while (turn >= emptied + 4) {}
            __threadfence_block();
            boxes[turn % 4][lane] = in[turn * 32 + lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) filled = turn + 1;
        } else {
            while (filled <= turn) {}
            __threadfence_block();
            sum = sum * 7 + boxes[turn % 4][31 - lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0) emptied = turn + 1;
        }
    }
    out[INDEX] = sum;
}

KERNEL(ordered_atomics) {
    unsigned* place = &out[0];
    unsigned value = in[INDEX], old;
    asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;" : "=r"(old) : "l"(place), "r"(value) : "memory");
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(place + 1), "r"(value) : "memory");
    asm volatile("red.release.gpu.global.xor.b32 [%0], %1;" ::"l"(place + 2), "r"(value) : "memory");
    asm volatile("atom.global.sys.min.s32 %0, [%1], %2;" : "=r"(old) : "l"(place + 3), "r"(value) : "memory");
}

KERNEL(turns_by_sleep) {
    __shared__ volatile unsigned turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        unsigned warp = threadIdx.x / 32;
        while (turn != warp) __nanosleep(20);
        out[512 + blockIdx.x] = warp == 0 ? 1 : ((volatile unsigned*)out)[512 + blockIdx.x] * 3 + warp;
        __threadfence_block();
        turn = warp + 1;
    }
    __syncthreads();
    out[INDEX] = turn;
}

KERNEL(partial_masks) {
    unsigned lane = threadIdx.x % 32, value = in[INDEX];
    unsigned result = 0;
    if (lane & 1) {
        result = __reduce_add_sync(0xaaaaaaaa, value);
        result ^= __shfl_sync(0xaaaaaaaa, value, (lane + 2) % 32 | 1);
    } else {
        result = __reduce_max_sync(0x55555555, value);
        __syncwarp(0x55555555);
        if (lane % 4 == 0) result += __ballot_sync(0x11111111, value & 2);
    }
    __syncwarp();
    out[INDEX] = result + __shfl_sync(ALL, result, 31 - lane);
}

KERNEL(left_loops) {
    unsigned value = in[INDEX], count = 0;
    for (unsigned outer = 0; outer < 8; ++outer) {
        for (unsigned inner = outer; inner < 8; ++inner) {
            value = value * 1664525u + 1013904223u;
            if (value >> 29 == inner) goto done;
            if (value % 5 == 0) break;
            count += inner * outer + 1;
        }
        if (value % 11 == 3) continue;
        count ^= value >> 20;
    }
done:
    out[INDEX] = count;
}

__device__ __noinline__ unsigned is_odd(unsigned n);
__device__ __noinline__ unsigned is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ unsigned is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
KERNEL(mutual_recursion) { out[INDEX] = is_even(in[INDEX] % 40) * 2 + is_odd(in[INDEX + 256] % 40); }

__device__ __noinline__ unsigned long long many(unsigned a, float b, double c, short d, unsigned char e, const unsigned* f, unsigned long long g) {
    return a + (unsigned)b * 3 + (unsigned)c * 5 + d * 7 + e * 11 + f[e % 8] * 13 + (g >> 7);
}
KERNEL(many_parameters) {
    unsigned v = in[INDEX];
    unsigned long long sum = many(v, v % 1000 * 0.5f, v % 3000 * 0.25, (short)v, (unsigned char)v, in, (unsigned long long)v << 20);
    out[INDEX] = (unsigned)(sum ^ sum >> 32);
}

struct Node {
    unsigned value;
    Node* next;
};
KERNEL(linked_list) {
    Node* first = nullptr;
    for (unsigned at = 0; at < 6; ++at) first = new Node{in[INDEX + at], first};
    unsigned sum = 0;
    while (first != nullptr) {
        sum = sum * 5 + first->value;
        Node* next = first->next;
        delete first;
        first = next;
    }
    out[INDEX] = sum;
}

union Mixed {
    unsigned word;
    unsigned char bytes[4];
    unsigned short halves[2];
};
KERNEL(punned) {
    Mixed mixed;
    mixed.word = in[INDEX];
    mixed.bytes[1] = (unsigned char)(mixed.bytes[3] + 1);
    mixed.halves[1] ^= mixed.halves[0];
    out[INDEX] = mixed.word;
}

KERNEL(bytes_copied) {
    unsigned char room[24];
    memset(room, 7, sizeof room);
    memcpy(room + 1 + INDEX % 3, in + INDEX, 12);
    unsigned sum = 0;
    for (int at = 0; at < 24; ++at) sum = sum * 3 + room[at];
    out[INDEX] = sum;
}

template <typename F> __device__ unsigned folded(const unsigned* in, unsigned count, F f) {
    unsigned result = 1;
    for (unsigned at = 0; at < count; ++at) result = f(result, in[at]);
    return result;
}
KERNEL(lambdas) {
    unsigned own = INDEX, kind = INDEX % 2;
    out[INDEX] = folded(in + own, 5 + kind, [=](unsigned a, unsigned b) { return kind ? a * 3 ^ b : a + (b >> own % 8); });
}

KERNEL(volatile_local) {
    volatile unsigned room[4] = {1, 2, 3, 4};
    for (unsigned at = 0; at < 9; ++at) room[at % 4] = room[(at + in[INDEX]) % 4] * 3 + at;
    out[INDEX] = room[0] ^ room[1] * 5 ^ room[2] * 7 ^ room[3] * 11;
}

KERNEL(wide_parts) {
    unsigned long long a = (unsigned long long)in[INDEX] << 32 | in[INDEX + 1], b = (unsigned long long)in[INDEX + 2] << 32 | in[INDEX + 3];
    unsigned long long low = a * b, high = __umul64hi(a, b);
    long long mixed = (long long)(low ^ high) >> (a & 31);
    mixed = mixed < 0 ? -(mixed % 1000003) : mixed / 77;
    out[INDEX] = (unsigned)mixed + (unsigned)(mixed >> 32) + (unsigned)min((long long)a, (long long)b) + (unsigned)(max(a, b) >> 40);
}

KERNEL(const_switch) {
    static const unsigned table[16] = {9, 2, 7, 4, 1, 8, 3, 6, 5, 0, 11, 15, 13, 12, 10, 14};
    unsigned value = in[INDEX] & 0xffff, out_value = 0;
    for (int at = 0; at < 4; ++at) out_value = out_value << 4 | table[value >> (at * 4) & 15];
    out[INDEX] = out_value;
}

KERNEL(game_of_life) {
    __shared__ unsigned char cells[2][16][16];
    unsigned x = threadIdx.x, y = threadIdx.y, from = 0;
    cells[0][y][x] = in[blockIdx.x * 256 + y * 16 + x] & 1;
    __syncthreads();
    for (int turn = 0; turn < 5; ++turn) {
        unsigned count = 0;
        for (unsigned dy = 15; dy <= 17; ++dy)
            for (unsigned dx = 15; dx <= 17; ++dx) count += cells[from][(y + dy) % 16][(x + dx) % 16];
        unsigned own = cells[from][y][x];
        cells[1 - from][y][x] = count == 3 || (own && count == 4);
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 256 + y * 16 + x] = cells[from][y][x];
}

KERNEL(mandelbrot) {
    float cx = (float)(INDEX % 32) * 0.09f - 2.1f, cy = (float)(INDEX / 32) * 0.3f - 1.2f, x = 0, y = 0;
    unsigned steps = 0;
    while (steps < 200 && __fmul_rn(x, x) + __fmul_rn(y, y) < 4.0f) {
        float next = __fadd_rn(__fmaf_rn(x, x, -__fmul_rn(y, y)), cx);
        y = __fmaf_rn(__fmul_rn(2.0f, x), y, cy);
        x = next;
        ++steps;
    }
    out[INDEX] = steps * 65536 + (__float_as_uint(x) >> 16);
}

KERNEL(prefix_of_blocks) {
    __shared__ unsigned sums[4];
    unsigned t = threadIdx.x, value = in[INDEX] & 0xff;
    for (unsigned step = 1; step < 32; step *= 2) {
        unsigned left = __shfl_up_sync(ALL, value, step);
        if (t % 32 >= step) value += left;
    }
    if (t % 32 == 31) sums[t / 32] = value;
    __syncthreads();
    for (unsigned warp = 0; warp < t / 32; ++warp) value += sums[warp];
    // The block before must have written its sum.
    if (blockIdx.x > 0) {
        if (t == 0) {
            while (((volatile unsigned*)out)[1000 + blockIdx.x - 1] == 0) {}
            __threadfence();
        }
        __syncthreads();
        value += ((volatile unsigned*)out)[1000 + blockIdx.x - 1];
    }
    out[INDEX] = value;
    __threadfence();
    __syncthreads();
    if (t == 127) {
        ((volatile unsigned*)out)[1000 + blockIdx.x] = value;
        __threadfence();
    }
}

// Labels of one scope do not meet those of another.
__device__ __forceinline__ unsigned digits_by_eight(unsigned value) {
    unsigned sum;
    asm volatile("{ .reg .u32 rest, t; .reg .pred p; mov.u32 t, 0; mov.u32 rest, %1;\n"
                 "again: and.b32 %0, rest, 7; add.u32 t, t, %0; shr.u32 rest, rest, 3; setp.eq.u32 p, rest, 0; @p bra done; bra again;\n"
                 "done: mov.u32 %0, t; }" : "=&r"(sum) : "r"(value));
    return sum;
}
KERNEL(scopes_of_assembly) { out[INDEX] = digits_by_eight(in[INDEX]) * 1000 + digits_by_eight(in[INDEX + 256]); }
