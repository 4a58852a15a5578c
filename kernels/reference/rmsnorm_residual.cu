// rmsnorm_residual: one row to a thread, sums in double precision; grid 128, block 128.
// Nothing clever: what kernels of this folder's parent are checked against.

#include <cuda_bf16.h>

__global__ void rmsnorm_residual_ref(__nv_bfloat16* out, __nv_bfloat16* residual, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                                     float epsilon)
{
    const unsigned first = (blockIdx.x * 128u + threadIdx.x) * 4096u;
    double squares = 0.0;
    for (unsigned i = 0; i < 4096u; ++i) {
        const double sum = static_cast<double>(__bfloat162float(residual[first + i])) + __bfloat162float(x[first + i]);
        residual[first + i] = __double2bfloat16(sum);
        const double value = __bfloat162float(residual[first + i]);
        squares += value * value;
    }
    const double root = sqrt(squares / 4096.0 + epsilon);
    for (unsigned i = 0; i < 4096u; ++i) {
        out[first + i] = __double2bfloat16(__bfloat162float(residual[first + i]) * static_cast<double>(__bfloat162float(weight[i])) / root);
    }
}
