"""Steps that group: GROUP and COGROUP with aggregates and nested blocks, CUBE, macros, values of one row."""
from relations import BOOL, BYTES, DATE, DOUBLE, FLOAT, INT, LONG, NUMBERS, SCALARS, TEXT, Relation
from rows import Rows


class Groups(Rows):
    def keys(self, source):
        return [f for f in source.fields if f[1] in (INT, LONG, TEXT, BYTES, DOUBLE, BOOL, DATE)]

    def aggregates(self, bag, source, low=1, high=3, prefix="s"):
        """Aggregate expressions of a bag with the source's fields."""
        numbers, texts = source.of(INT, LONG, DOUBLE), source.of(*NUMBERS, TEXT, DATE)
        choices = [(LONG, "COUNT(%s)" % bag), (LONG, "COUNT_STAR(%s)" % bag), (LONG, "SIZE(%s)" % bag)]
        kinds = dict(source.fields)
        for ref in numbers:
            total = DOUBLE if kinds[ref] == DOUBLE else LONG
            choices += [(total, "SUM(%s.%s)" % (bag, ref)), (DOUBLE, "AVG(%s.%s)" % (bag, ref))]
        for ref in texts:
            choices += [(kinds[ref], "MIN(%s.%s)" % (bag, ref)), (kinds[ref], "MAX(%s.%s)" % (bag, ref)),
                        (LONG, "COUNT(%s.%s)" % (bag, ref))]
        return [(self.name(prefix), kind, text) for kind, text in self.some(choices, low, high)]

    def group(self):
        source = self.simple(self.any(lambda r: len(r.fields) > 1))
        if source is None or not self.keys(source):
            return None
        keys = self.some(self.keys(source), 1, 2)
        style = self.pick(["key"] * 5 + ["all", "expr"])
        grouped = self.name("G")
        hint = self.pick([""] * 4 + [" PARALLEL 2"])
        if style == "all":
            self.lines.append("%s = GROUP %s ALL;" % (grouped, source.name))
            group = [("group", TEXT, "group")]
        elif style == "expr" and any(k != BYTES for _, k in source.fields):
            kind = self.pick([INT, TEXT])
            known = [f for f in source.fields if f[1] != BYTES]
            self.lines.append("%s = GROUP %s BY %s%s;" % (grouped, source.name, self.expr(kind, known, 1), hint))
            group = [("group", kind, "group")]
        elif len(keys) == 1:
            self.lines.append("%s = GROUP %s BY %s%s;" % (grouped, source.name, keys[0][0], hint))
            group = [("group", keys[0][1], "group")]
        else:
            self.lines.append("%s = GROUP %s BY (%s)%s;" % (grouped, source.name, ", ".join(n for n, _ in keys), hint))
            group = [("group", k, "group.%s" % n) for n, k in keys]
            if self.chance(0.5):
                group = None
        items, fields = [], []
        if group is None:
            fresh = [(self.name("g"), k) for _, k in keys]
            items.append("FLATTEN(group) AS (%s)" % ", ".join(n for n, _ in fresh))
            fields += fresh
        else:
            for _, kind, text in group:
                fresh = self.name("g")
                items.append("%s AS %s" % (text, fresh))
                fields.append((fresh, kind))
        unique = [n for n, _ in fields]
        block = []
        if self.chance(0.45):
            bag = source
            for _ in range(self.rng.randint(1, 2)):
                bag = self.nested(source, bag, block, items, fields)
        for fresh, kind, text in self.aggregates(source.name, source):
            items.append("%s AS %s" % (text, fresh))
            fields.append((fresh, kind))
        if self.chance(0.25):
            inner = self.some([f for f in source.fields if f[1] in SCALARS], 1, 2)
            if inner:
                fresh, names = self.name("b"), [self.name("i") for _ in inner]
                of = inner[0][0] if len(inner) == 1 else "(%s)" % ", ".join(n for n, _ in inner)
                items.append("%s.%s AS %s:{(%s)}" % (source.name, of, fresh, ",".join(
                    "%s:%s" % (n, k) for n, (_, k) in zip(names, inner))))
                fields.append((fresh, ("bag", [(n, k) for n, (_, k) in zip(names, inner)])))
        made = Relation(self.name(), fields, source.rows, unique)
        if not block:
            return self.add(made, "FOREACH %s GENERATE %s" % (grouped, ", ".join(items)))
        self.lines.append("%s = FOREACH %s {\n  %s\n  GENERATE %s;\n};" % (made.name, grouped, "\n  ".join(block), ", ".join(items)))
        self.relations.append(made)
        return made

    def nested(self, source, bag, block, items, fields):
        """One statement of a nested block over the bag of `source`, and an item that uses it."""
        name = self.name("n")
        made = Relation(name, bag.fields, bag.rows, bag.unique)
        choice = self.pick(["filter", "filter", "top", "distinct", "foreach"])
        if choice == "filter":
            block.append("%s = FILTER %s BY %s;" % (name, bag.name, self.cond(bag.fields, 1)))
        elif choice == "top" and bag.unique and bag.of(INT, LONG, TEXT, DOUBLE):
            ordered = self.name("o")
            way = self.pick(["", " DESC"])
            first = self.pick(bag.of(INT, LONG, TEXT, DOUBLE))
            keys = [first + way] + [u for u in bag.unique if u != first]
            block.append("%s = ORDER %s BY %s;" % (ordered, bag.name, ", ".join(keys)))
            block.append("%s = LIMIT %s %d;" % (name, ordered, self.rng.randint(1, 3)))
        elif choice == "distinct" and bag.of(*SCALARS):
            field = self.pick([f for f in bag.fields if f[1] in SCALARS])
            column = self.name("p")
            block.append("%s = %s.%s;" % (column, bag.name, field[0]))
            block.append("%s = DISTINCT %s;" % (name, column))
            made = Relation(name, [field], bag.rows, [field[0]])
        elif choice == "foreach":
            fresh = [(self.name("y"), INT), (self.name("y"), TEXT)]
            block.append("%s = FOREACH %s GENERATE %s AS %s, %s AS %s;" % (
                name, bag.name, self.expr(INT, bag.fields, 1), fresh[0][0], self.expr(TEXT, bag.fields, 1), fresh[1][0]))
            made = Relation(name, fresh, bag.rows)
        else:
            block.append("%s = FILTER %s BY %s;" % (name, bag.name, self.cond(bag.fields, 1)))
        for fresh, kind, text in self.aggregates(name, made, 1, 2):
            items.append("%s AS %s" % (text, fresh))
            fields.append((fresh, kind))
        if self.chance(0.4) and made.of(*SCALARS):
            inner = self.pick([f for f in made.fields if f[1] in SCALARS])
            fresh, label = self.name("b"), self.name("i")
            items.append("%s.%s AS %s:{(%s:%s)}" % (name, inner[0], fresh, label, inner[1]))
            fields.append((fresh, ("bag", [(label, inner[1])])))
        return made

    def top(self):
        source = self.simple(self.any(lambda r: r.unique and len(r.unique) == 1 and len(r.fields) > 1))
        if source is None or not source.unique or dict(source.fields)[source.unique[0]] not in (INT, LONG):
            return None
        key = self.pick(self.keys(source))
        grouped = self.name("G")
        self.lines.append("%s = GROUP %s BY %s;" % (grouped, source.name, key[0]))
        fields = [(self.name("v"), k) for _, k in source.fields]
        column = [n for n, _ in source.fields].index(source.unique[0])
        return self.add(Relation(self.name(), fields, source.rows, [fields[column][0]]), "FOREACH %s GENERATE FLATTEN(TOP(%d, %d, %s)) AS (%s)" % (
            grouped, self.rng.randint(1, 3), column, source.name, ", ".join("%s:%s" % (n, k) if isinstance(k, str) else n for n, k in fields)))

    def compared(self):
        """Bags of two inputs against each other."""
        found = self.pair()
        if found is None:
            return None
        left, right, common = found
        a, b, kind = self.pick(common)
        grouped, name = self.name("G"), self.name()
        self.lines.append("%s = COGROUP %s BY %s, %s BY %s;" % (grouped, left.name, a, right.name, b))
        c, d, _ = self.pick(common)
        fields = [(self.name("g"), kind), (self.name("s"), LONG), (self.name("s"), LONG), (self.name("s"), LONG)]
        self.lines.append("%s = FOREACH %s {\n  x = %s.%s;\n  y = %s.%s;\n  z = CROSS %s, %s;\n  GENERATE group AS %s, SIZE(DIFF(x, y)) AS %s, "
                          "SIZE(SUBTRACT(x, y)) AS %s, COUNT_STAR(z) AS %s;\n};" % (
                              name, grouped, left.name, c, right.name, d, left.name, right.name, *[n for n, _ in fields]))
        self.relations.append(Relation(name, fields, left.rows + right.rows))
        return self.relations[-1]

    def cogroup(self):
        found = self.pair()
        if found is None:
            return None
        left, right, common = found
        a, b, kind = self.pick(common)
        grouped = self.name("G")
        inner = self.pick(["", "", "", " INNER"])
        self.lines.append("%s = COGROUP %s BY %s, %s BY %s%s;" % (grouped, left.name, a, right.name, b, inner))
        fresh = self.name("g")
        items, fields = ["group AS %s" % fresh], [(fresh, kind)]
        for source in (left, right):
            for name, k, text in self.aggregates(source.name, source, 1, 2):
                items.append("%s AS %s" % (text, name))
                fields.append((name, k))
        if self.chance(0.3):
            name = self.name("e")
            items.append("(IsEmpty(%s) ? 'none' : 'some') AS %s" % (right.name, name))
            fields.append((name, TEXT))
        rows = left.rows + right.rows
        if self.chance(0.3):
            inner_fields = [(self.name("v"), k) for _, k in left.fields]
            items.append("FLATTEN(%s) AS (%s)" % (left.name, ", ".join(n for n, _ in inner_fields)))
            fields += inner_fields
        return self.add(Relation(self.name(), fields, rows), "FOREACH %s GENERATE %s" % (grouped, ", ".join(items)))

    def cube(self):
        source = self.simple(self.any(lambda r: len(r.of(TEXT)) >= 1 and r.plain()))
        if source is None:
            return None
        dims = self.some(source.of(TEXT), 1, 2)
        rest = [f for f in source.fields if f[0] not in dims]
        way = self.pick(["CUBE", "ROLLUP"])
        grouped = self.name("G")
        self.lines.append("%s = CUBE %s BY %s(%s);" % (grouped, source.name, way, ", ".join(dims)))
        fresh = [(self.name("g"), TEXT) for _ in dims]
        items = ["FLATTEN(group) AS (%s)" % ", ".join(n for n, _ in fresh)]
        fields = list(fresh)
        for name, kind, text in self.aggregates("cube", Relation("cube", rest, source.rows), 1, 2):
            items.append("%s AS %s" % (text, name))
            fields.append((name, kind))
        return self.add(Relation(self.name(), fields, source.rows * 2), "FOREACH %s GENERATE %s" % (grouped, ", ".join(items)))

    def total(self):
        """A relation of one row, used as a value."""
        source = self.simple(self.any(lambda r: len(r.fields) > 1 and r.of(INT, LONG)))
        if source is None:
            return None
        grouped, one = self.name("G"), self.name("T")
        self.lines.append("%s = GROUP %s ALL;" % (grouped, source.name))
        self.lines.append("%s = FOREACH %s GENERATE COUNT(%s) AS rows, MAX(%s.%s) AS top;" % (
            one, grouped, source.name, source.name, self.pick(source.of(INT, LONG))))
        first, fresh = self.pick(source.fields), self.name("e")
        keep, second = self.name("c"), self.pick(source.of(INT, LONG))
        return self.add(Relation(self.name(), [(keep, first[1]), (fresh, LONG)], source.rows),
                        "FOREACH %s GENERATE %s AS %s, (long)%s.rows - %s AS %s" % (source.name, first[0], keep, one, second, fresh))

    def macro(self):
        source = self.simple(self.any(lambda r: r.of(INT, LONG) and r.of(TEXT)))
        if source is None:
            return None
        name = self.name("macro")
        key, number = self.pick(source.of(TEXT)), self.pick(source.of(INT, LONG))
        floor = self.rng.randint(0, 2)
        self.head.append("DEFINE %s(rel, key, least) RETURNS out {\n  kept = FILTER $rel BY %s IS NOT NULL;\n"
                         "  groups = GROUP kept BY $key;\n  counted = FOREACH groups GENERATE group AS word, COUNT(kept) AS hits, "
                         "SUM(kept.%s) AS weight;\n  $out = FILTER counted BY hits > $least;\n};" % (name, number, number))
        return self.add(Relation(self.name("M"), [("word", TEXT), ("hits", LONG), ("weight", LONG)], source.rows, ["word"]),
                        "%s(%s, %s, %d)" % (name, source.name, key, floor))

    def parameter(self):
        source = self.any(lambda r: r.of(INT))
        if source is None:
            return None
        name = self.name("limit")
        self.head.insert(0, "%%%s %s '%d'" % (self.pick(["declare", "default"]), name, self.rng.randint(-3, 9)))
        return self.add(Relation(self.name(), source.fields, source.rows, source.unique),
                        "FILTER %s BY %s %s %s" % (source.name, self.pick(source.of(INT)), self.pick("<>"),
                                                   self.pick(["$%s", "${%s}"]) % name))

    def chain(self):
        """An operator as the input of another."""
        source = self.simple(self.any(lambda r: self.keys(r)))
        if source is None:
            return None
        key = self.pick([f for f in self.keys(source)])
        fields = [(self.name("g"), key[1]), (self.name("s"), LONG)]
        return self.add(Relation(self.name(), fields, source.rows, [fields[0][0]]),
                        "FOREACH (GROUP %s BY %s) GENERATE group AS %s, COUNT_STAR(%s) AS %s" % (
                            source.name, key[0], fields[0][0], source.name, fields[1][0]))
