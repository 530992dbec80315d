//! The checked-in reports as a fleet, through the tool's own exporter: what they hold must be what
//! the tables hold, once, whatever else lies in the folder.

use super::engines::{self, ENGINES, Table};
use super::{ask, empty, file, load};
use anyhow::{Context, Result, ensure};
use chronoscope_ci::sh;
use chronoscope_ci::tally::Done;
use chronoscope_model::histogram::{Decoded, Histogram};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Each report is a machine. Its run is dated to one day, because the queries look at one week.
const STARTED: &str = "2026-11-16T12:00:00Z";

/// Counts what the tables hold, and rows that are there twice.
const COUNTS: &str = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM clocks),
    (SELECT count(*) FROM waits), (SELECT sum(\"count\") FROM histograms),
    (SELECT count(*) FROM findings), (SELECT count(*) FROM sources),
    (SELECT count(*) FROM (SELECT run_id, clock FROM clocks GROUP BY run_id, clock
        HAVING count(*) > 1) AS twice)";

/// Files that are no reports, with their content.
fn foreign(report: &str, records: &str) -> [(&'static str, Vec<u8>); 9] {
    let noise: Vec<u8> =
        (0..9999_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cut = |text: &str| text.as_bytes()[..text.len() / 2].to_vec();
    [
        ("empty.json", Vec::new()),
        ("empty.ndjson", Vec::new()),
        ("cut.json", cut(report)),
        ("cut.ndjson", cut(records)),
        ("foreign.json", br#"{"hello": [1, "world"]}"#.to_vec()),
        ("foreign.ndjson", b"[1]\n\"two\"\n{\"record\": \"run\", \"run_id\": 3}\n".to_vec()),
        ("future.json", report.replace(STARTED, "2999-11-16T12:00:00Z").into()),
        ("noise.json", noise.clone()),
        ("noise.ndjson", noise),
    ]
}

pub fn suite(sh: &Shell, tool: &Path, done: &mut Done) -> Result<()> {
    let fleet = empty(sh, "checked-in")?;
    let reports = write(sh, tool, &fleet.join("reports"))?;
    let counts = fleet.join("counts.sql");
    fs::write(&counts, COUNTS)?;
    let counted = |engine: &str| -> Result<Table> {
        ask(sh, engine, &fleet, std::slice::from_ref(&counts))?.pop().context("no counts")
    };
    let damaged = fleet.join("reports/damaged.ndjson.gz");
    fs::write(&damaged, b"no gzip")?;
    done.check(
        "a damaged gzip stream is named in one line",
        match load(sh, &fleet) {
            Ok(_) => Err(anyhow::anyhow!("it was loaded")),
            Err(error) => {
                let text = error.to_string();
                let named = text.lines().any(|line| line.contains("damaged.ndjson.gz"));
                ensure!(named, "{text}");
                Ok(())
            }
        },
    );
    fs::remove_file(&damaged)?;
    let left_out = load(sh, &fleet)?;
    done.check(
        "files that are no reports are left out by name",
        (|| {
            let mut names = left_out.column("file")?;
            names.iter_mut().for_each(|name| *name = name.split_off("reports/other/".len()));
            let mut expected = foreign("", "").map(|(name, _)| name);
            expected.sort_unstable();
            ensure!(names == expected, "{names:?}");
            Ok(())
        })(),
    );
    let expected = expected(&reports)?;
    let once = |engine: &str| {
        let rows = counted(engine)?.rows;
        ensure!(rows == [expected.clone()], "{rows:?}, not {expected:?}");
        Ok(())
    };
    for engine in ENGINES {
        done.check(&format!("{engine}: every clock, wait and finding is there once"), once(engine));
    }
    let machines = fleet.join("machines.sql");
    fs::write(&machines, "SELECT machine FROM runs ORDER BY machine")?;
    let machines = ask(sh, ENGINES[0], &fleet, &[machines])?.pop().context("no machines")?;
    done.check(
        "the path of a report names its machine",
        (|| {
            let mut names: Vec<_> =
                reports.iter().filter_map(|report| report["name"].as_str()).collect();
            names.sort_unstable();
            let named = machines.column("machine")?;
            ensure!(named == names, "{named:?}");
            Ok(())
        })(),
    );
    let before = files(&fleet.join("parquet"))?;
    load(sh, &fleet)?;
    done.check(
        "loading again changes no file",
        (|| {
            ensure!(files(&fleet.join("parquet"))? == before, "the files of Parquet differ");
            once(ENGINES[0])
        })(),
    );
    // As if the load had ended before its last table.
    for (file, _) in &before {
        if file.starts_with(fleet.join("parquet/runs")) {
            fs::remove_file(file)?;
        }
    }
    load(sh, &fleet)?;
    done.check("a load that was interrupted can be repeated", once(ENGINES[0]));
    for engine in ENGINES {
        let table = ask(sh, engine, &fleet, &[file("percentiles")])?.pop();
        let ended = table.context("no result").and_then(|table| percentiles(&table, &reports));
        done.check(&format!("{engine}: percentiles are those of the merged histograms"), ended);
    }
    sh.remove_path(&fleet)?;
    Ok(())
}

/// Writes each report as JSON and as NDJSON, which hold the same run, and files that are none.
fn write(sh: &Shell, tool: &Path, folder: &Path) -> Result<Vec<Value>> {
    let mut reports = Vec::new();
    let (mut json, mut records) = (String::new(), String::new());
    for name in ["docs/reports", "docs/pages"] {
        for source in sh.read_dir(name)? {
            let kind = source.extension().and_then(|end| end.to_str()).unwrap_or_default();
            let stem = source.file_stem().and_then(|stem| stem.to_str()).context("no name")?;
            if !["json", "html"].contains(&kind) {
                continue;
            }
            // The ways in which the path of a file may name its machine.
            let name = stem.replace('_', "-");
            let place = match reports.len() % 3 {
                0 => format!("{name}/report"),
                1 => format!("2026-11-16/{name}"),
                _ => format!("{name}_20261116T0304Z"),
            };
            let text = sh::read(cmd!(sh, "{tool} report {source} --json --quiet"))?;
            let mut report: Value = serde_json::from_str(&text)?;
            report["run"]["started"] = json!(STARTED);
            json = report.to_string();
            let file = folder.join(format!("{place}.json"));
            sh.write_file(&file, &json)?;
            records = sh::read(cmd!(sh, "{tool} report {file} --export ndjson=- --quiet"))?;
            let file = folder.join(format!("{place}.ndjson"));
            sh.write_file(&file, &records)?;
            sh::silent(cmd!(sh, "gzip {file}"))?;
            report["name"] = json!(name);
            reports.push(report);
        }
    }
    for (name, content) in foreign(&json, &records) {
        sh.write_file(folder.join("other").join(name), content)?;
    }
    Ok(reports)
}

/// The row that counting the tables must give.
fn expected(reports: &[Value]) -> Result<Vec<Value>> {
    let (mut clocks, mut waits, mut recorded, mut findings, mut sources) = (0, 0, 0, 0, 0);
    for report in reports {
        let list = |key: &str| report[key].as_array().into_iter().flatten();
        clocks += list("clocks").filter(|clock| !clock["cost"]["throughput"].is_null()).count();
        waits += list("waits").filter(|wait| wait["samples"] != 0).count();
        findings += list("findings").count();
        sources += report["against"]["sources"].as_array().map_or(0, Vec::len);
        recorded +=
            list("waits").filter_map(|wait| wait["overshoot"]["count"].as_u64()).sum::<u64>();
    }
    ensure!(clocks > 100 && waits > 50 && findings > 5, "the reports hold too little");
    Ok(json!([reports.len(), clocks, waits, recorded, findings, sources, 0])
        .as_array()
        .cloned()
        .unwrap_or_default())
}

/// Every file of a folder, with its content.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push((path.clone(), fs::read(&path)?)),
        }
    }
    found.sort();
    Ok(found)
}

/// Compares the percentiles with those of the raw histograms, merged at three digits: each must be
/// the bucket of two digits that theirs falls into.
fn percentiles(table: &Table, reports: &[Value]) -> Result<()> {
    let mut merged: BTreeMap<[String; 6], Decoded> = BTreeMap::new();
    for report in reports {
        let hypervisor = report["environment"]["hypervisor"]["name"].as_str().unwrap_or("none");
        for wait in report["waits"].as_array().into_iter().flatten() {
            if wait["samples"] == 0 || wait["throttled"]["ns"].as_u64().unwrap_or(0) > 0 {
                continue;
            }
            let text = |key: &str, or: &str| match &wait[key] {
                Value::Null => or.to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let named = [("slack", "ns"), ("slice", "ns"), ("timer_period", "ms")];
            let variant = named.into_iter().filter_map(|(what, unit)| {
                let plain = what == "slack" && wait["default_slack"] == true;
                let value = wait[format!("{what}_{unit}")].as_u64().filter(|_| !plain)?;
                Some(format!("{} {value} {unit}", what.trim_end_matches("_period")))
            });
            let power = wait["power"].as_str().map(|power| format!("power {power}"));
            let key = [
                hypervisor.to_owned(),
                text("id", ""),
                text("requested_ns", "0"),
                text("load", "none"),
                text("scheduling", "unknown"),
                variant.chain(power).collect::<Vec<_>>().join(", "),
            ];
            let histogram: Histogram = serde_json::from_value(wait["overshoot"].clone())?;
            let hdr = histogram.decode().map_err(anyhow::Error::msg)?;
            match merged.get_mut(&key) {
                Some(all) => all.add(hdr).map_err(|why| anyhow::anyhow!("{why:?}"))?,
                None => drop(merged.insert(key, hdr)),
            }
        }
    }
    let mut rows = Vec::new();
    for (key, hdr) in merged {
        let buckets = Histogram::of(&hdr).buckets().map_err(anyhow::Error::msg)?;
        let bucket = |ns: u64| buckets.iter().map(|bucket| bucket.0).find(|&upper| upper >= ns);
        let levels = [(0.5, 6), (0.9, 29), (0.99, 299), (0.999, 2995), (1.0, 1)];
        let levels = levels.map(|(share, least)| {
            let ns = (hdr.len() >= least).then(|| hdr.value_at_quantile(share))?;
            bucket(ns)
        });
        let requested: u64 = key[2].parse()?;
        let mut row: Vec<Value> = key.into_iter().map(Value::from).collect();
        row[2] = requested.into();
        row.push(hdr.len().into());
        row.extend(levels.map(Value::from));
        rows.push(row);
    }
    let order = |row: &Vec<Value>| row[..6].iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut theirs = Table { rows: table.rows.clone(), ..table.clone() };
    theirs.rows.sort_by_key(order);
    rows.sort_by_key(order);
    engines::same(&theirs, &Table { rows, ..table.clone() })
}
