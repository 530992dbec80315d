//! C++, with every compiler that is found, at every level of optimisation.

use crate::c::{LEVELS, PLACES, SHARED};
use crate::declaration::{File, Install, Program, RUNTIME as PLAIN, Runtime, Way};

pub const RUNTIME: Runtime = Runtime {
    id: "cxx",
    name: "C++",
    language: "C++",
    about: "The clocks of <chrono>, as every compiler that is found compiles them. steady_clock \
            and system_clock are functions of the C++ library around calls of the C library.",
    source: File { name: "probe.cpp", text: include_str!("../cxx/probe.cpp") },
    files: &[SHARED],
    ways: &[
        Way {
            name: "g++",
            programs: &[Program { name: "cxx", names: &["g++"], places: PLACES }],
            version: &["{cxx}", "-dumpfullversion"],
            build: &[&["{cxx}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
            run: &["{dir}/probe{exe}"],
        },
        Way {
            name: "clang++",
            programs: &[Program {
                name: "cxx",
                names: &[
                    "clang++",
                    "clang++-21",
                    "clang++-20",
                    "clang++-19",
                    "clang++-18",
                    "clang++-16",
                    "clang++-14",
                ],
                places: PLACES,
            }],
            version: &["{cxx}", "--version"],
            build: &[&["{cxx}", "{level}", "-o", "{dir}/probe{exe}", "{source}"]],
            run: &["{dir}/probe{exe}"],
        },
        #[cfg(not(windows))]
        Way {
            name: "mingw",
            programs: &[
                Program {
                    name: "cxx",
                    names: &["x86_64-w64-mingw32-g++-posix", "x86_64-w64-mingw32-g++"],
                    places: PLACES,
                },
                crate::c::WINE,
            ],
            version: &["{cxx}", "-dumpfullversion"],
            build: &[
                &["{cxx}", "{level}", "-static", "-o", "{dir}/probe.exe", "{source}"],
                crate::c::WINE_STARTS,
            ],
            run: &["{wine}", "{dir}/probe.exe"],
        },
    ],
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
