"""Joins Nsight Compute reports (.ncu-rep, or packed) into one, for use as test data; uses no NVIDIA software.

Usage: join_reports.py OUT IN...

The first report stays as it is, session included. Of the others the sources and results follow, with the ids of metric names changed to
those of one string table: the only ids that a result holds. Every other byte is as ncu wrote it.
"""
import struct
import sys

import packed
from trim_report import RESULT_METRICS, as_varint, blocks, entries, fields

NAMES = 4


def field(number, value):
    return as_varint(number << 3 | 2) + as_varint(len(value)) + value


def strings(whole):
    tables = (value for header, _ in whole for number, _, value, _ in fields(header) if number == NAMES)
    return [entry for table in tables for _, _, entry, _ in fields(table)]


def renamed(result, metrics, ids):
    """A result whose metrics carry the ids of the one table."""
    out = bytearray()
    for number, _, value, raw in fields(result):
        if number == metrics:
            parts = fields(value)
            raw = field(number, b"".join(as_varint(8) + as_varint(ids[own]) if part == 1 else same for part, _, own, same in parts))
        out += raw
    return bytes(out)


def followers(path, table):
    """The blocks of a report that hold sources or results, for a file whose string table is `table`, which grows."""
    whole = list(blocks(packed.contents(path)))
    ids = {}
    for own, entry in enumerate(strings(whole)):
        ids[own] = table.setdefault(entry, len(table))
    for header, payload in whole:
        body = bytearray()
        for kind, entry in entries(header, payload):
            if kind:
                entry = renamed(entry, RESULT_METRICS[kind], ids)
            body += struct.pack("<I", len(entry)) + entry
        if body:
            yield [raw for number, _, _, raw in fields(header) if number not in (3, NAMES, 5)], bytes(body)


def main(target, first, *others):
    data = packed.contents(first)
    whole = list(blocks(data))
    table = {}
    for entry in strings(whole):
        assert table.setdefault(entry, len(table)) == len(table) - 1, f"a name twice in {first}"
    new = [block for path in others for block in followers(path, table)]
    names, out = field(NAMES, b"".join(field(1, entry) for entry in table)), bytearray(data[:8 + struct.unpack_from("<I", data, 4)[0]])
    is_written = False
    for header, payload in whole:
        own = [raw for number, _, _, raw in fields(header) if number != NAMES]
        if not is_written and any(number == NAMES and value for number, _, value, _ in fields(header)):
            own, is_written = [*own, names], True
        head = b"".join(own)
        out += struct.pack("<I", len(head)) + head + payload
    for own, body in new:
        head = b"".join([*own, as_varint(5 << 3) + as_varint(len(body))])
        out += struct.pack("<I", len(head)) + head + body
    with open(target, "wb") as file:
        file.write(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
