-- Which clock sources the machines use, by hypervisor and kernel, and on how many machines a read
-- of CLOCK_MONOTONIC costs as much as a system call. Each machine's latest run of the last week.
WITH latest AS (
  SELECT machine, max(started) AS started FROM runs
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), latest_clocks AS (
  SELECT machine, max(started) AS started FROM clocks
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), by_call AS (
  SELECT c.machine AS machine
  FROM clocks c JOIN latest_clocks l ON c.machine = l.machine AND c.started = l.started
  WHERE c.clock IN ('posix/monotonic', 'linux/monotonic-syscall')
  GROUP BY c.machine
  HAVING min(CASE WHEN c.clock = 'posix/monotonic' THEN c.read_ns END)
    > 0.8 * max(CASE WHEN c.clock = 'linux/monotonic-syscall' THEN c.read_ns END)
)
SELECT r.hypervisor AS hypervisor, r.kernel AS kernel, r.clocksource AS clocksource,
  count(*) AS machines,
  sum(CASE WHEN r.machine IN (SELECT machine FROM by_call) THEN 1 ELSE 0 END) AS by_system_call,
  CAST(count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY r.hypervisor, r.kernel) AS share
FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started
GROUP BY r.hypervisor, r.kernel, r.clocksource
ORDER BY hypervisor, kernel, machines DESC, clocksource
