b = FOREACH a GENERATE *, p.., ..q, $1..$3, $2.., p..q AS (x, y), p AS z:int;
b = FOREACH a GENERATE (5), (), {}, [], (p, q), {p, q}, {(p, q), (q, p)}, ['k'#1, 'l'#q + 1], ['k', 1], [p#q];
b = FOREACH a GENERATE t.f, t.$0, t.(f, $1), t.f.g, bag.(x), m#'k', m#'k'#'l', t.m#'k', A::B::x, A::t.f;
b = FOREACH a GENERATE f(), f(p, *), org.example.Up(p), COUNT(A), SUM(A.x), f(g(p), q..r), CONCAT('a', 'b');
b = FOREACH a GENERATE (p > 1 ? 'y' : 'n'), (p > 1 ? 1 : q > 1 ? 2 : 3), ((p > 1 ? q : r) + 1), (p is null ? A::x : B::y);
b = FOREACH a GENERATE CASE p WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE 'c' END, CASE WHEN p > 1 THEN q END AS c;
b = FOREACH a GENERATE (tuple(int,long))t, (bag{tuple(int)})u, (map[int])m, ([int])m, ({(int)})u, ((int,long))t, (map[])m, (bag{})u, (tuple())t;
b = FOREACH a GENERATE FLATTEN(u), FLATTEN(t) AS (f:int, g), FLATTEN((bag{tuple(int)})u) AS h, FLATTEN(TOKENIZE(s));
-- words with a meaning elsewhere
b = FOREACH a GENERATE group, cube, rank, rank_a, order, input, end, left, stream, any, dense, int;
