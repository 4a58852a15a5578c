"""Normalised rows: one program reads a row once and keeps it in registers."""

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16384, 4096


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, columns, small, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * columns, tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + row + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x) / columns
    away = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(away * away) / columns + small)
    weight, bias = tl.load(weight_ptr + at, mask=inside), tl.load(bias_ptr + at, mask=inside)
    tl.store(out_ptr + row + at, (away * scale * weight + bias).to(tl.bfloat16), mask=inside)


def layernorm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    out, columns = torch.empty_like(x), x.shape[1]
    block = triton.next_power_of_2(columns)
    layernorm_kernel[(x.shape[0],)](x, weight, bias, out, columns, 1e-5, BLOCK=block, num_warps=8)
    return out


def expected(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, (x.shape[1],), weight, bias, 1e-5)


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    random = torch.Generator("cuda").manual_seed(seed)
    shapes = ((ROWS, COLUMNS), (COLUMNS,), (COLUMNS,))
    return tuple(torch.randn(shape, generator=random, device="cuda", dtype=torch.bfloat16) for shape in shapes)
