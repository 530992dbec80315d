-- Loads the reports below reports/ into Parquet below parquet/, both in the current folder.
-- For DuckDB: duckdb -f load.sql
--
-- Reads reports (*.json), and NDJSON (*.ndjson, *.ndjson.gz) with records or with a report on each
-- line. Only records of waits have histograms.
--
-- A report does not name its machine, but its path does: the folder below reports/, or for a file
-- directly in reports/, its name without the extension and without a date or time after a last
-- "_". Folders of days may stand in between. If names are not unique, use ids.
--   reports/web_1/anything.ndjson
--   reports/web_1_1763300000.ndjson.gz
--   reports/4c4c4544004d3510/2026-11-16.ndjson
--   reports/2026-11-16/web-1.json
--
-- Only adds: a run that parquet/ holds already is skipped, and so is a second file with it. A run
-- dated in the future is left out, because the queries look at the week before the latest. Prints
-- which files were left out and why. A damaged .gz ends the load; the message names the file.

-- DuckDB creates one level of folders at a time. The file is empty, so that no list below is.
COPY (SELECT 0 LIMIT 0) TO 'parquet' (FORMAT json, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
CREATE TEMP TABLE files AS SELECT file FROM glob('reports/**')
WHERE regexp_matches(file, '\.(json|ndjson|ndjson\.gz)$');
SET VARIABLE whole = (SELECT CASE
  WHEN (SELECT count(*) FROM files) = 0
  THEN error('reports/ holds no *.json, *.ndjson or *.ndjson.gz')
  ELSE list_append(coalesce(list(file), []), 'parquet/data_0.json') END
  FROM files WHERE file LIKE '%.json');
SET VARIABLE lines = (SELECT list_append(coalesce(list(file), []), 'parquet/data_0.json')
  FROM files WHERE file NOT LIKE '%.json');

-- The JSON of each file or line; NULL if it is none.
CREATE TEMP MACRO lines_of(files) AS TABLE
SELECT filename, json FROM read_ndjson_objects(files, filename = true, ignore_errors = true,
  maximum_object_size = 134217728);
SET VARIABLE repeated = ['parquet/data_0.json'];
CREATE TEMP VIEW texts AS
SELECT filename, TRY_CAST(TRY(decode(content)) AS JSON) AS json
FROM read_blob(getvariable('whole')) WHERE size > 0
UNION ALL FROM lines_of(getvariable('lines'))
UNION ALL SELECT DISTINCT * FROM lines_of(getvariable('repeated'));

-- The records of one kind, which a report has under a key.
CREATE TEMP MACRO records(kind, key) AS TABLE
SELECT filename, coalesce(json->>'run_id', json->'run'->>'id') AS run_id,
  unnest(CASE WHEN json->>'record' = kind THEN [json]
    WHEN json->>'record' IS NULL THEN TRY_CAST(json->key AS JSON[]) END) AS json
FROM texts;

CREATE TYPE run AS STRUCT(started TIMESTAMP, finished VARCHAR, screen VARCHAR,
  tool_version VARCHAR);
CREATE TYPE environment AS STRUCT(os VARCHAR, arch VARCHAR, kernel VARCHAR,
  cpu STRUCT(vendor VARCHAR, model VARCHAR, signature VARCHAR, smt BOOLEAN),
  hypervisor STRUCT("name" VARCHAR), clocksource STRUCT("current" VARCHAR),
  tsc STRUCT(kind VARCHAR), vdso STRUCT(present BOOLEAN),
  power STRUCT(governor VARCHAR, idle_driver VARCHAR),
  discipline STRUCT(synchronised BOOLEAN), parameters VARCHAR[]);
CREATE TYPE clock AS STRUCT(id VARCHAR, facts STRUCT("reads" VARCHAR),
  cost STRUCT(throughput STRUCT(value_ns DOUBLE, low_ns DOUBLE, high_ns DOUBLE)));
CREATE TYPE wait AS STRUCT(id VARCHAR, requested_ns BIGINT, "load" VARCHAR, scheduling VARCHAR,
  default_slack BOOLEAN, slack_ns BIGINT, slice_ns BIGINT, period_ns BIGINT,
  timer_period_ms BIGINT, kept_awake BOOLEAN, power VARCHAR, cpu BIGINT, samples BIGINT,
  max_ns BIGINT, throttled STRUCT(ns BIGINT),
  overshoot STRUCT(p50_ns BIGINT, p90_ns BIGINT, p99_ns BIGINT), buckets BIGINT[][]);
CREATE TYPE against AS STRUCT(wall_ns STRUCT(low DOUBLE, high DOUBLE), sources STRUCT(id VARCHAR,
  unavailable_reason VARCHAR, agrees BOOLEAN, wall_ns STRUCT(low DOUBLE))[]);
CREATE TYPE finding AS STRUCT(id VARCHAR, "level" VARCHAR, certainty VARCHAR, about VARCHAR);

-- Each run in each file, and what in each file is none.
CREATE TEMP TABLE seen AS
SELECT filename, coalesce(json->>'run_id', json->'run'->>'id') AS run_id, count(*) AS records,
  count(*) FILTER (json->>'record' = 'run') AS starts,
  any_value(TRY_CAST(CASE json->>'record' WHEN 'run' THEN json ELSE json->'run' END AS run)) AS run,
  any_value(TRY_CAST(CASE json->>'record' WHEN 'environment' THEN json
    ELSE json->'environment' END AS environment)) AS env
FROM texts GROUP BY ALL;

CREATE TEMP TABLE left_out AS
SELECT file, CASE WHEN count(filename) = 0 THEN 'empty'
  WHEN bool_or(run_id IS NULL) THEN 'not a report, or cut short'
  ELSE 'no run or no machine in it' END AS why
FROM files LEFT JOIN seen ON filename = file
GROUP BY file HAVING bool_or(run_id IS NULL OR run.started IS NULL OR env IS NULL);
CREATE TEMP TABLE future AS SELECT DISTINCT filename AS file, 'a run dated in the future' AS why
FROM seen WHERE run.started > current_localtimestamp() + INTERVAL 1 DAY;

-- The runs to load. Of several files with the same run, the latest and fullest counts.
CREATE TEMP TABLE fresh AS
WITH named AS (
  SELECT *, regexp_replace(replace(filename, '\', '/'),
    '^reports/([0-9]{4}-?[0-9]{2}-?[0-9]{2}/)?', '') AS path,
    coalesce(env.cpu.model, env.cpu.signature, env.arch, 'unknown') AS cpu,
    coalesce(env.hypervisor."name", 'none') AS hypervisor,
    coalesce(env.kernel, 'unknown') AS kernel,
    coalesce(env.clocksource."current", 'unknown') AS clocksource
  FROM seen WHERE filename NOT IN (SELECT file FROM left_out)
    AND run.started <= current_localtimestamp() + INTERVAL 1 DAY
)
SELECT filename, run_id,
  CASE WHEN path LIKE '%/%' THEN regexp_extract(path, '^[^/]*')
    ELSE regexp_extract(path, '^(.+?)(_[0-9][0-9TZ:.-]{7,})?\.(json|ndjson|ndjson\.gz)$', 1) END AS machine,
  CAST(run.started AS DATE) AS date, run.started,
  concat_ws(' · ', cpu, hypervisor, kernel) AS kind, cpu, hypervisor, kernel, clocksource,
  coalesce(run.screen, 'main') AS screen, coalesce(run.tool_version, 'unknown') AS tool_version,
  env
FROM named
QUALIFY row_number() OVER (PARTITION BY run_id
  ORDER BY run.finished DESC NULLS LAST, records DESC, filename) = 1;

-- The rows of each table.
CREATE TEMP VIEW new_facts AS
SELECT * EXCLUDE (filename, env, screen, tool_version, pair),
  pair.fact AS fact, pair.value AS "value"
FROM (SELECT *, unnest(list_concat([
    {fact: 'cpu', value: cpu}, {fact: 'hypervisor', value: hypervisor},
    {fact: 'kernel', value: kernel}, {fact: 'clocksource', value: clocksource},
    {fact: 'tool', value: tool_version}, {fact: 'os', value: env.os},
    {fact: 'arch', value: env.arch}, {fact: 'cpu signature', value: env.cpu.signature},
    {fact: 'smt', value: CAST(env.cpu.smt AS VARCHAR)}, {fact: 'tsc', value: env.tsc.kind},
    {fact: 'vdso', value: CAST(env.vdso.present AS VARCHAR)},
    {fact: 'governor', value: env.power.governor},
    {fact: 'idle driver', value: env.power.idle_driver},
    {fact: 'synchronised', value: CAST(env.discipline.synchronised AS VARCHAR)}],
    list_transform(coalesce(env.parameters, []), lambda p: {fact: 'parameter', value: p})))
    AS pair FROM fresh)
WHERE pair.value IS NOT NULL;

CREATE TEMP VIEW new_clocks AS
SELECT * EXCLUDE (filename, env, screen, tool_version, c), c.id AS clock,
  coalesce(c.facts."reads", 'unknown') AS "reads", c.cost.throughput.value_ns AS read_ns,
  c.cost.throughput.low_ns AS low_ns, c.cost.throughput.high_ns AS high_ns
FROM (SELECT fresh.*, TRY_CAST(json AS clock) AS c
  FROM records('clock', 'clocks') JOIN fresh USING (filename, run_id))
WHERE clock IS NOT NULL AND read_ns IS NOT NULL AND low_ns IS NOT NULL AND high_ns IS NOT NULL;

CREATE TEMP VIEW all_waits AS
SELECT * EXCLUDE (filename, env, screen, tool_version, w), w.id AS "method",
  coalesce(w.requested_ns, 0) AS requested_ns, coalesce(w."load", 'none') AS "load",
  coalesce(w.scheduling, 'unknown') AS scheduling,
  concat_ws(', ',
    CASE WHEN NOT coalesce(w.default_slack, false) THEN 'slack ' || w.slack_ns || ' ns' END,
    'slice ' || w.slice_ns || ' ns', 'every ' || w.period_ns || ' ns',
    'timer ' || w.timer_period_ms || ' ms', 'power ' || w.power,
    CASE WHEN w.kept_awake THEN 'kept awake' END) AS variant,
  w.cpu AS on_cpu, w.samples AS waits, w.overshoot.p50_ns AS p50_ns, w.overshoot.p90_ns AS p90_ns,
  w.overshoot.p99_ns AS p99_ns, w.max_ns AS max_ns, coalesce(w.throttled.ns, 0) AS throttled_ns,
  w.buckets AS buckets
FROM (SELECT fresh.*, TRY_CAST(json AS wait) AS w
  FROM records('wait', 'waits') JOIN fresh USING (filename, run_id))
WHERE "method" IS NOT NULL AND waits > 0;
CREATE TEMP VIEW new_waits AS SELECT * EXCLUDE (buckets) FROM all_waits;

-- Most rows by far, so it has only the columns that are asked for; the rest is in runs.
CREATE TEMP VIEW new_histograms AS
SELECT run_id, date, kind, hypervisor, "method", requested_ns, "load", scheduling, variant,
  throttled_ns, bucket[1] AS upper_ns, bucket[2] AS "count"
FROM (SELECT *, unnest(buckets) AS bucket FROM all_waits) WHERE "count" > 0;

CREATE TEMP VIEW new_findings AS
SELECT * EXCLUDE (filename, env, screen, tool_version, f), f.id AS finding,
  coalesce(f."level", 'unknown') AS "level", coalesce(f.certainty, 'unknown') AS certainty,
  coalesce(f.about, 'machine') AS about
FROM (SELECT fresh.*, TRY_CAST(json AS finding) AS f
  FROM records('finding', 'findings') JOIN fresh USING (filename, run_id))
WHERE finding IS NOT NULL;

-- As the exporter's metrics: the offset of the wall clock from all sources together, its error
-- bound, and the state of each source.
CREATE TEMP VIEW new_sources AS
SELECT * EXCLUDE (filename, env, screen, tool_version, a, s), s.id AS source,
  CASE WHEN s.wall_ns IS NULL THEN 'silent' WHEN s.agrees = false THEN 'contradicted'
    WHEN s.unavailable_reason IS NOT NULL THEN 'lost' WHEN s.agrees THEN 'agrees'
    ELSE 'alone' END AS reference_state,
  (a.wall_ns.low + a.wall_ns.high) / 2 AS clock_offset_ns,
  (a.wall_ns.high - a.wall_ns.low) / 2 AS error_bound_ns
FROM (SELECT *, unnest(a.sources) AS s FROM (
  SELECT fresh.*, TRY_CAST(CASE json->>'record' WHEN 'against' THEN json
    ELSE json->'against' END AS against) AS a
  FROM texts JOIN fresh ON texts.filename = fresh.filename
    AND coalesce(json->>'run_id', json->'run'->>'id') = fresh.run_id))
WHERE source IS NOT NULL;

-- A file without rows in each folder gives the columns of a table that is otherwise empty.
COPY (FROM new_facts LIMIT 0)
TO 'parquet/facts' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
COPY (FROM new_clocks LIMIT 0)
TO 'parquet/clocks' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
COPY (FROM new_waits LIMIT 0)
TO 'parquet/waits' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
COPY (FROM new_histograms LIMIT 0)
TO 'parquet/histograms' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
COPY (FROM new_findings LIMIT 0)
TO 'parquet/findings' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);
COPY (FROM new_sources LIMIT 0)
TO 'parquet/sources' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);

