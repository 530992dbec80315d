-- What is wrong, and on how many machines, now and a week ago. A machine has a finding if its
-- latest run of some screen (clocks, waits, doctor and so on) in those seven days has it, with
-- evidence.
WITH weeks AS (
  SELECT machine, screen, started,
    CASE WHEN date > (SELECT max(date) FROM runs) - INTERVAL 7 DAY THEN 'now' ELSE 'before' END
      AS week
  FROM runs WHERE date > (SELECT max(date) FROM runs) - INTERVAL 14 DAY
), latest AS (
  SELECT machine, screen, week, max(started) AS started FROM weeks
  GROUP BY machine, screen, week
), found AS (
  SELECT DISTINCT f.level AS level, f.about AS about, f.finding AS finding,
    f.machine AS machine, l.week AS week
  FROM findings f
  JOIN runs r ON f.run_id = r.run_id
  JOIN latest l ON r.machine = l.machine AND r.screen = l.screen AND r.started = l.started
  WHERE f.certainty <> 'unknown'
)
SELECT level, finding, about, sum(CASE WHEN week = 'now' THEN 1 ELSE 0 END) AS machines,
  sum(CASE WHEN week = 'before' THEN 1 ELSE 0 END) AS machines_before,
  sum(CASE WHEN week = 'now' THEN 1.0 ELSE 0.0 END)
    / (SELECT count(DISTINCT machine) FROM latest WHERE week = 'now') AS share
FROM found GROUP BY level, finding, about
ORDER BY machines DESC, level, finding, about
