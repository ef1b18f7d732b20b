"""What the generator knows of a relation, the data it loads, and how a script is put together."""
import random

INT, LONG, FLOAT, DOUBLE, TEXT, BYTES, BOOL, DATE = "int", "long", "float", "double", "chararray", "bytearray", "boolean", "datetime"
NUMBERS = [INT, LONG, FLOAT, DOUBLE]
SCALARS = NUMBERS + [TEXT, BOOL, DATE]
COLOURS = ["red", "green", "blue", "ash"]
WORDS = ["apple", "Banana", "12", "7.5", "x1", "kiwi fruit", "été", "a b", "-3", "Zoo", "nil"]


class Relation:
    """What is known of a relation: its fields, a unique key if there is one, about how many rows it has."""

    def __init__(self, name, fields, rows, unique=None, ordered=False):
        self.name, self.fields, self.rows, self.unique, self.ordered = name, fields, rows, unique, ordered

    def of(self, *types):
        return [name for name, kind in self.fields if kind in types]

    def plain(self):
        return all(kind in SCALARS for _, kind in self.fields)


def kind_text(kind):
    """A type as AS and DESCRIBE write it."""
    if isinstance(kind, str):
        return kind
    if kind[0] == "map":
        return "map[%s]" % kind[1]
    inner = ",".join("%s:%s" % (name, kind_text(inner)) for name, inner in kind[1])
    return "(%s)" % inner if kind[0] == "tuple" else "{(%s)}" % inner


class Data:
    """Statements so far, and random data with LOAD statements for them."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.described = True  # real Pig describes `e AS x:long` with the type of e
        self.head, self.lines, self.files, self.relations, self.names = [], [], {}, [], 0

    # ---- small helpers -----------------------------------------------------------------------------------------------

    def pick(self, items):
        return self.rng.choice(list(items))

    def some(self, items, low, high):
        items = list(items)
        return self.rng.sample(items, min(len(items), self.rng.randint(low, high)))

    def chance(self, p):
        return self.rng.random() < p

    def name(self, stem="R"):
        self.names += 1
        return "%s%d" % (stem, self.names)

    def add(self, relation, statement):
        self.lines.append("%s = %s;" % (relation.name, statement))
        self.relations.append(relation)
        return relation

    # ---- data --------------------------------------------------------------------------------------------------------

    def value(self, kind):
        r = self.rng
        if self.chance(0.15):
            return ""
        if kind == INT:
            return str(r.randint(-9, 20))
        if kind == LONG:
            return str(self.pick([r.randint(-5, 5), r.randint(-10**11, 10**11), 3_000_000_000]))
        if kind in (FLOAT, DOUBLE):
            return str(r.randint(-40, 80) / 4)
        if kind == BOOL:
            return self.pick(["true", "false"])
        if kind == DATE:
            day = "20%02d-%02d-%02d" % (r.randint(10, 14), r.randint(1, 12), r.randint(1, 28))
            return day if self.chance(0.3) else "%sT%02d:%02d:09.%sZ" % (day, r.randint(0, 23), r.randint(0, 59), self.pick(["000", "250"]))
        if kind == "colour":
            return self.pick(COLOURS)
        if kind == TEXT:
            return self.pick(WORDS)
        if kind[0] == "tuple":
            return "(%s)" % ",".join(self.value(inner) for _, inner in kind[1])
        if kind[0] == "bag":
            return "{%s}" % ",".join(self.value(("tuple", kind[1])) for _ in range(r.randint(0, 3)))
        keys = self.some("abc", 0, 3)
        return "[%s]" % ",".join("%s#%s" % (key, self.value(kind[1])) for key in keys)

    def load(self, shape=None):
        shape = shape or self.pick("aaabbbccd")
        fields = {
            "a": [("id", INT), ("k", "colour"), ("n", INT), ("l", LONG), ("d", DOUBLE), ("s", TEXT)],
            "b": [("id", INT), ("k", "colour"), ("v", INT), ("w", FLOAT), ("f", BOOL)],
            "c": [("id", INT), ("t", ("tuple", [("x", INT), ("y", TEXT)])), ("g", ("bag", [("p", INT), ("q", "colour")])),
                  ("m", ("map", self.pick([INT, TEXT])))],
            "d": [("id", INT), ("day", DATE), ("until", DATE), ("k", "colour"), ("n", INT)],
        }[shape]
        fields = fields[:1] + self.some(fields[1:], 2, 5) if shape != "c" else fields
        rows = self.rng.randint(0 if self.chance(0.1) else 4, 12)
        ids = self.rng.sample(range(1, 30), rows)
        mark = self.pick(["\t", "|", ","]) if shape != "c" else self.pick(["\t", "|"])
        file = "%s%d" % (shape, len(self.files))
        lines = [mark.join([str(key)] + [self.value(kind) for _, kind in fields[1:]]) for key in ids]
        self.files[file] = "".join(line + "\n" for line in lines)
        using = "" if mark == "\t" and self.chance(0.7) else " USING PigStorage('%s')" % mark.replace("\t", "\\t")
        fields = [(name, TEXT if kind == "colour" else kind) for name, kind in fields]
        fields = [(n, ("bag", [("p", INT), ("q", TEXT)])) if n == "g" else (n, k) for n, k in fields]
        name = self.name("A")
        mode = self.pick(["typed"] * 6 + ["wide", "narrow", "partly", "partly", "untyped", "untyped", "none"])
        if shape in "cd" and mode in ("wide", "narrow", "untyped", "partly"):
            mode = "typed"
        if mode == "wide":
            fields = fields + [("pad", self.pick([INT, TEXT]))]
        if mode == "narrow":
            fields = fields[:-1]
        if mode == "none":
            raw = self.name("U")
            self.lines.append("%s = LOAD '$dir/%s'%s;" % (raw, file, using))
            items = ", ".join("(%s)$%d AS %s" % (kind_text(kind), i, n) if isinstance(kind, str) or kind[0] == "map" else
                              "(%s%s)$%d AS %s:%s" % (kind[0], self.inner(kind), i, n, kind_text(kind))
                              for i, (n, kind) in enumerate(fields))
            return self.add(Relation(name, fields, rows, ["id"]), "FOREACH %s GENERATE %s" % (raw, items))
        if mode == "partly":
            bare = set(self.some([n for n, _ in fields[1:]], 1, 2))
            fields = [(n, BYTES if n in bare else k) for n, k in fields]
        if mode == "untyped":
            fields = [(n, BYTES) for n, _ in fields]
        schema = ", ".join(n if k == BYTES else "%s:%s" % (n, kind_text(k)) for n, k in fields)
        return self.add(Relation(name, fields, rows, ["id"]), "LOAD '$dir/%s'%s AS (%s)" % (file, using, schema))

    def inner(self, kind):
        fields = ",".join(kind_text(k) for _, k in kind[1])
        return "(%s)" % fields if kind[0] == "tuple" else "{tuple(%s)}" % fields

