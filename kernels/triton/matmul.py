"""A product of matrices whose tile is chosen by Triton's autotuner."""

import torch
import triton
import triton.language as tl

M = N = K = 4096


def _configuration(m: int, n: int, k: int, stages: int, warps: int) -> triton.Config:
    return triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_stages=stages, num_warps=warps)


CONFIGURATIONS = [
    _configuration(64, 64, 32, 2, 4),
    _configuration(128, 64, 64, 3, 4),
    _configuration(128, 128, 64, 3, 8),
    _configuration(128, 256, 64, 3, 8),
    _configuration(128, 256, 64, 4, 8),
]


@triton.autotune(configs=CONFIGURATIONS, key=["m", "n", "k"])
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, stride_a, stride_b, stride_c,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    tiles_n = tl.cdiv(n, BLOCK_N)
    rows = tl.program_id(0) // tiles_n * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(0) % tiles_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_at = a_ptr + rows[:, None] * stride_a + inner[None, :]
    b_at = b_ptr + inner[:, None] * stride_b + columns[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, k, BLOCK_K):
        sums = tl.dot(tl.load(a_at), tl.load(b_at), sums)
        a_at += BLOCK_K
        b_at += BLOCK_K * stride_b
    tl.store(c_ptr + rows[:, None] * stride_c + columns[None, :], sums.to(tl.bfloat16))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a·b; every extent is a multiple of the tile's."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device, dtype=a.dtype)
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]) * triton.cdiv(n, meta["BLOCK_N"]),)  # noqa: E731
    matmul_kernel[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0))
    return c


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    random = torch.Generator("cuda").manual_seed(seed)
    return tuple(torch.randn(shape, generator=random, device="cuda", dtype=torch.bfloat16) for shape in ((M, K), (K, N)))
