// expm_batched: exponentials of 1584 matrices of 64 x 64 in double precision, twelve terms by Horner's scheme in shared memory.
//
// Shows:      products of small matrices by DFMA alone: no tensor instruction, although FP64 shares its pipe with the tensor cores.
// Limiter:    FP64 pipe.
// Lever:      DMMA (tensor cores in FP64), which has twice the rate; else at the roof.
// Shape:      batch = 1584 matrices of 64 x 64 doubles (49.5 MiB), row-major.
// Launch:     grid 1584 x 1 x 1, block 128 x 1 x 1, dynamic shared memory 66560 bytes.
// Arguments:  double* out [batch * 4096], const double* in [batch * 4096]
// Result:     out[m] == sum over s = 0 .. 12 of in[m]^s / s!

__global__ void __launch_bounds__(128) expm_batched(double* __restrict__ out, const double* __restrict__ in)
{
    // power[k][i] is X(i, k), rows 66 apart; matrix[k][j] is A(k, j). X = I + X * A / s for s = 12 .. 1.
    extern __shared__ double2 storage[];
    double* const matrix = reinterpret_cast<double*>(storage);
    double* const power = matrix + 4096;
    const unsigned row = threadIdx.x / 16u * 8u, column = threadIdx.x % 16u;
    for (unsigned at = threadIdx.x; at < 2048u; at += 128u) {
        storage[at] = reinterpret_cast<const double2*>(in)[blockIdx.x * 2048u + at];
    }
    for (unsigned at = threadIdx.x; at < 4096u; at += 128u) {
        power[at / 64u * 66u + at % 64u] = at / 64u == at % 64u ? 1.0 : 0.0;
    }
    __syncthreads();
    double sum[8][4];
    for (unsigned s = 12u; s > 0u; --s) {
#pragma unroll
        for (unsigned i = 0; i < 8u; ++i) {
#pragma unroll
            for (unsigned j = 0; j < 4u; ++j) {
                sum[i][j] = 0.0;
            }
        }
#pragma unroll 2
        for (unsigned k = 0; k < 64u; ++k) {
            double left[8], right[4];
#pragma unroll
            for (unsigned i = 0; i < 8u; i += 2u) {
                *reinterpret_cast<double2*>(left + i) = *reinterpret_cast<const double2*>(power + k * 66u + row + i);
            }
#pragma unroll
            for (unsigned j = 0; j < 4u; ++j) {
                right[j] = matrix[k * 64u + column + j * 16u];
            }
#pragma unroll
            for (unsigned i = 0; i < 8u; ++i) {
#pragma unroll
                for (unsigned j = 0; j < 4u; ++j) {
                    sum[i][j] = fma(left[i], right[j], sum[i][j]);  // limiter
                }
            }
        }
        __syncthreads();
        const double factor = 1.0 / static_cast<double>(s);
#pragma unroll
        for (unsigned j = 0; j < 4u; ++j) {
#pragma unroll
            for (unsigned i = 0; i < 8u; i += 2u) {
                sum[i][j] = fma(sum[i][j], factor, row + i == column + j * 16u ? 1.0 : 0.0);
                sum[i + 1u][j] = fma(sum[i + 1u][j], factor, row + i + 1u == column + j * 16u ? 1.0 : 0.0);
                const double2 pair = make_double2(sum[i][j], sum[i + 1u][j]);
                *reinterpret_cast<double2*>(power + (column + j * 16u) * 66u + row + i) = pair;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 8u; ++i) {
#pragma unroll
        for (unsigned j = 0; j < 4u; ++j) {
            out[blockIdx.x * 4096u + (row + i) * 64u + column + j * 16u] = sum[i][j];
        }
    }
}
