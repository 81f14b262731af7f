// Warps: shuffles, votes, matches, reductions, groups, tensor cores, asynchronous copies.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
namespace cg = cooperative_groups;
#define KERNEL(name) extern "C" __global__ void name(const unsigned* in, unsigned* out)
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ALL 0xffffffffu

KERNEL(shuffle_modes) {
    unsigned value = in[INDEX];
    unsigned a = __shfl_sync(ALL, value, threadIdx.x * 7);
    unsigned b = __shfl_up_sync(ALL, value, 3);
    unsigned c = __shfl_down_sync(ALL, value, 5);
    unsigned d = __shfl_xor_sync(ALL, value, 17);
    out[INDEX] = a + b * 3 + c * 5 + d * 7;
}

KERNEL(shuffle_widths) {
    unsigned value = in[INDEX];
    unsigned a = __shfl_sync(ALL, value, 2, 8);
    unsigned b = __shfl_up_sync(ALL, value, 2, 16);
    unsigned c = __shfl_down_sync(ALL, value, 1, 4);
    unsigned d = __shfl_xor_sync(ALL, value, 1, 2);
    out[INDEX] = a ^ (b + 1) ^ (c + 2) ^ (d + 3);
}

KERNEL(shuffle_wide) {
    double value = (double)in[INDEX] * 0.5;
    double other = __shfl_xor_sync(ALL, value, 9);
    long long sum = (long long)value + __shfl_down_sync(ALL, (long long)other, 4);
    out[INDEX] = (unsigned)sum ^ (unsigned)(sum >> 32);
}

KERNEL(warp_sum) {
    unsigned sum = in[INDEX];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(ALL, sum, step);
    if (threadIdx.x % 32 == 0) out[INDEX / 32] = sum;
}

KERNEL(warp_scan) {
    unsigned sum = in[INDEX] & 0xfff, lane = threadIdx.x % 32;
    for (unsigned step = 1; step < 32; step *= 2) {
        unsigned left = __shfl_up_sync(ALL, sum, step);
        if (lane >= step) sum += left;
    }
    out[INDEX] = sum;
}

KERNEL(votes) {
    unsigned value = in[INDEX];
    unsigned ballot = __ballot_sync(ALL, value & 4);
    int all = __all_sync(ALL, value > 1000), any = __any_sync(ALL, value > 4000000000u);
    out[INDEX] = ballot ^ (all * 2 + any);
}

KERNEL(votes_of_some) {
    unsigned value = in[INDEX], lane = threadIdx.x % 32;
    if (lane < 20) {
        unsigned ballot = __ballot_sync(0xfffff, value & 1);
        out[INDEX] = ballot + __popc(ballot & ((1u << lane) - 1));
    }
}

KERNEL(matches) {
    unsigned value = in[INDEX] % 5;
    unsigned same = __match_any_sync(ALL, value);
    int agreed;
    unsigned all = __match_all_sync(ALL, threadIdx.x / 32, &agreed);
    out[INDEX] = same ^ (all & 0xff) ^ agreed;
}

KERNEL(reductions) {
    unsigned value = in[INDEX];
    unsigned a = __reduce_add_sync(ALL, value), b = __reduce_min_sync(ALL, value), c = __reduce_max_sync(ALL, value);
    unsigned d = __reduce_and_sync(ALL, value | 0xff), e = __reduce_or_sync(ALL, value & 0xff00), f = __reduce_xor_sync(ALL, value);
    int g = __reduce_min_sync(ALL, (int)value), h = __reduce_max_sync(ALL, (int)value);
    out[INDEX] = a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19;
}

KERNEL(divergent_paths) {
    unsigned value = in[INDEX], steps = 0;
    while (value > 1 && steps < 60) {
        if (value & 1) {
            value = value * 3 + 1;
        } else {
            value /= 2;
        }
        ++steps;
        if (steps == 40 && threadIdx.x % 3 == 0) break;
        if (steps % 7 == 0) continue;
        value ^= 4;
    }
    out[INDEX] = steps * 1000 + value % 1000;
}

KERNEL(many_ways) {
    unsigned value = in[INDEX];
    switch (value % 9) {
    case 0: value += 1; break;
    case 1: value *= 3;
    case 2: value ^= 0x55; break;
    case 3: value = value / 7; break;
    case 4: value = value % 11; break;
    case 5: value <<= 3; break;
    case 6: value >>= 5; break;
    case 7: value = __brev(value); break;
    default: value = ~value;
    }
    out[INDEX] = value;
}

