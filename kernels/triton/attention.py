"""The forward pass of causal attention with a softmax that goes along block by block."""

import torch
import triton
import triton.language as tl

BATCH, HEADS, LENGTH, WIDTH = 4, 16, 4096, 128


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, length,
    WIDTH: tl.constexpr, BLOCK_Q: tl.constexpr, BLOCK_K: tl.constexpr,
):
    first = tl.program_id(0) * BLOCK_Q
    head = tl.program_id(1).to(tl.int64) * length * WIDTH
    rows, width = first + tl.arange(0, BLOCK_Q), tl.arange(0, WIDTH)
    q = tl.load(q_ptr + head + rows[:, None] * WIDTH + width[None, :])
    largest = tl.full((BLOCK_Q,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    sums = tl.zeros((BLOCK_Q, WIDTH), dtype=tl.float32)
    for at in range(0, first + BLOCK_Q, BLOCK_K):
        columns = at + tl.arange(0, BLOCK_K)
        k = tl.load(k_ptr + head + columns[None, :] * WIDTH + width[:, None])
        scores = tl.dot(q, k) * scale
        scores = tl.where(columns[None, :] <= rows[:, None], scores, float("-inf"))
        now = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        faded = tl.exp2(largest - now)
        v = tl.load(v_ptr + head + columns[:, None] * WIDTH + width[None, :])
        sums = tl.dot(weights.to(tl.bfloat16), v, sums * faded[:, None])
        total = total * faded + tl.sum(weights, 1)
        largest = now
    tl.store(out_ptr + head + rows[:, None] * WIDTH + width[None, :], (sums / total[:, None]).to(tl.bfloat16))


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(q)
    batch, heads, length, width = q.shape
    # exp(x) as a power of two.
    scale = width**-0.5 * 1.4426950408889634
    attention_kernel[(triton.cdiv(length, 128), batch * heads)](
        q, k, v, out, scale, length, WIDTH=width, BLOCK_Q=128, BLOCK_K=64, num_warps=8, num_stages=3
    )
    return out


def expected(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    random = torch.Generator("cuda").manual_seed(seed)
    shape = (BATCH, HEADS, LENGTH, WIDTH)
    return tuple(torch.randn(shape, generator=random, device="cuda", dtype=torch.bfloat16) for _ in range(3))
