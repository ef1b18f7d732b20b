DEFINE top(rel, key, n) RETURNS best, rest {
  -- names of its own: sorted, ranked, n
  sorted = ORDER $rel BY $key DESC;
  ranked = RANK sorted;
  $best = FILTER ranked BY rank_sorted <= $n;
  $rest = FOREACH (FILTER ranked BY rank_sorted > $n) GENERATE sorted.x, '$key' AS ranked;
};
DEFINE totals(rel, key) RETURNS out {
  n = FILTER $rel BY n > 1;
  g = GROUP n BY $key;
  f = FOREACH g { n = DISTINCT n; GENERATE group, n, COUNT(n) AS g; }
  j = JOIN f BY group, n BY $key;
  $out = FOREACH j GENERATE f::group, n::n, g, n.total;
};
DEFINE both(rel) RETURNS a, b { t = totals($rel, k); $a, $b = top(t, g, 3); SPLIT t INTO s IF g > 1, u OTHERWISE; DUMP u; };
DEFINE quiet() RETURNS VOID { DUMP@; };
sorted = LOAD 'x' AS (k, n);
hi, lo = top(sorted, n, -5);
x, y = both(sorted);
x, y = both(hi);
quiet();
