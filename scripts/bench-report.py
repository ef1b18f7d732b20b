#!/usr/bin/env python3
"""Compares the JSON lines of Ostracon's benchmark with those of other systems.

    bench-report.py OSTRACON.jsonl PEERS.jsonl [--json FILE] [--svg FILE]

Prints a Markdown table of CPU times and one of goals: for each work the ratio to a peer of the same run, what it must
be and what is aimed at. `--json` writes the goals as JSON, `--svg` draws the times. Ends with status 1 if two systems
gave different answers. Only the standard library is needed.
"""

import argparse
import json
import math
import re
import sys

# Work, ours (system, workloads), theirs (system, workload), must, aim: ours divided by theirs.
RATIOS = [
    ("W1 load of CSV", ("ostracon", ("W1-load", "W1-compact")), ("myrocks", "W1-load"), 0.5, None),
    ("W1 load of CSV", ("ostracon", ("W1-load", "W1-compact")), ("duckdb", "W1-load"), 0.8, 0.65),
    ("W2 prepared get", ("ostracon", ("W2-points",)), ("myrocks", "W2-points"), 0.25, None),
    ("W2 prepared get", ("ostracon", ("W2-points",)), ("sqlite", "W2-points"), None, 1.0),
    ("W2 multi_get, 4 columns", ("ostracon", ("W2-multi4",)), ("myrocks", "W2-join"), 1.2, 0.8),
    ("W3 prepared", ("ostracon", ("W3-ranges",)), ("sqlite", "W3-ranges"), 0.5, 0.2),
    ("W4 filter of 1 %", ("ostracon", ("W4-filter1pct",)), ("duckdb", "W4-filter1pct"), 1.5, 1.0),
    ("W4 filter of 1 %", ("ostracon", ("W4-filter1pct",)), ("datafusion", "W4-filter1pct"), 0.25, None),
    ("W5 Q6", ("ostracon", ("W5-Q6",)), ("duckdb", "W5-Q6"), 1.5, 1.0),
    ("W5 Q6", ("ostracon", ("W5-Q6",)), ("datafusion", "W5-Q6"), 0.25, None),
    ("W5 Q1", ("ostracon", ("W5-Q1",)), ("duckdb", "W5-Q1"), 1.5, 1.0),
    ("W7 range and filter", ("ostracon", ("W7-range+filter",)), ("duckdb", "W7-range+filter"), 1.5, 1.0),
    ("Q6, 2 % unmerged", ("ostracon-delta2", ("W5-Q6",)), ("ostracon", "W5-Q6"), 4.0, 2.5),
    ("Q6, cache of 8 MB", ("ostracon-cache8", ("W5-Q6",)), ("ostracon", "W5-Q6"), 4.0, 3.0),
]
SIZES = [
    ("disk", ("ostracon", "disk-base"), ("myrocks", "disk-base"), 0.75, None),
    ("disk", ("ostracon", "disk-base"), ("duckdb", "disk-base"), 1.4, 1.0),
]
# Work, system, workload, unit, must, aim: at most, or at least for rows/s.
LIMITS = [
    ("W1 Arrow batches", "ostracon", "W1-arrow", "M rows/s", 1.5, 3.0),
    ("W8 count(*)", "ostracon", "W8-count", "ms", 2.0, 1.0),
    ("memory of scans, cache of 8 MB", "ostracon-cache8", "memory-scans", "MB", 128, 64),
]
SYSTEMS = ["ostracon", "ostracon-cache8", "ostracon-delta2", "duckdb", "datafusion", "sqlite", "myrocks"]
# Keys asked for in full; where a peer was asked for fewer, its time is scaled up.
FULL = {"W2-points": 10_000, "W2-text": 10_000, "W3-ranges": 110_720, "W6-index": 31_059}


