//! The C header, made by cbindgen from the source of `crates/capi`.

use crate::sh;
use anyhow::{Context, Result, anyhow};
use std::fs;

/// Where it is, from the root.
pub const PATH: &str = "crates/capi/include/chronoscope.h";

/// The header as the source would make it.
pub fn make() -> Result<Vec<u8>> {
    let folder = sh::root().join("crates/capi");
    let mut config = cbindgen::Config::from_file(folder.join("cbindgen.toml"))
        .map_err(|error| anyhow!("cbindgen.toml: {error}"))?;
    let inline = folder.join("src/inline.h");
    let inline =
        fs::read_to_string(&inline).with_context(|| format!("cannot read {}", inline.display()))?;
    config.trailer = Some(inline.trim_end().to_owned());
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_crate(&folder)
        .generate()
        .context("cbindgen makes no header of crates/capi")?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).context("the header is not UTF-8")?;
    // Rust's heading for what makes a call sound; in C it is about pointers only.
    Ok(header.replace("# Safety\n", "Pointers:\n").into_bytes())
}
