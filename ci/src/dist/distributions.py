"""The packages of distributions, installed, run and removed: distributions.py FOLDER SCRATCH.

FOLDER has those for glibc in dynamic/, and those for musl in static/.
"""

import os
import pathlib
import re
import shutil
import sys

from checks import ROOT, check, ensure, readme, run

DYNAMIC, STATIC = (pathlib.Path(sys.argv[1]) / name for name in ("dynamic", "static"))
SCRATCH = pathlib.Path(sys.argv[2])
# The oldest glibc that programs and libraries may need.
OLDEST = (2, 17)
# The libraries of glibc, some of which were merged into the first since.
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"}
GLIBC |= {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
# The most bytes that the command may have. The goal is 9.5 MiB; it had 11.8 when this was written.
MOST = 12 * 2**20
# Where apt and dpkg, and what they start, keep their records.
RECORDS = ("var/cache/", "var/lib/apt/", "var/lib/dpkg/", "var/log/")
# The most seconds that the slowest programs may take on busy CPUs.
SLOW = 400
# Nobody answers questions.
NOBODY = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
# How rpm installs into an empty folder, where nothing runs.
ALONE = ["--nodeps", "--noscripts"]
# What each format calls the folder of zsh's completions.
ZSH = {"deb": "vendor-completions"}


def packages(end, folder=DYNAMIC):
    """The package of the command, and that of the library."""
    found = sorted(folder.glob(f"chronoscope*.{end}"), key=lambda it: "-dev" in it.name)
    ensure(len(found) == 2, f"{len(found)} packages end with {end}")
    return found


def paths(folder):
    """All files and folders below a folder, relative to it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def files(folder, among=None):
    """Those that are no folders."""
    among = paths(folder) if among is None else among
    return {it for it in among if (folder / it).is_symlink() or not (folder / it).is_dir()}


def expected(end):
    """The files of the command's package."""
    zsh = ZSH.get(end, "site-functions")
    yield "usr/bin/chronoscope"
    yield "usr/share/bash-completion/completions/chronoscope"
    yield "usr/share/fish/vendor_completions.d/chronoscope.fish"
    yield f"usr/share/zsh/{zsh}/_chronoscope"
    for page in (ROOT / "docs/man").iterdir():
        yield f"usr/share/man/man1/{page.name}.gz"
    for document in ("README.md", "LICENSES-OF-DEPENDENCIES.txt", "sbom.cdx.json"):
        yield f"usr/share/doc/chronoscope/{document}"
    if end == "deb":
        yield "usr/share/doc/chronoscope/changelog.Debian.gz"
        yield "usr/share/doc/chronoscope/copyright"
        yield "usr/share/lintian/overrides/chronoscope"
    else:
        yield "usr/share/licenses/chronoscope/LICENSE-APACHE"
        yield "usr/share/licenses/chronoscope/LICENSE-MIT"


def complete(end, found):
    """Fails unless these are the files of a package, apart from the package's own records."""
    found = {it for it in found if it.startswith("usr/")}
    wanted = set(expected(end))
    ensure(found == wanted, f"missing {wanted - found}, unexpected {found - wanted}")


def works(root, *before, folder="usr/bin"):
    """Runs the command, as installed below a root."""
    command = "chronoscope" if before else root / folder / "chronoscope"
    shown = run(*before, command, "--version")
    ensure(shown.startswith("chronoscope "), shown)


def linted():
    run("lintian", "--fail-on", "error,warning", *packages("deb"), timeout=SLOW)
    shown = run("rpmlint", "--config", ROOT / "packaging/rpmlint.toml", *packages("rpm"))
    ensure(" 0 errors, 0 warnings" in shown, shown)


def debian():
    root = SCRATCH / "debian"
    run("mmdebstrap", "--quiet", "--variant=apt", "bookworm", root, timeout=SLOW)
    before = state(root)
    for package in packages("deb"):
        shutil.copy(package, root)
    command, library = packages("deb")
    # The command alone, as README says, and then the library next to it.
    install = readme("apt ", command)
    for package in (command, library):
        run("chroot", root, *install, "--yes", f"./{package.name}", env=NOBODY)
        (root / package.name).unlink()
    works(root, "chroot", root)
    shown = run("chroot", root, "chronoscope", "hardware", "--json", "--quiet")
    ensure('"environment"' in shown, shown)
    new = files(root, state(root) - before)
    # What is in the package of the library is tried below.
    others = re.compile("include/|-linux-gnu|chronoscope-dev")
    complete("deb", {it for it in new if not others.search(it)})
    run("chroot", root, "dpkg", "--purge", "chronoscope", "chronoscope-dev")
    left = state(root) - before
    ensure(not left, f"left: {sorted(left)}")


def state(root):
    return {it for it in paths(root) if not it.startswith(RECORDS)}


def red_hat():
    root = SCRATCH / "red-hat"
    root.mkdir()
    rpm = ["rpm", "--root", root]
    run(*rpm, "--initdb")
    before = paths(root)
    command, library = packages("rpm")
    _, install = readme("rpm ", command)
    run(*rpm, *ALONE, install, command)
    complete("rpm", files(root))
    works(root)
    run(*rpm, *ALONE, "--install", library)
    run(*rpm, *ALONE, "--erase", "chronoscope", "chronoscope-dev")
    # Folders that other packages own are there on such a system.
    left = {it for it in paths(root) - before if not it.startswith("var/lib/rpm/")}
    left = {it for it in left if it in files(root, left) or "chronoscope" in it}
    ensure(not left, f"left: {sorted(left)}")


def unpacked(package):
    """The files of a package, without what the package manager would do with them."""
    to = SCRATCH / package.name
    to.mkdir()
    if package.suffix == ".deb":
        run("dpkg-deb", "--extract", package, to)
    elif package.suffix == ".rpm":
        run("rpm", "--root", to, *ALONE, "--install", package)
    else:
        run("tar", "-xf", package, "-C", to, "--warning=no-unknown-keyword")
    return to


def alpine():
    root = unpacked(packages("apk", STATIC)[0])
    complete("apk", files(root))
    works(root)


def arch():
    root = SCRATCH / "arch"
    (root / "var/lib/pacman").mkdir(parents=True)
    before = paths(root)
    command, library = packages("pkg.tar.zst")
    # The packages on which they depend are not there.
    pacman = ["pacman", "--root", root, "--noconfirm", "--nodeps", "--nodeps"]
    _, install = readme("pacman ", command)
    run(*pacman, install, command)
    complete("archlinux", files(root))
    works(root)
    run(*pacman, install, library)
    run(*pacman, "--remove", "chronoscope", "chronoscope-dev")
    left = {it for it in files(root) - before if not it.startswith("var/")}
    ensure(not left, f"left: {sorted(left)}")


def archive():
    [packed] = DYNAMIC.glob("chronoscope-cli-*.tar.gz")
    run(*readme("tar ", packed), packed, cwd=SCRATCH)
    works(SCRATCH / packed.name.removesuffix(".tar.gz"), folder="")


def library(end, folder=DYNAMIC):
    """A program finds the library of a package, is built with it in both ways, and runs."""

    def of():
        root = unpacked(packages(end, folder)[1])
        build = SCRATCH / f"program-{end}"
        source = ROOT / "crates/capi/tests/native/cmake"
        # Not every CMake looks into lib64.
        [found] = root.glob("usr/lib*/**/cmake/chronoscope")
        version = (ROOT / "Cargo.toml").read_text()
        version = re.search('^version = "(.*)"', version, re.MULTILINE)[1]
        where = [f"-Dchronoscope_DIR={found}", f"-DVERSION={version}"]
        run("cmake", "-S", source, "-B", build, *where)
        run("cmake", "--build", build)
        for program in ("with_chronoscope", "with_static"):
            shown = run(build / program)
            ensure("2 ms took" in shown, shown)

    return of


def needs():
    """Programs and libraries need no newer glibc than the packages say, and nothing else."""
    for package in packages("pkg.tar.zst"):
        root = SCRATCH / package.name
        root = root if root.exists() else unpacked(package)
        for path in [*root.glob("usr/bin/*"), *root.glob("usr/lib/*.so.*.*")]:
            shown = run("objdump", "-p", path)
            newest = max(tuple(map(int, it)) for it in re.findall(r"GLIBC_(\d+)\.(\d+)", shown))
            ensure(newest <= OLDEST, f"{path.name} needs glibc {newest}")
            other = set(re.findall(r"NEEDED +(.*)", shown)) - GLIBC
            ensure(not other, f"{path.name} needs {other}")


def small():
    size = (SCRATCH / packages("pkg.tar.zst")[0].name / "usr/bin/chronoscope").stat().st_size
    ensure(size <= MOST, f"{size} bytes, more than {MOST}")


check("packages: lintian and rpmlint", linted)
check("packages: Debian, installed and removed", debian)
check("packages: rpm, installed and removed", red_hat)
check("packages: Alpine, unpacked", alpine)
check("packages: Arch, installed and removed", arch)
check("packages: the archive, unpacked", archive)
for format in ("deb", "rpm", "pkg.tar.zst"):
    check(f"packages: the library of {format}", library(format))
check("packages: what they need", needs)
check("packages: the size of the command", small)
