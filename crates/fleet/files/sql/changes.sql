-- Machines on which something changed since last week: the clock source, or the cost of reads by
-- more than a quarter, with intervals that do not overlap. Compares each machine's latest run of
-- the last seven days with its latest run of the seven days before.
WITH latest AS (
  SELECT machine, max(started) AS started FROM runs
  WHERE clocks > 0 AND date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), earlier AS (
  SELECT machine, max(started) AS started FROM runs
  WHERE clocks > 0 AND date > (SELECT max(date) FROM runs) - INTERVAL 14 DAY
    AND date <= (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), present AS (
  SELECT r.run_id AS run_id, r.machine AS machine, r.clocksource AS clocksource,
    r.kernel AS kernel
  FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started
), past AS (
  SELECT r.run_id AS run_id, r.machine AS machine, r.clocksource AS clocksource,
    r.kernel AS kernel
  FROM runs r JOIN earlier e ON r.machine = e.machine AND r.started = e.started
), pairs AS (
  SELECT a.machine AS machine, a.read_ns / b.read_ns AS ratio,
    CASE WHEN a.read_ns > 1.25 * b.read_ns AND a.low_ns > b.high_ns THEN 1 ELSE 0 END AS is_slower,
    CASE WHEN b.read_ns > 1.25 * a.read_ns AND b.low_ns > a.high_ns THEN 1 ELSE 0 END AS is_faster
  FROM clocks a JOIN clocks b ON a.machine = b.machine AND a.clock = b.clock
  WHERE a.run_id IN (SELECT run_id FROM present) AND b.run_id IN (SELECT run_id FROM past)
), costs AS (
  SELECT machine, count(*) AS clocks, sum(is_slower) AS slower, sum(is_faster) AS faster,
    p50(ratio) AS middle_ratio, max(ratio) AS highest_ratio
  FROM pairs GROUP BY machine
)
SELECT n.machine AS machine, p.clocksource AS source_before, n.clocksource AS source_now,
  p.kernel AS kernel_before, n.kernel AS kernel_now, c.clocks AS clocks, c.slower AS slower,
  c.faster AS faster, c.middle_ratio AS middle_ratio, c.highest_ratio AS highest_ratio
FROM present n JOIN past p ON n.machine = p.machine JOIN costs c ON n.machine = c.machine
WHERE p.clocksource <> n.clocksource OR c.slower > 0 OR c.faster > 0
ORDER BY highest_ratio DESC, machine
