a = LOAD 'f' AS (t:(x:int, y:chararray), o:tuple(), n:int);
b = FOREACH a GENERATE FLATTEN(o), n, FLATTEN(t) AS (x:long, y);
c = FOREACH a GENERATE FLATTEN(o) AS (p, q), FLATTEN(t) AS (x:long, y);
d = FOREACH a GENERATE FLATTEN(o), FLATTEN(t) AS (x:int, y:chararray);
e = FOREACH b GENERATE nothing;
