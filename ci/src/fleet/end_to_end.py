"""Two exporters, node_exporter and two Prometheus, one of which stores native histograms, with the
files of a fleet: end_to_end.py FOLDER TOOL SCRATCH. SCRATCH holds syscall.c and refuse.c.

One exporter reads the clock by a system call, which is planted. Every expression of rules and
dashboard is asked of both Prometheus. All processes end with this one.
"""

import contextlib
import itertools
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

from checks import check, ensure, run
from parts import panels, rules, selectors

PATIENCE = 90
TEXT = "text/plain;version=0.0.4"
# OpenMetrics has types that the text format lacks.
FOREIGN = "# TYPE chronoscope info\nchronoscope_info 1\n# EOF\n"
LATE = "chronoscope_wait_overshoot_seconds"

# Causes of late wake-ups that only records of context switches show.
SWITCHES = {"idle-exit", "preempted", "return"}

# What a sound machine may lack, by the start of the metric's name.
MAY_BE_ABSENT = {
    "chronoscope_fault": "no fault was found",
    "chronoscope_cross_cpu_": "there is one CPU, or its counter cannot be read",
    "chronoscope_frequency_error_ratio": "no reference has another oscillator",
    "chronoscope_wait_late_seconds_total": "the kernel does not say why",
    "chronoscope_clock_": "the exporter asks no other clock",
    "chronoscope_reference_state": "the exporter asks no other clock",
    "chronoscope_core_shared_ratio": "the kernel does not say who ran",
    "ALERTS": "no alert fires",
}


def start(stack, scratch, name, *words, **options):
    """Starts a program that ends with this one; it logs to NAME.log."""
    with open(scratch / f"{name}.log", "w") as log:
        words = [str(word) for word in words]
        child = subprocess.Popen(words, stdout=log, stderr=log, **options)

    def end():
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    stack.callback(end)
    return child


def until(what, of):
    """Waits for the first result of `of` that is true."""
    end, last = time.monotonic() + PATIENCE, None
    while time.monotonic() < end:
        try:
            if result := of():
                return result
        except (OSError, AttributeError) as error:
            last = error
        time.sleep(0.2)
    raise SystemExit(f"no {what} after {PATIENCE} s: {last}")


