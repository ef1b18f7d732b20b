-- Relations whose fields are not known.
r = LOAD 'r';
a = ORDER r BY *;
b = ORDER r BY $1 DESC, $2..;
c = FILTER r BY $0 == 'x' AND $1 > 5;
d = DISTINCT r;
e = JOIN r BY $0, d BY ($1);
f = CROSS r, d;
g = UNION r, d;
h = FOREACH g GENERATE $0, (int)$1, $2.$0, $3#'k', FLATTEN($4);
i = LIMIT r 5;
s = LOAD 's' USING TextLoader();
k = UNION r, s;
l = FOREACH e GENERATE $0 AS x, $1 AS y:int;
DESCRIBE a; DESCRIBE e; DESCRIBE f; DESCRIBE g; DESCRIBE h; DESCRIBE l;
