"""What the scripts of checks share."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]


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


def run(*words, timeout=120, **options):
    """Runs a program, which must succeed, and returns all that it wrote."""
    ended = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        **options,
    )
    ensure(ended.returncode == 0, f"{words[0]}: {ended.returncode}: {ended.stdout}")
    return ended.stdout


def readme(start, file):
    """README's words for the installation of a file, whose name must be the last of them."""
    [line] = re.findall(f"`({start}[^`]*)`", (ROOT / "README.md").read_text())
    *words, last = line.split()
    ensure(last.removeprefix("./") == file.name, f"README has {last} instead of {file.name}")
    return words
