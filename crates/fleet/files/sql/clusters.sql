-- Which fact separates the slow machines from the others. Slow: std::time::Instant, which every
-- system has, costs 1.5 times the median of the same processor. For each fact, the share of the
-- slow machines and of the others that have it; those come first whose shares differ most.
WITH latest AS (
  SELECT machine, max(started) AS started FROM runs
  WHERE clocks > 0 AND date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), present AS (
  SELECT run_id, cpu, read_ns FROM clocks
  WHERE clock = 'rust/instant' AND run_id IN (SELECT r.run_id
    FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started)
), typical AS (
  SELECT cpu, p50(read_ns) AS middle_ns FROM present GROUP BY cpu
), judged AS (
  SELECT p.run_id AS run_id, CASE WHEN p.read_ns > 1.5 * t.middle_ns THEN 1 ELSE 0 END AS slow
  FROM present p JOIN typical t ON p.cpu = t.cpu
), known AS (
  SELECT run_id, fact, value FROM facts
  UNION ALL
  SELECT DISTINCT run_id, 'finding' AS fact, finding AS value FROM findings
  WHERE certainty <> 'unknown'
), counted AS (
  SELECT k.fact AS fact, k.value AS value, sum(j.slow) AS slow_machines,
    count(*) - sum(j.slow) AS other_machines
  FROM known k JOIN judged j ON k.run_id = j.run_id
  GROUP BY k.fact, k.value
), shares AS (
  SELECT fact, value, slow_machines, other_machines,
    CAST(slow_machines AS DOUBLE) / (SELECT sum(slow) FROM judged) AS share_of_slow,
    CAST(other_machines AS DOUBLE) / (SELECT greatest(count(*) - sum(slow), 1) FROM judged)
      AS share_of_others
  FROM counted WHERE slow_machines > 0
)
SELECT fact, value, slow_machines, other_machines, share_of_slow, share_of_others,
  share_of_slow - share_of_others AS difference
FROM shares WHERE share_of_slow - share_of_others > 0.05
ORDER BY difference DESC, fact, value
LIMIT 20
