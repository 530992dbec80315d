"""What the checks of a fleet's files share."""

import json
import subprocess

import promql_parser
import yaml


def check(name, of):
    """Prints the result of a check as a line of JSON: why is null if it passed."""
    why = None
    try:
        of()
    except (Exception, SystemExit) as error:
        lines = str(error).strip().splitlines() or [repr(error)]
        why = " ".join(lines[:5])
    print(json.dumps({"name": name, "why": why}), flush=True)


def ensure(holds, why):
    if not holds:
        raise SystemExit(why)


def run(*words, **options):
    """Runs a program, which must succeed, and returns all that it wrote."""
    ended = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        **options,
    )
    ensure(ended.returncode == 0, f"{words[0]}: {ended.returncode}: {ended.stdout}")
    return ended.stdout


def rules(folder):
    """The recording rules and the alerts."""
    groups = yaml.safe_load((folder / "prometheus/rules.yaml").read_text())["groups"]
    both = [rule for group in groups for rule in group["rules"]]
    return [it for it in both if "record" in it], [it for it in both if "alert" in it]


def panels(folder):
    """The title of each panel of the dashboard, and an expression of it, for all machines."""
    dashboard = json.loads((folder / "grafana/dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"].replace("$job", ".*").replace("$instance", ".*")
            yield panel["title"], text


def selectors(expression):
    """The selectors of an expression, without the time that they look back."""
    found = []

    def note(part):
        if isinstance(part, promql_parser.VectorSelector):
            found.append(part.prettify().strip().split(" offset ")[0])

    promql_parser.walk(promql_parser.parse(expression), note)
    return found
