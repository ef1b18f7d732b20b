a = LOAD 'f' AS (k:chararray, n:int);
g = GROUP a BY k;
r = FOREACH g {
  big = FILTER a BY n > 3;
  far = ORDER big BY distance;
  sum = SUM(far.n);
  no = FILTER k BY n > 1;
  one = DISTINCT group;
  GENERATE group, COUNT(far), sum, nothing, big.nn;
}
DUMP r;
