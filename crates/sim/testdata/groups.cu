#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void groups(int* o) {
    auto b = cg::this_thread_block(); auto t = cg::tiled_partition<16>(b);
    int v = b.thread_rank();
    for (int i = t.size() / 2; i > 0; i /= 2) v += t.shfl_down(v, i);
    b.sync();
    if (t.thread_rank() == 0) o[t.meta_group_rank()] = v;
    auto c = cg::coalesced_threads(); o[99] = c.size();
}
