//! The library as C, C++ and Python see it: installed, then compiled against, linked with and run.
//!
//! If a tool is missing, its tests are skipped with a message. Where nothing may be skipped
//! (`CI=true`, `cargo xtask test --all`), that is a failure. Windows has none of these tools under
//! these names.
#![cfg(unix)]

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The library, installed by `cargo xtask install-capi` where programs look for it.
fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .current_dir(FOLDER)
            .args(["xtask", "install-capi", "--debug", "--prefix"])
            .arg(&prefix);
        // What cargo sets for this test's package must not look like a change to another package.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(&name);
            }
        }
        succeeded(&mut cargo);
        prefix
    })
}

/// Runs a program, which must succeed.
fn succeeded(command: &mut Command) -> Output {
    let out = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        out.status.success(),
        "{command:?}: {}\n{}{}",
        out.status,
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
    out
}

/// Returns a program on the search path; `None`, with a message, if it is missing and may be.
fn tool(name: &str) -> Option<&str> {
    let paths = env::var_os("PATH").unwrap_or_default();
    if env::split_paths(&paths).any(|folder| folder.join(name).is_file()) {
        return Some(name);
    }
    skip(name);
    None
}

/// Says that something is missing, if it may be.
fn skip(name: &str) {
    let all = |name| env::var_os(name).is_some_and(|value| value == "true");
    assert!(
        !all("CI") && !all("CHRONOSCOPE_SKIP_NOTHING"),
        "{name} is missing, and nothing may be skipped"
    );
    eprintln!("skipped: {name} is missing");
}

#[derive(Clone, Copy, PartialEq)]
enum Link {
    Shared,
    Static,
}

/// Compiles a source with this compiler and these options, and returns the program.
fn compile(compiler: &str, source: &str, options: &[&str], link: Link) -> PathBuf {
    let prefix = installed();
    let lib = prefix.join("lib");
    let name: String = [compiler, source]
        .iter()
        .chain(options)
        .chain(&[if link == Link::Static { "static" } else { "" }])
        .flat_map(|part| part.chars().chain(['_']))
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let program = prefix.join(name);
    let mut command = Command::new(compiler);
    command
        .current_dir(FOLDER)
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(["-Wconversion", "-Wsign-conversion", "-Wshadow"])
        .arg("-I")
        .arg(prefix.join("include"))
        .arg(source)
        .args(options)
        .arg("-o")
        .arg(&program);
    match link {
        Link::Shared => command.arg("-L").arg(&lib).arg("-lchronoscope"),
        Link::Static => command
            .arg(lib.join("libchronoscope.a"))
            .args(entry("Libs.private: ").split_whitespace()),
    };
    succeeded(&mut command);
    program
}

/// A line of the pkg-config file.
fn entry(key: &str) -> String {
    let file = installed().join("lib/pkgconfig/chronoscope.pc");
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.expect(key).to_owned()
}

/// Runs a program with the installed library, with each source of time.
fn run(program: impl AsRef<OsStr>, args: &[&OsStr]) -> String {
    let mut seen = String::new();
    for source in ["auto", "os"] {
        let mut command = Command::new(&program);
        command
            .args(args)
            .env("LD_LIBRARY_PATH", installed().join("lib"))
            .env("DYLD_LIBRARY_PATH", installed().join("lib"))
            .env("CHRONOSCOPE_SOURCE", source);
        let out = succeeded(&mut command);
        seen += &String::from_utf8(out.stdout).unwrap();
    }
    seen
}

