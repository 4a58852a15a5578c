#!/usr/bin/env python3
"""Compares `audit dump evidence --instances` with NVIDIA's own reader, report by report.

Needs the PyPI package `ncu-report` and a built `audit`; neither the program nor its tests need this script.

    pip install ncu-report
    tests/against_nvidia.py [--dump "audit dump evidence --instances"] REPORT...

Compared for every result: name, function, mangled name, kind, grid and block of kernels; every metric with its kind
(integer, float, text), value, NaN and absence, its unit, every instance with its correlation id; every rule entry.
Prints counts and differences; the exit status is 1 when anything differs.

Results are paired by mangled name, grid, block and duration: of a file with several processes `audit` gives them process by
process, NVIDIA's reader in the order of the file. Files of which the order differs are counted.

Units that NVIDIA prints by chance are counted apart and are no difference: its reader searches a name that its library
does not know on that chip for any unit word that it has met before, so one name has different units in different files.
"""

import argparse
import collections
import json
import math
import re
import shlex
import subprocess
import sys

import ncu_report
import packed

KINDS = {0: "kernel", 1: "range", 2: "cmdlist", 3: "graph"}
# Names whose unit depends, at NVIDIA, on the file's other metrics or on the version of the library.
UNSTABLE = re.compile(r"^(breakdown|regex):|^derived__|\.Triage|^memory_|memdesc|gcomp|^idc__requests|uses_blocks_as_clusters")
# NVIDIA's Python enumeration of message types, and the words for what the file stores.
MESSAGE_TYPES = {0: "none", 1: "ok", 2: "optimization", 3: "warning", 4: "error"}
SEVERITIES = {0: "default", 1: "low", 2: "high"}


def same_number(ours, theirs):
    if isinstance(theirs, float) and math.isnan(theirs):
        return isinstance(ours, float) and math.isnan(ours)
    return type(ours) is type(theirs) and ours == theirs


def our_value(entry):
    """The value of a dumped metric or instance as Python has it in NVIDIA's module."""
    if entry.get("nan"):
        return math.nan
    if "infinite" in entry:
        return math.inf if entry["infinite"] == "+" else -math.inf
    return entry["value"]


def typed(metric, index=None):
    """The value of NVIDIA's metric, or of one instance of it, in its stored kind."""
    at = () if index is None else (index,)
    kind = metric.kind(*at)
    if kind == metric.ValueKind_STRING:
        return metric.as_string(*at)
    if kind in (metric.ValueKind_UINT32, metric.ValueKind_UINT64):
        return metric.as_uint64(*at)
    return metric.as_double(*at)


