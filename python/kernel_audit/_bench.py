"""`bench`: checks a function on the GPU against a reference, times both in turn, and shows profilers the launch that counts.

What it does is told by `KERNEL_AUDIT_STEP`, which `audit collect` sets: nothing or `bench` checks and times, `profile` shows
a profiler one call of each configuration and of the function, `launches` twenty calls, `sanitize` makes one call. Under a
profiler that nobody announced it is `profile`. Results go to the file `KERNEL_AUDIT_BENCH`, a line each, where it is set.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import _check, _device

#: NVTX range around everything that a profiler is to measure.
RANGE = "audit"
#: What stands between a name and a configuration in the range of one that is not the function's own choice.
OF = ": "
#: Calls before the first sample, pairs of events with nothing between them, and calls that are only timed under ncu.
WARM_UP, EMPTY, LAUNCHES = 10, 20, 20
#: Fewest and most samples, and seconds after which no further one begins.
LEAST, MOST, SECONDS = 20, 200, 5.0
#: How many times as much as L2 holds is read between two samples.
TIMES_L2 = 4
#: The error of one element that passes, as a multiple of the tolerance of the norm, where none is stated.
WORST = 50.0
TOOL = "kernel_audit.bench 0.1.0"


@dataclass(frozen=True)
class Benched:
    """What a call of `bench` found: the two files as they were written, or what was shown to a profiler."""

    name: str
    step: str
    correctness: dict[str, Any] | None = None
    benchmark: dict[str, Any] | None = None
    files: list[Path] = field(default_factory=list)

    @property
    def passed(self) -> bool | None:
        """Whether every output of every seed is within its tolerances; `None` where nothing was compared."""
        return None if self.correctness is None else bool(self.correctness["passed"])

    @property
    def ms(self) -> float | None:
        """Median time of a call in milliseconds; `None` where nothing was timed."""
        return None if self.benchmark is None else _median(self.benchmark["samples_ms"])

    def __str__(self) -> str:
        if self.ms is None:
            return f"{self.name}: {self.step}"
        words = f"{self.name}: {'correct' if self.passed else 'WRONG'}, {self.ms * 1000:.1f} us"
        reference = (self.benchmark or {}).get("reference")
        if reference:
            words += f"; {reference['name']} {_median(reference['samples_ms']) * 1000:.1f} us"
        return words


def bench(
    fn: Callable[..., Any],
    *,
    reference: Callable[..., Any],
    inputs: Callable[[int], Sequence[Any]],
    name: str | None = None,
    kernel: str | None = None,
    tuner: Any = None,
    tolerance: float = 1e-2,
    worst: float | None = None,
    seeds: Sequence[int] = (1, 2),
    out: str | os.PathLike[str] | None = None,
) -> Benched:
    """Checks `fn` against `reference` on the inputs of every seed, then times both in turn with L2 emptied before each call.

    `inputs(seed)` gives the arguments of both; each returns its outputs. `tolerance` is the largest relative Frobenius norm
    (0 asks for the same bits), `worst` the largest error of one element. `tuner` is a Triton autotuner: a profiler is shown
    each of its configurations beside the chosen one. `correctness.json` and `benchmark.json` go to the folder `out`, else to
    `collected/NAME`. Wrong outputs raise nothing: see `Benched.passed`.
    """
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("kernel_audit.bench needs a GPU that PyTorch can use; torch.cuda.is_available() says there is none")
    if not seeds:
        raise ValueError("seeds: expected at least one, found none")
    name = name or str(getattr(fn, "__name__", "kernel"))
    step = os.environ.get("KERNEL_AUDIT_STEP") or ("profile" if _is_profiled() else "bench")
    if step not in ("bench", "profile", "launches", "sanitize"):
        raise ValueError(f"KERNEL_AUDIT_STEP: expected bench, profile, launches or sanitize, found {step!r}")
    arguments = tuple(inputs(seeds[0]))
    if step != "bench":
        _show(torch, step, name, fn, arguments, tuner)
        return Benched(name, step)
    worst = WORST * tolerance if worst is None else worst
    facts, kernel = _device.facts(torch), kernel or name
    runs, shapes = _checked(torch, fn, reference, inputs, seeds, tolerance, worst)
    launch = _launch(torch, kernel, fn, arguments, shapes)
    head = {"tool": TOOL, "subject": name, "device": facts, "launch": launch}
    against = _called(torch, reference)
    correctness = {"schema": "kernel-audit/correctness/1", **head, "reference": against, "tolerance": tolerance}
    correctness |= {"worst_tolerance": worst, "runs": runs}
    correctness["passed"] = all(one["passed"] for run in runs for one in run["outputs"])
    timed = _timed(torch, fn, reference, arguments, facts["l2_bytes"], seeds[0], against)
    benchmark = {"schema": "kernel-audit/benchmark/1", **head, **timed}
    together = os.environ.get("KERNEL_AUDIT_BENCH")
    if together and out is None:
        with open(together, "a", encoding="utf-8") as file:
            file.write(json.dumps({"correctness": correctness, "benchmark": benchmark}, allow_nan=False) + "\n")
        return Benched(name, step, correctness, benchmark, [Path(together)])
    folder = Path(out) if out is not None else Path("collected") / name
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "correctness.json", folder / "benchmark.json"]
    for path, what in zip(files, (correctness, benchmark)):
        _written(path, what)
    return Benched(name, step, correctness, benchmark, files)


def _is_profiled() -> bool:
    """Whether a profiler of NVIDIA's started this process."""
    marks = ("NVIDIA_PROCESS_INJECTION", "NVIDIA-PROCESS-TRACKING", "CUDA_INJECTION64_PATH", "NSYS_PROFILING_SESSION_ID")
    return any(key.startswith(marks) for key in os.environ)


