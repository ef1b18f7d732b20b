#!/usr/bin/env python3
"""Random scripts on Apache Pig 0.17 and on Ostracon.

    oracle.py record --bin PATH --seed S --count N --into FOLDER
                                                         real Pig's answers as files of cases, without the scripts that
                                                         failed there or differ for a known reason
    oracle.py check --bin PATH FILE...                   Ostracon against recorded answers
    oracle.py compare --bin PATH --seed S --count N      both at once

Differences are shown with their scripts; a script that real Pig refuses is counted, not compared.
"""
import argparse
import concurrent.futures
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cases
import generate

HERE = pathlib.Path(__file__).resolve().parent
A_FILE = 25  # cases in a file of recorded answers


def real(found, folder):
    """Runs the cases on real Pig; fills in their output. Gives those that ran, and those that failed with why."""
    for case in found:
        case.lay(folder)
    subprocess.run([HERE.parent / "pig-oracle.sh", "run", folder], check=True, stdout=subprocess.DEVNULL)
    ran, failed = [], []
    for case in found:
        target = pathlib.Path(folder) / case.name
        if (target / "pig.error").exists():
            failed.append((case, (target / "pig.error").read_text(encoding="utf-8")))
            continue
        case.output = (target / "pig.out").read_text(encoding="utf-8").replace(str(target), "$dir").splitlines()
        ran.append(case)
    return ran, failed


class Difference:
    """What was told instead of a recorded answer; `found` are the rows, if there are any."""

    def __init__(self, told, found=None):
        self.told, self.found = told, found


def ostracon(binary, case):
    """None where the answer is the recorded one."""
    with tempfile.TemporaryDirectory() as folder:
        target = case.lay(folder)
        done = subprocess.run([binary, "pig", "-param", "dir=%s" % target, "script.pig"], cwd=target, text=True, capture_output=True,
                              env=dict(os.environ, OSTRACON_DATA=":memory:", TZ="UTC", NO_COLOR="1"), timeout=120)
        if done.returncode != 0:
            return Difference("status %d\n%s" % (done.returncode, done.stderr))
        found = done.stdout.replace(str(target), "$dir").splitlines()
        return Difference("\n".join(["found:", *found, done.stderr]), found) if case.differs(found) else None


def known():
    """Patterns of scripts, what to write instead, and why they may differ: the last table of docs/pig-compatibility.md."""
    text = (HERE.parent.parent / "docs/pig-compatibility.md").read_text(encoding="utf-8").split("## Seen by the oracle")[1]
    rows = re.findall(r"^\| `(.+?)` \| (?:`(.+?)`)? ?\| (.+) \|$", text, re.M)
    return [(re.compile(pattern.replace("\\|", "|")), instead, why) for pattern, instead, why in rows]


def compare(binary, found):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        told = list(pool.map(lambda case: ostracon(binary, case), found))
    differences = [(case, difference) for case, difference in zip(found, told) if difference is not None]
    unknown = 0
    for case, difference in differences:
        why = reason(case, difference)
        if why:
            print("%s: known: %s" % (case.name, why))
            continue
        unknown += 1
        print("=" * 100, case.text(), "-" * 30, difference.told, sep="\n")
    print("%d scripts, %d differ, %d of them for no known reason" % (len(found), len(differences), unknown))
    return unknown == 0


def reason(case, difference):
    """Why an answer may be another one; None where there is no reason."""
    if difference.found is None:
        return None
    if same_but_for_digits(case, difference.found):
        return "doubles as JDKs before 19 write them"
    for pattern, instead, why in known():
        if pattern.search(case.script) and (not instead or agrees(case, pattern, instead, difference.found)):
            return why
    return None


def agrees(case, pattern, instead, found):
    """Whether real Pig gives these rows for the script with the pattern replaced."""
    rewritten = copy.deepcopy(case)
    rewritten.script = pattern.sub(instead, case.script)
    with tempfile.TemporaryDirectory() as folder:
        ran, _ = real([rewritten], folder)
    return any(not case.differs(found) or same_but_for_digits(case, found) for case in ran)


def same_but_for_digits(case, found):
    shortest = lambda lines: [re.sub(r"\d+\.\d+(?:E-?\d+)?", lambda text: repr(float(text[0])), line) for line in lines]
    short = copy.deepcopy(case)
    short.output = shortest(case.output)
    return not short.differs(shortest(found))


def generated(options):
    return [generate.generate(options.seed, number) for number in range(options.count)]


def main():
    options = argparse.ArgumentParser(description="Random scripts on Apache Pig 0.17 and on Ostracon.")
    tasks = options.add_subparsers(dest="task", required=True)
    for name in ("record", "compare", "check"):
        task = tasks.add_parser(name)
        if name != "check":
            task.add_argument("--seed", type=int, default=1)
            task.add_argument("--count", type=int, default=100)
        task.add_argument("--bin", required=True)
    tasks.choices["record"].add_argument("--into", required=True)
    tasks.choices["check"].add_argument("files", nargs="+")
    given = options.parse_args()
    if given.task == "check":
        return 0 if compare(given.bin, [case for path in given.files for case in cases.read(path)]) else 1
    with tempfile.TemporaryDirectory() as folder:
        ran, failed = real(generated(given), folder)
    for case, why in failed:
        print("real Pig refused %s: %s" % (case.name, why.strip().splitlines()[-1][:200]))
    if given.task == "compare":
        return 0 if compare(given.bin, ran) else 1
    differing = [(case, ostracon(given.bin, case)) for case in ran]
    meant = [case for case, difference in differing if difference is not None and reason(case, difference)]
    kept = [case for case in ran if case not in meant and not any(longer_than_needed(line) for line in case.output)]
    record(given, kept)
    print("%d recorded, %d left out, %d refused by real Pig" % (len(kept), len(ran) - len(kept), len(failed)))
    return 0


def longer_than_needed(line):
    """Whether a double has more digits than it needs, as JDKs before 19 write some."""
    return any(float(text) != 0 and len(digits(repr(float(text)))) < len(digits(text)) for text in re.findall(r"\d+\.\d+(?:E-?\d+)?", line))


def digits(text):
    return re.sub(r"\D", "", re.split("[eE]", text)[0]).strip("0")


def record(given, ran):
    target = pathlib.Path(given.into)
    target.mkdir(parents=True, exist_ok=True)
    json = [case for case in ran if "JsonStorage" in case.script]
    rest = [case for case in ran if case not in json]
    for begin in range(0, len(rest), A_FILE):
        cases.write(target / ("s%d-%03d.cases" % (given.seed, begin // A_FILE)), rest[begin:begin + A_FILE])
    cases.write(target / ("s%d-json.cases" % given.seed), json)


if __name__ == "__main__":
    sys.exit(main())
