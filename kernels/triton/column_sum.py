"""Sums of columns, the slow way: a program walks down one column, and neighbouring lanes read neighbouring rows."""

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16384, 2048


@triton.jit
def column_sum_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr):
    column, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, rows, BLOCK):
        sums += tl.load(x_ptr + (first + lanes) * columns + column)
    tl.store(out_ptr + column, tl.sum(sums))


def column_sum(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape[1], device=x.device, dtype=x.dtype)
    column_sum_kernel[(x.shape[1],)](x, out, *x.shape, BLOCK=512, num_warps=4)
    return out


def expected(x: torch.Tensor) -> torch.Tensor:
    return x.sum(0)


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    random = torch.Generator("cuda").manual_seed(seed)
    return (torch.rand((ROWS, COLUMNS), generator=random, device="cuda"),)
