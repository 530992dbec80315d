-- Whose wall clock is off by more than 0.1 s, whatever delayed the answers of the clocks that were
-- asked (`trust --against`, `doctor`), and where these disagree or do not answer. Each machine's
-- latest run of the last week that asked any.
WITH latest AS (
  SELECT machine, max(started) AS started FROM sources
  WHERE date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), known AS (
  SELECT s.machine AS machine, s.hypervisor AS hypervisor, s.kernel AS kernel,
    max(s.clock_offset_ns) AS clock_offset_ns, max(s.error_bound_ns) AS error_bound_ns,
    max(CASE WHEN abs(s.clock_offset_ns) > s.error_bound_ns
      THEN abs(s.clock_offset_ns) - s.error_bound_ns ELSE 0.0 END) AS off_by_ns,
    sum(CASE WHEN s.reference_state IN ('agrees', 'alone') THEN 1 ELSE 0 END) AS agree,
    sum(CASE WHEN s.reference_state = 'contradicted' THEN 1 ELSE 0 END) AS contradicted,
    sum(CASE WHEN s.reference_state IN ('lost', 'silent') THEN 1 ELSE 0 END) AS silent
  FROM sources s JOIN latest l ON s.machine = l.machine AND s.started = l.started
  GROUP BY s.machine, s.hypervisor, s.kernel
)
SELECT machine, hypervisor, kernel, clock_offset_ns, error_bound_ns, off_by_ns, agree,
  contradicted, silent
FROM known WHERE off_by_ns > 1e8 OR contradicted > 0 OR agree = 0
ORDER BY off_by_ns DESC, machine
