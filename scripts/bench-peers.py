#!/usr/bin/env python3
"""Measures other systems on the workloads of docs/performance.md and prints one JSON line each.

    bench-peers.py DATA WORK PEER...        PEER: duckdb datafusion sqlite myrocks

DATA is the folder that bench-data.sh fills; databases are made in WORK. Needs duckdb, datafusion, pyarrow, pymysql and
numpy from PyPI, and Debian's sqlite3, mariadb-server and mariadb-plugin-rocksdb. Every peer uses one thread, is asked
warm, and its best run counts. `cpu` is the CPU time of this process, or of the server for MyRocks, whose client then
adds what it takes (W2, W3). One peer after the other, each in a process of its own.
"""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ROWS = 6_001_215
INTEGERS = ["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"]
DECIMALS = ["l_quantity", "l_extendedprice", "l_discount", "l_tax"]
FLAGS = ["l_returnflag", "l_linestatus"]
DATES = ["l_shipdate", "l_commitdate", "l_receiptdate"]
TEXTS = {"l_shipinstruct": 25, "l_shipmode": 10, "l_comment": 44}

POINT = "SELECT * FROM lineitem WHERE l_orderkey = ? AND l_linenumber = ?"
SPAN = "SELECT * FROM lineitem WHERE l_orderkey >= ? AND l_orderkey < ?"
BY_PART = "SELECT l_orderkey, l_linenumber, l_extendedprice FROM lineitem WHERE l_partkey = ?"
PRICE = 5  # its place in a row


def scans(date):
    """The queries over the whole table. `date` writes a date as the peer wants it."""
    month = f"l_shipdate >= {date('1994-01-01')} AND l_shipdate < {date('1994-01-26')}"
    year = f"l_shipdate >= {date('1994-01-01')} AND l_shipdate < {date('1995-01-01')}"
    paid = "l_extendedprice * (1 - l_discount)"
    return {
        "W8-count": "SELECT count(*) FROM lineitem",
        "W4-filter1pct": f"SELECT l_orderkey, l_linenumber, l_extendedprice FROM lineitem WHERE {month}",
        "W4-agg": f"SELECT count(*), sum(l_extendedprice) FROM lineitem WHERE {month}",
        "W5-Q6": "SELECT sum(l_extendedprice * l_discount) FROM lineitem"
        f" WHERE {year} AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
        "W5-Q1": f"SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum({paid}),"
        f" sum({paid} * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)"
        f" FROM lineitem WHERE l_shipdate <= {date('1998-09-02')}"
        " GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus",
        "W7-range+filter": "SELECT count(*), sum(l_extendedprice) FROM lineitem"
        " WHERE l_orderkey >= 1000000 AND l_orderkey < 1600000 AND l_quantity < 5 AND l_shipmode = 'AIR'",
    }


def table(integer="BIGINT", decimal="DECIMAL(15,2)", date="DATE", tail=""):
    """The statement that makes lineitem, in the peer's types."""
    columns = [f"{name} {integer} NOT NULL" for name in INTEGERS]
    columns += [f"{name} {decimal} NOT NULL" for name in DECIMALS]
    columns += [f"{name} CHAR(1) NOT NULL" for name in FLAGS]
    columns += [f"{name} {date} NOT NULL" for name in DATES]
    columns += [f"{name} VARCHAR({size}) NOT NULL" for name, size in TEXTS.items()]
    return f"CREATE TABLE lineitem ({', '.join(columns)}{tail}"


KEY = ", PRIMARY KEY (l_orderkey, l_linenumber))"


def sql_date(day):
    return f"DATE '{day}'"


def bytes_of(path):
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


class Peer:
    """A system in this process. `points` and `spans` say how many keys are asked for: fewer where each takes long."""

    date = staticmethod(sql_date)
    points = 10_000
    spans = 1_000
    parts = 1_000

    def __init__(self, data, work):
        self.data, self.work = data, work
        self.csv, self.parquet = data / "lineitem.csv", data / "lineitem.parquet"

    def cpu(self):
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime

    def memory(self):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    def close(self):
        pass

    def count_rows(self, sql):
        """Rows of a large answer, in the form in which the peer hands over large answers."""
        return len(self.ask(sql))


class DuckDB(Peer):
    points, spans = 500, 200

    def load(self):
        import duckdb

        file = self.work / "duck.db"
        file.unlink(missing_ok=True)
        self.connection = duckdb.connect(str(file))
        self.connection.execute("SET threads = 1")
        with measured(self, "W1-load"):
            self.connection.execute(table(tail=")"))
            self.connection.execute(f"COPY lineitem FROM '{self.csv}' (HEADER)")
            self.connection.execute("CHECKPOINT")
        before = bytes_of(file)
        number(self, "disk-base", before)
        with measured(self, "W1-index"):
            self.connection.execute("CREATE INDEX by_part ON lineitem (l_partkey)")
            self.connection.execute("CHECKPOINT")
        number(self, "disk-index", bytes_of(file) - before)
        self.connection.execute("CREATE UNIQUE INDEX by_key ON lineitem (l_orderkey, l_linenumber)")
        self.connection.execute("CHECKPOINT")

    def ask(self, sql, values=()):
        return self.connection.execute(sql, values).fetchall()

    def count_rows(self, sql):
        return self.connection.sql(sql).to_arrow_table().num_rows


