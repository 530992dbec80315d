"""The image of a container, unpacked, loaded and run: image.py FOLDER SCRATCH VERSION."""

import json
import os
import pathlib
import sys
import tarfile

from checks import check, ensure, readme, run

FOLDER, SCRATCH = (pathlib.Path(argument) for argument in sys.argv[1:3])
VERSION = sys.argv[3]
[ARCHIVE] = (FOLDER / "static").glob("chronoscope-image-*.tar")
USER = 65534


def image():
    run("tar", "-xf", ARCHIVE, "-C", SCRATCH)
    blob = lambda it: SCRATCH / "blobs" / it["digest"].replace(":", "/")
    [manifest] = json.loads((SCRATCH / "index.json").read_text())["manifests"]
    manifest = json.loads(blob(manifest).read_text())
    config = json.loads(blob(manifest["config"]).read_text())["config"]
    ensure(config["User"] == f"{USER}:{USER}", f"it runs as {config['User']}")
    labels = {it.removeprefix("org.opencontainers.image.") for it in config["Labels"]}
    missing = {"title", "description", "licenses", "version"} - labels
    ensure(not missing, f"no label {missing}")

    root = SCRATCH / "root"
    root.mkdir()
    for layer in manifest["layers"]:
        with tarfile.open(blob(layer)) as files:
            files.extractall(root)
    paths = {str(it.relative_to(root)) for it in root.rglob("*") if it.is_file()}
    other = {it for it in paths if not it.startswith("usr/share/licenses/")}
    ensure(other == {"usr/bin/chronoscope"}, f"it contains {other}")
    user = f"--userspec={USER}:{USER}"
    command = ["chroot", user, root, *config["Entrypoint"]]
    shown = run(*command, "clocks", "posix/monotonic", "rust/instant", "--budget", "1s")
    ensure("posix/monotonic" in shown, shown)


def loaded():
    """podman keeps the image apart from those of the machine."""
    settings = SCRATCH / "storage.conf"
    store = {"driver": "vfs", "graphroot": f"{SCRATCH}/graph", "runroot": f"{SCRATCH}/run"}
    lines = [f'{key} = "{value}"\n' for key, value in store.items()]
    settings.write_text("[storage]\n" + "".join(lines))
    apart = {**os.environ, "CONTAINERS_STORAGE_CONF": str(settings)}
    run(*readme("podman ", ARCHIVE), ARCHIVE, env=apart)
    # Limits of its own, because a machine may not let a container have podman's.
    limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"]
    # crun, Debian's default, does not run where both versions of control groups are mounted.
    start = ["podman", "--runtime", "runc", "run", "--rm", "--network=none", *limits]
    clocks = ["clocks", "rust/instant", "--budget", "1s"]
    shown = run(*start, f"chronoscope:{VERSION}", *clocks, env=apart)
    ensure("rust/instant" in shown, shown)


check("the image, unpacked and run", image)
check("the image, loaded and run by podman", loaded)
