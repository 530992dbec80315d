-- Machines that are slower than others of their kind (processor, hypervisor, kernel), if there are
-- at least ten of it: reads whose interval lies above 1.25 times the median, and single waits next
-- to no load of which one in ten is more than twice as late as the median of the machines; both
-- by more than eight deviations (median absolute deviation, scaled to a standard deviation). Each
-- machine's latest run of the last week; throttled waits are left out. For each machine, how many
-- clocks or waits are slow, and the worst.
WITH latest AS (
  SELECT machine, max(CASE WHEN clocks > 0 THEN started END) AS started_clocks,
    max(CASE WHEN waits > 0 THEN started END) AS started_waits
  FROM runs WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), with_clocks AS (
  SELECT r.run_id AS run_id
  FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started_clocks
), with_waits AS (
  SELECT r.run_id AS run_id
  FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started_waits
), measured AS (
  SELECT run_id, machine, kind, 'read' AS what, clock AS name, read_ns AS value_ns,
    low_ns, 1.25 AS factor, 1.0 AS least_ns
  FROM clocks WHERE run_id IN (SELECT run_id FROM with_clocks)
  UNION ALL
  SELECT w.run_id AS run_id, w.machine AS machine, w.kind AS kind, 'wait, p90' AS what,
    w.method || ' ' || CAST(w.requested_ns AS VARCHAR) || ' ns' AS name,
    CAST(max(w.p90_ns) AS DOUBLE) AS value_ns, CAST(max(w.p90_ns) AS DOUBLE) AS low_ns,
    2.0 AS factor, 10000.0 AS least_ns
  FROM waits w
  WHERE w."load" = 'none' AND w.variant = '' AND w.throttled_ns = 0 AND w.p90_ns IS NOT NULL
    AND w.run_id IN (SELECT run_id FROM with_waits)
  GROUP BY w.run_id, w.machine, w.kind, w.method, w.requested_ns
), typical AS (
  SELECT kind, what, name, count(*) AS machines, p50(value_ns) AS middle_ns
  FROM measured GROUP BY kind, what, name HAVING count(*) >= 10
), spread AS (
  SELECT m.kind AS kind, m.what AS what, m.name AS name,
    1.4826 * p50(abs(m.value_ns - t.middle_ns)) AS deviation_ns
  FROM measured m JOIN typical t ON m.kind = t.kind AND m.what = t.what AND m.name = t.name
  GROUP BY m.kind, m.what, m.name
), suspects AS (
  SELECT m.run_id AS run_id, m.machine AS machine, m.kind AS kind, m.what AS what,
    m.name AS name, m.value_ns AS value_ns, t.middle_ns AS middle_ns, t.machines AS machines
  FROM measured m JOIN typical t ON m.kind = t.kind AND m.what = t.what AND m.name = t.name
  WHERE m.low_ns > m.factor * t.middle_ns AND m.value_ns - t.middle_ns > m.least_ns
)
SELECT s.machine AS machine, s.what AS what,
  count(*) OVER (PARTITION BY s.machine, s.what) AS slow, s.name AS worst,
  s.value_ns AS value_ns, s.middle_ns AS middle_ns, s.value_ns / s.middle_ns AS ratio,
  r.clocksource AS clocksource, s.kind AS kind, s.machines AS machines_of_kind
FROM suspects s
JOIN spread d ON s.kind = d.kind AND s.what = d.what AND s.name = d.name
JOIN runs r ON s.run_id = r.run_id
WHERE s.value_ns - s.middle_ns > 8 * d.deviation_ns
QUALIFY row_number() OVER (PARTITION BY s.machine, s.what ORDER BY ratio DESC, worst) = 1
ORDER BY ratio DESC, machine, what
