//! Java, as an OpenJDK runs it.

use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Setting, Way};

/// Where Java usually is.
const PLACES: &[&str] = &[
    "$JAVA_HOME/bin",
    "/usr/lib/jvm/*/bin",
    "/opt/homebrew/opt/openjdk/bin",
    "$HOME/.sdkman/candidates/java/current/bin",
    "$ProgramFiles/Java/*/bin",
    "$ProgramFiles/Eclipse Adoptium/*/bin",
];

pub const RUNTIME: Runtime = Runtime {
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
            Program { name: "java", names: &["java"], places: PLACES },
            Program { name: "javac", names: &["javac"], places: PLACES },
        ],
        version: &["{java}", "-version"],
        build: &[&["{javac}", "-encoding", "UTF-8", "-d", "{dir}", "{source}"]],
        run: &["{java}", "-cp", "{dir}", "Probe"],
    }],
    oldest: Some("1.8"),
    settings: &[
        Setting {
            name: "-XX:TieredStopAtLevel=1",
            effect: "Leaves out the optimising compiler, so that the code around a read is slower.",
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
