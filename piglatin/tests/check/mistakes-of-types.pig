-- All faults in one run, each once, at the operator.
a = LOAD 'f' AS (i:int, s:chararray, d:double, t:(x:int), b:{(x:int)}, m:map[int], z:datetime, p:boolean, u);
b = FOREACH a GENERATE s + i, i + s, s + s, d % 2, -s, b == b, p < p, t < t, m >= m, z - 5, z == i;
c = FILTER a BY i;
d = FILTER a BY u;
e = FILTER a BY (i > 1) AND (i == 2 OR s);
f = FOREACH a GENERATE i MATCHES 'x', s MATCHES '(ab', s MATCHES i, NOT s, (i ? 1 : 2), (p ? i : s), (p ? t : u);
g = FOREACH a GENERATE i.x, s#'k', t.y, t.$1, b.y, b.(x, y), u.$0, u.name, m.x;
h = FOREACH a GENERATE CASE i WHEN 's' THEN 1 ELSE 2 END, CASE WHEN p THEN 1 WHEN s THEN 's' END, i IN (1, 's', p);
i = FOREACH a GENERATE (int)t, (tuple(int))s, (bag{tuple(int)})t, (map[int])s, (bytearray)i, (datetime)p, (boolean)z, (datetime)i, (tuple(int,int))t, (bag{tuple(bytearray)})b, (map[datetime])m;
j = FOREACH a GENERATE ['k'#1, i#2], b * b, u % u;
k = FOREACH a GENERATE (p ? nowhere : neither), absent + missing;
l = FOREACH b GENERATE nothing;
