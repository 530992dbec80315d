"""The wheels, installed without an index and tested: wheel.py FOLDER SCRATCH VERSION."""

import os
import pathlib
import sys
import zipfile

from checks import ROOT, check, ensure, run
from pythons import environment, interpreters

TESTS = ROOT / "crates/python/tests"
DYNAMIC, STATIC = (pathlib.Path(sys.argv[1]) / name for name in ("dynamic", "static"))
SCRATCH, VERSION = pathlib.Path(sys.argv[2]), sys.argv[3]
DOCUMENTS = ("LICENSE-APACHE", "LICENSE-MIT", "LICENSES-OF-DEPENDENCIES.txt", "sbom.cdx.json")
# Versions that are known to work.
PYTEST = ["pytest==8.3.5", "iniconfig==2.0.0", "packaging==24.2", "pluggy==1.5.0"]
PYTEST += ["pytest-benchmark==5.1.0", "py-cpuinfo==9.0.0"]
IPYTHON = ["ipython==8.31.0"]
MATURIN = ["maturin==1.16.0"]
PIP = ["python3", "-m", "pip", "--disable-pip-version-check"]


def tested(version, interpreter):
    def of():
        folder = SCRATCH / ".".join(map(str, version))
        python = environment(interpreter, DYNAMIC, folder)
        for tests in ("test_module.py", "test_asyncio.py"):
            run(python, "-B", TESTS / tests, "--quiet")

    return of


def fixture():
    python = environment("python3", DYNAMIC, SCRATCH / "fixture")
    library = SCRATCH / "pytest"
    pip = [*PIP, "install", "--quiet", "--no-deps", "--root-user-action=ignore", "--target"]
    run(*pip, library, *PYTEST)
    how = ["-q", "-p", "no:cacheprovider", TESTS / "test_fixture.py"]
    shown = run(python, "-B", "-m", "pytest", *how, env={**os.environ, "PYTHONPATH": library})
    ensure(" passed" in shown and "skipped" not in shown, shown)


def magic():
    python = environment("python3", DYNAMIC, SCRATCH / "magic")
    run(*PIP, "--python", python, "install", "--quiet", *IPYTHON)
    session = SCRATCH / "session.ipy"
    session.write_text("%load_ext chronoscope_clock\n%chronoscope --version\n")
    shown = run(python, "-B", "-m", "IPython", session, env={**os.environ, "HOME": SCRATCH})
    ensure(f"chronoscope {VERSION}" in shown, shown)


def from_sources():
    [sources] = DYNAMIC.glob("chronoscope_clock-*.tar.gz")
    folder, wheels = SCRATCH / "from-sources", SCRATCH / "wheels"
    run(*PIP, "install", "--quiet", "--root-user-action=ignore", "--target", folder, *MATURIN)
    settings = {
        "PYTHONPATH": str(folder),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        # Optimising takes long, and makes no other module.
        "MATURIN_PEP517_ARGS": "--profile dev",
    }
    build = [*PIP, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", wheels]
    run(*build, sources, env={**os.environ, **settings}, timeout=900)
    run("python3", "-m", "venv", "--without-pip", SCRATCH / "built")
    python = SCRATCH / "built/bin/python"
    run(*PIP, "--python", python, "install", "--quiet", "--no-index", *wheels.iterdir())
    code = "import chronoscope_clock as c; print(c.wait(0.001).late_ns >= 0)"
    ensure("True" in run(python, "-B", "-c", code), "it does not wait")


def removed():
    folder = SCRATCH / "removed"
    files = lambda: {it for it in folder.rglob("*") if it.is_file() or it.is_symlink()}
    python = environment("python3", DYNAMIC, folder)
    run(*PIP, "--python", python, "uninstall", "--quiet", "--yes", "chronoscope-clock")
    left = {it for it in files() if "chronoscope" in str(it.relative_to(folder))}
    ensure(not left, f"left: {left}")


def complete(folder, tag):
    def of():
        [wheel] = folder.glob("*.whl")
        stem = f"chronoscope_clock-{VERSION}-cp39-abi3-"
        ensure(wheel.name.startswith(stem) and f"{tag}_" in wheel.name, wheel.name)
        names = set(zipfile.ZipFile(wheel).namelist())
        module = [it for it in names if it.endswith(".so")]
        ensure(len(module) == 1, f"modules {module}")
        sources = (ROOT / "crates/python/python/chronoscope_clock").iterdir()
        wanted = {f"chronoscope_clock/{it.name}" for it in sources if it.is_file()}
        data = f"chronoscope_clock-{VERSION}.data"
        wanted.add(f"{data}/scripts/chronoscope")
        wanted |= {f"{data}/data/share/doc/chronoscope-clock/{it}" for it in DOCUMENTS}
        other = {it for it in names - wanted - set(module) if ".dist-info/" not in it}
        ensure(not wanted - names and not other, f"missing {wanted - names}, unexpected {other}")

    return of


found = interpreters()
check("python: an interpreter", lambda: ensure(found, "no CPython from 3.9 on"))
for version, interpreter in found.items():
    check(f"python: {version[0]}.{version[1]}, installed and tested", tested(version, interpreter))
check("python: the fixture of pytest", fixture)
check("python: the magic of IPython", magic)
check("python: built from its source distribution", from_sources)
check("python: installed and removed", removed)
check("python: the wheel for glibc is complete", complete(DYNAMIC, "manylinux_2_17"))
check("python: the wheel for musl is complete", complete(STATIC, "musllinux_1_2"))
