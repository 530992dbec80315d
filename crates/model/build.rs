//! Compresses the schemas: as text, they would be a thirtieth of the tool.

use flate2::{Compression, write::ZlibEncoder};
use std::io::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=schema");
    let folder = env::var("OUT_DIR").map_err(std::io::Error::other)?;
    for document in ["report", "comparison", "recording"] {
        let text = fs::read(format!("schema/chronoscope.{document}-1.json"))?;
        let mut file = ZlibEncoder::new(Vec::new(), Compression::best());
        file.write_all(&text)?;
        fs::write(Path::new(&folder).join(format!("{document}.z")), file.finish()?)?;
    }
    Ok(())
}
