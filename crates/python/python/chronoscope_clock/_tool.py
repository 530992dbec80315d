"""The command that comes with the module, started and read.

It measures in processes of its own, where neither the interpreter's lock nor its garbage collector
disturbs it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Dict, Mapping, Sequence

__all__ = ["Advice", "Clock", "Finding", "ToolError", "advise", "command", "doctor", "survey"]

Report = Dict[str, Any]


class ToolError(Exception):
    """The command could not be run, or failed; the text says why."""


def command() -> str:
    """The path of the command ``chronoscope`` that was installed with this module.

    A module that was built from source has none, so then it is the one on the ``PATH``.
    """
    try:
        files = metadata.files("chronoscope-clock") or ()
    except metadata.PackageNotFoundError:
        files = ()
    for file in files:
        if file.parent.name in ("bin", "Scripts") and file.stem == "chronoscope":
            path = Path(str(file.locate())).resolve()
            if path.is_file():
                return str(path)
    found = shutil.which("chronoscope")
    if found is None:
        raise ToolError("the command chronoscope is neither installed with the module nor on PATH")
    return found


def _report(arguments: Sequence[str], timeout: float | None) -> Report:
    line = [command(), *arguments, "--json", "--quiet"]
    try:
        # JSON is UTF-8, whatever the locale; names of tasks may be anything.
        ended = subprocess.run(
            line, capture_output=True, encoding="utf-8", errors="replace", timeout=timeout
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"chronoscope did not end within {timeout} s") from None
    except OSError as error:
        raise ToolError(f"cannot start {line[0]}: {error.strerror}") from None
    try:
        return json.loads(ended.stdout)
    except ValueError:
        last = ended.stderr.strip().splitlines()[-1:]
        why = last[0] if last else f"exit code {ended.returncode}, and nothing was printed"
        raise ToolError(f"chronoscope failed: {why}") from None


def survey(*arguments: str, timeout: float | None = None) -> Report:
    """This machine at a glance: the report of ``chronoscope``, which takes some five seconds.

    Arguments are those of the command line: ``survey("clocks", "posix", "--budget", "1s")``.
    """
    return _report(arguments, timeout)


def doctor(*, quick: bool = False, timeout: float | None = None) -> Report:
    """What is wrong with time on this machine: the report of ``chronoscope doctor``."""
    return _report(["doctor", *(["--quick"] if quick else [])], timeout)


def advise(
    purpose: str | None = None, *, language: str = "python", timeout: float | None = None
) -> Report:
    """Which clock to use: the report of ``chronoscope advise``, for all purposes or for one."""
    chosen = ["--for", purpose] if purpose else []
    return _report(["advise", "--language", language, *chosen], timeout)


def _text(entry: Mapping[str, Any], key: str) -> str:
    return str(entry.get(key, ""))


@dataclass(frozen=True)
class Finding:
    """Something that is wrong, and what helps."""

    id: str
    level: str
    title: str
    fix: str
    evidence: tuple[str, ...] = ()

    @classmethod
    def all(cls, report: Report) -> list[Finding]:
        """Those of a report."""
        return [
            cls(
                *(_text(it, key) for key in ("id", "level", "title", "fix")),
                evidence=tuple(it.get("evidence", ())),
            )
            for it in report.get("findings", ())
        ]


@dataclass(frozen=True)
class Advice:
    """What to use for a purpose, and its code in each language."""

    purpose: str
    clock: str | None
    figure: str
    code: Mapping[str, str]

    @classmethod
    def all(cls, report: Report) -> list[Advice]:
        """Those of a report."""
        return [
            cls(_text(it, "purpose"), it.get("clock"), _text(it, "figure"), it.get("code", {}))
            for it in report.get("advice", ())
        ]


@dataclass(frozen=True)
class Clock:
    """A clock that was measured."""

    id: str
    kind: str
    call: str
    cost_ns: float | None
    verdict: str
    unavailable_reason: str | None

    @classmethod
    def all(cls, report: Report) -> list[Clock]:
        """Those of a report."""
        return [
            cls(
                *(_text(it, key) for key in ("id", "kind", "call")),
                cost_ns=it.get("cost", {}).get("throughput", {}).get("value_ns"),
                verdict=_text(it.get("verdict", {}), "text"),
                unavailable_reason=it.get("unavailable_reason"),
            )
            for it in report.get("clocks", ())
        ]
