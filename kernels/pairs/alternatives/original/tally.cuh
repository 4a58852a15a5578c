#pragma once
// Counts of 65,536 keys at random in memory: an atomic to a lane, then one to the lanes of a warp that agree.
__global__ void __launch_bounds__(256) tally_lanes(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) {
    atomicAdd(&out[keys[blockIdx.x * blockDim.x + threadIdx.x]], 1u);
}
__global__ void __launch_bounds__(256) tally_match(const uint32_t* __restrict__ keys, uint32_t* __restrict__ out) {
    uint32_t key = keys[blockIdx.x * blockDim.x + threadIdx.x], same = __match_any_sync(~0u, key);
    if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&out[key], (uint32_t)__popc(same));
}