-- With the numbers of its clocks and waits, by which queries find the latest run with some.
CREATE TEMP VIEW new_runs AS
SELECT * EXCLUDE (filename, env), coalesce(c.clocks, 0) AS clocks, coalesce(w.waits, 0) AS waits
FROM fresh
LEFT JOIN (SELECT run_id, count(*) AS clocks FROM 'parquet/clocks/**/*.parquet'
  WHERE run_id IN (SELECT run_id FROM fresh) GROUP BY run_id) AS c USING (run_id)
LEFT JOIN (SELECT run_id, count(*) AS waits FROM 'parquet/waits/**/*.parquet'
  WHERE run_id IN (SELECT run_id FROM fresh) GROUP BY run_id) AS w USING (run_id);
COPY (FROM new_runs LIMIT 0)
TO 'parquet/runs' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE_OR_IGNORE);

-- Only what is new is read again. Where a run is repeated in its file, equal lines count once.
DELETE FROM fresh WHERE run_id IN (SELECT run_id FROM 'parquet/runs/**/*.parquet');
DELETE FROM files WHERE file NOT IN (SELECT filename FROM fresh);
SET VARIABLE whole = (SELECT list_append(coalesce(list(file), []), 'parquet/data_0.json')
  FROM files WHERE file LIKE '%.json');