class Results:
    def __init__(self, paths):
        self.lines = {}
        for path in paths:
            with open(path, encoding="utf-8") as file:
                for text in filter(lambda text: text.startswith("{"), file):
                    line = json.loads(text)
                    self.lines[line["peer"], line["t"], line["w"]] = line

    def rows(self, system, workload, threads=1):
        line = self.lines.get((system, threads, workload))
        return line and line["rows"]

    def milliseconds(self, system, workload, threads=1, field="cpu"):
        line = self.lines.get((system, threads, workload))
        if line is None or line["s"] == 0:
            return None
        scale = FULL.get(workload, line["rows"]) / line["rows"]
        return line[field] * 1000 * scale

    def total(self, system, workloads):
        parts = [self.milliseconds(system, workload) for workload in workloads]
        return None if parts[0] is None else sum(part or 0 for part in parts)

    def disagreements(self):
        """Pairs of systems that answered the same question differently."""
        answers = {}
        for (system, _, workload), line in self.lines.items():
            if not re.match(r"W[2-8]", workload):
                continue
            numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line["check"])]
            if workload in FULL and line["rows"] != FULL[workload]:
                continue
            other, rows, theirs = answers.setdefault(workload, (system, line["rows"], numbers))
            same = len(numbers) == len(theirs) and all(
                math.isclose(a, b, rel_tol=1e-9) for a, b in zip(numbers, theirs)
            )
            if (workload not in ("W4-filter1pct", "W3-ranges", "W6-index") and not same) or rows != line["rows"]:
                yield f"{workload}: {other} gave {rows} rows, {theirs}; {system} gave {line['rows']} rows, {numbers}"


def verdict(value, must, aim, at_least=False):
    good = (lambda bound: value >= bound) if at_least else (lambda bound: value <= bound)
    if aim is not None and good(aim):
        return "aim"
    if must is None:
        return "missed aim"
    return "must" if good(must) else "MISSED"


def goals(results):
    """One dictionary for each goal that the results have figures for."""
    found = []

    def add(work, against, unit, ours, value, must, aim, at_least=False):
        goal = {"work": work, "against": against, "unit": unit, "ostracon": ours, "value": value, "must": must, "aim": aim}
        found.append(goal | {"verdict": verdict(value, must, aim, at_least)})

    for work, (system, workloads), (peer, workload), must, aim in RATIOS:
        ours, theirs = results.total(system, workloads), results.milliseconds(peer, workload)
        if ours and theirs:
            add(work, peer, "x", ours, ours / theirs, must, aim)
    for work, ours, theirs, must, aim in SIZES:
        ours, theirs, peer = results.rows(*ours), results.rows(*theirs), theirs[0]
        if ours and theirs:
            add(work, peer, "x", ours / 1e6, ours / theirs, must, aim)
    for work, system, workload, unit, must, aim in LIMITS:
        rows, time = results.rows(system, workload), results.milliseconds(system, workload)
        if rows and unit == "MB":
            add(work, None, unit, rows / 2**20, rows / 2**20, must, aim)
        elif rows and unit == "ms" and time:
            add(work, None, unit, time, time, must, aim)
        elif rows and time:
            add(work, None, unit, time, rows / time / 1000, must, aim, at_least=True)
    return found


