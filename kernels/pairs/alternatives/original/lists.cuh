#pragma once
// A walk through lists: the next index is loaded when it is needed, then four walks a thread.
__global__ void lists_one(const uint32_t* __restrict__ next, const float* __restrict__ value, float* __restrict__ out, int lists, int steps) {
    int l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= lists) return;
    uint32_t at = l * 97u;
    float s = 0;
    for (int k = 0; k < steps; k++) { s += value[at]; at = next[at]; }
    out[l] = s;
}
__global__ void lists_four(const uint32_t* __restrict__ next, const float* __restrict__ value, float* __restrict__ out, int lists, int steps) {
    int quarter = lists / 4, l = blockIdx.x * blockDim.x + threadIdx.x;
    if (l >= quarter) return;
    uint32_t at[4]; float s[4] = {};
#pragma unroll
    for (int j = 0; j < 4; j++) at[j] = (l + j * quarter) * 97u;
    for (int k = 0; k < steps; k++)
#pragma unroll
        for (int j = 0; j < 4; j++) { s[j] += value[at[j]]; at[j] = next[at[j]]; }
#pragma unroll
    for (int j = 0; j < 4; j++) out[l + j * quarter] = s[j];
}
