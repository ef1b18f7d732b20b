a = LOAD 'f' AS (k:chararray, n:int, s:chararray);
g = GROUP a BY k;
r = FOREACH g {
  big = FILTER a BY n > 3 AND k == group;
  n = ORDER big BY n DESC, s;
  two = LIMIT n 2;
  pages = a.s;
  kinds = DISTINCT pages;
  pairs = CROSS two, kinds;
  made = FOREACH a GENERATE n * 2 AS double_n, s, FLATTEN(TOTUPLE(k, n)) AS (x, y:long);
  more = FILTER a BY n > 5;
  total = SUM(a.n);
  GENERATE group, COUNT(big), two.n AS ns, FLATTEN(pairs), made, total + 1 AS t, more;
}
DESCRIBE r;
DESCRIBE r::pairs;
DESCRIBE r::made;
DESCRIBE r::total;
u = LOAD 'u';
v = GROUP u BY $0;
w = FOREACH v { x = FILTER u BY $1 > 2; y = ORDER x BY $0; GENERATE COUNT(y), group; }
