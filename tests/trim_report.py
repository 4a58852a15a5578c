"""Makes a small copy of an Nsight Compute report (.ncu-rep) for use as test data; uses no NVIDIA software.

Usage: trim_report.py IN OUT [--lists RE] [--without RE] [--metrics FILE] [--sections | --code]

With --sections it leaves out the section definitions and nothing else, with --code the machine code as well, for a report that
is read by its values. Else it leaves out, whole: the section definitions (layout that repeats in every result), the metrics that the samplers of
whole units wrote over time (category 1, PM sampling), and the metrics of the warp sampler that end in `_not_issued`.
Of a metric whose name the expression --lists does not match it leaves out the instances; its value stays. Of a source file
that lies in an include folder, a header of a toolkit or a compiler, it leaves out the text; its name stays. Of the kernels
those stay whose function the expression --without does not match from its beginning. With --metrics it leaves out as well the metrics
that a file names, one a line: of pairs and labelled kernels those without which `audit dump analysis` says the same.
Every byte of what remains is as ncu wrote it, in the same order; only lengths in front of shortened messages change.
"""
import argparse
import re
import struct

import packed

LISTS = (r"sass__|launch__|inst_executed|thread_inst_executed|memory_|derived__memory_l|"
         r"smsp__pcsamp_|smsp__branch|derived__pct_occupancy")
RESULT_SECTIONS = {1: 17, 7: 6, 8: 6, 9: 6}
RESULT_METRICS = {1: 13, 7: 4, 8: 4, 9: 4}
SOURCE_CODE, SOURCE_FILES, FILE_NAME, FILE_TEXT = 4, 8, 1, 2


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


def as_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """(field, wire type, value, bytes as they are) of a message, in file order."""
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value = data[at:at + size]
            at += size
        else:
            size = {1: 8, 5: 4}[wire]
            value = data[at:at + size]
            at += size
        yield key >> 3, wire, value, data[begin:at]


def trimmed_metric(metric, strings, lists, left_out):
    """The metric's bytes, shortened or empty."""
    parts = list(fields(metric))
    name = next((strings[value] for field, _, value, _ in parts if field == 1), "")
    category = next((value for field, _, value, _ in parts if field == 4), 0)
    if category == 1 or name.endswith("_not_issued") or name in left_out:
        return b""
    if lists.match(name):
        return metric
    return b"".join(raw for field, _, _, raw in parts if field != 3)


def trimmed_result(kind, result, strings, lists, left_out):
    out = bytearray()
    for field, _, value, raw in fields(result):
        if field == RESULT_SECTIONS[kind]:
            continue
        if field == RESULT_METRICS[kind]:
            metric = trimmed_metric(value, strings, lists, left_out)
            if not metric:
                continue
            if metric != value:
                raw = as_varint(field << 3 | 2) + as_varint(len(metric)) + metric
        out += raw
    return bytes(out)


def trimmed_source(source):
    """A source without the texts of headers that are not the kernel's own."""
    out = bytearray()
    for field, _, value, raw in fields(source):
        if field == SOURCE_FILES:
            files = b"".join(trimmed_file(of, file) for of, _, file, _ in fields(value))
            raw = as_varint(field << 3 | 2) + as_varint(len(files)) + files
        out += raw
    return bytes(out)


def trimmed_file(field, file):
    parts = list(fields(file))
    is_header = any(number == FILE_NAME and b"/include/" in value for number, _, value, _ in parts)
    kept = b"".join(raw for number, _, _, raw in parts if not (is_header and number == FILE_TEXT))
    return as_varint(field << 3 | 2) + as_varint(len(kept)) + kept


def blocks(data):
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        header = data[at + 4:at + 4 + size]
        at += 4 + size
        payload = next((value for field, _, value, _ in fields(header) if field == 5), 0)
        yield header, data[at:at + payload]
        at += payload


def entries(header, payload):
    """(kind of result, 0 for a source; its message) of a block, in file order."""
    counts = {field: value for field, wire, value, _ in fields(header) if wire == 0}
    kinds = [0] * counts.get(1, 0)
    for kind, count_field in ((1, 2), (7, 7), (8, 8), (9, 9)):
        kinds += [kind] * counts.get(count_field, 0)
    at = 0
    for kind in kinds:
        size = struct.unpack_from("<I", payload, at)[0]
        yield kind, payload[at + 4:at + 4 + size]
        at += 4 + size
    assert at == len(payload), "bytes left over in a block"


def without_field(message, number):
    return b"".join(raw for field, _, _, raw in fields(message) if field != number)


def function(result):
    """The name of a kernel's function without its arguments."""
    return next(value.decode() for field, _, value, _ in fields(result) if field == 6)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--lists", default=LISTS)
    parser.add_argument("--without", default="$")
    parser.add_argument("--metrics")
    parser.add_argument("--sections", action="store_true")
    parser.add_argument("--code", action="store_true")
    asked = parser.parse_args()
    lists, without = re.compile(asked.lists), re.compile(asked.without)
    left_out = set(open(asked.metrics).read().split()) if asked.metrics else set()
    data = packed.contents(asked.source)
    assert data[:4] == b"NVR\0", "not an Nsight Compute report"
    whole = list(blocks(data))
    strings = [entry.decode() for header, _ in whole for field, wire, value, _ in fields(header) if field == 4
               for _, _, entry, _ in fields(value)]
    out = bytearray(data[:8 + struct.unpack_from("<I", data, 4)[0]])
    for header, payload in whole:
        body, kernels = bytearray(), 0
        for kind, entry in entries(header, payload):
            if kind == 1 and without.match(function(entry)):
                continue
            kernels += kind == 1
            if asked.sections or asked.code:
                gone = RESULT_SECTIONS[kind] if kind else SOURCE_CODE if asked.code else None
                entry = without_field(entry, gone)
            else:
                entry = trimmed_result(kind, entry, strings, lists, left_out) if kind else trimmed_source(entry)
            body += struct.pack("<I", len(entry)) + entry
        counts = {5: len(body), 2: kernels}
        head = b"".join(as_varint(field << 3) + as_varint(counts[field]) if field in counts else raw
                        for field, _, _, raw in fields(header))
        out += struct.pack("<I", len(head)) + head + body
    open(asked.target, "wb").write(out)


if __name__ == "__main__":
    main()
