DEFINE up UPPER() (chararray) RETURNS chararray;
DEFINE bad UPPER() (chararray) RETURNS map[];
DEFINE none Nothing();
a = LOAD 'f' AS (s:chararray, n:int, b:{(x:int, y:int)});
b = FOREACH a GENERATE up(s, s), up(n), Abs(n), UPPER(s, s), SUM(b.x * b.y), nothing(n), none(n);
c = FOREACH a GENERATE bad(s);
d = FOREACH a GENERATE REGEX_EXTRACT(s, '(', 1), UPPER(nowhere), nofunc(nofield);
e = STREAM a THROUGH nocommand;
f = FOREACH a GENERATE UPPER(FLATTEN(b));
