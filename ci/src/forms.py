"""Checks what a forge and package managers read, and runs the commands of the action and of the
component.

Arguments: the tool, the folder of filled templates, and the folders with programs.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ruamel.yaml import YAML

from checks import check, ensure, run

TOOL, CHANNELS, *BIN = map(Path, sys.argv[1:])
ROOT = Path.cwd()
ENV = dict(os.environ, PATH=os.pathsep.join([*map(str, BIN), os.environ["PATH"]]))
SCRATCH = Path(tempfile.mkdtemp())
SCHEMAS = [
    ("github-workflows", ".github/workflows/*.yml"),
    ("github-actions", "action.yml"),
    ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
    ("github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
    ("dependabot", ".github/dependabot.yml"),
    ("citation-file-format", "CITATION.cff"),
]


def load(path):
    """The documents of a file."""
    return list(YAML(typ="safe", pure=True).load_all(path.read_text()))


def follows(schema, *paths):
    ensure(paths, "no such file")
    command = [sys.executable, "-B", "-m", "check_jsonschema"]
    run(*command, "--builtin-schema", f"vendor.{schema}", *paths)


def script(shell, text, env, cwd):
    """Runs a script, and returns its exit code and what it wrote."""
    ended = subprocess.run(
        [*shell, text],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        env=env,
        cwd=cwd,
    )
    return ended.returncode, ended.stdout


# The files themselves.


def lint():
    run("actionlint", env=ENV)


def audit():
    run("zizmor", "--offline", "--pedantic", "--no-progress", "--quiet", ".", env=ENV)


def forms_ask_for_the_machine():
    for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"):
        ensure("`chronoscope --brief`" in path.read_text(), f"{path.name} does not ask for --brief")


class Shop:
    """An archive with the tool, and a folder with few programs, one of which can download it."""

    def __init__(self, name, programs, downloader, script):
        self.folder = Path(tempfile.mkdtemp(dir=SCRATCH))
        (self.folder / name).mkdir()
        shutil.copy(TOOL, self.folder / name)
        self.archive = self.folder / f"{name}.tar.gz"
        run("tar", "-czf", self.archive, "-C", self.folder, name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for program in programs:
            (self.bin / program).symlink_to(shutil.which(program))
        (self.bin / downloader).write_text(script.replace("SHOP", str(self.folder)))
        (self.bin / downloader).chmod(0o755)


# The action, step by step as a runner would.

ACTION = load(ROOT / "action.yml")[0]
LIBRARIES = {"x86_64": "gnu", "aarch64": "gnu", "armv7l": "gnueabihf"}
RUNNER = {"x86_64": "X64", "aarch64": "ARM64", "armv7l": "ARM"}[platform.machine()]


class Job:
    """A job on a runner, in a folder of its own."""

    def __init__(self, path, **inputs):
        self.folder = Path(tempfile.mkdtemp(dir=SCRATCH))
        self.inputs = {key: it["default"] for key, it in ACTION["inputs"].items()} | inputs
        self.outputs = {}
        self.env = {
            "PATH": path,
            "HOME": str(self.folder),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": RUNNER,
            "RUNNER_TEMP": str(self.folder),
        }
        for name in ["OUTPUT", "PATH", "STEP_SUMMARY"]:
            (self.folder / name).touch()
            self.env[f"GITHUB_{name}"] = str(self.folder / name)

    def value(self, text):
        """The text with expressions replaced."""
        known = {
            "github.token": "a-token",
            "github.action_repository || github.repository": "someone/chronoscope",
        } | {f"inputs.{key}": value for key, value in self.inputs.items()}
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    def wanted(self, step):
        condition = re.fullmatch(r"inputs\.(\S+) == '(\w+)'", step.get("if", "")) or ["", "", ""]
        return "if" not in step or self.inputs[condition[1]] == condition[2]

    def run(self, steps=ACTION["runs"]["steps"]):
        """Runs steps until one fails, and returns the exit code and what they wrote."""
        code, wrote = 0, ""
        for step in steps:
            if code == 0 and self.wanted(step):
                ensure(step["shell"] == "bash" and "${{" not in step["run"], "an expression in a script")
                env = {key: self.value(value) for key, value in step.get("env", {}).items()}
                shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
                code, text = script(shell, step["run"], self.env | env, self.folder)
                wrote += text
        lines = (self.folder / "OUTPUT").read_text().splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)
        return code, wrote


WITH_TOOL = os.pathsep.join([str(TOOL.parent), os.environ["PATH"]])


def quiet_job():
    job = Job(WITH_TOOL, **{"fail-on": ""})
    code, wrote = job.run()
    ensure(code == 0 and "Doctor" in wrote, f"{code}: {wrote}")
    ensure("is good to" in wrote, f"no noise: {wrote}")
    ensure((job.folder / "STEP_SUMMARY").read_text() in wrote, "no summary")
    report = json.loads(Path(job.outputs["report"]).read_text())
    ensure(report["schema"] == "chronoscope.report/1", "no report")
    # Those about the run differ from run to run.
    return [it["id"] for it in report["findings"] if it.get("about") != "run"]


def finds():
    """A finding of this machine fails the job if it is named, and not if it is allowed."""
    found = quiet_job()
    for name in found[:1] or ["unsynchronised"]:
        code, wrote = Job(WITH_TOOL, **{"fail-on": name}).run()
        ensure(code == (1 if found else 0), f"{name}: {code}: {wrote}")
        code, wrote = Job(WITH_TOOL, **{"fail-on": name, "allow": name}).run()
        ensure(code == 0, f"{name}, although allowed: {code}: {wrote}")
    code, wrote = Job(WITH_TOOL, **{"fail-on": "no-such-finding"}).run()
    ensure(code == 2, f"a finding that does not exist: {code}: {wrote}")


def benchmarks():
    job = Job(WITH_TOOL, benchmarks="true", **{"fail-on": ""})
    code, wrote = job.run()
    clocks = json.loads(run(TOOL, "list", "clocks", "--json"))
    ids = json.dumps(clocks)
    ensure(code == 0 and f'"{job.outputs["clock"]}"' in ids, f"{code}: {job.outputs}: {wrote}")


def installs():
    """Without the tool, the action downloads an archive with `gh`, which is replaced here."""
    processor = platform.machine().removesuffix("l")
    version = ACTION["inputs"]["version"]["default"]
    library = LIBRARIES[platform.machine()]
    name = f"chronoscope-cli-{processor}-unknown-linux-{library}-{version}"
    gh = (
        "#!/bin/bash\n"
        'echo "$*" >> SHOP/asked\n'
        f'if [ "$1" = release ]; then {shutil.which("cp")} SHOP/"$7" .; fi\n'
    )
    shop = Shop(name, ["bash", "tar", "gzip"], "gh", gh)
    job = Job(str(shop.bin))
    code, wrote = job.run(ACTION["runs"]["steps"][:1])
    ensure(code == 0, f"{code}: {wrote}")
    asked = (shop.folder / "asked").read_text().splitlines()
    repository = "--repo someone/chronoscope"
    ensure(asked[0] == f"release download {version} {repository} --pattern {name}.tar.gz", asked)
    ensure(asked[1] == f"attestation verify {name}.tar.gz {repository}", asked)
    place = (job.folder / "PATH").read_text().strip()
    run(f"{place}/chronoscope", "--version")
    ensure(f"chronoscope {version[1:]}" in run(TOOL, "--version"), f"{version} is not this version")


# The component.


def component(**given):
    """The jobs of the component, with its inputs filled in."""
    path = ROOT / "templates/doctor.yml"
    inputs = load(path)[0]["spec"]["inputs"]
    text = path.read_text().split("\n---\n", 1)[1]
    used = set(re.findall(r"\$\[\[ inputs\.(\S+) \]\]", text))
    ensure(used == set(inputs), f"inputs {sorted(used ^ set(inputs))} are not used or not declared")
    values = {key: str(it["default"]) for key, it in inputs.items()} | given
    text = re.sub(r"\$\[\[ inputs\.(\S+) \]\]", lambda found: values[found[1]], text)
    filled = SCRATCH / "component.yml"
    filled.write_text(text)
    follows("gitlab-ci", filled)
    return load(filled)[0]


def ci(jobs, name, path):
    """Runs a job's commands, each line of the list after the other, as GitLab's runner does."""
    job = jobs[".chronoscope"] | jobs[name]
    folder = Path(tempfile.mkdtemp(dir=SCRATCH))
    lines = "\n".join([*job["before_script"], *job["script"]])
    env = {"PATH": path, "HOME": str(folder)}
    code, wrote = script(["sh", "-e", "-c"], lines, env, folder)
    kept = all((folder / path).exists() for path in job["artifacts"]["paths"])
    return code, kept, wrote


def component_runs():
    found = quiet_job()
    jobs = component(**{"fail-on": ",".join(found[:1]) or "unsynchronised"})
    code, kept, wrote = ci(jobs, "chronoscope-doctor", WITH_TOOL)
    ensure(code == (1 if found else 0) and kept, f"{code}: {wrote}")
    code, kept, wrote = ci(component(), "chronoscope-noise", WITH_TOOL)
    ensure(code == 0 and kept and "is good to" in wrote, f"{code}: {wrote}")
    code, kept, wrote = ci(component(), "chronoscope-benchmarks", WITH_TOOL)
    ensure(code == 0 and kept, f"{code}: {wrote}")


def component_installs():
    """An archive is used only if it has the hash that was given."""
    wget = f'#!/bin/sh\nexec {shutil.which("cp")} "$3" "$2"\n'
    shop = Shop("one", ["sh", "tar", "gzip", "sha256sum", "mkdir"], "wget", wget)
    archive = str(shop.archive)
    right = run("sha256sum", archive).split()[0]
    for sum, expected in [(right, 0), (right[::-1], 1)]:
        jobs = component(archive=archive, sha256=sum, **{"fail-on": "unsynchronised"})
        jobs["chronoscope-doctor"]["script"] = ["chronoscope --version > chronoscope-doctor.json"]
        code, kept, wrote = ci(jobs, "chronoscope-doctor", str(shop.bin))
        ensure(code == expected and kept == (expected == 0), f"{sum}: {code}: {wrote}")


# The manifests of package managers.


def formula():
    run("ruby", "-c", CHANNELS / "homebrew/chronoscope.rb")


def pkgbuild():
    """makepkg refuses to run as root, and needs a pacman, which does nothing here."""
    folder = Path(tempfile.mkdtemp())
    shutil.copy(CHANNELS / "aur/PKGBUILD", folder)
    folder.chmod(0o777)
    who = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    env = dict(os.environ, PACMAN="true", HOME=str(folder))
    info = run("makepkg", "--printsrcinfo", cwd=folder, env=env, **who)
    shutil.rmtree(folder)
    for processor in ["x86_64", "aarch64", "armv7h"]:
        ensure(re.search(rf"sha256sums_{processor} = [0-9a-f]{{64}}\n", info), info)


def flake():
    run("nix-instantiate", "--parse", CHANNELS / "nix/flake.nix")


def winget():
    manifests = [load(path)[0] for path in (CHANNELS / "winget").iterdir()]
    ensure({"version", "installer", "defaultLocale"} == {it["ManifestType"] for it in manifests}, "kinds")
    for key in ["PackageIdentifier", "PackageVersion", "ManifestVersion"]:
        ensure(len({it[key] for it in manifests}) == 1, f"they differ in {key}")
    [installer] = [it for it in manifests if it["ManifestType"] == "installer"]
    ensure(re.fullmatch("[0-9a-f]{64}", installer["Installers"][0]["InstallerSha256"]), "no hash")


check("actionlint", lint)
check("zizmor", audit)
for schema, pattern in SCHEMAS:
    check(f"schema {schema}", lambda: follows(schema, *sorted(ROOT.glob(pattern))))
check("issue forms ask for the machine", forms_ask_for_the_machine)
check("action: fails on findings that are named", finds)
check("action: names a clock for benchmarks", benchmarks)
check("action: installs a release", installs)
check("component: its jobs run", component_runs)
check("component: installs an archive with the right hash", component_installs)
check("Homebrew's formula", formula)
check("Arch's PKGBUILD", pkgbuild)
check("Nix's flake", flake)
check("winget's manifests", winget)
shutil.rmtree(SCRATCH)