class DataFusion(Peer):
    points = spans = parts = 50

    def load(self):
        import datafusion
        import pyarrow

        config = datafusion.SessionConfig().with_target_partitions(1)
        self.context = datafusion.SessionContext(config)
        types = {name: pyarrow.int64() for name in INTEGERS}
        types |= {name: pyarrow.decimal128(15, 2) for name in DECIMALS}
        types |= {name: pyarrow.string() for name in FLAGS}
        types |= {name: pyarrow.date32() for name in DATES}
        types |= {name: pyarrow.string() for name in TEXTS}
        self.context.register_csv("csv", str(self.csv), schema=pyarrow.schema(types))
        target = self.work / "datafusion.parquet"
        shutil.rmtree(target, ignore_errors=True)
        target.unlink(missing_ok=True)
        with measured(self, "W1-load"):
            self.context.sql(f"COPY (SELECT * FROM csv) TO '{target}' STORED AS PARQUET").collect()
        number(self, "disk-base", bytes_of(target))
        # Asked is the file of the generator: its row groups are of a common size.
        self.context.register_parquet("lineitem", str(self.parquet))

    def ask(self, sql, values=()):
        for value in values:
            sql = sql.replace("?", str(value), 1)
        batches = self.context.sql(sql).collect()
        return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]

    def count_rows(self, sql):
        return sum(batch.num_rows for batch in self.context.sql(sql).collect())


class SQLite(Peer):
    date = staticmethod(lambda day: f"'{day}'")

    def load(self):
        import sqlite3

        file = self.work / "lite.db"
        file.unlink(missing_ok=True)
        script = "\n".join([
            "PRAGMA journal_mode = OFF;",
            "PRAGMA synchronous = OFF;",
            "PRAGMA cache_size = -2000000;",
            table("INTEGER", "REAL", "TEXT", KEY) + " WITHOUT ROWID;",
            ".mode csv",
            f".import --skip 1 {self.csv} lineitem",
        ])
        with measured(self, "W1-load"):
            subprocess.run(["sqlite3", str(file)], input=script, text=True, check=True, stdout=subprocess.DEVNULL)
        before = bytes_of(file)
        number(self, "disk-base", before)
        self.connection = sqlite3.connect(file)
        self.connection.execute("PRAGMA cache_size = -4000000")
        self.connection.execute("PRAGMA mmap_size = 8000000000")
        with measured(self, "W1-index"):
            self.connection.execute("CREATE INDEX by_part ON lineitem (l_partkey)")
            self.connection.commit()
        number(self, "disk-index", bytes_of(file) - before)

    def ask(self, sql, values=()):
        return self.connection.execute(sql, values).fetchall()


