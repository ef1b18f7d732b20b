"""Files of many cases: what the generator writes, what both runners read, what tests/pig/generated and rules hold.

A line `=== case NAME` opens a case. Its sections are those of tests/pig/cases: `=== file NAME`, `=== script` (in which
`$dir` is the folder of the files) and `=== output` (lines in order) or `=== output unordered`. In a line, items of bags
and entries of maps have no order.
"""
import dataclasses
import pathlib

CLOSE = {"(": ")", "{": "}", "[": "]"}


@dataclasses.dataclass
class Case:
    name: str
    files: dict = dataclasses.field(default_factory=dict)
    script: str = ""
    output: list = dataclasses.field(default_factory=list)
    ordered: bool = True
    about: str = ""
    told: str = ""  # what Ostracon warns of, or its errors

    def text(self):
        parts = [f"=== case {self.name}\n"]
        parts += [f"=== about\n{self.about}"] if self.about else []
        parts += [f"=== file {name}\n{body}" for name, body in self.files.items()]
        parts.append(f"=== script\n{self.script}")
        parts.append("=== output\n" if self.ordered else "=== output unordered\n")
        parts += [line + "\n" for line in self.output]
        parts += [f"=== told\n{self.told}"] if self.told else []
        return "".join(parts)

    def differs(self, found):
        """Whether the lines found are not those expected."""
        want, got = [canonical(line) for line in self.output], [canonical(line) for line in found]
        return want != got if self.ordered else sorted(want) != sorted(got)

    def lay(self, folder):
        """Writes the case's files and script below a folder."""
        target = pathlib.Path(folder) / self.name
        target.mkdir(parents=True, exist_ok=True)
        for name, body in self.files.items():
            (target / name).write_text(body, encoding="utf-8")
        (target / "script.pig").write_text(self.script, encoding="utf-8")
        return target


def read(path):
    cases, keep = [], None
    for line in pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]:
        if not line.startswith("=== "):
            keep(line)
            continue
        kind, *words = line[4:].split()
        if kind == "case":
            cases.append(Case(words[0]))
        case = cases[-1]
        if kind == "file":
            case.files[words[0]] = ""
            keep = lambda text, case=case, name=words[0]: case.files.update({name: case.files[name] + text + "\n"})
        elif kind in ("script", "about", "told"):
            keep = lambda text, case=case, kind=kind: setattr(case, kind, getattr(case, kind) + text + "\n")
        elif kind == "output":
            case.ordered = words != ["unordered"]
            keep = case.output.append
    return cases


def write(path, cases):
    pathlib.Path(path).write_text("".join(case.text() for case in cases), encoding="utf-8")


# ---- values as text: bags and maps have no order ---------------------------------------------------------------------

def _value(text, at, end):
    """Reads the value at `at`, which ends before a comma or `end`: the next position and the value in order."""
    if text[at:at + 1] in CLOSE:
        after, value = _container(text, at)
        if after == len(text) or text[after] in "," + end:
            return after, value
    after = at
    while after < len(text) and text[after] not in "," + end:
        after += 1
    return after, text[at:after]


def _container(text, at):
    close, items, after = CLOSE[text[at]], [], at + 1
    if text[after:after + 1] == close:
        return after + 1, text[at:after + 1]
    while True:
        key = ""
        if close == "]":
            end = text.index("#", after) + 1
            key, after = text[after:end], end
        after, value = _value(text, after, close)
        items.append(key + value)
        if after >= len(text):
            raise ValueError("no closing " + close)
        after += 1
        if text[after - 1] == close:
            return after, text[at] + ",".join(items if close == ")" else sorted(items)) + close


def canonical(text):
    """The text with the items of bags and maps in order; a text that is no value comes back as it is."""
    if text[:1] in CLOSE:
        try:
            after, value = _container(text, 0)
            if after == len(text):
                return value
        except ValueError:
            pass
    return text
