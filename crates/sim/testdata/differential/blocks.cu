// Blocks: barriers, shared memory, atomics, fences. `in` and `out` have 1024 words each; two blocks of 128 threads.
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL(reverse_in_block) {
    __shared__ unsigned tile[128];
    tile[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = tile[127 - threadIdx.x];
}

KERNEL(tree_sum) {
    __shared__ unsigned part[128];
    part[threadIdx.x] = in[INDEX];
    __syncthreads();
    for (unsigned half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

KERNEL(scan) {
    __shared__ unsigned rooms[2][128];
    unsigned from = 0, t = threadIdx.x;
    rooms[0][t] = in[INDEX] & 0xffff;
    __syncthreads();
    for (unsigned step = 1; step < 128; step *= 2) {
        rooms[1 - from][t] = rooms[from][t] + (t >= step ? rooms[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[INDEX] = rooms[from][t];
}

KERNEL(transpose_padded) {
    __shared__ unsigned tile[8][17];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = in[INDEX];
    __syncthreads();
    out[blockIdx.x * 128 + x * 8 + y] = tile[y][x] ^ tile[7 - y][15 - x];
}

KERNEL(histogram_shared) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[INDEX] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

KERNEL(integer_atomics) {
    unsigned value = in[INDEX];
    atomicAdd(&out[0], value);
    atomicSub(&out[1], value);
    atomicMin(&out[2], value);
    atomicMax(&out[3], value);
    atomicMin((int*)&out[4], (int)value);
    atomicMax((int*)&out[5], (int)value);
    atomicAnd(&out[6], value | 0xf0f00000u);
    atomicOr(&out[7], value & 0x00ff00ffu);
    atomicXor(&out[8], value);
    atomicInc(&out[9], 100u);
    atomicDec(&out[10], 100u);
    atomicAdd(&out[11], 1u);
}

KERNEL(wide_atomics) {
    unsigned long long* wide = (unsigned long long*)out;
    unsigned long long value = ((unsigned long long)in[INDEX] << 32) | in[1023 - INDEX];
    atomicAdd(&wide[0], value);
    atomicMin(&wide[1], value | 1);
    atomicMax(&wide[2], value);
    atomicAnd(&wide[3], ~value);
    atomicOr(&wide[4], value);
    atomicXor(&wide[5], value);
    atomicMin((long long*)&wide[6], (long long)value);
    atomicMax((long long*)&wide[7], (long long)value);
}

// Sums of whole numbers are exact in every order.
KERNEL(float_atomics) {
    atomicAdd((float*)&out[0], (float)(in[INDEX] % 64));
    atomicAdd((double*)&out[2], (double)(in[INDEX] % 1000000));
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.0f;
    __syncthreads();
    atomicAdd(&sum, (float)(in[INDEX] % 32));
    __syncthreads();
    if (threadIdx.x == 0) out[4 + blockIdx.x] = __float_as_uint(sum);
}

KERNEL(maximum_by_swap) {
    float value = (float)(in[INDEX] % 4096) * 0.25f - 300.0f;
    int* place = (int*)out;
    int old = *(volatile int*)place, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= value && seen != 0) break;
        old = atomicCAS(place, seen, __float_as_int(value > 0.0f ? value : 0.5f));
    } while (old != seen);
}

KERNEL(last_block) {
    __shared__ bool is_last;
    __shared__ unsigned part[128];
    part[threadIdx.x] = in[INDEX];
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned at = 0; at < 128; ++at) sum += part[at];
        out[1 + blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(&out[1000], 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        __threadfence();
        unsigned all = 0;
        for (unsigned block = 0; block < gridDim.x; ++block) all += ((volatile unsigned*)out)[1 + block];
        out[0] = all;
    }
}

KERNEL(spin_lock) {
    __shared__ unsigned lock, total;
    if (threadIdx.x == 0) lock = total = 0;
    __syncthreads();
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0u, 1u) == 0) {
            __threadfence_block();
            total = total * 1u + in[INDEX] % 1000;
            __threadfence_block();
            atomicExch(&lock, 0u);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

KERNEL(ticket_lock) {
    __shared__ unsigned next, serving, order[128];
    if (threadIdx.x == 0) next = serving = 0;
    __syncthreads();
    unsigned mine = atomicAdd(&next, 1u);
    while (*(volatile unsigned*)&serving != mine) {}
    order[mine] = mine * 3;
    __threadfence_block();
    atomicAdd(&serving, 1u);
    __syncthreads();
    out[INDEX] = order[threadIdx.x];
}

KERNEL(handshake_in_warp) {
    __shared__ volatile unsigned flag, box;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 5) {
        box = in[blockIdx.x];
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 3) {
        while (flag == 0) {}
        __threadfence_block();
        out[blockIdx.x] = box;
    }
}

KERNEL(grid_barrier) {
    out[100 + INDEX] = in[INDEX] * 3u;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&out[0], 1u);
        while (*(volatile unsigned*)&out[0] < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + INDEX] = ((volatile unsigned*)out)[100 + (INDEX + 128) % 256];
}

KERNEL(barrier_reductions) {
    unsigned value = in[INDEX];
    int count = __syncthreads_count(value & 1);
    int all = __syncthreads_and(value != 0);
    int any = __syncthreads_or((value & 0xff) == 0x17);
    out[INDEX] = count * 4 + all * 2 + any;
}

KERNEL(named_barriers) {
    __shared__ unsigned box[64];
    if (threadIdx.x < 64) {
        box[threadIdx.x] = in[INDEX];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[INDEX] = box[127 - threadIdx.x];
    }
}

KERNEL(early_exit) {
    __shared__ unsigned tile[128];
    tile[threadIdx.x] = 7;
    __syncthreads();
    if (threadIdx.x >= 100) return;
    tile[threadIdx.x] = in[INDEX];
    __syncthreads();
    out[INDEX] = tile[99 - threadIdx.x];
}

__device__ unsigned counted;
__constant__ unsigned factors[4] = {3, 5, 7, 11};
__device__ unsigned table[8] = {1, 1, 2, 3, 5, 8};

KERNEL(module_variables) {
    atomicAdd(&counted, 1u);
    out[INDEX] = factors[threadIdx.x % 4] * table[in[INDEX] % 8];
}

KERNEL(half_atomics) {
    unsigned short one = 0x3c00;
    unsigned pair = 0x3c004000;
    asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(&out[0]), "h"(one) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(&out[1]), "r"(pair) : "memory");
}

KERNEL(dynamic_index) {
    unsigned own[8];
    for (int at = 0; at < 8; ++at) own[at] = in[(INDEX + at * 37) % 1024];
    unsigned place = in[INDEX] % 8;
    own[place] += 5;
    out[INDEX] = own[(place + 3) % 8] ^ own[place];
}