def figure(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def times_table(results):
    workloads = sorted({workload for _, _, workload in results.lines if workload.startswith("W")})
    systems = [system for system in SYSTEMS if any(key[0] == system for key in results.lines)]
    yield row(["CPU ms, one thread", *systems])
    yield row(["---", *["--:"] * len(systems)])
    for workload in workloads:
        yield row([workload, *(figure(results.milliseconds(system, workload)) for system in systems)])
    disk = (results.rows(system, "disk-base") for system in systems)
    yield row(["disk, MB", *(figure(bytes and bytes / 1e6) for bytes in disk)])
    peaks = (max((line["rss_mb"] for key, line in results.lines.items() if key[0] == system)) for system in systems)
    yield row(["peak memory, MB", *(f"{peak:,}" for peak in peaks)])


def threads_table(results):
    both = sorted({workload for system, threads, workload in results.lines if (system, threads) == ("ostracon", 2)})
    yield row(["wall ms", "1 thread", "2 threads"])
    yield row(["---", "--:", "--:"])
    for workload in filter(lambda workload: workload.startswith("W"), both):
        times = (results.milliseconds("ostracon", workload, threads, "s") for threads in (1, 2))
        yield row([workload, *map(figure, times)])


def goals_table(found):
    yield row(["work", "Ostracon", "against", "value", "must", "aim", ""])
    yield row(["---", "--:", "---", "--:", "--:", "--:", "---"])
    for goal in found:
        unit = "" if goal["unit"] == "x" else f" {goal['unit']}"
        value = figure(goal["value"]) + ("x" if goal["unit"] == "x" else unit)
        bounds = ("" if bound is None else f"{bound:g}" for bound in (goal["must"], goal["aim"]))
        yield row([goal["work"], figure(goal["ostracon"]), goal["against"] or "", value, *bounds, goal["verdict"]])


def drawing(results):
    """Workloads downwards, CPU milliseconds to the right on a logarithmic axis, one dot a system."""
    colours = {"ostracon": "#c2410c", "duckdb": "#ca9a04", "datafusion": "#2563eb", "sqlite": "#64748b", "myrocks": "#15803d"}
    wanted = [key[2] for key in results.lines if key[:2] == ("ostracon", 1) and key[2].startswith("W")]
    rows = []
    for workload in sorted(set(wanted)):
        dots = {system: results.milliseconds(system, workload) for system in colours}
        dots = {system: max(time, 0.1) for system, time in dots.items() if time is not None}
        if len(dots) > 1:
            rows.append((workload, dots))
    if not rows:
        return
    low = math.floor(math.log10(min(time for _, dots in rows for time in dots.values())))
    high = math.ceil(math.log10(max(time for _, dots in rows for time in dots.values())))
    left, width, step, top = 130, 640, 30, 56
    height = top + step * len(rows) + 40

    def x(time):
        return left + width * (math.log10(time) - low) / max(high - low, 1)

    bottom = top + step * len(rows)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 40} {height}" '
        'font-family="sans-serif" font-size="13" fill="#1f2937">'
    )
    yield '<rect width="100%" height="100%" fill="#ffffff"/>'
    for number, (system, colour) in enumerate(colours.items()):
        yield f'<circle cx="{left + 125 * number}" cy="22" r="6" fill="{colour}"/>'
        yield f'<text x="{left + 125 * number + 12}" y="27">{system}</text>'
    for power in range(low, high + 1):
        at = x(10.0**power)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top - 10}" y2="{bottom}" stroke="#e5e7eb"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle">{10.0**power:g}</text>'
    yield f'<text x="{left + width / 2}" y="{height - 6}" text-anchor="middle">CPU milliseconds, one thread, lineitem SF 1</text>'
    for number, (workload, dots) in enumerate(rows):
        y = top + step * number + step / 2
        times = dots.values()
        yield f'<text x="{left - 14}" y="{y + 4:.1f}" text-anchor="end">{workload}</text>'
        yield f'<line x1="{x(min(times)):.1f}" x2="{x(max(times)):.1f}" y1="{y}" y2="{y}" stroke="#9ca3af"/>'
        for system, time in reversed(dots.items()):
            title = f"<title>{system}: {figure(time)} ms</title>"
            yield f'<circle cx="{x(time):.1f}" cy="{y}" r="6" fill="{colours[system]}">{title}</circle>'
    yield "</svg>"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("results", nargs="+", help="files of JSON lines")
    arguments.add_argument("--json", help="where the goals go as JSON")
    arguments.add_argument("--svg", help="where the drawing goes")
    arguments = arguments.parse_args()
    results = Results(arguments.results)
    found = goals(results)
    print("\n".join(times_table(results)), "\n".join(goals_table(found)), "\n".join(threads_table(results)), sep="\n\n")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
            file.write("\n")
    if arguments.svg:
        with open(arguments.svg, "w", encoding="utf-8") as file:
            file.write("\n".join(drawing(results)) + "\n")
    differing = list(results.disagreements())
    if differing:
        sys.exit("different answers:\n" + "\n".join(differing))


if __name__ == "__main__":
    main()
