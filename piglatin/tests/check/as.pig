a = LOAD 'f' AS (d:double, s:chararray, i:int, m:map[int], t:(x:int, y:int), u);
b = FOREACH a GENERATE d AS d2:int, s AS s2, i AS i2:int, null AS nothing, null AS none:int, m AS n:map[], t AS t2:(p, q:long), u AS v:bytearray, i AS j:bytearray;
DESCRIBE b;
c = FOREACH a GENERATE d..i AS (x, y:int, z), * AS (o, p, q, r, v, w);
DESCRIBE c;
d = FOREACH a GENERATE i + 1, s AS s;
DESCRIBE d;
