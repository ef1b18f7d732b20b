-- signs and casts, then * / %, then + -, then comparisons, NOT, AND, OR
a = LOAD 'x' AS (p, q, r);
b = FOREACH a GENERATE p + q * r, p * q + r, p - q - r, p / q / r, p % q * r, -p * q, - -p, -(p + q), (p + q) * r;
b = FOREACH a GENERATE (int)p + q, (int)-p, -(long)p, (int)(p + q), (chararray)m#'k', (int)t.f, (p) - q, ((p)) - 1;
c = FILTER a BY p == 1 OR q == 2 AND r == 3;
c = FILTER a BY NOT p == 1 AND NOT q IS NULL;
c = FILTER a BY NOT (p == 1 AND q == 2) OR NOT r MATCHES '.*z';
c = FILTER a BY NOT p IN (1, 2 + 3) AND q IS NOT NULL;
c = FILTER a BY p + 1 > q * 2 AND p != q;
c = FILTER a BY p eq 'a' or q neq 'b' and r lt 1 or r lte 2 and r gt 3 or r gte 4;
c = FILTER a BY NOT NOT p > 1;