#[test]
fn c_programs_are_built_and_run() {
    // The system's compiler, and also the other one if available, because it has other warnings.
    let mut compilers: Vec<_> = tool("cc").into_iter().collect();
    if Command::new("clang").arg("--version").output().is_ok() {
        compilers.push("clang");
    }
    for compiler in compilers {
        for options in [["-std=c99", "-O0"], ["-std=c11", "-O2"]] {
            let example = compile(compiler, "examples/elapsed.c", &options, Link::Shared);
            let told = run(example, &[]);
            assert!(told.contains("2 ms took"), "{told}");
            // A tick that is missed on a busy machine is not printed.
            let ticks = told.lines().filter_map(|line| line.strip_prefix("tick "));
            let numbers = ticks.filter_map(|tick| tick.split(':').next()?.parse().ok());
            assert!(numbers.max() >= Some(3), "{told}");
            for source in ["tests/native/inline.c", "tests/native/misuse.c"] {
                run(compile(compiler, source, &options, Link::Shared), &[]);
            }
            let options = [&options[..], &["-pthread"]].concat();
            let source = "tests/native/cancel.c";
            run(compile(compiler, source, &options, Link::Shared), &[]);
            run(compile(compiler, source, &options, Link::Static), &[]);
        }
        let options = ["-std=c99", "-DCHRONOSCOPE_NO_INLINE"];
        run(compile(compiler, "tests/native/inline.c", &options, Link::Shared), &[]);
        let options = ["-std=c89", "-Wno-c99-extensions"];
        run(compile(compiler, "examples/elapsed.c", &options, Link::Static), &[]);
    }
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
fn the_bound_that_clockbound_states_is_taken() {
    let Some(compiler) = tool("cc") else { return };
    let program = compile(compiler, "tests/native/bound.c", &["-std=c99"], Link::Shared);
    run(program, &[installed().join("segment").as_os_str()]);
}

/// Each exported function in a thread that is cancelled at any instruction, without the counter,
/// and under filters that kill or refuse, from the first read on or later.
#[test]
#[cfg(target_os = "linux")]
fn every_function_can_be_cancelled_and_restricted() {
    let Some(compiler) = tool("cc") else { return };
    let program = compile(compiler, "tests/native/every.c", &["-O2", "-pthread"], Link::Shared);
    let listed = run(&program, &["list".as_ref()]);
    let mut listed: Vec<_> = listed.lines().collect();
    listed.sort_unstable();
    listed.dedup();
    let source = Path::new(FOLDER).join("src");
    let files = std::fs::read_dir(source).unwrap().map(|file| file.unwrap().path());
    let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let functions = text.split("fn ").filter(|part| part.starts_with("chronoscope_"));
    let mut exported: Vec<_> = functions.filter_map(|part| part.split('(').next()).collect();
    exported.sort_unstable();
    assert_eq!(listed, exported);
    for way in ["cancel", "tsc", "kill", "kill later", "refuse", "refuse later"] {
        run(&program, &[way.as_ref()]);
    }
}

#[test]
fn cxx_programs_are_built_and_run_with_every_standard() {
    let Some(compiler) = tool("c++") else { return };
    for standard in ["-std=c++11", "-std=c++17", "-std=c++2b"] {
        let options = [standard, "-pthread", "-Wold-style-cast", "-Wzero-as-null-pointer-constant"];
        let example = compile(compiler, "examples/chrono.cpp", &options, Link::Shared);
        let told = run(example, &[]);
        assert!(told.contains("sleep_until"), "{told}");
        // Neither wait is early.
        assert!(!told.contains(": -"), "{told}");
        run(compile(compiler, "tests/native/clock.cpp", &options, Link::Shared), &[]);
    }
    run(compile(compiler, "examples/chrono.cpp", &["-std=c++11"], Link::Static), &[]);
}

/// What the README shows, around functions of the reader.
#[test]
fn snippets_of_the_readme_are_compiled() {
    let text = include_str!("../README.md");
    let mut seen = 0;
    for part in text.split("\n```").filter(|part| part.starts_with('c')) {
        let Some((language, code)) = part.split_once('\n') else { continue };
        let (compiler, suffix) = match language {
            "c" => ("cc", "c"),
            "cpp" => ("c++", "cpp"),
            _ => continue,
        };
        let Some(compiler) = tool(compiler) else { continue };
        let (heads, body): (Vec<_>, Vec<_>) =
            code.lines().partition(|line| line.starts_with("#include"));
        let (heads, body) = (heads.join("\n"), body.join("\n"));
        // A harness brings its own `main`.
        let harness = heads.contains("<benchmark/");
        if harness && !Path::new("/usr/include/benchmark/benchmark.h").exists() {
            skip("libbenchmark-dev");
            continue;
        }
        let whole = if harness {
            format!("{heads}\nstatic int work() {{ return 1; }}\n{body}\nBENCHMARK_MAIN();\n")
        } else {
            format!(
                "{heads}\nstatic void work(void) {{}}\nint main(void) {{\n{body}\nwork();\n\
                 return 0;\n}}\n"
            )
        };
        let source = installed().join(format!("snippet-{seen}.{suffix}"));
        std::fs::write(&source, whole).unwrap();
        let mut options = vec!["-Wno-unused-variable", "-pthread"];
        options.extend(harness.then_some("-lbenchmark"));
        let program = compile(compiler, source.to_str().unwrap(), &options, Link::Static);
        let quick: &[&OsStr] = if harness { &["--benchmark_min_time=0.01".as_ref()] } else { &[] };
        let printed = run(program, quick);
        assert!(!harness || printed.contains("left_out"), "{printed}");
        seen += 1;
    }
    assert!(seen >= 2, "{seen}");
    assert!(!cfg!(target_os = "linux") || entry("Libs.private: ").contains("-lm"));
}

#[test]
fn python_calls_it() {
    let Some(python) = tool("python3") else {
        return;
    };
    let name = format!("{}chronoscope{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let library = installed().join("lib").join(name);
    let example = Path::new(FOLDER).join("examples/elapsed.py");
    let told = run(python, &[example.as_os_str(), library.as_os_str()]);
    assert!(told.contains("2 ms took") && told.contains("because"), "{told}");
    // A handler of Python runs during a wait.
    let interrupt = Path::new(FOLDER).join("tests/native/interrupt.py");
    let told = run(python, &[interrupt.as_os_str(), library.as_os_str()]);
    assert!(told.contains("interrupted"), "{told}");
}

#[test]
fn pkg_config_gives_the_right_options() {
    let Some(tool) = tool("pkg-config") else {
        return;
    };
    let ask = |what: &str| {
        let mut command = Command::new(tool);
        command
            .args([what, "chronoscope"])
            .env("PKG_CONFIG_PATH", installed().join("lib/pkgconfig"));
        String::from_utf8(succeeded(&mut command).stdout).unwrap()
    };
    let prefix = installed().display();
    assert_eq!(ask("--cflags").trim(), format!("-I{prefix}/include"));
    assert_eq!(ask("--libs").trim(), format!("-L{prefix}/lib -lchronoscope"));
    assert_eq!(ask("--modversion").trim(), env!("CARGO_PKG_VERSION"));
    assert!(entry("Libs.private: ").contains("-l"));
}

#[test]
fn cmake_finds_it_wherever_it_was_moved() {
    let Some(cmake) = tool("cmake") else { return };
    let moved = installed().join("moved");
    let build = installed().join("cmake");
    for folder in [&moved, &build] {
        let _ = std::fs::remove_dir_all(folder);
    }
    std::fs::create_dir_all(&moved).unwrap();
    let parts = ["lib", "include"].map(|part| installed().join(part));
    succeeded(Command::new("cp").arg("-a").args(parts).arg(&moved));
    let mut configure = Command::new(cmake);
    let source = Path::new(FOLDER).join("tests/native/cmake");
    configure.arg("-S").arg(source).arg("-B").arg(&build).args([
        format!("-DCMAKE_PREFIX_PATH={}", moved.display()),
        format!("-DVERSION={}", env!("CARGO_PKG_VERSION")),
    ]);
    succeeded(&mut configure);
    succeeded(Command::new(cmake).arg("--build").arg(&build));
    for program in ["with_chronoscope", "with_static"] {
        let told = run(build.join(program), &[]);
        assert!(told.contains("2 ms took"), "{told}");
    }
}
