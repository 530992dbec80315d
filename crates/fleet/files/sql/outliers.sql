-- Machines that are slower than others of their kind (processor, hypervisor, kernel), if there are
-- at least ten of it: reads whose interval lies above 1.25 times the median, and single waits next
-- to no load of which one in ten is more than twice as late as the median of the machines; both
-- by more than eight deviations (median absolute deviation, scaled to a standard deviation). Each
-- machine's latest run of the last week; throttled waits are left out.
WITH latest_clocks AS (
  SELECT machine, max(started) AS started FROM clocks
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), latest_waits AS (
  SELECT machine, max(started) AS started FROM waits
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), measured AS (
  SELECT c.machine AS machine, c.kind AS kind, c.clocksource AS clocksource, 'read' AS what,
    c.clock AS name, max(c.read_ns) AS value_ns, max(c.low_ns) AS low_ns,
    1.25 AS factor, 1.0 AS least_ns
  FROM clocks c JOIN latest_clocks l ON c.machine = l.machine AND c.started = l.started
  GROUP BY c.machine, c.kind, c.clocksource, c.clock
  UNION ALL
  SELECT w.machine AS machine, w.kind AS kind, w.clocksource AS clocksource, 'wait, p90' AS what,
    w.method || ' ' || CAST(w.requested_ns AS VARCHAR) || ' ns' AS name,
    CAST(max(w.p90_ns) AS DOUBLE) AS value_ns, CAST(max(w.p90_ns) AS DOUBLE) AS low_ns,
    2.0 AS factor, 10000.0 AS least_ns
  FROM waits w JOIN latest_waits l ON w.machine = l.machine AND w.started = l.started
  WHERE w."load" = 'none' AND w.variant = '' AND w.throttled_ns = 0 AND w.p90_ns IS NOT NULL
  GROUP BY w.machine, w.kind, w.clocksource, w.method, w.requested_ns
), typical AS (
  SELECT kind, what, name, count(*) AS machines, p50(value_ns) AS middle_ns
  FROM measured GROUP BY kind, what, name HAVING count(*) >= 10
), spread AS (
  SELECT t.kind AS kind, t.what AS what, t.name AS name, t.machines AS machines,
    t.middle_ns AS middle_ns, 1.4826 * p50(abs(m.value_ns - t.middle_ns)) AS deviation_ns
  FROM measured m JOIN typical t ON m.kind = t.kind AND m.what = t.what AND m.name = t.name
  GROUP BY t.kind, t.what, t.name, t.machines, t.middle_ns
)
SELECT m.machine AS machine, m.what AS what, m.name AS name, m.value_ns AS value_ns,
  s.middle_ns AS middle_ns, m.value_ns / s.middle_ns AS ratio, m.clocksource AS clocksource,
  m.kind AS kind, s.machines AS machines_of_kind
FROM measured m JOIN spread s ON m.kind = s.kind AND m.what = s.what AND m.name = s.name
WHERE m.low_ns > m.factor * s.middle_ns AND m.value_ns - s.middle_ns > m.least_ns
  AND m.value_ns - s.middle_ns > 8 * s.deviation_ns
ORDER BY ratio DESC, machine, what, name
