a = LOAD 'x' AS (p:integer);
b = FILTER a BY p <> 1;
c = FOREACH a GENERATE p
d = LIMIT a;
e = FILTER a BY p > 1);
f = FOREACH a { x = a.p; };
g = FOREACH a { GENERATE p; x = 1; };
h = FOREACH a GENERATE FLATTEN(p) + 1;
h = FOREACH a GENERATE p + FLATTEN(q);
i = FOREACH a GENERATE p > 1 ? 1 : 2;
FILTER a BY p > 1;
DMP a;
j = UNION a;
k = FILTER a BY p && q;
l = FILTER a BY !p;
m = FILTER a BY t.0 == 1;
n = FOREACH a GENERATE m#k;
o = LOAD 'x' AS (b:bag{int});
SPLIT a INTO x OTHERWISE;
q = LOAD 'x' USNG PigStorage();
r = foo(a);
DEFINE c `x` SHIP('a') SHIP('b');
s = FOREACH a GENERATE CASE p WHEN 1 THEN 2;
join = LOAD 'x';
t = FOREACH a { x = GROUP a BY p; GENERATE x; };
u = JOIN a BY p LEFT, b BY p, c BY p;
v = FOREACH a GENERATE 5x, $99999999999999999999999;
w = FOREACH a GENERATE 1.5L, 9223372036854775808L;
x = FILTER a BY p IN ();
y = FOREACH a { x = FOREACH a { GENERATE p; }; GENERATE x; };
z = ORDER a BY p DSC;
z = JOIN a BY p, b BY q LEFT;
/* never
closed