SET VARIABLE repeated = (SELECT list_append(coalesce(list(DISTINCT filename), []),
  'parquet/data_0.json') FROM seen JOIN files ON file = filename WHERE starts > 1);
SET VARIABLE lines = (SELECT list_append(coalesce(list(file), []), 'parquet/data_0.json')
  FROM files WHERE file NOT LIKE '%.json' AND file NOT IN (
    SELECT filename FROM seen WHERE starts > 1));

-- The runs come last: a run that is among them has been loaded.
COPY (FROM new_facts
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/facts/**/*.parquet'))
TO 'parquet/facts' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_clocks
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/clocks/**/*.parquet'))
TO 'parquet/clocks' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_waits
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/waits/**/*.parquet'))
TO 'parquet/waits' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_histograms
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/histograms/**/*.parquet'))
TO 'parquet/histograms' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_findings
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/findings/**/*.parquet'))
TO 'parquet/findings' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_sources
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/sources/**/*.parquet'))
TO 'parquet/sources' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);
COPY (FROM new_runs
  WHERE run_id NOT IN (SELECT DISTINCT run_id FROM 'parquet/runs/**/*.parquet'))
TO 'parquet/runs' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (date),
  WRITE_PARTITION_COLUMNS, APPEND);

INSERT INTO left_out FROM future;
SELECT count(*) AS runs_loaded, count(DISTINCT machine) AS machines,
  (SELECT count(*) FROM left_out) AS files_left_out FROM fresh;
SELECT file, why FROM left_out ORDER BY file LIMIT 20;
