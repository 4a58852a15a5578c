"""A gated activation that PyTorch's Inductor writes as one Triton kernel."""

import torch

ROWS, COLUMNS = 8192, 8192


def expected(x: torch.Tensor, gate: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x + bias, approximate="tanh") * gate


gated = torch.compile(expected, dynamic=False)


def inputs(seed: int) -> tuple[torch.Tensor, ...]:
    random = torch.Generator("cuda").manual_seed(seed)
    shapes = ((ROWS, COLUMNS), (ROWS, COLUMNS), (COLUMNS,))
    return tuple(torch.randn(shape, generator=random, device="cuda", dtype=torch.bfloat16) for shape in shapes)
