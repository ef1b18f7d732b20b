-- AS is a FOREACH over the LOAD (N26).
a = LOAD 'f' AS (n:int, s, t:tuple(d, e:float), b:bag{}, m:map[], q:bag{r:tuple(x:int)});
b = LOAD 'f';
c = LOAD 'f' USING PigStorage(',') AS n:int;
d = LOAD 'table:goods' AS (id:long, label, cost, extra:int);
e = LOAD 'table:goods';
f = LOAD 'f' AS (x:bytearray);
g = STREAM a THROUGH `cut -f 1` AS (k:long);
DESCRIBE a; DESCRIBE b; DESCRIBE d; DESCRIBE e; DESCRIBE g;
STORE a INTO 'table:new' USING TableStorer('key=n');
h = LOAD 'table:new';
DESCRIBE h;
