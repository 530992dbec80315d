//! Gives the shared library the name by which programs look for it: that of its interface rather
//! than its file, so that an incompatible version can be installed alongside.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let major = env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    let argument = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "freebsd") => format!("-Wl,-soname,libchronoscope.so.{major}"),
        Ok("macos") => format!("-Wl,-install_name,@rpath/libchronoscope.{major}.dylib"),
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg={argument}");
}
