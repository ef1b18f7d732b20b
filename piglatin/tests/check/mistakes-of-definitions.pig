-- Those who use a definition with a fault are not told of it again.
DEFINE csv Nothing(',');
DEFINE out Nowhere();
a = LOAD 'f' USING csv AS (n:int);
b = FOREACH a GENERATE nothing;
c = LOAD 'f' AS (n:int, m:map[int], o:map[chararray], u:map[]);
STORE c INTO 'x' USING out;
d = FOREACH c GENERATE (n == 1 ? m : o);
e = FOREACH c GENERATE (n == 1 ? m : u) AS some, CASE n WHEN 1 THEN u WHEN 2 THEN o END AS other;
DESCRIBE e;