KERNEL(group_tiles) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned sum = in[INDEX];
    for (int step = 4; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
    sum = tile.shfl(sum, 0);
    out[INDEX] = sum + tile.thread_rank() + tile.meta_group_rank() * 100;
}

KERNEL(group_of_active) {
    if (in[INDEX] % 3 == 0) {
        auto active = cg::coalesced_threads();
        unsigned base = 0;
        if (active.thread_rank() == 0) base = atomicAdd(&out[512], active.size());
        base = active.shfl(base, 0);
        atomicAdd(&out[600], base * 0 + active.thread_rank());
    }
}

KERNEL(masks_of_lanes) {
    unsigned below, above, own, lane;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(above));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(own));
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[INDEX] = (below ^ above) + own * 3 + lane;
}

KERNEL(copies_ahead) {
    __shared__ alignas(16) unsigned room[128];
    __pipeline_memcpy_async(&room[threadIdx.x], &in[INDEX], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[INDEX] = room[threadIdx.x ^ 21];
}

KERNEL(copies_in_stages) {
    __shared__ alignas(16) unsigned room[2][512];
    unsigned t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&room[0][t * 4], &in[t * 4], 16);
    __pipeline_commit();
    for (int stage = 0; stage < 2; ++stage) {
        if (stage == 0) __pipeline_memcpy_async(&room[1][t * 4], &in[512 + t * 4], 16, 8);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum = sum * 31 + room[stage][(t * 4 + 129) % 512];
        __syncthreads();
    }
    out[INDEX] = sum;
}

KERNEL(barrier_objects) {
    __shared__ alignas(8) unsigned long long bar;
    __shared__ unsigned room[128];
    unsigned address = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(address) : "memory");
    __syncthreads();
    unsigned long long state;
    for (unsigned round = 0; round < 3; ++round) {
        room[threadIdx.x] = in[INDEX] + round;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
        unsigned ready = 0;
        while (!ready) {
            asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(ready) : "r"(address), "l"(state) : "memory");
        }
        out[round * 256 + INDEX] = room[127 - threadIdx.x];
        __syncthreads();
    }
}

// Products and sums of small whole numbers are exact in every order.
KERNEL(tensor_fragments) {
    __shared__ __half a[256], b[256];
    __shared__ float c[256];
    for (unsigned at = threadIdx.x; at < 256; at += blockDim.x) {
        a[at] = __float2half((float)(in[at] % 9) - 4.0f);
        b[at] = __float2half((float)(in[at + 256] % 7) - 3.0f);
    }
    __syncthreads();
    using namespace nvcuda::wmma;
    if (threadIdx.x < 32) {
        fragment<matrix_a, 16, 16, 16, __half, row_major> left;
        fragment<matrix_b, 16, 16, 16, __half, col_major> right;
        fragment<accumulator, 16, 16, 16, float> sum;
        fill_fragment(sum, 1.0f);
        load_matrix_sync(left, a, 16);
        load_matrix_sync(right, b, 16);
        mma_sync(sum, left, right, sum);
        store_matrix_sync(c, sum, 16, mem_row_major);
    }
    __syncthreads();
    for (unsigned at = threadIdx.x; at < 256; at += blockDim.x) out[blockIdx.x * 256 + at] = __float_as_uint(c[at]);
}

KERNEL(tensor_whole_numbers) {
    unsigned a[4], b[2];
    int c[4] = {1, 2, 3, 4};
    for (int at = 0; at < 4; ++at) a[at] = in[(INDEX + at * 131) % 1024];
    for (int at = 0; at < 2; ++at) b[at] = in[(INDEX + at * 57 + 9) % 1024];
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    out[INDEX] = c[0] + c[1] * 3 + c[2] * 5 + c[3] * 7;
}

KERNEL(tensor_rows) {
    __shared__ alignas(16) unsigned room[128];
    room[threadIdx.x] = in[INDEX];
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(&room[threadIdx.x % 32 * 4]);
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address));
    unsigned e;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(e) : "r"(address));
    out[INDEX] = a ^ (b + 1) ^ (c + 2) ^ (d + 3) ^ (e + 4);
}