def free():
    """A port that was free just now."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def get(address, path, accept="*/*"):
    request = urllib.request.Request(f"http://{address}{path}", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read().decode()


def ask(prometheus, expression):
    """The series that an expression has now."""
    query = urllib.parse.urlencode({"query": expression})
    try:
        answer = json.loads(get(prometheus, f"/api/v1/query?{query}"))
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{expression}: {error.read().decode()}") from error
    ensure(answer["status"] == "success", f"{expression}: {answer}")
    return answer["data"]["result"]


def exporter(stack, scratch, name, *tool, **options):
    """Starts an exporter, and returns its address."""
    words = [*tool, "serve", "--listen", "127.0.0.1:0", "--start-now"]
    child = start(stack, scratch, name, *words, **options)
    log = scratch / f"{name}.log"

    def listens():
        ensure(child.poll() is None, f"{name} ended: {log.read_text()}")
        return re.search(r"http://([^/\s]+)", log.read_text()).group(1)

    return until(f"address of {name}", listens)


def measured(address):
    """The metrics of an exporter once it has measured clocks and waits, and looked for faults."""
    needed = [f"{LATE}_count", "chronoscope_vdso_fallback", "chronoscope_checks"]

    def all_of():
        text = get(address, "/metrics", TEXT)
        return text if all(f"\n{it}" in text for it in needed) else None

    return until(f"measurement of {address}", all_of)


def calls(names):
    """The system calls of a line of SystemCallFilter=, with those of its sets."""
    for name in names:
        if not name.startswith("@"):
            yield name
            continue
        lines = run("systemd-analyze", "syscall-filter", name).splitlines()[1:]
        yield from calls(line.strip() for line in lines if "#" not in line)


def confined(folder, tool, scratch):
    """The unit allows every system call of an exporter that measures: systemd does not run here."""
    allowed = set()
    unit = (folder / "systemd/chronoscope-exporter.service").read_text()
    for removed, names in re.findall(r"^SystemCallFilter=(~?)(.*)$", unit, re.MULTILINE):
        named = set(calls(names.split()))
        allowed = allowed - named if removed else allowed | named
    log = scratch / "calls"
    with contextlib.ExitStack() as stack:
        # With -D, the exporter is the child that ends here, and strace follows it.
        measured(exporter(stack, scratch, "traced", "strace", "-D", "-f", "-qq", "-o", log, tool))
    until("last call", lambda: "exit_group" in log.read_text())
    text = log.read_text()
    made = set(re.findall(r"^\d+ +(\w+)\(", text, re.MULTILINE))
    ensure({"execve", "listen", "clock_gettime"} <= made, f"only {made}")
    ensure(made <= allowed, f"refused: {made - allowed}")
    # MemoryDenyWriteExecute=
    written = re.findall(r"^.*PROT_WRITE\|PROT_EXEC.*$", text, re.MULTILINE)
    ensure(not written, written[:1])


def filtered(tool, scratch):
    """Under a filter that refuses perf_event_open, what late waits lack has a reason."""
    refuse = scratch / "refuse"
    run("cc", "-O2", "-o", refuse, scratch / "refuse.c")
    with contextlib.ExitStack() as stack:
        address = exporter(stack, scratch, "filtered", refuse, tool)
        text = measured(address)
        until("reason on /healthz", lambda: "perf_event_open" in get(address, "/healthz"))
    causes = set(re.findall(r'late_seconds_total{cause="([^"]+)"}', text))
    ensure(causes and not causes & SWITCHES, f"causes without switches: {causes}")


def limited(tool, scratch):
    """Under a CPU quota of 2 %, waits are left out and counted, and so is the time."""
    groups = pathlib.Path("/sys/fs/cgroup")
    first = (groups / "cpu/cpu.cfs_quota_us").exists()
    group = groups / ("cpu" if first else "") / f"chronoscope-fleet-{os.getpid()}"
    try:
        group.mkdir()
        quota = ("cpu.cfs_quota_us", "2000") if first else ("cpu.max", "2000 100000")
        (group / quota[0]).write_text(quota[1])
    except OSError as error:
        print(f"the quota is not tested: no control group can be made: {error}")
        return
    join = f'echo $$ > "{group}/cgroup.procs" && exec "$@"'

    def counted(address):
        text = get(address, "/metrics", TEXT)
        counts = ["throttled_seconds_total", 'skipped_total{reason="throttled"}']
        return all(f"chronoscope_{it} 0\n" not in text for it in counts)

    try:
        with contextlib.ExitStack() as stack:
            address = exporter(stack, scratch, "limited", "sh", "-c", join, "sh", tool)
            until("count of throttled waits", lambda: counted(address))
    finally:
        until("end of the group", lambda: group.rmdir() or True)


def textfile(folder, tool, scratch):
    """Measures as the timer's unit does, for node_exporter."""
    unit = (folder / "systemd/chronoscope-textfile.service").read_text()
    words = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE).group(1))
    to = scratch / "textfile"
    to.mkdir()
    standard = "/var/lib/prometheus/node-exporter"
    run(tool, *[word.replace(standard, str(to)) for word in words[1:]])
    return to / "chronoscope.prom"


def node_exporter(stack, scratch, file):
    address = f"127.0.0.1:{free()}"
    start(
        stack,
        scratch,
        "node_exporter",
        "prometheus-node-exporter",
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={file.parent}",
        f"--web.listen-address={address}",
    )
    until("answer of node_exporter", lambda: get(address, "/metrics"))
    return address


def refused(address):
    """What node_exporter says about its textfiles: 1 if one could not be read."""
    return re.search(r"^node_textfile_scrape_error (\d)", get(address, "/metrics"), re.MULTILINE)[1]


def prometheus(stack, folder, scratch, name, targets, node, *options):
    """Starts Prometheus with the rules and jobs of the fleet, but in seconds where they have
    minutes: alerts fire at once, and rules and jobs run every second."""
    home = scratch / name
    home.mkdir()
    text = (folder / "prometheus/rules.yaml").read_text()
    text = re.sub(r"^ *for: .*\n", "", text, flags=re.MULTILINE)
    (home / "rules.yaml").write_text(re.sub(r"interval: \w+", "interval: 1s", text))
    jobs = yaml.safe_load((folder / "prometheus/scrape.yaml").read_text())["scrape_configs"]
    job = next(job for job in jobs if job["job_name"] == "chronoscope")
    job |= {"scrape_interval": "1s", "file_sd_configs": [{"files": [str(home / "targets.json")]}]}
    (home / "targets.json").write_text(json.dumps([{"targets": targets}]))
    of_node = {"job_name": "node", "static_configs": [{"targets": [node]}]}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [job, of_node],
    }
    (home / "prometheus.yml").write_text(yaml.safe_dump(config))
    address = f"127.0.0.1:{free()}"
    start(
        stack,
        scratch,
        f"{name}-prometheus",
        "prometheus",
        f"--config.file={home}/prometheus.yml",
        f"--storage.tsdb.path={home}/data",
        f"--web.listen-address={address}",
        *options,
    )
    until(f"{name} Prometheus", lambda: get(address, "/-/ready"))
    # Once the recorded quantile of waits is there, two scrapes were, too.
    record = rules(folder)[0][0]["record"]
    until(f"recorded series of {name}", lambda: len(ask(address, record)) >= len(targets))
    return address


