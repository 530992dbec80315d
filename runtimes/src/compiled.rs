//! The languages that are compiled before they run.

use crate::declaration::{File, Install, PLAIN, Program, Runtime, Setting, Way};

const LEVELS: &[&str] = &["-O0", "-O1", "-O2", "-O3"];

/// The file that the probes of C and C++ share.
pub(crate) const SHARED: File = File { name: "probe.h", text: include_str!("../c/probe.h") };

pub(crate) const PLACES: &[&str] = &["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// Runs programs for Windows on other systems.
#[cfg(not(windows))]
const WINE: Program =
    Program { name: "wine", names: &["wine", "wine64"], places: &["/usr/bin", "/usr/lib/wine"] };

/// The compilers of C and C++: GCC, Clang, and MinGW's GCC for Windows.
macro_rules! compilers {
    ($gcc:literal, $clang:literal: $clangs:expr, $mingw:expr) => {
        &[
            Way {
                name: $gcc,
                programs: &[Program { name: "cc", names: &[$gcc], places: PLACES }],
                version: &["{cc}", "-dumpfullversion"],
                build: &[&["{cc}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
                run: &["{dir}/probe{exe}"],
            },
            Way {
                name: $clang,
                programs: &[Program { name: "cc", names: $clangs, places: PLACES }],
                version: &["{cc}", "--version"],
                build: &[&["{cc}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
                run: &["{dir}/probe{exe}"],
            },
            #[cfg(not(windows))]
            Way {
                name: "mingw",
                programs: &[Program { name: "cc", names: $mingw, places: PLACES }, WINE],
                version: &["{cc}", "-dumpfullversion"],
                build: &[
                    &["{cc}", "{level}", "-static", "-o", "{dir}/probe.exe", "{source}"],
                    // The first start of Wine creates the user's drive C, which may take as long as
                    // compiling.
                    &["{wine}", "cmd", "/c", "ver"],
                ],
                run: &["{wine}", "{dir}/probe.exe"],
            },
        ]
    };
}

/// C, with every compiler that is found, at every level of optimisation.
pub const C: Runtime = Runtime {
    id: "c",
    name: "C",
    language: "C",
    about: "The calls of the C library, as every compiler that is found makes them. The level of \
            optimisation changes the loop around a read, not the read itself, which is in the C \
            library and the kernel.",
    source: File { name: "probe.c", text: include_str!("../c/probe.c") },
    files: &[SHARED],
    ways: compilers!(
        "gcc",
        "clang": &[
            "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-16", "clang-14",
        ],
        &["x86_64-w64-mingw32-gcc"]
    ),
    every_way: true,
    levels: LEVELS,
    compiled: true,
    env: &[("WINEDEBUG", "-all")],
    install: &[
        Install { on: "Debian", command: "apt install gcc libc6-dev" },
        Install { on: "Windows", command: "winget install MSYS2.MSYS2" },
        Install { on: "macOS", command: "xcode-select --install" },
    ],
    references: &["clock_gettime(2)", "vdso(7)"],
    ..PLAIN
};

/// C++, with every compiler that is found, at every level of optimisation.
pub const CXX: Runtime = Runtime {
    id: "cxx",
    name: "C++",
    language: "C++",
    about: "The clocks of <chrono>, as every compiler that is found compiles them. steady_clock \
            and system_clock are functions of the C++ library around calls of the C library.",
    source: File { name: "probe.cpp", text: include_str!("../cxx/probe.cpp") },
    files: &[SHARED],
    ways: compilers!(
        "g++",
        "clang++": &[
            "clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-16",
            "clang++-14",
        ],
        &["x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"]
    ),
    every_way: true,
    levels: LEVELS,
    compiled: true,
    env: &[("WINEDEBUG", "-all")],
    install: &[
        Install { on: "Debian", command: "apt install g++" },
        Install { on: "Windows", command: "winget install MSYS2.MSYS2" },
        Install { on: "macOS", command: "xcode-select --install" },
    ],
    references: &["ISO C++, [time.clock]"],
    ..PLAIN
};

/// Rust, with the compiler that is found. The probe is one file, which needs no package.
pub const RUST: Runtime = Runtime {
    id: "rust",
    name: "Rust",
    language: "Rust",
    about: "The clocks of Rust's standard library, compiled by rustc as `cargo build --release` \
            does. On Unix, Instant::now() and SystemTime::now() call clock_gettime() of the C \
            library, and on Windows QueryPerformanceCounter() and \
            GetSystemTimePreciseAsFileTime(). The library also has the arithmetic: elapsed() is a \
            read and a subtraction.",
    source: File { name: "probe.rs", text: include_str!("../rust/probe.rs") },
    files: &[File { name: "version", text: "{version}" }],
    ways: &[Way {
        name: "rustc",
        programs: &[Program {
            name: "rustc",
            names: &["rustc"],
            places: &["$CARGO_HOME/bin", "$HOME/.cargo/bin", "/usr/bin", "/opt/homebrew/bin"],
        }],
        version: &["{rustc}", "--version"],
        build: &[&[
            "{rustc}",
            "--edition=2021",
            "-Copt-level=3",
            "-o",
            "{dir}/probe{exe}",
            "{source}",
        ]],
        run: &["{dir}/probe{exe}"],
    }],
    compiled: true,
    oldest: Some("1.66"),
    settings: &[Setting {
        name: "-Copt-level=0",
        effect: "Compiles as `cargo build` does, so that a read also costs calls of functions that \
                 are otherwise inlined.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install rustc" },
        Install { on: "Windows", command: "winget install Rustlang.Rustup" },
        Install { on: "macOS", command: "brew install rust" },
    ],
    references: &["https://doc.rust-lang.org/std/time/struct.Instant.html"],
    ..PLAIN
};

const JAVA_PLACES: &[&str] = &[
    "$JAVA_HOME/bin",
    "/usr/lib/jvm/*/bin",
    "/opt/homebrew/opt/openjdk/bin",
    "$HOME/.sdkman/candidates/java/current/bin",
    "$ProgramFiles/Java/*/bin",
    "$ProgramFiles/Eclipse Adoptium/*/bin",
];

pub const JAVA: Runtime = Runtime {
    id: "java",
    name: "Java",
    language: "Java",
    about: "The HotSpot virtual machine. System.nanoTime() and System.currentTimeMillis() are \
            intrinsics: compiled code calls the function in the virtual machine that reads the \
            system's clock, without JNI. Instant.now() allocates an object per read. The manual \
            promises nanoseconds as the unit of nanoTime(), but no resolution.",
    source: File { name: "Probe.java", text: include_str!("../java/Probe.java") },
    ways: &[Way {
        name: "jdk",
        programs: &[
            Program { name: "java", names: &["java"], places: JAVA_PLACES },
            Program { name: "javac", names: &["javac"], places: JAVA_PLACES },
        ],
        version: &["{java}", "-version"],
        build: &[&["{javac}", "-encoding", "UTF-8", "-d", "{dir}", "{source}"]],
        run: &["{java}", "-cp", "{dir}", "Probe"],
    }],
    oldest: Some("1.8"),
    settings: &[
        Setting {
            name: "-XX:TieredStopAtLevel=1",
            effect: "Disables the optimising compiler, so that the code around a read is slower.",
        },
        Setting {
            name: "-Xint",
            effect: "Interprets everything, so that a read costs a call through JNI.",
        },
        Setting {
            name: "-XX:+ForceTimeHighResolution",
            effect: "On Windows, keeps the system's timer at 1 ms, so that Thread.sleep() ends \
                     sooner.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install default-jdk-headless" },
        Install { on: "Windows", command: "winget install EclipseAdoptium.Temurin.21.JDK" },
        Install { on: "macOS", command: "brew install openjdk" },
    ],
    references: &[
        "https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/System.html\
         #nanoTime()",
        "https://shipilev.net/blog/2014/nanotrusting-nanotime/",
    ],
    ..PLAIN
};

/// Go, with the compiler of its own project.
pub const GO: Runtime = Runtime {
    id: "go",
    name: "Go",
    language: "Go",
    about: "time.Now() reads two clocks of the system, the wall clock and the monotonic clock, and \
            so costs about twice as much as time.Since(), which reads only the second. Both switch \
            to the stack of the system thread, because the vDSO needs more than a goroutine has.",
    source: File { name: "probe.go", text: include_str!("../go/probe.go") },
    ways: &[Way {
        name: "go",
        programs: &[Program {
            name: "go",
            names: &["go"],
            places: &[
                "/usr/local/go/bin",
                "/usr/lib/go*/bin",
                "/opt/homebrew/bin",
                "$HOME/go/bin",
                "$ProgramFiles/Go/bin",
            ],
        }],
        version: &["{go}", "version"],
        build: &[&["{go}", "build", "-o", "{dir}/probe{exe}", "{source}"]],
        run: &["{dir}/probe{exe}"],
    }],
    compiled: true,
    oldest: Some("1.17"),
    env: &[
        // Nothing is downloaded, and no file around the probe counts.
        ("GOTOOLCHAIN", "local"),
        ("GO111MODULE", "off"),
        ("GOFLAGS", ""),
        ("GOWORK", "off"),
    ],
    settings: &[
        Setting {
            name: "GODEBUG=asynctimerchan=1",
            effect: "Restores the timer channels of Go 1.22 and before, in which a time can be old \
                     when it is received.",
        },
        Setting {
            name: "GODEBUG=asyncpreemptoff=1",
            effect: "Disables the signals that preempt a goroutine, so that a loop that only reads \
                     a clock can delay the garbage collector and other goroutines.",
        },
        Setting {
            name: "-gcflags='all=-N -l'",
            effect: "Compiles for a debugger, without inlining, so that each read costs more.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install golang-go" },
        Install { on: "Windows", command: "winget install GoLang.Go" },
        Install { on: "macOS", command: "brew install go" },
    ],
    references: &[
        "https://pkg.go.dev/time#hdr-Monotonic_Clocks",
        "https://github.com/golang/go/issues/18237",
    ],
    ..PLAIN
};

const ERLANG_PLACES: &[&str] = &[
    "/usr/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/usr/lib/erlang/bin",
    "$ProgramFiles/Erlang OTP/bin",
];

pub const ERLANG: Runtime = Runtime {
    id: "erlang",
    name: "Erlang/OTP",
    language: "Erlang",
    about: "erlang:monotonic_time() is the system's monotonic clock with corrections by the \
            virtual machine, and erlang:system_time() that value and an offset; os:system_time() \
            is the system's own clock. The virtual machine reports which calls it makes. \
            timer:sleep() is served by a wheel of whole milliseconds.",
    source: File { name: "probe.erl", text: include_str!("../erlang/probe.erl") },
    ways: &[Way {
        name: "erl",
        programs: &[
            Program { name: "erl", names: &["erl"], places: ERLANG_PLACES },
            Program { name: "erlc", names: &["erlc"], places: ERLANG_PLACES },
        ],
        version: &[
            "{erl}",
            "-noshell",
            "-eval",
            "io:format(\"~s.0\", [erlang:system_info(otp_release)]), halt().",
        ],
        build: &[&["{erlc}", "-o", "{dir}", "{source}"]],
        // One scheduler, because it is pinned to one CPU.
        run: &["{erl}", "-noshell", "+S", "1", "-pa", "{dir}", "-eval", "probe:main()."],
    }],
    compiled: true,
    oldest: Some("21.0"),
    env: &[("ERL_CRASH_DUMP_SECONDS", "0")],
    settings: &[
        Setting {
            name: "+c false",
            effect: "Disables time correction, so that the monotonic clock stops while the wall \
                     clock is ahead of the system's.",
        },
        Setting {
            name: "+C multi_time_warp",
            effect: "Lets the offset of the wall clock change at any time; the monotonic clock is \
                     then more accurate.",
        },
        Setting {
            name: "+sbwt none",
            effect: "Lets schedulers sleep at once when they have nothing to do, which makes \
                     timers later and saves CPU time.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install erlang-base" },
        Install { on: "Windows", command: "winget install Erlang.ErlangOTP" },
        Install { on: "macOS", command: "brew install erlang" },
    ],
    references: &["https://www.erlang.org/doc/apps/erts/time_correction.html"],
    ..PLAIN
};
