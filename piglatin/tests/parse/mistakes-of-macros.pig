DEFINE self(r) RETURNS o { $o = self($r); };
DEFINE ping(r) RETURNS o { $o = pong($r); };
DEFINE pong(r) RETURNS o { $o = ping($r); };
DEFINE twice(r) RETURNS o { $o = $r; };
DEFINE twice(r) RETURNS o { $o = $r; };
DEFINE outer(r) RETURNS o { $o = JOIN $r BY p, a BY p; };
DEFINE lost(r) RETURNS o { x = $r; };
DEFINE same(r, r) RETURNS o { $o = $r; };
DEFINE wrong(r) RETURNS o { $o = FITLER $r BY p > 1; };
DEFINE inside(r) RETURNS o { IMPORT 'x.pig'; $o = $r; };
DEFINE unknown(r) RETURNS o { $o = FILTER $r BY p > $low; };
a = LOAD 'x' AS (p);
b = self(a);
c = ping(a);
d = twice(a, a);
e, f = twice(a);
g = twise(a);
h = outer(a);
i = lost(a);
j = wrong(a);
k = inside(a);
IMPORT 'nowhere.pig';
%declare
l = LOAD '$missing' AS (p:$type);
DUMP l
