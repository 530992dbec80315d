//! The languages that are interpreted, or compiled while they run.

use crate::declaration::{File, Install, PLAIN, Program, Runtime, Setting, Way};

/// The one way of an interpreter, which runs a probe as it is: its names as a file, the best first,
/// where it usually is, the option that prints its version, and the arguments that run the probe.
macro_rules! interpreter {
    ([$name:literal $(, $other:literal)*], $places:expr, $version:literal, $arguments:expr) => {
        &[Way {
            name: $name,
            programs: &[Program { name: "it", names: &[$name $(, $other)*], places: &$places }],
            version: &["{it}", $version],
            build: &[],
            run: &$arguments,
        }]
    };
}

pub const PYTHON: Runtime = Runtime {
    id: "python",
    name: "CPython",
    language: "Python",
    about: "The usual interpreter of Python. A call of a clock costs several times what the system \
            takes for it, because the value becomes an object. The clocks that return seconds as a \
            float lose digits: near the present time of day, neighbouring floats are 238 ns apart.",
    source: File { name: "probe.py", text: include_str!("../python/probe.py") },
    ways: interpreter!(
        ["python3", "python"],
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "$LOCALAPPDATA/Programs/Python/*"],
        "--version",
        ["{it}", "-I", "-S", "{source}"]
    ),
    oldest: Some("3.7"),
    settings: &[
        Setting {
            name: "PYTHON_GIL=0",
            effect: "Builds without the global lock count references atomically, which makes every \
                     call a little slower.",
        },
        Setting {
            name: "PYTHON_JIT=1",
            effect: "In builds with the experimental JIT (3.13 and later), compiles hot loops.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install python3" },
        Install { on: "Windows", command: "winget install Python.Python.3.13" },
        Install { on: "macOS", command: "brew install python" },
    ],
    references: &[
        "https://docs.python.org/3/library/time.html#time.get_clock_info",
        "PEP 418, PEP 564",
    ],
    ..PLAIN
};

pub const PYPY: Runtime = Runtime {
    id: "pypy",
    name: "PyPy",
    language: "Python",
    about: "Python with a JIT compiler, which keeps the value of a read in a register where \
            CPython makes an object. The probe is that of CPython.",
    source: File { name: "probe.py", text: include_str!("../python/probe.py") },
    ways: interpreter!(
        ["pypy3", "pypy"],
        ["/usr/bin", "/opt/homebrew/bin", "/opt/pypy*/bin"],
        "--version",
        ["{it}", "-I", "-S", "{source}"]
    ),
    oldest: Some("3.7"),
    settings: &[Setting {
        name: "--jit off",
        effect: "Interprets everything, so that a read costs more than in CPython.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install pypy3" },
        Install { on: "Windows", command: "winget install PyPy.PyPy" },
        Install { on: "macOS", command: "brew install pypy3" },
    ],
    references: &["https://doc.pypy.org/en/latest/cpython_differences.html"],
    ..PLAIN
};

pub const NODE: Runtime = Runtime {
    id: "node",
    name: "Node.js",
    language: "JavaScript",
    about: "JavaScript on V8 with libuv. process.hrtime.bigint() allocates a bigint per read, \
            performance.now() a number at most. Timers count whole milliseconds on a clock that \
            the event loop reads once per turn, so they can fire up to 1 ms early.",
    source: File { name: "probe.js", text: include_str!("../node/probe.js") },
    ways: interpreter!(
        ["node", "nodejs"],
        [
            "/usr/local/bin",
            "/opt/homebrew/bin",
            "$HOME/.nvm/versions/node/*/bin",
            "$ProgramFiles/nodejs",
        ],
        "--version",
        ["{it}", "{source}"]
    ),
    oldest: Some("16.9"),
    settings: &[
        Setting {
            name: "--jitless",
            effect: "Interprets everything, so that every loop and read is slower.",
        },
        Setting { name: "--no-opt", effect: "Disables the optimising compiler." },
    ],
    install: &[
        Install { on: "Debian", command: "apt install nodejs" },
        Install { on: "Windows", command: "winget install OpenJS.NodeJS.LTS" },
        Install { on: "macOS", command: "brew install node" },
    ],
    references: &[
        "https://nodejs.org/api/process.html#processhrtimebigint",
        "https://github.com/nodejs/node/issues/26578",
    ],
    ..PLAIN
};

