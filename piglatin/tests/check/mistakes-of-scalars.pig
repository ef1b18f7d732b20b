-- What is written as a scalar and looks like a field is told.
players = LOAD 'p' AS (name:chararray, year:int);
old = FILTER players BY year < 2000;
b = FOREACH old GENERATE name, players.year;
j = JOIN players BY name, old BY name;
c = FOREACH j GENERATE players::name, players.year;
g = GROUP old BY year;
d = FOREACH g { x = FILTER old BY year > players.year; GENERATE group, COUNT(x); }
f = FILTER players BY year > old.year;
all_of_them = GROUP players ALL;
one = FOREACH all_of_them GENERATE MAX(players.year) AS last;
h = FILTER players BY year == one.last;
k = FOREACH players GENERATE one.first, one.(last, last), one.$1;
