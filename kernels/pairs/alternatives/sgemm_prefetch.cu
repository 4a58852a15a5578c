// sgemm_prefetch: "Register tile: several outputs a thread (4 x 4: 8 loads for 16 FFMA)". The kernel has 4 x 4 outputs a thread with
// LDS.128 already: the next tiles are 8 x 4 and 8 x 8. One buffer and two barriers a tile stay.
#include "alt.cuh"
#include "original/sgemm.cuh"
#include "tiles.cuh"

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 2048;
    const size_t most = 4u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *out = p.make<float>(most);
    p.run("sgemm_prefetch", out, most, 1, 1e-3f, [&](uint32_t s) { p.uniform(x, most, s); p.uniform(y, most, s + 10); }, {
        {"sgemm_tile", "before", [&] { sgemm_tile<<<dim3(32, 32), 256>>>(x, y, out, n); }},
        {"sgemm_ahead", "made:double-buffer", [&] { sgemm_ahead<<<dim3(32, 32), 256>>>(x, y, out, n); }},
        {"sgemm_8x4", "register-tile", [&] { product_tiles<128, 64, 8, 4><<<dim3(32, 16), 256>>>(x, y, out, n); }},
        {"sgemm_8x8_small", "register-tile", [&] { product_tiles<64, 64, 8, 8><<<dim3(32, 32), 64>>>(x, y, out, n); }},
        {"sgemm_8x8_half", "register-tile", [&] { product_tiles<128, 64, 8, 8><<<dim3(32, 16), 128>>>(x, y, out, n); }},
        {"sgemm_8x8", "register-tile", [&] { product_tiles<128, 128, 8, 8><<<dim3(16, 16), 256>>>(x, y, out, n); }},
    });
}
