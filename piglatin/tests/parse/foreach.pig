r = FOREACH g {
  f = FILTER a BY p > 1 AND q IS NOT NULL; -- a comment; with a sign
  o = ORDER f BY p DESC, q;
  d = DISTINCT a.p;
  l = LIMIT o 3;
  c = CROSS f, d;
  e = FOREACH f GENERATE p + 1 AS s, FLATTEN(q);
  x = a.p;
  y = SIZE(a) + 1;
  z = FILTER a.(p, q) BY $0 == 1;
  GENERATE group, COUNT(f) AS n, FLATTEN(o) AS (t, u), x;
}
r = FOREACH g { GENERATE p };
r = FOREACH g { d = DISTINCT a; GENERATE COUNT(d); };
DUMP r;
