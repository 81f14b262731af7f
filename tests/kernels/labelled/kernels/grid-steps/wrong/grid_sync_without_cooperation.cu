// expect: illegal
// why: line 12 synchronises the grid, but the launch is no cooperative one
// line: 12
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void grid_steps(int* a, int* b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 2 * steps; ++step) {
        const int* from = step % 2 ? b : a;
        int* to = step % 2 ? a : b;
        for (int i = grid.thread_rank(); i < n; i += grid.size()) to[i] = (from[i] + from[(i + 1) % n]) & 65535;
        grid.sync();
    }
}