def absent(expression):
    """Why an expression may have no series."""
    found = [it for it in MAY_BE_ABSENT for text in selectors(expression) if text.startswith(it)]
    return found[:1]


def answers(address, folder):
    """Recording rules and panels have series, and nothing is an error."""
    records, alerts = rules(folder)
    for it in alerts:
        ask(address, it["expr"])
    for title, text in [*((it["record"], it["record"]) for it in records), *panels(folder)]:
        ensure(ask(address, text) or absent(text), f"{title}: no series: {text}")


def selected(addresses, folder):
    """Each metric that rules and dashboard ask for is there in one form or the other."""
    records, alerts = rules(folder)
    texts = [it["expr"] for it in records + alerts] + [text for _, text in panels(folder)]
    for selector in sorted(set(itertools.chain.from_iterable(map(selectors, texts)))):
        found = any(ask(address, selector) for address in addresses)
        ensure(found or absent(selector), f"no series: {selector}")


def forms(classic, native):
    """Each Prometheus stores one form of a histogram that has both."""
    of, buckets = '{job="chronoscope"}', f"{LATE}_bucket"
    for address, has, lacks in [(classic, buckets, LATE), (native, LATE, buckets)]:
        ensure(ask(address, f"{has}{of}"), f"no {has}")
        ensure(not ask(address, f"{lacks}{of}"), f"{lacks} is stored too")


def fires(address, name, planted, sound):
    """The alert of the planted fault fires, and only for the machine that has it."""
    alerts = f'ALERTS{{alertname="{name}",alertstate="firing",job="chronoscope"}}'
    of_it = f'{alerts} and on (instance) up{{instance="{planted}"}}'
    until(f"alert {name}", lambda: ask(address, of_it))
    others = [it["metric"]["instance"] for it in ask(address, alerts)]
    ensure(sound not in others, f"{name} fires for the sound machine too")


def main(folder, tool, scratch):
    folder, scratch = pathlib.Path(folder), pathlib.Path(scratch)
    library = scratch / "syscall.so"
    run("cc", "-shared", "-fPIC", "-O2", "-o", library, scratch / "syscall.c")
    # A run that takes too long is asked to end, and must end what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("too long"))
    with contextlib.ExitStack() as stack:
        sound = exporter(stack, scratch, "sound", tool)
        planted = exporter(stack, scratch, "planted", tool, env={"LD_PRELOAD": str(library)})
        text, _ = measured(sound), measured(planted)
        check(
            "promtool accepts the metrics",
            lambda: run("promtool", "check", "metrics", input=text),
        )
        check("the unit allows what the exporter does", lambda: confined(folder, tool, scratch))
        check("a filter leaves reasons", lambda: filtered(tool, scratch))
        check("a quota leaves waits out", lambda: limited(tool, scratch))
        file = textfile(folder, tool, scratch)
        node = node_exporter(stack, scratch, file)
        check(
            "node_exporter reads the textfile",
            lambda: ensure(refused(node) == "0", (scratch / "node_exporter.log").read_text()),
        )
        all_of = [folder, scratch]
        classic = prometheus(stack, *all_of, "classic", [sound, planted], node)
        native = prometheus(
            stack, *all_of, "native", [sound, planted], node, "--enable-feature=native-histograms"
        )
        check("each form of a histogram is stored alone", lambda: forms(classic, native))
        check("every metric is there", lambda: selected([classic, native], folder))
        for name, address in [("classic", classic), ("native", native)]:
            check(f"{name}: every expression has series", lambda: answers(address, folder))
            check(
                f"{name}: the planted system call fires its alert",
                lambda: fires(address, "ChronoscopeClockReadBySystemCall", planted, sound),
            )
        file.write_text(FOREIGN)
        check(
            "node_exporter refuses the types of OpenMetrics, as is known",
            lambda: ensure(refused(node) == "1", "it was read"),
        )


main(*sys.argv[1:])
