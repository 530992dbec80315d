"""The interpreters of this machine, each with an environment in which a wheel is installed."""

import pathlib
import shutil

from checks import ensure, run

OLDEST = (3, 9)


def interpreters():
    """One of each version of CPython that the module supports, by version."""
    named = [shutil.which("python3"), *(shutil.which(f"python3.{n}") for n in range(9, 20))]
    home = pathlib.Path.home() / ".pyenv/versions"
    paths = [*named, "/usr/bin/python3", *sorted(home.glob("3.*/bin/python3"))]
    found = {}
    for path in filter(None, paths):
        code = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
        try:
            name, *version = run(path, "-c", code).split()
        except (OSError, SystemExit):
            continue  # pyenv has commands for versions that are not installed.
        version = tuple(map(int, version))
        if name == "cpython" and version >= OLDEST:
            found.setdefault(version, path)
    return found


def environment(interpreter, wheels, folder):
    """Installs the wheel of this machine without an index, and returns the environment's python."""
    run(interpreter, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python"
    pip = ["python3", "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-index", "--find-links", wheels, "chronoscope-clock")
    ensure((folder / "bin/chronoscope").exists(), "the command is not installed")
    return python
