"""The parts of a fleet's files that its checks look at."""

import json

import promql_parser
import yaml


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
