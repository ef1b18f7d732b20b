a = LOAD 'f' USING BinStorage() AS (x, y:int);
b = LOAD 'f' USING BinStorage() AS (x, z);
c = FOREACH b GENERATE x, x + 1, (int)z;
d = FOREACH b GENERATE z, x == z, z * 2.5;
e = LOAD 'g' AS (x, n:int);
f = JOIN b BY x, e BY n;
g = UNION b, e;