def _called(torch: Any, reference: Callable[..., Any]) -> str:
    """`reference torch.matmul`: the function with its module; `the reference` where it has no name."""
    name = str(getattr(reference, "__name__", "<lambda>"))
    if name == "<lambda>":
        return "the reference"
    module = "torch" if getattr(torch, name, None) is reference else getattr(reference, "__module__", None)
    return f"reference {name}" if module in (None, "__main__") else f"reference {module}.{name}"


def _written(path: Path, what: dict[str, Any]) -> None:
    """Writes a file whole or not at all."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(json.dumps(what, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(aside, path)


def _show(torch: Any, step: str, name: str, fn: Callable[..., Any], arguments: tuple[Any, ...], tuner: Any) -> None:
    """Calls the function where a profiler looks. What compiles and tunes comes first and outside."""
    if step == "sanitize":
        fn(*arguments)
        torch.cuda.synchronize()
        return
    for _ in range(2):
        fn(*arguments)
    torch.cuda.synchronize()
    with contextlib.ExitStack() as ranges:
        for around in (RANGE, name, *_chosen(tuner)):
            ranges.enter_context(_range(torch, around))
        for _ in range(LAUNCHES if step == "launches" else 1):
            fn(*arguments)
        torch.cuda.synchronize()
    if step == "profile" and tuner is not None:
        for label, one in _configurations(tuner):
            with one:
                fn(*arguments)
                torch.cuda.synchronize()
                with _range(torch, RANGE), _range(torch, f"{name}{OF}{label}"):
                    fn(*arguments)
                    torch.cuda.synchronize()


def _configurations(tuner: Any) -> Iterator[tuple[str, contextlib.AbstractContextManager[None]]]:
    """The configurations of a Triton autotuner in words, each with a context in which the tuner takes it."""
    if not hasattr(tuner, "configs"):
        raise TypeError(f"tuner: expected a function under triton.autotune, found {type(tuner).__name__}")

    @contextlib.contextmanager
    def only(config: Any) -> Iterator[None]:
        kept = tuner.configs
        tuner.configs = [config]
        try:
            yield
        finally:
            tuner.configs = kept

    for config in list(tuner.configs):
        yield _label(config), only(config)


def _chosen(tuner: Any) -> list[str]:
    """The configuration that a Triton autotuner took last, in words; nothing without a tuner."""
    config = getattr(tuner, "best_config", None)
    return [] if config is None else [_label(config)]


def _label(config: Any) -> str:
    said = {key: value for key, value in config.all_kwargs().items() if value is not None}
    if said.get("num_ctas") == 1:
        del said["num_ctas"]
    return ", ".join(f"{key} = {value}" for key, value in said.items())


@contextlib.contextmanager
def _range(torch: Any, name: str) -> Iterator[None]:
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def _checked(
    torch: Any,
    fn: Callable[..., Any],
    reference: Callable[..., Any],
    inputs: Callable[[int], Sequence[Any]],
    seeds: Sequence[int],
    tolerance: float,
    worst: float,
) -> tuple[list[dict[str, Any]], list[tuple[str, Any]]]:
    """A run for each seed, and the outputs with their names. New memory holds NaNs, so that what nobody writes shows."""
    runs: list[dict[str, Any]] = []
    named: list[tuple[str, Any]] = []
    for seed in seeds:
        # The reference has inputs of its own: a kernel that spoils its inputs must not spoil what is expected of it.
        expected = _check.outputs(torch, reference(*inputs(seed)))
        fn(*inputs(seed))
        with _filled(torch):
            got = [one.clone() for one in _check.outputs(torch, fn(*inputs(seed)))]
            again = _check.outputs(torch, fn(*inputs(seed))) if not runs else [None] * len(got)
        if len(got) != len(expected):
            raise ValueError(f"expected {len(expected)} outputs, as the reference returns, found {len(got)}")
        names = ["out"] if len(got) == 1 else [f"out{at}" for at in range(len(got))]
        named = list(zip(names, got))
        checks = [_check.compared(torch, *one, tolerance, worst) for one in zip(names, got, expected, again)]
        runs.append({"seed": seed, "outputs": checks})
    return runs, named


@contextlib.contextmanager
def _filled(torch: Any) -> Iterator[None]:
    """New tensors hold NaNs, or the largest integer."""
    before, warns = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    fills = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warns)
        torch.utils.deterministic.fill_uninitialized_memory = fills


def _launch(torch: Any, kernel: str, fn: Callable[..., Any], arguments: tuple[Any, ...], outs: Any) -> dict[str, Any]:
    """What was called, with its arguments in words; a function of Python has no grid of its own."""
    try:
        names = list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"argument{at}" for at in range(len(names), len(arguments))]

    def said(name: str, value: Any, role: str) -> str:
        if isinstance(value, torch.Tensor):
            return f"{name}: {_check.dtype_name(value.dtype)} [{', '.join(map(str, value.shape))}], {role}"
        return f"{name}: {value!r}" if isinstance(value, (bool, int, float, str)) else f"{name}: {type(value).__name__}"

    words = [said(name, value, "in") for name, value in zip(names, arguments)]
    words += [said(name, value, "out") for name, value in outs]
    function = {"registers": 0, "local_bytes": 0, "static_shared": 0, "max_threads": 0, "blocks_per_multiprocessor": 0}
    launch: dict[str, Any] = {"kernel": kernel, "code_sha256": "", "grid": [0, 0, 0], "block": [0, 0, 0], "cluster": None}
    return launch | {"dynamic_shared": 0, "arguments": words, "function": function}


def _timed(
    torch: Any,
    fn: Callable[..., Any],
    reference: Callable[..., Any],
    arguments: tuple[Any, ...],
    l2_bytes: int,
    seed: int,
    against: str,
) -> dict[str, Any]:
    """Times of both in turn, in milliseconds, by events around one call."""
    flushed = TIMES_L2 * l2_bytes or 256 << 20
    flush, total = torch.ones(flushed // 4, device="cuda"), torch.empty((), device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    call, other = lambda: fn(*arguments), lambda: reference(*arguments)  # noqa: E731

    def between(what: Callable[[], Any], cycles: int) -> float:
        torch.sum(flush, dim=0, out=total)
        # While the device waits, the host queues what follows, so that its own time stays out of the sample.
        torch.cuda._sleep(cycles)
        start.record()
        what()
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end))

    spent = [_host_seconds(torch, what) for what in (call, other)]
    cycles = [int(2e9 * (2 * one + 20e-6)) for one in spent]
    for _ in range(WARM_UP):
        between(call, cycles[0])
        between(other, cycles[1])
    empty = [between(lambda: None, cycles[0]) for _ in range(EMPTY)]
    before = _under_load(torch, call)
    samples: list[float] = []
    others: list[float] = []
    begun, ended_by = time.monotonic(), "samples"
    while len(samples) < MOST:
        samples.append(between(call, cycles[0]))
        others.append(between(other, cycles[1]))
        if len(samples) >= LEAST and time.monotonic() - begun > SECONDS:
            ended_by = "time"
            break
        if len(samples) >= LEAST and _is_stable(samples) and _is_stable(others):
            ended_by = "stable"
            break
    after = _under_load(torch, call)
    method = {"warm_up": WARM_UP, "flushed_bytes": flushed, "flushed_by": "reads", "seed": seed, "ended_by": ended_by}
    timed = {"name": against, "note": "", "flop": None, "choice": None, "samples_ms": [_shortest(one) for one in others]}
    return {
        "method": method,
        "clocks_before": before,
        "clocks_after": after,
        "clocks_missing": "" if before and after else "nvidia-smi does not tell them",
        "samples_ms": [_shortest(one) for one in samples],
        "empty_ms": [_shortest(one) for one in empty],
        "reference": timed,
    }


def _host_seconds(torch: Any, call: Callable[[], Any]) -> float:
    """What the host needs to queue a call, the median of five."""
    spent = []
    for _ in range(6):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begun)
    torch.cuda.synchronize()
    return _median(spent[1:])


def _under_load(torch: Any, call: Callable[[], Any]) -> dict[str, Any] | None:
    """The clocks while the function is called over and over."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_device.clocks, torch)
        while not reading.done():
            for _ in range(4):
                call()
            torch.cuda.synchronize()
        return reading.result()


def _is_stable(samples: list[float]) -> bool:
    """Whether a distribution-free interval of 99 % for the median is within 0.5 % of it."""
    ordered, count = sorted(samples), len(samples)
    half = 2.576 * math.sqrt(count) / 2
    low, high = max(0, math.floor(count / 2 - half)), min(count - 1, math.ceil(count / 2 + half))
    return ordered[high] - ordered[low] <= 0.005 * _median(samples)


def _median(values: Sequence[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _shortest(value: float) -> float:
    """The shortest decimal that is the same single-precision number: what the driver knows, and no digits beside it."""
    import struct

    (single,) = struct.unpack("f", struct.pack("f", value))
    for digits in range(6, 10):
        text = f"{single:.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == single:
            return float(text)
    return value
