DEFINE up UPPER() (chararray) RETURNS chararray;
DEFINE top3 TOP('ASC');
DEFINE csv PigStorage(',');
DEFINE sort `sort -n`;
a = LOAD 'f' USING csv AS (s:chararray, n:int, u, b:{(x:int, y:double)});
b = FOREACH a GENERATE up(s) AS s, up(u), ABS(n), ABS(u), CONCAT(s, s, (chararray)n), TOTUPLE(*), TOTUPLE(s..u), SUM(b.x), AVG(b.y), COUNT(b), top3(1, 0, b) AS t;
c = FOREACH b GENERATE FLATTEN(t);
d = STREAM a THROUGH sort;
DESCRIBE b; DESCRIBE c; DESCRIBE d;
