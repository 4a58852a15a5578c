// fft1024_after: FFT of 1,024 complex numbers in shared memory, a block to a transform, 256 threads, five stages of radix 4 (Stockham).
constexpr int R = 4, THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) fft1024_after(float2* out, const float2* __restrict__ in)
{
    __shared__ float2 data[2][1024];
    const int t = threadIdx.x;
    const long long first = blockIdx.x * 1024ll;
    float2 v[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
        v[r] = in[first + r * THREADS + t];
    }
    int side = 0;
#pragma unroll 1
    for (int done = 1; done < 1024; done *= R) {
        const int k = t & (done - 1);
        if (done > 1) {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < R; ++r) {
                v[r] = data[side][r * THREADS + t];
            }
            side ^= 1;
            const float angle = -1.57079633f * k / done;
#pragma unroll
            for (int r = 1; r < R; ++r) {
                float s, c;
                __sincosf(angle * r, &s, &c);
                v[r] = make_float2(v[r].x * c - v[r].y * s, v[r].x * s + v[r].y * c);
            }
        }
        {
            const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
            const float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
            v[0] = make_float2(a.x + c.x, a.y + c.y);
            v[1] = make_float2(b.x + d.x, b.y + d.y);
            v[2] = make_float2(a.x - c.x, a.y - c.y);
            v[3] = make_float2(b.x - d.x, b.y - d.y);
        }
        const int to = (t - k) * R + k;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (done * R == 1024) {
                out[first + to + r * done] = v[r];
            } else {
                data[side][to + r * done] = v[r];
            }
        }
    }
}
