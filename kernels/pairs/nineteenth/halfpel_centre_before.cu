// halfpel_centre_before: samples halfway between pixels both ways, for motion compensation: six taps along rows, then along columns.
__device__ __forceinline__ int six_taps(const unsigned char* row)
{
    return row[0] - 5 * row[1] + 20 * row[2] + 20 * row[3] - 5 * row[4] + row[5];
}

// 32 x 8 pixels of a frame to a block, a pixel a thread.
extern "C" __global__ void __launch_bounds__(256) halfpel_centre_before(unsigned char* __restrict__ out, const unsigned char* __restrict__ in, int width, int height, int pitch)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, frame = blockIdx.z;
    if (x >= width || y >= height) {
        return;
    }
    const unsigned char* from = in + ((long long)frame * (height + 5) + y) * pitch + x;
    const int taps[6] = {1, -5, 20, 20, -5, 1};
    int sum = 512;
    for (int r = 0; r < 6; ++r) {
        sum += taps[r] * six_taps(from + r * pitch);
    }
    out[((long long)frame * height + y) * width + x] = (unsigned char)min(max(sum >> 10, 0), 255);
}
