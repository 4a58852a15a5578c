"""The device that a kernel runs on, and its clocks, as `correctness.json` and `benchmark.json` state them."""

from __future__ import annotations

import ctypes
import subprocess
from typing import Any

_CLOCKS = "clocks.sm,clocks.mem,temperature.gpu,power.draw,clocks_throttle_reasons.active"


def facts(torch: Any) -> dict[str, Any]:
    """What the driver and PyTorch say of the current device."""
    properties = torch.cuda.get_device_properties(torch.cuda.current_device())

    def number(*names: str) -> int:
        return next((int(getattr(properties, name)) for name in names if hasattr(properties, name)), 0)

    return {
        "name": properties.name,
        "compute_capability": f"{properties.major}.{properties.minor}",
        "driver_cuda": _driver_cuda(),
        "multiprocessors": number("multi_processor_count"),
        "memory_bytes": number("total_memory"),
        "l2_bytes": number("L2_cache_size"),
        "shared_bytes_per_block": number("shared_memory_per_block_optin", "shared_memory_per_block"),
        "shared_bytes_per_multiprocessor": number("shared_memory_per_multiprocessor"),
        "registers_per_multiprocessor": number("regs_per_multiprocessor"),
        "threads_per_multiprocessor": number("max_threads_per_multi_processor"),
        "ecc": _asked(torch, "ecc.mode.current") == ["Enabled"],
    }


def clocks(torch: Any) -> dict[str, Any] | None:
    """Clocks and state of the current device now; `None` where nvidia-smi does not tell them."""
    cells = _asked(torch, _CLOCKS)
    if len(cells) != 5:
        return None

    def number(cell: str) -> float | None:
        try:
            return float(cell)
        except ValueError:
            return None

    sm, memory, temperature, power = map(number, cells[:4])
    return {
        "sm_mhz": sm,
        "memory_mhz": memory,
        "temperature_c": temperature,
        "power_w": power,
        "throttle": cells[4] if cells[4].startswith("0x") else "",
    }


def _driver_cuda() -> str:
    version = ctypes.c_int(0)
    try:
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except OSError:
        return ""
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def _asked(torch: Any, query: str) -> list[str]:
    """The cells that nvidia-smi prints for the current device; none where it cannot."""
    identity = getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "uuid", None)
    which = f"GPU-{identity}" if identity is not None else str(torch.cuda.current_device())
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits", "-i", which]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [cell.strip() for cell in ran.stdout.strip().split(",")] if ran.returncode == 0 else []