class MyRocks(Peer):
    """A MariaDB server of its own, on a socket."""

    TABLE_FORMAT = "block_size=16384;cache_index_and_filter_blocks=0;filter_policy=bloomfilter:10:false"
    FAMILY = (
        "write_buffer_size=128m;compression=kLZ4Compression;bottommost_compression=kLZ4Compression;"
        f"block_based_table_factory={{{TABLE_FORMAT};whole_key_filtering=1}}"
    )

    def __init__(self, data, work):
        super().__init__(data, work)
        home, self.socket = work / "mariadb", work / "mariadb.sock"
        shutil.rmtree(home, ignore_errors=True)
        (home / "tmp").mkdir(parents=True)
        common = ["--no-defaults", "--user=root", f"--datadir={home}/data"]
        install = ["mariadb-install-db", *common, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.server = subprocess.Popen([
            "mariadbd", *common,
            f"--socket={self.socket}", f"--pid-file={home}/pid", f"--tmpdir={home}/tmp", f"--log-error={home}/log",
            "--skip-networking", "--secure-file-priv=", "--plugin-maturity=unknown", "--plugin-load-add=ha_rocksdb",
            "--rocksdb_block_cache_size=4G", f"--rocksdb_default_cf_options={self.FAMILY}",
        ])  # fmt: skip
        self.cursor = self.connect().cursor()
        self.ask("CREATE DATABASE bench")
        self.ask("USE bench")

    def connect(self):
        import pymysql

        for _ in range(100):
            with contextlib.suppress(pymysql.err.OperationalError):
                self.connection = pymysql.connect(unix_socket=str(self.socket), user="root", autocommit=True)
                return self.connection
            if self.server.poll() is not None:
                break
            time.sleep(0.3)
        self.close()
        raise SystemExit("mariadbd does not answer")

    def close(self):
        self.server.terminate()
        self.server.wait(120)

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.server.pid}/stat").read_text().rpartition(")")[2].split()
        server = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return server + super().cpu()

    def memory(self):
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))

    def load(self):
        self.ask(table(tail=KEY) + " ENGINE=ROCKSDB CHARSET=latin1 COLLATE=latin1_bin")
        with measured(self, "W1-load"):
            self.ask("SET SESSION rocksdb_bulk_load = 1")
            self.ask(
                f"LOAD DATA INFILE '{self.csv}' INTO TABLE lineitem FIELDS TERMINATED BY ','"
                " OPTIONALLY ENCLOSED BY '\"' LINES TERMINATED BY '\\n' IGNORE 1 LINES"
            )
            self.ask("SET SESSION rocksdb_bulk_load = 0")
        with measured(self, "W1-index"):
            self.ask("ALTER TABLE lineitem ADD INDEX by_part (l_partkey)")
        self.ask("SET GLOBAL rocksdb_force_flush_memtable_now = 1")
        self.ask("ANALYZE TABLE lineitem")
        size = "SELECT data_length, index_length FROM information_schema.tables WHERE table_name = 'lineitem'"
        base, index = self.ask(size)[0]
        number(self, "disk-base", int(base))
        number(self, "disk-index", int(index))

    def ask(self, sql, values=()):
        self.cursor.execute(sql.replace("?", "%s"), values or None)
        return self.cursor.fetchall()

    def join(self, points):
        """All points in one statement, inside of the server: what the engine costs without the client."""
        self.ask("CREATE TABLE points (o BIGINT, l INT) ENGINE=MEMORY")
        self.cursor.executemany("INSERT INTO points VALUES (%s, %s)", points)
        sql = (
            "SELECT STRAIGHT_JOIN sum(l_extendedprice + length(l_comment) * 0)"
            " FROM points JOIN lineitem ON l_orderkey = o AND l_linenumber = l"
        )
        best(self, "W2-join", lambda: (len(points), self.ask(sql)[0][0]), 3)


PEERS = {"duckdb": DuckDB, "datafusion": DataFusion, "sqlite": SQLite, "myrocks": MyRocks}


def line(peer, workload, wall, cpu, rows, check):
    names = {kind: name for name, kind in PEERS.items()}
    figures = {"s": round(wall, 6), "cpu": round(cpu, 6), "rows": rows, "check": str(check)}
    print(json.dumps({"peer": names[type(peer)], "t": 1, "w": workload} | figures | {"rss_mb": peer.memory()}), flush=True)


def number(peer, name, value):
    line(peer, name, 0, 0, value, 0)


@contextlib.contextmanager
def measured(peer, workload):
    wall, cpu = time.perf_counter(), peer.cpu()
    yield
    line(peer, workload, time.perf_counter() - wall, peer.cpu() - cpu, ROWS, 0)


def best(peer, workload, work, runs):
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), peer.cpu()
        rows, check = work()
        walls.append(time.perf_counter() - wall)
        cpus.append(peer.cpu() - cpu)
    line(peer, workload, min(walls), min(cpus), rows, check)


def measure(peer):
    import numpy

    def keys(name):
        return numpy.fromfile(peer.data / "cols" / name, "<i8")

    peer.load()
    for workload, sql in scans(peer.date).items():
        if workload == "W4-filter1pct":
            best(peer, workload, lambda: (peer.count_rows(sql), 0), 3)
        elif workload == "W5-Q1":
            best(peer, workload, lambda: (lambda answer: (len(answer), answer[0][4]))(peer.ask(sql)), 3)
        else:
            best(peer, workload, lambda: (1, ", ".join(str(value) for value in peer.ask(sql)[0])), 3)
    points = keys("points.bin").reshape(-1, 2)[: peer.points].tolist()
    price_of = lambda point: float(peer.ask(POINT, point)[0][PRICE])
    best(peer, "W2-points", lambda: (len(points), f"{sum(map(price_of, points)):.2f}"), 2)
    if isinstance(peer, MyRocks):
        peer.join(points)
    spans = keys("ranges.bin")[: peer.spans].tolist()
    best(peer, "W3-ranges", lambda: (sum(len(peer.ask(SPAN, (start, start + 100))) for start in spans), 0), 2)
    parts = keys("parts.bin")[: peer.parts].tolist()
    best(peer, "W6-index", lambda: (sum(len(peer.ask(BY_PART, (part,))) for part in parts), 0), 2)


def main():
    if len(sys.argv) < 4 or not set(sys.argv[3:]) <= set(PEERS):
        sys.exit(__doc__)
    data, work = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:]:
        if len(sys.argv) > 4:
            subprocess.run([sys.executable, __file__, data, work, name], check=True)
            continue
        peer = PEERS[name](data, work)
        try:
            measure(peer)
        finally:
            peer.close()


if __name__ == "__main__":
    main()
