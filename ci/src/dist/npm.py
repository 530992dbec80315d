"""The packages of npm, installed without a network: npm.py FOLDER SCRATCH."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from checks import check, ensure, run

FOLDER, SCRATCH = (pathlib.Path(argument) for argument in sys.argv[1:3])
OPTIONS = ["--offline", "--no-audit", "--no-fund", "--no-package-lock", "--silent"]
# A run that lasts until it is stopped, and says when it has begun.
LONG = ["waits", "--wait", "10ms", "--count", "100000", "--json"]
PATIENCE = 30


def installed(name, *options):
    """Installs the package that starts the command, and returns the folder of modules."""
    project = SCRATCH / name
    project.mkdir()
    tarballs = {}
    for tarball in sorted(FOLDER.glob("*/chronoscope-*.tgz")):
        inside = run("tar", "-xOf", tarball, "package/package.json")
        tarballs[json.loads(inside)["name"]] = f"file:{tarball}"
    command = tarballs.pop("chronoscope")
    manifest = {"dependencies": {"chronoscope": command}, "overrides": tarballs}
    (project / "package.json").write_text(json.dumps(manifest))
    run("npm", "install", *OPTIONS, *options, cwd=project, env={**os.environ, "HOME": str(project)})
    return project / "node_modules"


def platforms(modules):
    return sorted(it.name for it in modules.iterdir() if it.name.startswith("chronoscope-"))


def chosen():
    modules = installed("chosen")
    # An npm that does not know `libc` installs the one for musl as well.
    found = [it for it in platforms(modules) if not it.endswith("-musl")]
    ensure(len(found) == 1, f"npm chose {found}")
    command = modules / ".bin/chronoscope"
    report = json.loads(run(command, "hardware", "--json", "--quiet"))
    library = report["environment"]["c_library"]
    ensure(library.startswith("glibc"), f"the program was linked with {library}")
    wrong = subprocess.run([command, "clocks", "no/such-clock"], capture_output=True, text=True)
    ensure(wrong.returncode == 2, f"exit code {wrong.returncode} instead of 2: {wrong.stderr}")
    for number in (signal.SIGINT, signal.SIGTERM):
        stopped(command, number)


def stopped(command, number):
    """A signal to the script alone ends the program, whose exit code is that of the script."""
    with subprocess.Popen([command, *LONG], stdout=subprocess.PIPE, text=True) as script:
        until(lambda: children(script.pid), "no program was started")
        [program] = children(script.pid)
        # Until it handles signals, one ends it without a report; and first it is a copy of Node.
        until(lambda: runs(program), "the child does not become chronoscope")
        until(lambda: handles(program, number), "it does not handle the signal")
        script.send_signal(number)
        shown = script.communicate(timeout=PATIENCE)[0]
    wanted = 128 + number
    ensure(script.returncode == wanted, f"exit code {script.returncode} instead of {wanted}")
    ensure(json.loads(shown)["run"]["complete"] is False, "the report is not one of a stopped run")
    ensure(not pathlib.Path(f"/proc/{program}").exists(), "the program still runs")


def until(holds, why):
    end = time.monotonic() + PATIENCE
    while not holds():
        ensure(time.monotonic() < end, why)
        time.sleep(0.02)


def children(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


def runs(pid):
    return os.readlink(f"/proc/{pid}/exe").endswith("/chronoscope")


def handles(pid, number):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> (number - 1) & 1


def none_fits():
    modules = installed("none", "--omit=optional")
    ensure(not platforms(modules), f"npm installed {platforms(modules)}")
    ended = subprocess.run([modules / ".bin/chronoscope"], capture_output=True, text=True)
    ensure(ended.returncode == 1, f"exit code {ended.returncode} instead of 1")
    ensure(ended.stderr.count("\n") == 1 and "chronoscope-" in ended.stderr, ended.stderr)


check("npm: the package of this system is chosen, installed and run", chosen)
check("npm: one line says that no package fits", none_fits)
