-- Of an empty tuple no more is known than of tuple(): what it becomes one type with may have any fields.
a = LOAD 'f' AS (n:int, t:(x:int, y:chararray), u);
b = FOREACH a GENERATE () AS e, TOTUPLE() AS f, (n == 1 ? () : t) AS g, {()} AS h, (tuple(int))() AS i;
DESCRIBE b;
c = FOREACH a GENERATE u;
d = FOREACH a GENERATE ();
e = UNION c, d;
DESCRIBE e;