class Comparison:
    def __init__(self):
        self.counts = collections.Counter()
        self.differences = []
        self.units = collections.Counter()
        self.where = ""
        self.chance = False

    def check(self, what, ours, theirs, equal=None):
        self.counts[what] += 1
        if not (ours == theirs if equal is None else equal):
            self.differences.append(f"{self.where}: {what}: ours {ours!r}, NVIDIA's {theirs!r}")

    def metric(self, name, ours, theirs):
        if theirs.has_value():
            value = typed(theirs)
            self.check("values", f"{name}={our_value(ours)!r}", f"{name}={value!r}", same_number(our_value(ours), value))
        else:
            marked = ours["value"] is not None or "nan" in ours or "infinite" in ours
            self.check("absent values", f"{name}: {'a value' if marked else 'absent'}", f"{name}: absent")
        unit = theirs.unit() or ""
        if self.chance or UNSTABLE.search(name):
            self.counts["units given by chance"] += 1
            if unit != ours["unit"]:
                self.units[(name, ours["unit"], unit)] += 1
        else:
            self.check("units", f"{name} in {ours['unit']!r}", f"{name} in {unit!r}")
        instances = ours.get("instances", [])
        self.check("instance counts", f"{name}: {len(instances)}", f"{name}: {theirs.num_instances()}")
        if not instances:
            return
        self.counts["instance lists"] += 1
        ids = theirs.correlation_ids()
        for index, instance in enumerate(instances[: theirs.num_instances()]):
            value = typed(theirs, index)
            label = f"{name}[{index}]"
            self.check("instances", f"{label}={our_value(instance)!r}", f"{label}={value!r}",
                       same_number(our_value(instance), value))
            identity = typed(ids, index)
            self.check("correlation ids", f"{label} id {instance['id']!r}", f"{label} id {identity!r}",
                       same_number(instance["id"], identity))

    def rule(self, ours, theirs):
        theirs = [entry for entry in theirs]
        self.check("rule entries", len(ours), len(theirs))
        for our, their in zip(ours, theirs):
            self.check("rules", (our["id"], our["name"], our["section"]),
                       (their["rule_identifier"], their["name"], their["section_identifier"]))
            message = their["rule_message"]
            mine = our["messages"][0] if our["messages"] else {"title": "", "text": "", "kind": "none"}
            self.check("rule messages", (mine["title"], mine["text"], mine["kind"]),
                       (message["title"], message["message"], MESSAGE_TYPES.get(message["type"], message["type"])))
            speedup = their.get("speedup_estimation")
            mine = our["speedup"] and (2 if our["speedup"]["is_global"] else 1, our["speedup"]["percent"])
            self.check("speedups", mine, speedup and (speedup["type"], speedup["speedup"]))
            mine = [(m["metric"], m["value"], m["severity"], m["info"]) for m in our["focus"]]
            focus = [(m["name"], m["value"], SEVERITIES.get(m["severity"], str(m["severity"])), m["info"])
                     for m in their.get("focus_metrics") or []]
            self.check("focus metrics", repr(mine).replace("None", "nan"), repr(focus))

    def launch(self, ours, action):
        self.check("kinds", ours["kind"], KINDS.get(action.workload_type()))
        self.check("functions", ours["function"], action.name(action.NameBase_FUNCTION))
        if ours["kind"] == "kernel":
            self.check("mangled names", ours["mangled"], action.name(action.NameBase_MANGLED))
            demangled = action.name(action.NameBase_DEMANGLED)
            self.check("names", ours["name"], demangled)
            for field, metric in (("grid", "launch__grid_dim_"), ("block", "launch__block_dim_")):
                theirs = [action.metric_by_name(metric + axis) for axis in "xyz"]
                if all(theirs):
                    self.check(field, ours[field], [int(axis.as_uint64()) for axis in theirs])
        # NVIDIA's library knows no metric of chips before Volta: their units are all chance.
        self.chance = (ours["device"]["compute_capability"] or [7, 0])[0] < 7
        names = set(action.metric_names())
        self.check("metric names", sorted(set(ours["metrics"]) - names), sorted(names - set(ours["metrics"])),
                   set(ours["metrics"]) == names)
        for name in sorted(names & set(ours["metrics"])):
            self.metric(name, ours["metrics"][name], action.metric_by_name(name))
        self.rule(ours["rules"], action.rule_results_as_dicts())

    def report(self, path, dump):
        self.where = path.rsplit("/", 1)[-1]
        done = subprocess.run([*shlex.split(dump), path], capture_output=True, check=False)
        if done.returncode != 0:
            self.differences.append(f"{self.where}: not read: {done.stderr.decode(errors='replace').strip()}")
            return
        ours = json.loads(done.stdout)["launches"]
        with packed.plain(path) as copy:
            context = ncu_report.load_report(copy)
            actions = [action for index in range(context.num_ranges()) for action in actions_of(context, index)]
            self.counts["files"] += 1
            self.check("result counts", len(ours), len(actions))
            if [our_identity(our) for our in ours] != [their_identity(action) for action in actions]:
                self.counts["files in another order"] += 1
                ours.sort(key=our_identity)
                actions.sort(key=their_identity)
            for index, (our, action) in enumerate(zip(ours, actions)):
                self.where = f"{path.rsplit('/', 1)[-1]} result {index}"
                self.counts["results"] += 1
                self.launch(our, action)


def actions_of(context, index):
    group = context.range_by_idx(index)
    return [group.action_by_idx(at) for at in range(group.num_actions())]


IDENTITY = [f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz"] + ["gpu__time_duration.sum"]


def our_identity(result):
    metrics = (result["metrics"].get(name) for name in IDENTITY)
    return (result["mangled"] or "", *(str(our_value(metric)) if metric else "" for metric in metrics))


def their_identity(action):
    metrics = (action.metric_by_name(name) for name in IDENTITY)
    return (action.name(action.NameBase_MANGLED) or "", *(str(typed(metric)) if metric else "" for metric in metrics))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dump", default="audit dump evidence --instances", help="the command that dumps a report")
    parser.add_argument("reports", nargs="+")
    arguments = parser.parse_args()
    comparison = Comparison()
    for path in arguments.reports:
        comparison.report(path, arguments.dump)
    for difference in comparison.differences[:200]:
        print(difference[:500])
    print(f"NVIDIA's reader {ncu_report.get_version()}" if hasattr(ncu_report, "get_version") else "")
    for what, count in sorted(comparison.counts.items()):
        print(f"{count:>10} {what}")
    for (name, ours, theirs), count in comparison.units.most_common():
        print(f"unit: {name}: ours {ours!r}, NVIDIA's {theirs!r}, {count} times")
    print(f"{len(comparison.differences)} differences")
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
