// haar_rows_before: wavelets of rows.
#define LENGTH 2048

// One row to a block, seven levels; of each level the means go on, the differences are results.
extern "C" __global__ void __launch_bounds__(256) haar_rows_before(float* __restrict__ out, const float* __restrict__ in, float* work)
{
    float* row = work + (long long)blockIdx.x * LENGTH;
    const float* own = in + (long long)blockIdx.x * LENGTH;
    float* to = out + (long long)blockIdx.x * LENGTH;
    for (int i = threadIdx.x; i < LENGTH; i += 256) {
        row[i] = own[i];
    }
    __syncthreads();
    int half = LENGTH / 2;
    for (int level = 0; level < 7; ++level, half /= 2) {
        float mean[4], gap[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = k * 256 + threadIdx.x;
            if (i < half) {
                const float a = row[2 * i], b = row[2 * i + 1];
                mean[k] = 0.5f * (a + b);
                gap[k] = 0.5f * (a - b);
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int i = k * 256 + threadIdx.x;
            if (i < half) {
                row[i] = mean[k];
                to[half + i] = gap[k];
            }
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < 2 * half; i += 256) {
        to[i] = row[i];
    }
}
