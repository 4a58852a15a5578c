// mandelbrot: escape times of 4096 x 2048 points, one point to a thread, the test in every step.
//
// Shows:      a short loop in registers: seven of its eleven instructions are arithmetic, the rest are counter, tests and branch.
// Limiter:    instruction issue: eleven slots a step, of which the FMA pipe takes seven cycles and the integer pipe six.
// Lever:      test for the escape every eighth step and go back for the last eight: only the arithmetic is left in the loop.
// Shape:      4096 x 2048 points, at most 512 steps.
// Launch:     grid 256 x 128 x 1, block 16 x 16 x 1, dynamic shared memory 0 bytes.
// Arguments:  unsigned* steps [2048 * 4096], float left, float top, float pitch, unsigned most   (-2.25, -1, 2^-10, 512)
// Result:     steps[p] == steps of z = z * z + c from 0 on until |z| > 2, at most `most`

__global__ void mandelbrot(unsigned* steps, float left, float top, float pitch, unsigned most)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    const float real = left + column * pitch, imaginary = top + row * pitch;
    float x = 0.0f, y = 0.0f;
    unsigned count = 0u;
    while (count < most && x * x + y * y <= 4.0f) {  // limiter
        const float next = x * x - y * y + real;
        y = 2.0f * x * y + imaginary;
        x = next;
        ++count;
    }
    steps[row * 4096u + column] = count;
}
