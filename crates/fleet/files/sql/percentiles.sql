-- How late waits end, by hypervisor: percentiles of the merged histograms of each machine's latest
-- run of the last week, without throttled waits. A percentile is the largest value of its bucket,
-- and absent if there are too few waits for it (6, 29, 299 and 2,995).
WITH latest AS (
  SELECT machine, max(started) AS started FROM runs
  WHERE waits > 0 AND date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY GROUP BY machine
), merged AS (
  SELECT h.hypervisor AS hypervisor, h.method AS method, h.requested_ns AS requested_ns,
    h."load" AS "load", h.scheduling AS scheduling, h.variant AS variant,
    h.upper_ns AS upper_ns, sum(h."count") AS n
  FROM histograms h
  WHERE h.throttled_ns = 0 AND h.run_id IN (SELECT r.run_id
    FROM runs r JOIN latest l ON r.machine = l.machine AND r.started = l.started)
  GROUP BY h.hypervisor, h.method, h.requested_ns, h."load", h.scheduling, h.variant, h.upper_ns
), cumulative AS (
  SELECT hypervisor, method, requested_ns, "load", scheduling, variant, upper_ns,
    sum(n) OVER (PARTITION BY hypervisor, method, requested_ns, "load", scheduling, variant
      ORDER BY upper_ns ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS below,
    sum(n) OVER (PARTITION BY hypervisor, method, requested_ns, "load", scheduling, variant)
      AS total
  FROM merged
)
SELECT hypervisor, method, requested_ns, "load", scheduling, variant, max(total) AS waits,
  min(CASE WHEN total >= 6 AND below >= 0.5 * total THEN upper_ns END) AS p50_ns,
  min(CASE WHEN total >= 29 AND below >= 0.9 * total THEN upper_ns END) AS p90_ns,
  min(CASE WHEN total >= 299 AND below >= 0.99 * total THEN upper_ns END) AS p99_ns,
  min(CASE WHEN total >= 2995 AND below >= 0.999 * total THEN upper_ns END) AS p999_ns,
  max(upper_ns) AS max_ns
FROM cumulative
GROUP BY hypervisor, method, requested_ns, "load", scheduling, variant
ORDER BY hypervisor, method, requested_ns, "load", scheduling, variant