pub const DENO: Runtime = Runtime {
    id: "deno",
    name: "Deno",
    language: "JavaScript",
    about: "JavaScript on V8 with tokio. performance.now() is a call of Rust with the resolution \
            of the system's clock. The probe is that of Node.js, whose interface Deno has too.",
    source: File { name: "probe.cjs", text: include_str!("../node/probe.js") },
    ways: interpreter!(
        ["deno"],
        ["$HOME/.deno/bin", "$HOME/.local/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "--version",
        ["{it}", "run", "--no-config", "--no-lock", "--no-prompt", "{source}"]
    ),
    oldest: Some("2.0"),
    env: &[("DENO_NO_UPDATE_CHECK", "1"), ("NO_COLOR", "1")],
    settings: &[Setting {
        name: "--v8-flags=--jitless",
        effect: "Interprets everything, so that every loop and read is slower.",
    }],
    install: &[
        Install { on: "PyPI", command: "pip install deno" },
        Install { on: "Windows", command: "winget install DenoLand.Deno" },
        Install { on: "macOS", command: "brew install deno" },
    ],
    references: &["https://docs.deno.com/api/web/~/Performance.now"],
    ..PLAIN
};

pub const BUN: Runtime = Runtime {
    id: "bun",
    name: "Bun",
    language: "JavaScript",
    about: "JavaScript on JavaScriptCore. Bun.nanoseconds() returns a number and so allocates \
            nothing, which process.hrtime.bigint() does. The probe is that of Node.js, whose \
            interface Bun has too.",
    source: File { name: "probe.cjs", text: include_str!("../node/probe.js") },
    ways: interpreter!(
        ["bun"],
        ["$HOME/.bun/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "--version",
        ["{it}", "run", "{source}"]
    ),
    oldest: Some("1.0"),
    env: &[("NO_COLOR", "1"), ("DO_NOT_TRACK", "1")],
    settings: &[Setting {
        name: "BUN_JSC_useJIT=0",
        effect: "Interprets everything, so that every loop and read is slower.",
    }],
    install: &[
        Install { on: "npm", command: "npm install --global bun" },
        Install { on: "Windows", command: "winget install Oven-sh.Bun" },
        Install { on: "macOS", command: "brew install oven-sh/bun/bun" },
    ],
    references: &["https://bun.sh/docs/api/utils#bun-nanoseconds"],
    ..PLAIN
};

pub const RUBY: Runtime = Runtime {
    id: "ruby",
    name: "Ruby",
    language: "Ruby",
    about: "Process.clock_gettime() names the clock of the system and the unit of the result: \
            :nanosecond returns an integer without an allocation, and no unit a float. Time.now \
            allocates two objects per read.",
    source: File { name: "probe.rb", text: include_str!("../ruby/probe.rb") },
    ways: interpreter!(
        ["ruby"],
        ["/usr/bin", "$HOME/.rbenv/shims", "/opt/homebrew/opt/ruby/bin", "$SystemDrive/Ruby*/bin"],
        "--version",
        ["{it}", "--disable=gems", "{source}"]
    ),
    oldest: Some("2.6"),
    settings: &[
        Setting {
            name: "--yjit",
            effect: "Compiles hot methods (3.1 and later), which makes the loop around a read \
                     cheaper.",
        },
        Setting {
            name: "RUBYOPT=--jit",
            effect: "Compiles hot methods with the JIT compiler of that version.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install ruby" },
        Install { on: "Windows", command: "winget install RubyInstallerTeam.Ruby.3.4" },
        Install { on: "macOS", command: "brew install ruby" },
    ],
    references: &["https://docs.ruby-lang.org/en/master/Process.html#method-c-clock_gettime"],
    ..PLAIN
};

pub const PHP: Runtime = Runtime {
    id: "php",
    name: "PHP",
    language: "PHP",
    about: "hrtime() reads the monotonic clock: with true it returns an integer, and without it an \
            array. microtime(true) reads whole microseconds and returns them as a float, whose \
            digits are 0.24 us apart near the present time of day.",
    source: File { name: "probe.php", text: include_str!("../php/probe.php") },
    ways: interpreter!(
        ["php"],
        ["/usr/bin", "/opt/homebrew/bin", "$ProgramFiles/PHP/*"],
        "--version",
        ["{it}", "-d", "display_errors=stderr", "{source}"]
    ),
    oldest: Some("7.3"),
    settings: &[
        Setting {
            name: "opcache.enable_cli=1 opcache.jit=tracing opcache.jit_buffer_size=64M",
            effect: "Compiles hot loops (8.0 and later), which makes what is around a read \
                     cheaper.",
        },
        Setting {
            name: "xdebug.mode=off",
            effect: "Stops Xdebug, if it is loaded, from doing work at each call.",
        },
    ],
    install: &[
        Install { on: "Debian", command: "apt install php-cli" },
        Install { on: "Windows", command: "winget install PHP.PHP.8.4" },
        Install { on: "macOS", command: "brew install php" },
    ],
    references: &["https://www.php.net/manual/en/function.hrtime.php"],
    ..PLAIN
};

/// Perl, with Time::HiRes, which is part of it.
pub const PERL: Runtime = Runtime {
    id: "perl",
    name: "Perl",
    language: "Perl",
    about: "All clocks of Time::HiRes return seconds as a float. Those of the monotonic clock keep \
            nanoseconds for months, those of the time of day 0.24 us. CLOCK_MONOTONIC is a \
            function too, whose call is part of each read; a variable that holds its value is \
            cheaper.",
    source: File { name: "probe.pl", text: include_str!("../perl/probe.pl") },
    ways: interpreter!(
        ["perl"],
        ["/usr/bin", "/opt/homebrew/bin", "$SystemDrive/Strawberry/perl/bin"],
        "--version",
        ["{it}", "{source}"]
    ),
    compiled: true,
    oldest: Some("5.14"),
    settings: &[Setting {
        name: "PERL5OPT=-d:NYTProf",
        effect: "Profiles each statement, with two reads of a clock of its own.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install perl" },
        Install { on: "Windows", command: "winget install StrawberryPerl.StrawberryPerl" },
        Install { on: "macOS", command: "brew install perl" },
    ],
    references: &["https://perldoc.perl.org/Time::HiRes"],
    ..PLAIN
};

pub const LUAJIT: Runtime = Runtime {
    id: "luajit",
    name: "LuaJIT",
    language: "Lua",
    about: "Lua itself has only os.time(), in whole seconds, and os.clock(), which is CPU time. \
            Programs on LuaJIT call the system's clock through ffi; compiled, such a call costs \
            as much as in C.",
    source: File { name: "probe.lua", text: include_str!("../luajit/probe.lua") },
    ways: interpreter!(
        ["luajit", "luajit-2.1"],
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"],
        "-v",
        ["{it}", "{source}"]
    ),
    oldest: Some("2.0"),
    settings: &[Setting {
        name: "-joff",
        effect: "Interprets everything; a call through ffi then costs some hundred nanoseconds.",
    }],
    install: &[
        Install { on: "Debian", command: "apt install luajit" },
        Install { on: "Windows", command: "winget install DEVCOM.LuaJIT" },
        Install { on: "macOS", command: "brew install luajit" },
    ],
    references: &["https://luajit.org/ext_ffi.html"],
    ..PLAIN
};
