"""What the scripts of checks share."""

import json
import subprocess


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
