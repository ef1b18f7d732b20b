-- Fields before a FLATTEN of any width keep their place, and so their casts.
a = LOAD 'f' AS (t:(x:int, y:chararray), o:tuple(), w:bag{}, n:int);
b = FOREACH a GENERATE FLATTEN(t) AS (x:double, y:int), n, FLATTEN(o);
c = FOREACH b GENERATE $0, $3;
d = FOREACH a GENERATE FLATTEN(t) AS (x:int, y:chararray), FLATTEN(w), FLATTEN(t) AS (p:int, q);
g = GROUP a BY n;
e = FOREACH g { m = FOREACH a GENERATE FLATTEN(t) AS (x:long, y), FLATTEN(o); GENERATE group, m.$2; }
