-- Which clock sources the machines use, by hypervisor and kernel, and on how many machines a read
-- of CLOCK_MONOTONIC costs as much as a system call. Each machine's latest run of the last week.
WITH latest AS (
  SELECT r.machine AS machine, max(r.started) AS started,
    max(CASE WHEN r.clocks > 0 THEN r.started END) AS started_clocks
  FROM runs r WHERE r.date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY r.machine
), chosen AS (
  SELECT r.run_id AS run_id
  FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started_clocks
), by_call AS (
  SELECT machine FROM clocks
  WHERE clock IN ('posix/monotonic', 'linux/monotonic-syscall')
    AND run_id IN (SELECT run_id FROM chosen)
  GROUP BY machine
  HAVING min(CASE WHEN clock = 'posix/monotonic' THEN read_ns END)
    > 0.8 * max(CASE WHEN clock = 'linux/monotonic-syscall' THEN read_ns END)
)
SELECT r.hypervisor AS hypervisor, r.kernel AS kernel, r.clocksource AS clocksource,
  count(*) AS machines,
  sum(CASE WHEN r.machine IN (SELECT machine FROM by_call) THEN 1 ELSE 0 END) AS by_system_call,
  CAST(count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY r.hypervisor, r.kernel) AS share
FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started
GROUP BY r.hypervisor, r.kernel, r.clocksource
ORDER BY hypervisor, kernel, machines DESC, clocksource
