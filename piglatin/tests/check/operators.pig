-- Casts stand where the script left them out (N20, N21).
a = LOAD 'f' AS (i:int, l:long, f:float, d:double, bi:biginteger, bd:bigdecimal, s:chararray, u, z:datetime, p:boolean);
b = FOREACH a GENERATE i + l, f * i, d / bi, u + i, u + u, i % l, u % 2, i % u, -u, -i, -5, -2.5;
c = FOREACH a GENERATE i == d, s == u, u != u, z < u, l >= f, p == u, i < 3L, bd > bi;
d = FOREACH a GENERATE s MATCHES 'a.*', u MATCHES 'a', p AND (s IS NULL), NOT p OR null, i IS NOT NULL;
e = FOREACH a GENERATE (p ? i : l), (p ? u : 5), (p ? null : s), (p ? s : null), (null ? 1 : 2);
f = FOREACH a GENERATE i IN (1, 2L, 3), s IN ('x'), CASE i WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN p THEN 1 ELSE 2.5 END;
g = FOREACH a GENERATE (int)s, (chararray)i, (datetime)l, (tuple(int))u, (bag{tuple(int)})u AS ub, (map[int])u AS um, (int)null;
h = FOREACH a GENERATE (i, s), {i, l}, {(i), (i)}, ['k'#i, 'l'#null], ['k'#i, 'l'#s], {}, [], ();
