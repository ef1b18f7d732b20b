a = LOAD 'x' AS (p:int, q:chararray);
b = FITLER a BY p > 1;
c = FOREACH a GENERAT p;
d = FILTER a BY p = 1;
e = JOIN a BY p;
f = FOREACH a {
  x = ORDR a BY p;
  GENERATE x;
};
g = LOAD "y";
h = LOAD 'z;
i = FOREACH a GENERATE p, 3000000000;
j = ORDER a p;
k = FILTER a BY (p > 1;
DUMP k;
