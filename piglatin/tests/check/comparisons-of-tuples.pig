a = LOAD 'f' AS (t:(x:int, y:chararray), u:(p:int, q:chararray), v:(x:long, y:chararray), w:(x:int), y:tuple(), m:map[int], n:map[long], o:map[], b:(c:{(i:int)}));
b = FOREACH a GENERATE t == u, t == v, t == w, t == y, m == n, m == o, b == b, t == null;
