"""Random expressions of a type over the fields of a relation."""
from relations import BOOL, BYTES, DATE, DOUBLE, FLOAT, INT, LONG, NUMBERS, TEXT, COLOURS, WORDS, Data


class Expressions(Data):
    def constant(self, kind):
        r = self.rng
        if kind == INT:
            return str(r.randint(0, 12))
        if kind == LONG:
            return "%dL" % r.randint(0, 5_000_000_000)
        if kind == FLOAT:
            return "%sF" % (r.randint(0, 20) / 2)
        if kind == DOUBLE:
            return str(r.randint(0, 40) / 4)
        return "'%s'" % self.pick(COLOURS + WORDS + [""])

    def leaves(self, kind, env):
        """Fields of the type, and what can be reached inside of others."""
        found = [ref for ref, k in env if k == kind]
        for ref, k in env:
            if isinstance(k, tuple) and k[0] == "tuple":
                found += ["%s.%s" % (ref, n) for n, inner in k[1] if inner == kind]
            if isinstance(k, tuple) and k[0] == "map" and k[1] == kind:
                found.append("%s#'%s'" % (ref, self.pick("abcz")))
            if k == BYTES and kind in (INT, DOUBLE, TEXT, LONG):
                found.append("(%s)%s" % (kind, ref))
        return found

    def leaf(self, kind, env):
        found = self.leaves(kind, env)
        return self.pick(found) if found and self.chance(0.85) else self.constant(kind)

    def expr(self, kind, env, depth=2):
        if kind == BOOL:
            found = [ref for ref, k in env if k == BOOL]
            return self.pick(found) if found else None
        if depth == 0 or self.chance(0.25):
            return self.leaf(kind, env)
        go = lambda k: self.expr(k, env, depth - 1)
        dates = [ref for ref, k in env if k == DATE]
        if dates and kind in (INT, LONG, TEXT) and self.chance(0.4):
            return self.of_date(kind, self.pick(dates))
        choices = ["bincond", "case", "casecond"]
        if kind in NUMBERS:
            choices += ["arith"] * 4 + ["neg", "cast", "fun"] + (["mod"] if kind in (INT, LONG) else [])
        else:
            choices += ["fun"] * 6 + ["cast"]
        choice = self.pick(choices)
        if choice == "bincond":
            return "(%s ? %s : %s)" % (self.cond(env, depth - 1), go(kind), go(kind))
        if choice == "casecond":
            rest = " ELSE %s" % go(kind) if self.chance(0.7) else ""
            whens = " ".join("WHEN %s THEN %s" % (self.cond(env, 0), go(kind)) for _ in range(self.rng.randint(1, 2)))
            return "(CASE %s%s END)" % (whens, rest)
        if choice == "case":
            on = self.pick([INT, TEXT])
            values = sorted({self.constant(on) for _ in range(self.rng.randint(1, 3))})  # of equal ones real Pig takes the last
            whens = " ".join("WHEN %s THEN %s" % (value, go(kind)) for value in values)
            return "(CASE %s %s ELSE %s END)" % (self.leaf(on, env), whens, go(kind))
        if choice == "arith":
            if kind == FLOAT:  # the text of large floats depends on the JDK
                return "(%s %s %s)" % (self.leaf(FLOAT, env), self.pick("+-*"), self.leaf(self.pick([INT, FLOAT]), env))
            lower = [k for k in NUMBERS[:NUMBERS.index(kind) + 1] if k != FLOAT or kind == FLOAT]
            left, right = kind, self.pick(lower)
            if self.chance(0.5):
                left, right = right, left
            op = self.pick("++--**/")
            if op == "/" and kind in (FLOAT, DOUBLE):
                return "(%s / %s)" % (go(kind), self.pick(["2", "4", "0.5", "8L"] if kind == DOUBLE else ["2", "4", "0.5F"]))
            return "(%s %s %s)" % (go(left), op, go(right))
        if choice == "mod":
            return "(%s %% %s)" % (go(kind), "%d%s" % (self.rng.randint(1, 9), "L" if kind == LONG else ""))
        if choice == "neg":
            return "(-%s)" % self.leaf(kind, env)
        if choice == "cast":
            source = self.pick([k for k in ([INT, TEXT] if kind == FLOAT else NUMBERS + [TEXT]) if k != kind])
            if kind == FLOAT:
                return "(float)%s" % self.wrapped(self.leaf(source, env))
            return "(%s)%s" % (kind, self.wrapped(go(source)))
        if kind == INT:
            return self.pick([lambda: "INDEXOF(%s, '%s')" % (go(TEXT), self.pick("aein1")),
                              lambda: self.absolute(INT, env),
                              lambda: "LAST_INDEX_OF(%s, '%s')" % (go(TEXT), self.pick("aeo"))])()
        if kind == LONG:
            return self.pick([lambda: "SIZE(%s)" % go(TEXT), lambda: "ROUND(%s)" % go(DOUBLE), lambda: self.absolute(LONG, env)])()
        if kind == FLOAT:
            return self.absolute(FLOAT, env)
        if kind == DOUBLE:
            return self.absolute(DOUBLE, env) if self.chance(0.3) else "%s(%s)" % (self.pick(["CEIL", "FLOOR"]), go(DOUBLE))
        text = go(TEXT)
        return self.pick([
            "CONCAT(%s, %s)" % (text, go(TEXT)), "CONCAT(%s, '-', %s)" % (text, self.leaf(TEXT, env)),
            "UPPER(%s)" % text, "LOWER(%s)" % text, "TRIM(%s)" % text, "UCFIRST(%s)" % text, "LCFIRST(%s)" % text,
            "SUBSTRING(%s, %d, %d)" % (text, self.rng.randint(0, 2), self.rng.randint(2, 6)),
            "REPLACE(%s, '%s', '%s')" % (text, self.pick(["a", "e", "[0-9]+", "l+"]), self.pick(["", "_", "oo"])),
            "REGEX_EXTRACT(%s, '%s', 1)" % (text, self.pick(["([a-z]+)", "(.)(.)", "^(.*)e", "([0-9])"])),
            "LTRIM(%s)" % text,
            "SPRINTF('%%s:%%d', %s, %s)" % (text, self.leaf(INT, env)),
        ])

    def of_date(self, kind, day):
        moved = self.pick([day, day, "AddDuration(%s, 'P%dM')" % (day, self.rng.randint(1, 9)), "SubtractDuration(%s, 'PT%dH')" % (
            day, self.rng.randint(1, 50))])
        text = {
            INT: "Get%s(%s)" % (self.pick(["Year", "Month", "Day", "Hour", "Minute", "Second", "MilliSecond", "Week", "WeekYear"]), moved),
            LONG: self.pick(["ToUnixTime(%s)" % moved, "ToMilliSeconds(%s)" % moved, "%sBetween(%s, ToDate('2012-02-28T05:06:07.000Z'))" % (
                self.pick(["Years", "Months", "Weeks", "Days", "Hours", "Minutes", "Seconds"]), moved)]),
            TEXT: "ToString(%s, '%s')" % (moved, self.pick(["yyyy-MM-dd", "dd.MM.yy HH:mm:ss", "HH:mm", "yyyy'T'D"]) .replace("'T'", "")),
        }[kind]
        return "(%s IS NULL ? null : %s)" % (day, text)

    def absolute(self, kind, env):
        """ABS of no null, which real Pig fails on."""
        found = [ref for ref, k in env if k == kind]
        if not found:
            return "ABS((-%s))" % self.constant(kind)
        inner = self.pick(found)
        return "ABS((%s IS NULL ? %s : %s))" % (inner, self.constant(kind), inner)

    def wrapped(self, text):
        return "(%s)" % text if "(" in text or "#" in text or " " in text and text[0] != "'" else text

    def cond(self, env, depth=2):
        if depth > 0 and self.chance(0.4):
            choice = self.rng.random()
            if choice < 0.4:
                return "(%s AND %s)" % (self.cond(env, depth - 1), self.cond(env, depth - 1))
            if choice < 0.8:
                return "(%s OR %s)" % (self.cond(env, depth - 1), self.cond(env, depth - 1))
            inner = self.cond(env, depth - 1)
            return "(NOT (%s))" % inner if " IN (" not in inner else "(NOT %s)" % inner
        choice = self.pick(["compare"] * 5 + ["null"] * 2 + ["in", "matches", "text", "untyped", "between"])
        small = max(0, depth - 1)
        if choice == "null":
            ref = self.pick([ref for ref, _ in env])
            return "%s IS %sNULL" % (ref, self.pick(["", "NOT "]))
        if choice == "in":
            kind = self.pick([INT, TEXT])
            return "%s IN (%s)" % (self.leaf(kind, env), ", ".join(self.constant(kind) for _ in range(self.rng.randint(1, 4))))
        if choice == "matches" and self.leaves(TEXT, env):  # real Pig takes a constant MATCHES for null
            return "%s MATCHES '%s'" % (self.pick(self.leaves(TEXT, env)), self.pick([".*e.*", "[a-m].*", "\\\\d+", "(red|blue)", ".", "..+n"]))
        if choice == "text":
            return "%s(%s, '%s')" % (self.pick(["STARTSWITH", "ENDSWITH"]), self.leaf(TEXT, env), self.pick("abred"))
        raw = [ref for ref, k in env if k == BYTES]
        if choice == "untyped" and raw:
            return "%s %s %s" % (self.pick(raw), self.pick(["==", "!=", "<", ">="]), self.pick(["5", "2.5", "'red'", "'12'", "7L"]))
        dates = [ref for ref, k in env if k == DATE]
        if dates and self.chance(0.3):
            return "%s %s %s" % (self.pick(dates), self.pick(["==", "!=", "<", ">="]), self.pick(
                dates + ["ToDate('2012-06-15T00:00:00.000Z')"]))
        if choice == "between":
            ref = self.leaf(INT, env)
            return "(%s >= %d AND %s <= %d)" % (ref, self.rng.randint(-5, 3), ref, self.rng.randint(4, 15))
        if self.chance(0.3):
            return "%s %s %s" % (self.expr(TEXT, env, small), self.pick(["==", "!=", "<", ">", "<=", ">="]), self.expr(TEXT, env, small))
        return "%s %s %s" % (self.expr(self.pick(NUMBERS), env, small), self.pick(["==", "!=", "<", ">", "<=", ">="]),
                             self.expr(self.pick(NUMBERS), env, small))
