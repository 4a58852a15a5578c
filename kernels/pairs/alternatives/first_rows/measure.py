"""Compiles the variants of stated.toml with the kernels of their pairs, checks each against before, and times all of a pair in turn with L2
emptied: medians of forty. Prints a row for each: pair, variant, action, ms, percent of before that went, largest relative difference.

    measure.py [PAIR]...        needs CuPy and nvcc
"""
import pathlib, subprocess, sys, tempfile, tomllib
import cupy as cp

here = pathlib.Path(__file__).resolve().parent
stated = tomllib.loads((here / "stated.toml").read_text())["alternative"]
pairs = tomllib.loads((here / "../../../../tests/fixtures/pairs.toml").read_text())["pair"]
subjects = {}
for file in here.parents[1].glob("*/audit.toml"):
    subjects.update({one["name"]: (file.parent, one) for one in tomllib.loads(file.read_text()).get("subject", [])})
random = cp.random.default_rng(1)
work = tempfile.mkdtemp()
flush = cp.zeros(256 << 20, cp.uint8)
types = {"f32": cp.float32, "f16": cp.float16, "i32": cp.int32, "u32": cp.uint32, "u8": cp.uint8}


def argument(spec):
    dtype = types[spec["dtype"]]
    if "value" in spec:
        return dtype(spec["value"])
    if "uniform" in spec:
        low, high = spec["uniform"]
        return (random.random(spec["shape"], cp.float32) * (high - low) + low).astype(dtype)
    if spec.get("role"):
        return cp.zeros(spec["shape"], dtype)
    top = spec["integers"][1] + 1 if "integers" in spec else 256 if dtype == cp.uint8 else 1 << 32
    return random.integers(0, top, spec["shape"], cp.uint64).astype(dtype)


def kernel(source, name):
    cubin = f"{work}/{name}.cubin"
    subprocess.run(["nvcc", "-arch=sm_90a", "-cubin", "-O3", "-o", cubin, source], check=True)
    return cp.RawModule(path=cubin).get_function(name)


def shape(size):
    return tuple(size) if isinstance(size, list) else (size,)


for name in dict.fromkeys(sys.argv[1:] or [own["pair"] for own in stated]):
    pair = next(own for own in pairs if own["name"] == name)
    folder, before = subjects[pair["before"]]
    after = before["name"].replace("_before", "_after") if "_before" in before["name"] else before["name"][:-1] + chr(ord(before["name"][-1]) + 1)
    launch = lambda subject: {key: subject["launch"].get(key, 0) for key in ("grid", "block", "dynamic_shared")}
    runs = [(one["name"], "before" if one is before else "made", kernel(folder / one["source"], one["name"]), launch(one)) for one in (before, subjects[after][1])]
    for own in (own for own in stated if own["pair"] == name):
        source = here / (own["variant"] + ".cu")
        code = kernel(source, own["variant"]) if source.exists() else runs[0][2]
        runs.append((own["variant"], own["action"], code, runs[0][3] | {key: own[key] for key in ("grid", "block") if key in own}))
    specs = before["launch"]["args"]
    args = [argument(spec) for spec in specs]
    results = [at for at, spec in enumerate(specs) if spec.get("role")]
    times, outs = [[] for _ in runs], []
    for turn in range(41):
        for at, (_, _, code, how) in enumerate(runs):
            code.max_dynamic_shared_size_bytes = max(how["dynamic_shared"], 1)
            for out in results:
                args[out].fill(0)
            flush.fill(turn)
            start, end = cp.cuda.Event(), cp.cuda.Event()
            start.record()
            code(shape(how["grid"]), shape(how["block"]), tuple(args), shared_mem=how["dynamic_shared"])
            end.record()
            end.synchronize()
            if turn == 0:
                outs.append(args[results[0]].astype(cp.float64))
            else:
                times[at].append(cp.cuda.get_elapsed_time(start, end))
    medians = [sorted(own)[len(own) // 2] for own in times]
    for (variant, action, _, _), median, out in zip(runs, medians, outs):
        off = float(cp.max(cp.abs(out - outs[0]))) / max(float(cp.max(cp.abs(outs[0]))), 1e-30)
        print(f"{name}\t{variant}\t{action}\t{median:.5f}\t{100 * (1 - median / medians[0]):.1f}\t{off:.1e}", flush=True)
