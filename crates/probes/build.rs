//! Compiles the readers that belong to C and C++, at the level a release build would use: the
//! figures must not depend on the profile of the Rust around them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let system = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let abi = env::var("CARGO_CFG_TARGET_ENV").unwrap_or_default();
    println!("cargo:rerun-if-changed=native");
    println!("cargo:rustc-check-cfg=cfg(native_c, native_cxx)");

    let rustc = PathBuf::from(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    named("RUST", &mut Command::new(rustc));

    // The readers are written with GNU extended assembly, which MSVC does not take.
    if abi == "msvc" {
        left_out("C", "MSVC is not GNU-compatible");
        left_out("CXX", "MSVC is not GNU-compatible");
        return;
    }

    let unix = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("unix"));
    let [linux, windows, macos] = ["linux", "windows", "macos"].map(|name| system == name);
    let [x86, aarch64, arm] = ["x86_64", "aarch64", "arm"].map(|name| arch == name);
    let sources = [
        ("c.c", true),
        ("posix.c", unix || windows),
        ("unix.c", unix),
        ("x86.c", x86),
        ("device.c", linux),
        ("perf.c", linux && (x86 || aarch64)),
        ("arm.c", unix && (aarch64 || arm)),
        ("guard.c", unix && (aarch64 || arm)),
        ("linux.c", linux),
        ("windows.c", windows),
        ("macos.c", macos),
        ("sum.c", true),
    ];
    let sources = sources.iter().filter(|(_, is_here)| *is_here).map(|(source, _)| *source);
    let sources: Vec<&str> = sources.collect();
    if compile("chronoscope_c", &sources, false) {
        println!("cargo:rustc-cfg=native_c");
        if windows {
            println!("cargo:rustc-link-lib=dylib=winmm");
            link_posix_threads();
        }
    }
    if compile("chronoscope_cxx", &["chrono.cpp", "waits.cpp", "sum.cpp"], true) {
        println!("cargo:rustc-cfg=native_cxx");
        link_cxx_runtime(&system);
    }
}

/// Compiles the sources; a missing compiler leaves the clocks of that
/// language out, with a reason that the tool shows, and breaks nothing else.
fn compile(library: &str, sources: &[&str], cxx: bool) -> bool {
    let mut build = compiler(cxx);
    build.files(sources.iter().map(|source| format!("native/{source}")));
    match build.try_compile(library) {
        Ok(()) => {
            let language = if cxx { "WITH_CXX" } else { "WITH_C" };
            named(language, &mut build.get_compiler().to_command());
            true
        }
        Err(error) => {
            println!("cargo:warning={library}: {error}");
            let (variable, name) = if cxx { ("CXX", "C++") } else { ("C", "C") };
            let target = env::var("TARGET").unwrap_or_default();
            let found = build.try_get_compiler().ok();
            let runs = found.is_some_and(|it| it.to_command().arg("--version").output().is_ok());
            left_out(
                variable,
                &if runs {
                    format!("its {name} compiler for {target} failed on them")
                } else {
                    format!("there was no {name} compiler for {target}")
                },
            );
            false
        }
    }
}

/// The compiler of C or C++.
fn compiler(cxx: bool) -> cc::Build {
    let mut build = cc::Build::new();
    build.cpp(cxx).opt_level(2).warnings(true).extra_warnings(true).cpp_link_stdlib(None);
    // musl's compiler does not search this machine's headers; the kernel's suit every C library. On
    // Alpine they are where the compiler looks anyway.
    if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|abi| abi == "musl") {
        let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        for folder in ["/usr/include".into(), format!("/usr/include/{arch}-linux-gnu")] {
            build.flag("-idirafter").flag(folder);
        }
    }
    build.include("native");
    if cxx {
        build.std("c++17").flag("-fno-exceptions").flag("-fno-rtti");
    } else {
        build.std("gnu11");
    }
    build
}

/// Tells the crate which compiler this is, by the first line of its version.
fn named(language: &str, compiler: &mut Command) {
    let output = compiler.arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let line = text.unwrap_or_default();
    let line = line.lines().next().unwrap_or_default().trim();
    println!("cargo:rustc-env=CHRONOSCOPE_{language}={line}");
}

/// Tells the crate why the readers of a language are left out.
fn left_out(language: &str, why: &str) {
    println!("cargo:rustc-env=CHRONOSCOPE_NO_{language}={why}");
}

/// MinGW keeps `clock_gettime` in its library of POSIX threads: linked into the tool, so that the
/// tool starts on a machine without MinGW.
fn link_posix_threads() {
    if let Some(folder) = archive_folder(&cc::Build::new(), "libwinpthread.a") {
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static:-bundle=winpthread");
    }
}

fn archive_folder(build: &cc::Build, archive: &str) -> Option<PathBuf> {
    let found = build
        .try_get_compiler()
        .ok()?
        .to_command()
        .arg(format!("-print-file-name={archive}"))
        .output()
        .ok()?;
    let path = fs::canonicalize(String::from_utf8(found.stdout).ok()?.trim()).ok()?;
    path.parent().map(Path::to_owned)
}

/// Links the C++ runtime into the tool where it can be had as an archive, so that the tool starts
/// on machines without it.
fn link_cxx_runtime(system: &str) {
    let Ok(compiler) = cc::Build::new().cpp(true).try_get_compiler() else {
        return;
    };
    if system == "macos" || compiler.is_like_clang() {
        println!("cargo:rustc-link-lib=dylib=c++");
        return;
    }
    match archive_folder(cc::Build::new().cpp(true), "libstdc++.a") {
        Some(folder) => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-lib=static:-bundle=stdc++");
        }
        None => println!("cargo:rustc-link-lib=dylib=stdc++"),
    }
}
