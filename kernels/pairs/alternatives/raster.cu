// raster: "Register tile: several outputs a thread (4 x 4: 8 loads for 16 FFMA)". The kernel has 4 x 4 outputs a thread already, 256 FFMA
// on 28 LDS.128 and 16 LDS: first the same tile with LDS.128 alone and wider loads of the tiles, then 8 x 4 and 8 x 8.
#include "alt.cuh"
#include "original/raster.cuh"
#include "tiles.cuh"

int main(int argc, char** argv) {
    Alternatives p(argc, argv);
    const int n = 4096;
    const size_t most = 16u << 20;
    float *x = p.make<float>(most), *y = p.make<float>(most), *out = p.make<float>(most);
    p.run("raster", out, most, 1, 1e-3f, [&](uint32_t s) { p.uniform(x, most, s); p.uniform(y, most, s + 10); }, {
        {"products_rows", "before", [&] { products_rows<<<4096, 256>>>(x, y, out, n); }},
        {"products_strips", "made:reuse-in-l2", [&] { products_strips<<<4096, 256>>>(x, y, out, n); }},
        {"products_4x4_wide", "register-tile", [&] { product_tiles<64, 64, 4, 4><<<dim3(64, 64), 256>>>(x, y, out, n); }},
        {"products_8x4", "register-tile", [&] { product_tiles<128, 64, 8, 4><<<dim3(64, 32), 256>>>(x, y, out, n); }},
        {"products_8x8", "register-tile", [&] { product_tiles<128, 128, 8, 8><<<dim3(32, 32), 256>>>(x, y, out, n); }},
    });
}
