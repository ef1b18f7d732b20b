%default dir 'in'
%declare n 5 -- a comment
%DECLARE path '$dir/${N}_x';
%default n 7
-- $nothing in comments
/* ${nothing} */
a = LOAD '$path' AS (p);
b = FILTER a BY $0 > $n AND p == 'US\$n' AND q == '\$' AND r MATCHES 'x$' AND s == '$5';
%declare n 6
c = LIMIT b $n;
