// posting_overlap_after: how many documents pairs of posting lists share, lists of 128 ascending numbers counted from the first one.
#define LENGTH 128

// A pair a warp: each lane looks four numbers of one list up in the other.
extern "C" __global__ void __launch_bounds__(256) posting_overlap_after(unsigned int* __restrict__ out, const unsigned int* __restrict__ posting, const unsigned int* __restrict__ left, const unsigned int* __restrict__ right, int pairs)
{
    __shared__ uint4 lists[8][LENGTH / 4];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, p = blockIdx.x * 8 + warp;
    if (p >= pairs) {
        return;
    }
    const uint4 a = reinterpret_cast<const uint4*>(posting + left[p] * LENGTH)[lane];
    const uint4 b = reinterpret_cast<const uint4*>(posting + right[p] * LENGTH)[lane];
    lists[warp][lane] = b;
    __syncwarp();
    const unsigned int* list = reinterpret_cast<const unsigned int*>(lists[warp]);
    const unsigned int shift = __shfl_sync(0xffffffffu, b.x, 0) - __shfl_sync(0xffffffffu, a.x, 0);
    const unsigned int wanted[4] = { a.x + shift, a.y + shift, a.z + shift, a.w + shift };
    unsigned int shared = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        int at = 0;
#pragma unroll
        for (int d = LENGTH / 2; d > 0; d /= 2) {
            if (list[at + d] <= wanted[k]) {
                at += d;
            }
        }
        shared += list[at] == wanted[k];
    }
    shared = __reduce_add_sync(0xffffffffu, shared);
    if (lane == 0) {
        out[p] = shared;
    }
}
