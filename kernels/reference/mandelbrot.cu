// mandelbrot: one point to a thread with the same products and sums; grid 16 x 2048, block 256.
// Nothing clever: what kernels of this folder's parent are checked against.

__global__ void mandelbrot_ref(unsigned* steps, float left, float top, float pitch, unsigned most)
{
    const unsigned column = blockIdx.x * 256u + threadIdx.x, row = blockIdx.y;
    const float real = fmaf(static_cast<float>(column), pitch, left);
    const float imaginary = fmaf(static_cast<float>(row), pitch, top);
    float x = 0.0f, y = 0.0f;
    unsigned count = 0u;
    for (; count < most; ++count) {
        const float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
        if (__fadd_rn(xx, yy) > 4.0f) {
            break;
        }
        y = fmaf(__fadd_rn(x, x), y, imaginary);
        x = __fadd_rn(real, __fadd_rn(xx, -yy));
    }
    steps[row * 4096u + column] = count;
}
