"""Steps that go row by row or combine relations. Each makes a relation of others, or gives None where it does not apply."""
from relations import BOOL, BYTES, DATE, DOUBLE, FLOAT, INT, LONG, NUMBERS, SCALARS, TEXT, Relation, kind_text
from expressions import Expressions


class Rows(Expressions):
    def any(self, want=lambda relation: True):
        if want(self.relations[-1]) and self.chance(0.7):
            return self.relations[-1]
        found = [r for r in self.relations[-4:] if want(r)] or [r for r in self.relations if want(r)]
        return self.pick(found) if found else None

    def simple(self, relation):
        """The relation with fields whose names have no `::`."""
        if relation is None or not any("::" in n for n, _ in relation.fields):
            return relation
        fresh = [(self.name("c"), kind) for _, kind in relation.fields]
        by = "$%d" if self.chance(0.3) else None
        items = ", ".join("%s AS %s" % (by % i if by else old, new)
                          for i, ((old, _), (new, _)) in enumerate(zip(relation.fields, fresh)))
        return self.add(Relation(self.name(), fresh, relation.rows), "FOREACH %s GENERATE %s" % (relation.name, items))

    def filter(self):
        source = self.any()
        return self.add(Relation(self.name(), source.fields, source.rows, source.unique, source.ordered),
                        "FILTER %s BY %s" % (source.name, self.cond(source.fields)))

    def foreach(self):
        source = self.any()
        items, fields, unique = [], [], None
        kept = self.some(source.fields, 1, 3)
        if source.unique and self.chance(0.8):
            kept = [f for f in source.fields if f[0] in source.unique] + [f for f in kept if f[0] not in source.unique]
            unique = source.unique
        for ref, kind in kept:
            if "::" in ref:
                fresh = self.name("c")
                items.append("%s AS %s" % (ref, fresh))
                fields.append((fresh, kind))
                unique = None
            else:
                items.append(ref)
                fields.append((ref, kind))
        for _ in range(self.rng.randint(1, 3)):
            kind = self.pick(NUMBERS + [TEXT, TEXT])
            fresh = self.name("e")
            text = self.expr(kind, source.fields, 3)
            if self.chance(0.1) and source.of(INT):  # real Pig forgets the cast of a constant
                text, kind = self.pick(source.of(INT)), self.pick([LONG, DOUBLE, TEXT])
                self.described = False
                items.append("%s AS %s:%s" % (text, fresh, kind))
            else:
                items.append("%s AS %s" % (text, fresh))
            fields.append((fresh, kind))
        if self.chance(0.12):
            fresh, left, right = self.name("t"), self.expr(INT, source.fields, 1), self.expr(TEXT, source.fields, 1)
            names = [self.name("x"), self.name("x")]
            items.append("TOTUPLE(%s, %s) AS %s:tuple(%s:int, %s:chararray)" % (left, right, fresh, *names))
            fields.append((fresh, ("tuple", [(names[0], INT), (names[1], TEXT)])))
        return self.add(Relation(self.name(), fields, source.rows, unique),
                        "FOREACH %s GENERATE %s" % (source.name, ", ".join(items)))

    def all_rows(self):
        source = self.any()
        if self.chance(0.4):
            self.lines.append("ASSERT %s BY %s, 'never';" % (source.name, self.pick(["1 == 1", "'a' < 'b'"])))
        text = self.pick(["SAMPLE %s 1.0", "LIMIT %s 100000"]) % source.name
        return self.add(Relation(self.name(), source.fields, source.rows, source.unique), text)

    def ranges(self):
        source = self.any(lambda r: len(r.fields) > 3 and not any("::" in n for n, _ in r.fields))
        if source is None:
            return None
        cut = self.rng.randint(1, len(source.fields) - 2)
        name = source.fields[cut][0]
        text, fields = self.pick([("%s .." % name, source.fields[cut:]), (".. %s" % name, source.fields[:cut + 1]),
                                  ("$%d .." % cut, source.fields[cut:]), ("*", source.fields),
                                  ("%s .. %s" % (name, source.fields[-1][0]), source.fields[cut:])])
        unique = source.unique if source.unique and all(u in dict(fields) for u in source.unique) else None
        fresh = self.name("e")
        return self.add(Relation(self.name(), fields + [(fresh, INT)], source.rows, unique),
                        "FOREACH %s GENERATE %s, %s AS %s" % (source.name, text, self.expr(INT, source.fields, 1), fresh))

    def flatten(self):
        source = self.any(lambda r: any(isinstance(k, tuple) for _, k in r.fields))
        if source is None:
            return None
        items, fields, rows = [], [], source.rows
        nulls = [n for n, k in source.fields if isinstance(k, tuple)]
        # Real Pig 0.17 makes one null of a null tuple, bag or map, so that later fields move (PIG-5201).
        kept = Relation(self.name(), source.fields, source.rows)
        self.lines.append("%s = FILTER %s BY %s;" % (kept.name, source.name, " AND ".join("%s IS NOT NULL" % n for n in nulls)))
        source = kept
        deep = [(n, k) for n, k in source.fields if isinstance(k, tuple)]
        for ref, kind in self.some(deep, 1, 2):
            inner = [(self.name("v"), TEXT), (self.name("v"), kind[1])] if kind[0] == "map" else \
                [(self.name("v"), k) for _, k in kind[1]]
            items.append("FLATTEN(%s) AS (%s)" % (ref, ", ".join(n for n, _ in inner)))
            fields += inner
            rows *= 2 if kind[0] != "tuple" else 1
        for ref, kind in self.some([f for f in source.fields if f[1] in SCALARS + [BYTES]], 1, 2):
            fresh = self.name("c")
            items.append("%s AS %s" % (ref, fresh))
            fields.append((fresh, kind))
        return self.add(Relation(self.name(), fields, rows), "FOREACH %s GENERATE %s" % (source.name, ", ".join(items)))

    def functions(self):
        source = self.any()
        env, items, fields = source.fields, [], []
        for ref, kind in self.some([f for f in source.fields if f[1] in SCALARS], 1, 2):
            fresh = self.name("c")
            items.append("%s AS %s" % (ref, fresh))
            fields.append((fresh, kind))
        day = "ToDate('20%02d-%02d-%02dT%02d:30:00.000Z')" % (self.rng.randint(0, 20), self.rng.randint(1, 12),
                                                             self.rng.randint(1, 28), self.rng.randint(0, 23))
        choices = [
            (LONG, "SIZE(TOKENIZE(%s))" % self.leaf(TEXT, env)),
            (TEXT, "STRSPLIT(%s, '[ae]', 2).$0" % self.leaf(TEXT, env)),
            (LONG, "SIZE(TOBAG(%s, %s))" % (self.leaf(INT, env), self.leaf(INT, env))),
            (TEXT, "TOMAP('a', %s, 'b', 'z')#'b'" % self.leaf(TEXT, env)),
            (INT, "GetYear(AddDuration(%s, 'P%dM'))" % (day, self.rng.randint(1, 20))),
            (TEXT, "ToString(%s, 'yyyy/MM/dd HH:mm')" % day),
            (LONG, "DaysBetween(%s, ToDate('2010-01-01T00:00:00.000Z'))" % day),
            (INT, "GetWeek(%s)" % day), (INT, "GetMonth(%s)" % day), (LONG, "ToUnixTime(%s)" % day),
            (INT, self.absolute(INT, env)),
            (TEXT, "(biginteger)%s * 3000000000BI" % self.leaf(LONG, env)),
            (TEXT, "(bigdecimal)%s + 0.25BD" % self.leaf(INT, env)),
            (TEXT, "BagToString(TOBAG(%s, %s), '+')" % (self.leaf(TEXT, env), self.leaf(TEXT, env))),
            (LONG, "SIZE(KEYSET(TOMAP('a', %s, 'b', 1)))" % self.leaf(INT, env)),
            (LONG, "SIZE(STRSPLITTOBAG(%s, 'a'))" % self.leaf(TEXT, env)),
            (DOUBLE, "SQRT((double)%s)" % self.pick(["4", "9", "16", "2"])),
            (DOUBLE, "ROUND_TO(%s, 1)" % self.leaf(DOUBLE, env)),
            (TEXT, "BagToString(TOBAG(%s), '_')" % self.leaf(INT, env)),
            (TEXT, "REGEX_EXTRACT_ALL(%s, '(.)(.*)').$1" % self.leaf(TEXT, env)),
        ]
        for kind, text in self.some(choices, 1, 3):
            fresh = self.name("u")
            cast = "(chararray)(%s)" if kind == TEXT else "%s"
            items.append("%s AS %s" % (cast % text, fresh))
            fields.append((fresh, kind))
        return self.add(Relation(self.name(), fields, source.rows), "FOREACH %s GENERATE %s" % (source.name, ", ".join(items)))

    def pair(self):
        """Two relations with a key of one type, and few rows."""
        small = lambda r: r.rows <= 40 and len(r.fields) > 1
        left = self.any(small)
        if left is not self.relations[-1] and small(self.relations[-1]) and self.chance(0.5):
            left = self.relations[-1]
        others = [r for r in self.relations if r is not left and small(r)]
        if left is None or not others:
            if len(self.files) >= 3 or left is None:
                return None
            others = [self.load("b")]
        right = self.pick(others)
        left, right = self.simple(left), self.simple(right)
        common = [(a, b, k) for a, k in left.fields for b, l in right.fields if k == l and k in (INT, LONG, TEXT, DOUBLE)]
        return (left, right, common) if common else None

    def joined(self, *sources):
        return [("%s::%s" % (r.name, n), k) for r in sources for n, k in r.fields]

    def join(self):
        found = self.pair()
        if found is None:
            return None
        left, right, common = found
        keys = self.some(common, 1, 2 if self.chance(0.2) else 1)
        by = lambda names: names[0] if len(names) == 1 else "(%s)" % ", ".join(names)
        way = self.pick(["", "", "", " LEFT OUTER", " LEFT", " RIGHT", " FULL OUTER"])
        hint = self.pick([""] * 5 + [" USING 'replicated'" if way in ("", " LEFT") else ""])
        made = Relation(self.name("J"), self.joined(left, right), left.rows * 2 + right.rows)
        return self.add(made, "JOIN %s BY %s%s, %s BY %s%s" % (left.name, by([k[0] for k in keys]), way, right.name,
                                                                  by([k[1] for k in keys]), hint))

    def join3(self):
        found = self.pair()
        if found is None:
            return None
        left, right, common = found
        a, b, kind = self.pick(common)
        third = [r for r in self.relations if r not in (left, right) and kind in [k for _, k in r.fields] and r.rows <= 20]
        if not third or left.rows > 20 or right.rows > 20:
            return None
        third = self.simple(self.pick(third))
        if third in (left, right):
            return None
        c = self.pick(third.of(kind))
        return self.add(Relation(self.name("J"), self.joined(left, right, third), 80),
                        "JOIN %s BY %s, %s BY %s, %s BY %s" % (left.name, a, right.name, b, third.name, c))

    def cross(self):
        small = [r for r in self.relations if r.rows <= 12]
        if len(small) < 2:
            return None
        left, right = (self.simple(r) for r in self.rng.sample(small, 2))
        if left is right:
            return None
        return self.add(Relation(self.name("X"), self.joined(left, right), left.rows * right.rows),
                        "CROSS %s, %s" % (left.name, right.name))

    def union(self):
        found = self.pair()
        if found is None:
            return None
        left, right, common = found
        kinds = [self.pick([INT, LONG, TEXT, DOUBLE]) for _ in range(self.rng.randint(1, 3))]
        sides = []
        names = [self.name("u") for _ in kinds]
        for side, source in enumerate((left, right)):
            items = []
            for name, kind in zip(names, kinds):
                narrow = INT if side and kind in (LONG, DOUBLE) and self.chance(0.5) else kind
                items.append("%s AS %s" % (self.expr(narrow, source.fields, 1), name))
            made = Relation(self.name(), list(zip(names, kinds)), source.rows)
            self.lines.append("%s = FOREACH %s GENERATE %s;" % (made.name, source.name, ", ".join(items)))
            sides.append(made)
        return self.add(Relation(self.name(), list(zip(names, kinds)), left.rows + right.rows),
                        "UNION %s, %s" % (sides[0].name, sides[1].name))

    def union_onschema(self):
        found = self.pair()
        if found is None:
            return None
        left, right, _ = found
        kinds = dict(left.fields)
        if any(n in kinds and kinds[n] != k for n, k in right.fields):
            return None
        fields = left.fields + [f for f in right.fields if f[0] not in kinds]
        return self.add(Relation(self.name(), fields, left.rows + right.rows), "UNION ONSCHEMA %s, %s" % (left.name, right.name))

    def distinct(self):
        source = self.any(lambda r: r.plain())
        if source is None:
            return None
        kept = self.some(source.fields, 1, 2)
        slim = Relation(self.name(), [(self.name("c"), k) for _, k in kept], source.rows)
        self.lines.append("%s = FOREACH %s GENERATE %s;" % (slim.name, source.name, ", ".join(
            "%s AS %s" % (old, new) for (old, _), (new, _) in zip(kept, slim.fields))))
        return self.add(Relation(self.name(), slim.fields, source.rows, [n for n, _ in slim.fields]), "DISTINCT %s" % slim.name)

    def order(self):
        source = self.any(lambda r: r.plain() or r.unique)
        if source is None:
            return None
        scalars = [n for n, k in source.fields if k in SCALARS]
        if source.unique:
            keys = self.some([n for n in scalars if n not in source.unique], 0, 2) + source.unique
        else:
            keys = self.rng.sample(scalars, len(scalars))
        if not all(dict(source.fields)[k] in NUMBERS + [TEXT] for k in keys):
            return None
        text = ", ".join(k + self.pick(["", " ASC", " DESC"]) for k in keys)
        made = self.add(Relation(self.name("O"), source.fields, source.rows, source.unique, True), "ORDER %s BY %s" % (source.name, text))
        if self.chance(0.5):
            limit = self.rng.randint(1, 6)
            made = self.add(Relation(self.name(), source.fields, min(limit, source.rows), source.unique, True),
                            "LIMIT %s %d" % (made.name, limit))
        return made

    def rank(self):
        source = self.any(lambda r: r.plain())
        if source is None:
            return None
        key = self.pick(source.fields)
        if key[1] == BOOL:
            return None
        dense = self.pick(["", " DENSE"])
        return self.add(Relation(self.name(), [("rank_%s" % source.name, LONG)] + source.fields, source.rows, source.unique),
                        "RANK %s BY %s%s%s" % (source.name, key[0], self.pick(["", " DESC", " ASC"]), dense))

    def split(self):
        source = self.any()
        branches = [self.name("S") for _ in range(self.rng.randint(2, 3))]
        parts = ["%s IF %s" % (b, self.cond(source.fields, 1)) for b in branches]
        if self.chance(0.5):
            parts[-1] = "%s OTHERWISE" % branches[-1]
        self.lines.append("SPLIT %s INTO %s;" % (source.name, ", ".join(parts)))
        for branch in branches:
            self.relations.append(Relation(branch, source.fields, source.rows, source.unique))
        return self.relations[-1]

    def reload(self):
        source = self.any(lambda r: all(k in NUMBERS + [TEXT, BOOL] or isinstance(k, tuple) for _, k in r.fields)
                          and not any("::" in n for n, _ in r.fields))
        if source is None:
            return None
        out = self.name("out")
        if self.chance(0.25) and all(k in (INT, LONG, DOUBLE, TEXT) for _, k in source.fields):
            self.lines.append("STORE %s INTO '$dir/%s' USING JsonStorage();" % (source.name, out))
            fields = [(self.name("r"), k) for _, k in source.fields]
            return self.add(Relation(self.name("L"), fields, source.rows), "LOAD '$dir/%s' USING JsonLoader('%s')" % (
                out, ", ".join("%s:%s" % (n, k) for n, k in fields)))
        mark = self.pick(["", " USING PigStorage('|')"])
        self.lines.append("STORE %s INTO '$dir/%s'%s;" % (source.name, out, mark))
        if self.chance(0.5):
            self.lines.append("EXEC;")
        fields = [(self.name("r"), k) for _, k in source.fields]
        return self.add(Relation(self.name("L"), fields, source.rows),
                        "LOAD '$dir/%s'%s AS (%s)" % (out, mark, ", ".join("%s:%s" % (n, kind_text(k)) for n, k in fields)))
