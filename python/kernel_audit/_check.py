"""Outputs beside those of a reference: every element, in double precision.

The norm is `||got - expected|| / ||expected||` (Frobenius), the error of an element `|got - expected| / max(|expected|,
rms(expected))`, as `audit launch --check` has them.
"""

from __future__ import annotations

from typing import Any


def outputs(torch: Any, value: Any) -> list[Any]:
    """The tensors among what a function returned.

    Raises `TypeError` where it returned none: what is left in the arguments is returned by a function that returns them.
    """
    values = list(value.values()) if isinstance(value, dict) else value
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    tensors = [one for one in values if isinstance(one, torch.Tensor)]
    if not tensors:
        raise TypeError(
            f"expected a function that returns its outputs, tensors; found {type(value).__name__}; "
            "wrap one that writes into its arguments: lambda x, out: (kernel(x, out), out)[1:]"
        )
    return tensors


def dtype_name(dtype: Any) -> str:
    """`bf16` for `torch.bfloat16`."""
    name = str(dtype).removeprefix("torch.")
    known = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64", "float8_e4m3fn": "e4m3"}
    known |= {"float8_e5m2": "e5m2", "bool": "u8"} | {f"int{n}": f"i{n}" for n in (8, 16, 32, 64)}
    known |= {f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)}
    return known.get(name, name)


def compared(torch: Any, name: str, got: Any, expected: Any, again: Any, tolerance: float, worst: float) -> dict[str, Any]:
    """One output beside what was expected; `again` is that of a second call on the same inputs, or `None`."""
    if got.shape != expected.shape:
        raise ValueError(f"{name}: expected the reference's shape {tuple(expected.shape)}, found {tuple(got.shape)}")
    a, b = got.detach().double().flatten(), expected.detach().double().flatten()
    elements, difference = a.numel(), (a - b).abs()
    # Two infinities of one sign are the same value; their difference is none.
    difference = torch.where(a == b, torch.zeros_like(difference), difference)
    total = float((b * b).sum())
    rms = (total / max(elements, 1)) ** 0.5
    norm = (float((difference * difference).sum()) / total) ** 0.5 if total > 0 else float("nan")
    errors = torch.nan_to_num(difference / b.abs().clamp_min(rms), nan=float("inf"), posinf=float("inf"))
    expected_bad, bad = ~torch.isfinite(b), ~torch.isfinite(a)
    not_finite = int((bad & ~expected_bad).sum())
    differs = _bits_differ(torch, got, expected)
    largest: dict[str, Any] | None = None
    if elements and bool(differs.any()):
        at = int(errors.argmax())
        error = float(errors[at])
        largest = {
            "index": at,
            "got": str(got.flatten()[at].item()),
            "expected": str(expected.flatten()[at].item()),
            "error": error if _is_finite(error) else None,
        }
    relative = norm if not_finite == 0 and _is_finite(norm) else None
    within = int(differs.sum()) == 0 if tolerance == 0 else (
        relative is not None
        and relative <= tolerance
        and (largest is None or (largest["error"] is not None and largest["error"] <= worst))
    )
    return {
        "name": name,
        "dtype": dtype_name(got.dtype),
        "shape": list(got.shape),
        "elements": elements,
        "unwritten": 0,
        "not_finite": not_finite,
        "expected_not_finite": int(expected_bad.sum()),
        "different": int(differs.sum()),
        "relative_norm": relative,
        "worst": largest,
        "expected_rms": rms if _is_finite(rms) else None,
        "changed_between_runs": None if again is None else int(_bits_differ(torch, got, again).sum()),
        "passed": bool(within and not_finite == 0 and not bool(expected_bad.any()) and total > 0),
    }


def _bits_differ(torch: Any, one: Any, other: Any) -> Any:
    """Where two tensors do not hold the same bits; another type is compared by value."""
    if one.dtype != other.dtype:
        return (one.double() != other.double()).flatten()
    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}.get(one.element_size())
    if whole is None:
        return (one != other).flatten()
    return (one.contiguous().view(whole) != other.contiguous().view(whole)).flatten()


def _is_finite(value: float) -> bool:
    return value == value and abs(value) != float("inf")
