//! The image of a container, by buildah: nothing but the static tool.

use super::{Target, VERSION, committed, pack};
use crate::sh;
use anyhow::Result;
use std::path::Path;
use xshell::{Shell, cmd};

/// Packs an image in the layout of OCI. `stage` has what is in the target's archive.
pub fn make(sh: &Shell, target: &Target, stage: &Path, folder: &Path) -> Result<()> {
    // It stores images apart from those of the machine, and without a file system of its own.
    let store = sh.create_temp_dir()?;
    let (root, runroot) = (store.path().join("root"), store.path().join("runroot"));
    let own = ["--storage-driver", "vfs", "--root"];
    let buildah = || cmd!(sh, "buildah {own...} {root} --runroot {runroot}");
    let time = committed(sh, "%ct")?;
    let platform = format!("linux/{}", target.arch);
    let version = format!("org.opencontainers.image.version={VERSION}");
    let options = ["--quiet", "--isolation", "chroot", "--file", "packaging/Containerfile"];
    let about = ["--timestamp", &time, "--platform", &platform, "--label", &version];
    let tag = format!("chronoscope:{VERSION}");
    let build = buildah().arg("build").args(options).args(about);
    sh::read(build.args(["--tag", &tag]).arg(stage))?;
    let layout = store.path().join("layout");
    let to = format!("oci:{}:{tag}", layout.display());
    sh::read(buildah().args(["push", "--quiet", &tag, &to]))?;
    let archive = folder.join(format!("chronoscope-image-{}-v{VERSION}.tar", target.triple));
    pack(sh, &layout, &["blobs", "index.json", "oci-layout"], &archive, &[])
}
