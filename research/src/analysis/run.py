"""Runs files of SQL in one engine: run.py ENGINE BYTES FOLDER FILE...

The last result of each file is printed as a line of JSON, with its time and the process's peak of
memory so far. ENGINE is duckdb or clickhouse; FOLDER becomes the current folder, which paths in the
SQL start from; BYTES is the most memory that the engine may take.
"""

import json
import os
import resource
import sys
import time


def duckdb(limit):
    import duckdb

    connection = duckdb.connect(config={"memory_limit": f"{limit}B", "threads": 2})

    def run(text):
        for statement in duckdb.extract_statements(text):
            result = connection.execute(statement)
        return [[column[0] for column in result.description or []], *result.fetchall()]

    return run


def clickhouse(limit):
    from chdb import session

    connection = session.Session()
    settings = {
        "max_threads": 2,
        "max_memory_usage": limit,
        "max_bytes_before_external_group_by": limit // 2,
        "max_bytes_before_external_sort": limit // 2,
        "output_format_json_quote_64bit_integers": 0,
    }
    for name, value in settings.items():
        connection.query(f"SET {name} = {value}")

    def run(text):
        rows = b""
        for statement in text.split(";\n"):
            lines = [line for line in statement.splitlines() if not line.startswith("--")]
            if any(line.strip() for line in lines):
                rows = connection.query("\n".join(lines), "JSONCompactEachRowWithNames").bytes()
        return [json.loads(line) for line in rows.decode().splitlines()]

    return run


def number(value):
    """DuckDB's sums of integers are exact, and its dates are no JSON."""
    return float(value) if type(value).__name__ == "Decimal" else str(value)


def main(engine, limit, folder, *files):
    texts = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
    os.chdir(folder)
    run = {"duckdb": duckdb, "clickhouse": clickhouse}[engine](int(limit))
    for name, text in zip(files, texts):
        start = time.perf_counter()
        table = run(text)
        result = {
            "file": os.path.basename(name),
            "seconds": time.perf_counter() - start,
            "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "columns": table[0] if table else [],
            "rows": table[1:],
        }
        print(json.dumps(result, default=number), flush=True)


main(*sys.argv[1:])
