-- Machines on which something changed since last week: the clock source, or the cost of reads by
-- more than a quarter, with intervals that do not overlap. Compares each machine's latest run of
-- the last seven days with its latest run of the seven days before.
WITH latest AS (
  SELECT machine, max(started) AS started FROM clocks
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), earlier AS (
  SELECT machine, max(started) AS started FROM clocks
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 14 DAY
    AND date <= (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), present AS (
  SELECT c.machine AS machine, c.clock AS clock, c.clocksource AS clocksource, c.kernel AS kernel,
    c.read_ns AS read_ns, c.low_ns AS low_ns, c.high_ns AS high_ns
  FROM clocks c JOIN latest l ON c.machine = l.machine AND c.started = l.started
), past AS (
  SELECT c.machine AS machine, c.clock AS clock, c.clocksource AS clocksource, c.kernel AS kernel,
    c.read_ns AS read_ns, c.low_ns AS low_ns, c.high_ns AS high_ns
  FROM clocks c JOIN earlier e ON c.machine = e.machine AND c.started = e.started
), pairs AS (
  SELECT b.machine AS machine, a.clocksource AS source_before, b.clocksource AS source_now,
    a.kernel AS kernel_before, b.kernel AS kernel_now, b.read_ns / a.read_ns AS ratio,
    CASE WHEN b.read_ns > 1.25 * a.read_ns AND b.low_ns > a.high_ns THEN 1 ELSE 0 END AS is_slower,
    CASE WHEN a.read_ns > 1.25 * b.read_ns AND a.low_ns > b.high_ns THEN 1 ELSE 0 END AS is_faster
  FROM present b JOIN past a ON b.machine = a.machine AND b.clock = a.clock
)
SELECT machine, source_before, source_now, kernel_before, kernel_now, count(*) AS clocks,
  sum(is_slower) AS slower, sum(is_faster) AS faster, p50(ratio) AS middle_ratio,
  max(ratio) AS highest_ratio
FROM pairs
GROUP BY machine, source_before, source_now, kernel_before, kernel_now
HAVING source_before <> source_now OR sum(is_slower) > 0 OR sum(is_faster) > 0
ORDER BY highest_ratio DESC, machine
