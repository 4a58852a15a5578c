// gumbel_pick_cluster_4: tokens drawn from logits by the Gumbel trick, a cluster of four blocks of 256 threads to a row, its loop split in four.
#include <cooperative_groups.h>

// Ten rounds of Philox: four words for a counter and a key.
__device__ __forceinline__ uint4 philox(unsigned int low, unsigned int high, unsigned int seed)
{
    uint4 c = make_uint4(low, high, 0u, 0u);
    unsigned int k0 = seed, k1 = 0x5851f42du;
#pragma unroll
    for (int r = 0; r < 10; ++r) {
        const unsigned int h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x;
        const unsigned int h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

__device__ __forceinline__ float gumbel(unsigned int x)
{
    return -logf(-logf(((x >> 9) + 0.5f) * 1.1920929e-7f));
}

// A cluster of four blocks to a row, a quarter of it each.
extern "C" __global__ void __cluster_dims__(4) __launch_bounds__(256) gumbel_pick_cluster_4(unsigned int* __restrict__ token, float* __restrict__ score, const float* __restrict__ logit, const float* __restrict__ temperature, int vocabulary, unsigned int seed)
{
    __shared__ float tops[8];
    __shared__ int places[8];
    __shared__ float cluster_tops[4];
    __shared__ int cluster_places[4];
    const int line = blockIdx.x / 4, quarter = blockIdx.x % 4;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    cluster.sync();
    const float* row = logit + (long long)line * vocabulary;
    const float inverse = 1.0f / temperature[line];
    float top = -INFINITY;
    int place = 0;
    for (int i = quarter * (vocabulary / 4) + threadIdx.x; i < (quarter + 1) * (vocabulary / 4); i += 256) {
        const uint4 r = philox(i / 4, line, seed);
        const unsigned int x = i % 4 == 0 ? r.x : i % 4 == 1 ? r.y : i % 4 == 2 ? r.z : r.w;
        const float v = row[i] * inverse + gumbel(x);
        if (v > top) {
            top = v;
            place = i;
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const float t = __shfl_xor_sync(0xffffffffu, top, d);
        const int p = __shfl_xor_sync(0xffffffffu, place, d);
        if (t > top || (t == top && p < place)) {
            top = t;
            place = p;
        }
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        places[threadIdx.x / 32] = place;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) {
            if (tops[k] > top || (tops[k] == top && places[k] < place)) {
                top = tops[k];
                place = places[k];
            }
        }
        cluster.map_shared_rank(cluster_tops, 0)[quarter] = top;
        cluster.map_shared_rank(cluster_places, 0)[quarter] = place;
    }
    cluster.sync();
    if (threadIdx.x == 0 && quarter == 0) {
        for (int k = 1; k < 4; ++k) {
            if (cluster_tops[k] > top || (cluster_tops[k] == top && cluster_places[k] < place)) {
                top = cluster_tops[k];
                place = cluster_places[k];
            }
        }
        token[line] = place;
        score[line] = top;
    }
}
