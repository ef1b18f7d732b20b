SPLIT a INTO b IF p > 1, c IF p < 1;
SPLIT a INTO b IF p > 1, c OTHERWISE;
split a into b if p > 1, c otherwise all;
ASSERT a BY p > 0;
b = ASSERT a BY p > 0, 'positive';
STORE a INTO 'out' USING PigStorage('\t', '-schema');
STORE (LIMIT a 5) INTO 'out';
dump a; DUMP @;
DUMP (FILTER a BY p == 1);
DESCRIBE a; DESCRIBE a::n; DESCRIBE;
EXPLAIN a; EXPLAIN -brief -dot -out /tmp/plan a; EXPLAIN -script b.pig -param x=1 -param y=2;
ILLUSTRATE a; ILLUSTRATE;
REGISTER 'udfs.py' USING jython AS mine;
REGISTER lib/udfs-1.0.jar;
SET default_parallel 10;
SET job.name 'a name';
SET opts -Xmx512m -Dx=y;
SET;
DEFINE f org.example.F('a', 'b');
DEFINE f F;
DEFINE f F();
DEFINE f F('c') (int, map[]) RETURNS bag{(p:int)};
DEFINE f F() () RETURNS long;
DEFINE f F(int) RETURNS int;
DEFINE c `perl run.pl` INPUT(stdin USING PigStreaming(',')) OUTPUT('o' USING P, stdout) SHIP('/a', '/b') CACHE('/c#d') STDERR('e' LIMIT 100);
m = MAPREDUCE 'x.jar' STORE a INTO 'in' LOAD 'out' `args`;
m = NATIVE 'x.jar' STORE a INTO 'in' LOAD 'out';
fs -ls /tmp
sh echo 'two words' it's
cat x; cd "y z"
EXEC;
exec other.pig
rmf out
run = LOAD 'x'; ls = run;
quit
