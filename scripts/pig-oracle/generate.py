#!/usr/bin/env python3
"""Writes random, valid Pig Latin scripts with small files: generate.py --seed S --count N OUT

The scripts avoid what docs/pig-compatibility.md lists, and what depends on the order of rows where no ORDER fixes it.
Doubles are multiples of a power of two, so that sums are exact in any order.
"""
import argparse

import cases
from loose import Loose


class Script(Loose):
    """A whole script: loads, steps, then DUMP of the last relation."""

    def build(self):
        self.load()
        if self.chance(0.6):
            self.load()
        steps = [self.filter] * 3 + [self.foreach] * 5 + [self.group] * 6 + [self.join] * 3 + [self.flatten] * 4 + [
            self.ranges, self.functions, self.functions, self.join3, self.cogroup, self.cogroup, self.cross, self.union,
            self.union_onschema, self.distinct, self.distinct, self.order, self.order, self.rank, self.split, self.cube, self.cube,
            self.total, self.macro, self.parameter, self.reload, self.reload, self.chain, self.all_rows, self.top, self.compared,
            self.raw, self.raw, self.raw_group, self.raw_join, self.raw_union, self.whole, self.whole, self.inside, self.inside, self.makers,
            self.makers, self.stars]
        want = self.rng.randint(3, 9)
        while len(self.lines) < want:
            self.pick(steps)()
        last = self.relations[-1]
        if self.described and self.chance(0.15):
            self.lines.append("DESCRIBE %s;" % last.name)
        if self.chance(0.1) and len(self.relations) > 1:
            self.lines.append("DUMP %s;" % self.relations[-2].name)
            last.ordered = False
        self.lines.append("DUMP %s;" % last.name)
        return "\n".join(self.head + self.lines) + "\n", last.ordered


def generate(seed, number):
    script = Script(seed * 1_000_003 + number)
    text, ordered = script.build()
    return cases.Case("s%d-%04d" % (seed, number), script.files, text, [], ordered)


def main():
    options = argparse.ArgumentParser(description="Writes random Pig Latin scripts.")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("out")
    given = options.parse_args()
    cases.write(given.out, [generate(given.seed, number) for number in range(given.count)])


if __name__ == "__main__":
    main()
