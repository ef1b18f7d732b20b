r = LOAD 'r';
a = ORDER r BY *, $1;
b = ORDER r BY $1.., $0;
c = FOREACH r GENERATE TOTUPLE(*), TOTUPLE($1..), $3..$1, $0..$4000000000;
d = JOIN r BY *, r BY *;
e = FOREACH r { x = FILTER $0 BY $1 > 2; y = DISTINCT x; z = ORDER y BY name; GENERATE y; }
