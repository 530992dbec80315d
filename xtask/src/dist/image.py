"""The image of a container, unpacked and run: image.py FOLDER SCRATCH."""

import json
import pathlib
import sys
import tarfile

from checks import check, ensure, run

FOLDER, SCRATCH = (pathlib.Path(argument) for argument in sys.argv[1:3])
USER = 65534


def image():
    [archive] = (FOLDER / "static").glob("chronoscope-image-*.tar")
    run("tar", "-xf", archive, "-C", SCRATCH)
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


check("the image, unpacked and run", image)
