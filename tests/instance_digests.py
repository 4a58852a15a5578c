#!/usr/bin/env python3
"""Writes what NVIDIA's own reader sees of every instanced metric of the given reports, as digests.

Needs the PyPI package `ncu-report`; made `tests/fixtures/h200/truth/instances.tsv.zst`:

    cd tests/fixtures/h200 && ../../instance_digests.py *.ncu-repz | zstd -19 > truth/instances.tsv.zst

Columns: report, result, metric, number of instances, SHA-256 over one line per instance: id, tab, value, newline.
A number is written as `u` and its decimal digits, or `d` and the 16 hexadecimal digits of its bits (`dnan` for any
NaN); text as `s` and the text.
"""

import hashlib
import math
import struct
import sys

import ncu_report
import packed


def encoded(metric, index):
    kind = metric.kind(index)
    if kind == metric.ValueKind_STRING:
        return f"s{metric.as_string(index)}"
    if kind in (metric.ValueKind_UINT32, metric.ValueKind_UINT64):
        return f"u{metric.as_uint64(index)}"
    value = metric.as_double(index)
    return "dnan" if math.isnan(value) else f"d{struct.unpack('<Q', struct.pack('<d', value))[0]:016x}"


def digest(metric):
    ids = metric.correlation_ids()
    lines = (f"{encoded(ids, at)}\t{encoded(metric, at)}\n" for at in range(metric.num_instances()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def main():
    for path in sys.argv[1:]:
        with packed.plain(path) as copy:
            context = ncu_report.load_report(copy)
            groups = [context.range_by_idx(at) for at in range(context.num_ranges())]
            actions = [group.action_by_idx(at) for group in groups for at in range(group.num_actions())]
            for result, action in enumerate(actions):
                for name in sorted(action.metric_names()):
                    metric = action.metric_by_name(name)
                    if metric.num_instances():
                        print(path.removesuffix("z"), result, name, metric.num_instances(), digest(metric), sep="\t")


if __name__ == "__main__":
    main()
