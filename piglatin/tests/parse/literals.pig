b = FOREACH a GENERATE 5, 5L, 5l, 5.0, 5., .5, 5e1, 5E-1, 5.0F, 5f, 12BI, 1.50BD, 1e2BD, null, TRUE, False;
b = FOREACH a GENERATE 2147483647, -2147483647, -2147483648, 9223372036854775807L, -9223372036854775808L, p -1, p - -2147483648;
b = FOREACH a GENERATE '', 'it\'s', 'a\\b', '\t|\n|\r|\b|\f', '\u0041\u00e9', '\ud83d\ude00', '\d+\.\s', '\\w', '-- none', '/* none */', '"', 'é';
