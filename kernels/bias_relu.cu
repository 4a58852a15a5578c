// bias_relu: adds a bias to 256 rows of 1024 floats and cuts at zero, one value to a thread.
//
// Shows:      an elementwise kernel of a megabyte: a few microseconds, most of them start and end of the launch.
// Limiter:    the length of the launch: 2 MiB are half a microsecond of device memory.
// Lever:      fuse it with the kernel that makes the rows, or launch it in a CUDA graph.
// Shape:      rows = 256 of 1024 floats (1 MiB in, 1 MiB out).
// Launch:     grid 1024 x 1 x 1, block 256 x 1 x 1, dynamic shared memory 0 bytes.
// Arguments:  float* out [rows * 1024], const float* in [rows * 1024], const float* bias [1024]
// Result:     out[r][c] == max(in[r][c] + bias[c], 0)

__global__ void bias_relu(float* out, const float* in, const float* bias)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    out[index] = fmaxf(in[index] + bias[index % 1024u], 0.0f);
}
