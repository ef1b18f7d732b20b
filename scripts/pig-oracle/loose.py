"""Steps over fields without a type, whole groups, bags in bags and functions that make rows."""
from groups import Groups
from relations import BYTES, DOUBLE, INT, LONG, SCALARS, TEXT, Relation


class Loose(Groups):
    def raw(self):
        """Operators on fields without a type: they take the other side's, or double."""
        source = self.any(lambda r: r.of(BYTES))
        if source is None:
            return None
        raw, items, fields = source.of(BYTES), [], []
        choices = [
            (lambda: "%s + %s" % (self.pick(raw), self.pick(raw)), DOUBLE), (lambda: "%s * 2" % self.pick(raw), INT),
            (lambda: "-%s" % self.pick(raw), DOUBLE), (lambda: "%s - 3L" % self.pick(raw), LONG),
            (lambda: "(%s IS NULL ? 'none' : %s)" % (self.pick(raw), self.pick(raw)), TEXT),
            (lambda: "(%s == 'red' ? 1 : 0)" % self.pick(raw), INT), (lambda: "(%s > 3 ? %s : 7)" % (self.pick(raw), self.pick(raw)), INT),
            (lambda: "CONCAT((chararray)%s, '!')" % self.pick(raw), TEXT), (lambda: "SIZE((chararray)%s)" % self.pick(raw), LONG),
            (lambda: "(%s MATCHES '.*e.*' ? 'e' : '-')" % self.pick(raw), TEXT), (lambda: "UPPER(%s)" % self.pick(raw), TEXT),
            (lambda: "(int)%s / 2" % self.pick(raw), INT), (lambda: "%s" % self.pick(raw), BYTES),
        ]
        for text, kind in self.some(choices, 2, 4):
            fresh = self.name("e")
            items.append("%s AS %s" % (text(), fresh))
            fields.append((fresh, kind))
        for ref, kind in self.some([f for f in source.fields if f[1] in SCALARS + [BYTES]], 1, 2):
            fresh = self.name("c")
            items.append("%s AS %s" % (ref, fresh))
            fields.append((fresh, kind))
        return self.add(Relation(self.name(), fields, source.rows), "FOREACH %s GENERATE %s" % (source.name, ", ".join(items)))

    def raw_group(self):
        source = self.simple(self.any(lambda r: r.of(BYTES)))
        if source is None:
            return None
        raw, grouped = source.of(BYTES), self.name("G")
        key = self.pick([f for f in source.fields if f[1] in SCALARS + [BYTES]])
        self.lines.append("%s = GROUP %s BY %s;" % (grouped, source.name, key[0]))
        items, fields = ["group AS g%d" % self.names], [("g%d" % self.names, key[1])]
        for text, kind in self.some([("COUNT(%s)", LONG), ("SUM(%s.%s)", DOUBLE), ("AVG(%s.%s)", DOUBLE), ("MIN(%s.%s)", DOUBLE),
                                     ("MAX(%s.%s)", DOUBLE), ("COUNT(%s.%s)", LONG)], 1, 3):
            fresh = self.name("s")
            items.append("%s AS %s" % (text % ((source.name, self.pick(raw)) if text.count("%s") == 2 else source.name), fresh))
            fields.append((fresh, kind))
        return self.add(Relation(self.name(), fields, source.rows, [fields[0][0]]), "FOREACH %s GENERATE %s" % (grouped, ", ".join(items)))

    def raw_join(self):
        """Keys of which one or both have no type."""
        left = self.any(lambda r: r.of(BYTES) and r.rows < 40)
        rights = [r for r in self.relations if r is not left and r.rows < 40 and self.keys(r)]
        if left is None or not rights:
            return None
        left, right = self.simple(left), self.simple(self.pick(rights))
        way = self.pick(["", "", " LEFT", " FULL OUTER"])
        b = self.pick([n for n, k in right.fields if k in (BYTES, INT, TEXT, LONG)] or [None])
        if b is None or not left.of(BYTES) or left is right:
            return None
        return self.add(Relation(self.name("J"), self.joined(left, right), left.rows * 2 + right.rows),
                        "JOIN %s BY %s%s, %s BY %s" % (left.name, self.pick(left.of(BYTES)), way, right.name, b))

    def raw_union(self):
        source = self.any(lambda r: r.of(BYTES) and r.of(INT, TEXT, LONG, DOUBLE))
        if source is None:
            return None
        raw, typed = self.pick(source.of(BYTES)), self.pick([f for f in source.fields if f[1] in (INT, TEXT, LONG, DOUBLE)])
        one, two, name = self.name(), self.name(), self.name("u")
        self.lines.append("%s = FOREACH %s GENERATE %s AS %s;" % (one, source.name, raw, name))
        self.lines.append("%s = FOREACH %s GENERATE %s AS %s;" % (two, source.name, typed[0], name))
        return self.add(Relation(self.name(), [(name, typed[1])], source.rows * 2), "UNION %s, %s" % (one, two))

    def whole(self):
        """A group as it is, with its bag."""
        source = self.simple(self.any(lambda r: r.rows < 40 and self.keys(r)))
        if source is None:
            return None
        key = self.pick(self.keys(source))
        inner = ("bag", source.fields)
        if any(isinstance(k, tuple) for _, k in source.fields):
            inner = ("bag", [])
        grouped, fresh = self.name("G"), [self.name("g"), self.name("b")]
        self.lines.append("%s = GROUP %s BY %s;" % (grouped, source.name, key[0]))
        made = Relation(self.name(), [(fresh[0], key[1])] + ([(fresh[1], inner)] if inner[1] else []), source.rows, [fresh[0]])
        return self.add(made, "FOREACH %s GENERATE group AS %s%s" % (grouped, fresh[0], ", %s AS %s" % (source.name, fresh[1]) if inner[1] else ""))

    def inside(self):
        """Nested FOREACH over a bag within the row."""
        source = self.any(lambda r: any(isinstance(k, tuple) and k[0] == "bag" for _, k in r.fields) and not any("::" in n for n, _ in r.fields))
        if source is None:
            return None
        ref, kind = self.pick([f for f in source.fields if isinstance(f[1], tuple) and f[1][0] == "bag"])
        bag = Relation(ref, kind[1], 5)
        known = [f for f in kind[1] if f[1] in SCALARS]
        if not known or not bag.of(INT, LONG, TEXT, DOUBLE):
            return None
        kept, mapped, name = self.name("n"), self.name("n"), self.name()
        fresh = [self.name("y"), self.name("s"), self.name("s"), self.name("t"), self.name("c")]
        first = self.pick([f for f in source.fields if f[1] in SCALARS + [BYTES]] or [None])
        if first is None:
            return None
        column = self.pick(bag.of(INT, LONG, TEXT, DOUBLE))
        self.lines.append("%s = FOREACH %s {\n  %s = FILTER %s BY %s;\n  %s = FOREACH %s GENERATE %s AS %s;\n  d = DISTINCT %s;\n"
                          "  o = ORDER d BY %s;\n  GENERATE %s AS %s, COUNT_STAR(%s) AS %s, SIZE(d) AS %s, BagToString(o, '/') AS %s;\n};" % (
                              name, source.name, kept, ref, self.cond(known, 1), mapped, kept, column, fresh[0], mapped, fresh[0],
                              first[0], fresh[4], kept, fresh[1], fresh[2], fresh[3]))
        self.relations.append(Relation(name, [(fresh[4], first[1]), (fresh[1], LONG), (fresh[2], LONG), (fresh[3], TEXT)], source.rows))
        return self.relations[-1]

    def makers(self):
        """FLATTEN of what a function makes."""
        source = self.any(lambda r: r.of(TEXT))
        if source is None:
            return None
        text, env = self.pick(source.of(TEXT)), source.fields
        made, fields = self.pick([
            ("FLATTEN(TOKENIZE(%s)) AS %s", [TEXT]), ("FLATTEN(TOKENIZE(%s, 'ae')) AS %s", [TEXT]),
            ("FLATTEN(STRSPLITTOBAG(%s, '[ ae]')) AS %s:chararray", [TEXT]),
            ("FLATTEN(TOBAG(%s, 'x', CONCAT('y', '')))  AS %s", [TEXT]),
            ("FLATTEN(TOTUPLE(%s, 1)) AS (%s, %s)", [TEXT, INT]),
            ("FLATTEN(STRSPLIT(%s, 'a', 2)) AS (%s:chararray, %s:chararray)", [TEXT, TEXT]),
            ("FLATTEN(TOMAP('a', %s, 'b', 'z')) AS (%s, %s:chararray)", [TEXT, TEXT]),
        ])
        fresh = [(self.name("v"), kind) for kind in fields]
        self.lines.append("F%d = FILTER %s BY %s IS NOT NULL;" % (self.names, source.name, text))
        kept, keep = "F%d" % self.names, self.pick([f for f in env if f[1] in SCALARS + [BYTES]])
        also = self.name("c")
        self.described = False
        return self.add(Relation(self.name(), [(also, keep[1])] + fresh, source.rows * 3), "FOREACH %s GENERATE %s AS %s, %s" % (
            kept, keep[0], also, made % (text, *[n for n, _ in fresh])))

    def stars(self):
        source = self.any(lambda r: r.plain() and not any("::" in n for n, _ in r.fields))
        if source is None:
            return None
        fresh = [self.name("z"), self.name("z")]
        return self.add(Relation(self.name(), source.fields + [(fresh[0], LONG), (fresh[1], LONG)], source.rows, source.unique),
                        "FOREACH %s GENERATE *, SIZE(TOTUPLE(*)) AS %s, SIZE(TOBAG(%s ..)) AS %s" % (
                            source.name, fresh[0], source.fields[0][0], fresh[1]) if len({k for _, k in source.fields}) == 1 else
                        "FOREACH %s GENERATE *, SIZE(TOTUPLE(*)) AS %s, 3L AS %s" % (source.name, *fresh))
