"""Checks the files of a fleet, without running what they describe: files.py FOLDER TOOL DOCS."""

import pathlib
import re
import sys
import tempfile

import kubernetes_validate
import promql_parser
import yaml

from checks import check, ensure, run
from parts import panels, rules

# systemd's measure of what a unit may do, in tenths: 0 is nothing, 100 all.
EXPOSURE = 20
KUBERNETES = "1.37"


def scrape(folder):
    """Debian's Prometheus is built without Kubernetes, so that job gets no pods here."""
    config = yaml.safe_load((folder / "prometheus/scrape.yaml").read_text())
    for job in config["scrape_configs"]:
        job.pop("kubernetes_sd_configs", None)
    return yaml.safe_dump(config)


def units(folder, tool, scratch):
    """As they are, but with the tool where it is on this machine."""
    for unit in sorted((folder / "systemd").iterdir()):
        text = unit.read_text().replace("/usr/bin/chronoscope", tool)
        (scratch / unit.name).write_text(text)
    names = sorted(scratch.iterdir())
    output = run("systemd-analyze", "verify", "--man=no", *names)
    ensure(not output, output)
    for name in names:
        if name.suffix == ".service":
            least = f"--threshold={EXPOSURE}"
            run("systemd-analyze", "security", "--offline=yes", least, name)


def manifest(folder):
    for resource in yaml.safe_load_all((folder / "kubernetes/daemonset.yaml").read_text()):
        kubernetes_validate.validate(resource, KUBERNETES, strict=True)


def alerts(folder, docs):
    found = rules(folder)[1]
    ensure(len(found) == 12, f"{len(found)} alerts")
    headings = re.findall(r"^#+ (.+)$", (docs / "FLEET.md").read_text(), re.MULTILINE)
    for it in found:
        name, notes = it["alert"], it["annotations"]
        ensure(name in headings, f"docs/FLEET.md has no heading {name}")
        ensure(notes["runbook"] == f"docs/FLEET.md#{name.lower()}", f"{name}: {notes['runbook']}")
        ensure(notes["summary"] and notes["description"] and it["labels"]["severity"], name)


def expressions(folder):
    records, found = rules(folder)
    all_of = [(it.get("record") or it.get("alert"), it["expr"]) for it in records + found]
    for name, text in [*all_of, *panels(folder)]:
        try:
            promql_parser.parse(text)
        except ValueError as error:
            raise SystemExit(f"{name}: {error}") from error


def port(folder, tool):
    """Every file names the ports that the exporter listens on by default."""
    defaults = set(re.findall(r"127\.0\.0\.1:(\d+)", run(tool, "serve", "--help")))
    ensure(len(defaults) == 2, f"ports {defaults}")
    for file in folder.rglob("*"):
        text = file.read_text() if file.is_file() else ""
        named = re.findall(r"(?:\w:|\]:|\):|containerPort: )(\d{4,5})\b", text)
        ensure(set(named) <= defaults, f"{file.name}: port {named}, not of {defaults}")


def srun(folder, scratch):
    """Instead of Slurm, a program that runs the command once; instead of the tool, `touch`."""
    run("shellcheck", folder / "slurm/srun.sh")
    bins = scratch / "bin"
    bins.mkdir()
    for name, text in {
        "srun": 'shift\nexec "$@"',
        "chronoscope": 'touch "${3#ndjson=}"',
    }.items():
        (bins / name).write_text(f"#!/bin/sh\n{text}\n")
        (bins / name).chmod(0o755)
    path = {"PATH": f"{bins}:/usr/bin:/bin"}
    run("sh", folder / "slurm/srun.sh", scratch / "fleet", env=path)
    written = [str(it.relative_to(scratch)) for it in scratch.rglob("*.ndjson")]
    shape = r"fleet/reports/\d{4}-\d\d-\d\d/[^/]+\.ndjson"
    ensure(len(written) == 1 and re.fullmatch(shape, written[0]), f"it wrote {written}")


def main(folder, tool, docs):
    folder, docs = pathlib.Path(folder), pathlib.Path(docs)
    prometheus = folder / "prometheus"
    playbook = ["--syntax-check", "-i", "localhost,", folder / "ansible/playbook.yaml"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "units").mkdir()
        (scratch / "scrape.yaml").write_text(scrape(folder))
        for name, of in {
            "rules": lambda: run("promtool", "check", "rules", prometheus / "rules.yaml"),
            "rules: each alert fires for its case only": lambda: run(
                "promtool", "test", "rules", prometheus / "rules.test.yaml"
            ),
            "rules: each alert has a place in docs/FLEET.md": lambda: alerts(folder, docs),
            "scrape jobs": lambda: run("promtool", "check", "config", scratch / "scrape.yaml"),
            "units": lambda: units(folder, tool, scratch / "units"),
            "manifest": lambda: manifest(folder),
            "expressions of rules and dashboard": lambda: expressions(folder),
            "playbook": lambda: run(sys.executable, "-m", "ansible", "playbook", *playbook),
            "srun example": lambda: srun(folder, scratch),
            "the exporter's port": lambda: port(folder, tool),
        }.items():
            check(name, of)


main(*sys.argv[1:])
