// huffman_symbols_before: 64 symbols of each of many interleaved streams of a canonical Huffman code with up to 12 bits a symbol.
#define LONGEST 12
#define SYMBOLS 64

__constant__ unsigned short codes_of_length[LONGEST + 1] = {0, 0, 1, 2, 2, 3, 4, 6, 12, 20, 40, 48, 96};

// A stream a thread; word w of a stream lies at [w][stream].
extern "C" __global__ void __launch_bounds__(256) huffman_symbols_before(unsigned int* __restrict__ out, const unsigned int* __restrict__ stream, const unsigned char* __restrict__ symbol, int streams)
{
    const int s = blockIdx.x * 256 + threadIdx.x;
    if (s >= streams) {
        return;
    }
    const unsigned int* next = stream + s;
    unsigned long long bits = (unsigned long long)*next << 32;
    int have = 32;
    next += streams;
    for (int k = 0; k < SYMBOLS / 4; ++k) {
        unsigned int four = 0;
        for (int b = 0; b < 4; ++b) {
            if (have <= 32) {
                bits |= (unsigned long long)*next << (32 - have);
                next += streams;
                have += 32;
            }
            int code = 0, first = 0, index = 0, length = 1;
            for (; length <= LONGEST; ++length) {
                code |= (int)(bits >> 63);
                bits <<= 1;
                const int count = codes_of_length[length];
                if (code - first < count) {
                    break;
                }
                index += count;
                first = (first + count) << 1;
                code <<= 1;
            }
            have -= length;
            four |= (unsigned int)symbol[index + code - first] << (8 * b);
        }
        out[(long long)k * streams + s] = four;
    }
}
