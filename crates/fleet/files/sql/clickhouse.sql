-- The same tables in ClickHouse, for a fleet that one machine cannot query. Creates what is
-- missing, and adds the runs below parquet/ that are not in the tables yet, so it can be run again.
-- A server reads files below its user_files_path. The queries need no other prelude.
--
-- Rows are kept for 13 months, the daily summary for ever.
CREATE FUNCTION IF NOT EXISTS p50 AS x -> quantileExactInclusive(0.5)(x);

CREATE TABLE IF NOT EXISTS runs (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), screen LowCardinality(String),
  tool_version LowCardinality(String), clocks Int64, waits Int64)
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS facts (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), fact LowCardinality(String), value String)
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, fact, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS clocks (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), clock LowCardinality(String), reads LowCardinality(String),
  read_ns Float64, low_ns Float64, high_ns Float64)
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, kind, clock, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS waits (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), method LowCardinality(String), requested_ns Int64,
  load LowCardinality(String), scheduling LowCardinality(String), variant LowCardinality(String),
  on_cpu Nullable(Int64), waits Int64, p50_ns Nullable(Int64), p90_ns Nullable(Int64),
  p99_ns Nullable(Int64), max_ns Nullable(Int64), throttled_ns Int64)
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, kind, method, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS histograms (run_id String, date Date, kind LowCardinality(String),
  hypervisor LowCardinality(String), method LowCardinality(String), requested_ns Int64,
  load LowCardinality(String), scheduling LowCardinality(String), variant LowCardinality(String),
  throttled_ns Int64, upper_ns Int64, count Int64)
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, kind, method, run_id, upper_ns)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS findings (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), finding LowCardinality(String),
  level LowCardinality(String), certainty LowCardinality(String), about LowCardinality(String))
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, finding, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS sources (run_id String, machine String, date Date,
  started DateTime64(6, 'UTC'), kind LowCardinality(String), cpu LowCardinality(String),
  hypervisor LowCardinality(String), kernel LowCardinality(String),
  clocksource LowCardinality(String), source LowCardinality(String),
  reference_state LowCardinality(String), clock_offset_ns Nullable(Float64),
  error_bound_ns Nullable(Float64))
ENGINE = MergeTree PARTITION BY toYYYYMM(date) ORDER BY (date, source, machine)
TTL date + INTERVAL 13 MONTH;

CREATE TABLE IF NOT EXISTS clocks_daily_states (date Date, kind LowCardinality(String),
  clocksource LowCardinality(String), clock LowCardinality(String),
  machines AggregateFunction(uniqExact, String), lowest_ns SimpleAggregateFunction(min, Float64),
  quantiles_ns AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99), Float64),
  highest_ns SimpleAggregateFunction(max, Float64))
ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(date)
ORDER BY (date, kind, clocksource, clock);

CREATE MATERIALIZED VIEW IF NOT EXISTS clocks_daily_insert TO clocks_daily_states AS
SELECT date, kind, clocksource, clock, uniqExactState(machine) AS machines,
  min(read_ns) AS lowest_ns, quantilesTDigestState(0.5, 0.9, 0.99)(read_ns) AS quantiles_ns,
  max(read_ns) AS highest_ns
FROM clocks GROUP BY date, kind, clocksource, clock;

-- The quantiles are within about 1 %; the rest is exact.
CREATE VIEW IF NOT EXISTS clocks_daily AS
SELECT date, kind, clocksource, clock, uniqExactMerge(s.machines) AS machines,
  min(s.lowest_ns) AS lowest_ns,
  quantilesTDigestMerge(0.5, 0.9, 0.99)(s.quantiles_ns) AS p50_p90_p99_ns,
  max(s.highest_ns) AS highest_ns
FROM clocks_daily_states AS s GROUP BY date, kind, clocksource, clock;

INSERT INTO facts SELECT * FROM file('parquet/facts/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM facts);
INSERT INTO clocks SELECT * FROM file('parquet/clocks/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM clocks);
INSERT INTO waits SELECT * FROM file('parquet/waits/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM waits);
INSERT INTO histograms SELECT * FROM file('parquet/histograms/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM histograms);
INSERT INTO findings SELECT * FROM file('parquet/findings/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM findings);
INSERT INTO sources SELECT * FROM file('parquet/sources/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM sources);
INSERT INTO runs SELECT * FROM file('parquet/runs/**/*.parquet')
WHERE run_id NOT IN (SELECT run_id FROM runs);
