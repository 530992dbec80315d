//! The waits of language runtimes. The probe of the runtime makes them in a process of its own
//! (`PROTOCOL.md` of chronoscope-runtimes) and knows each by the name behind its runtime's. The
//! code on its page is what the probe does, for one wait.
//!
//! The waits of libraries for C, C++ and Rust whose probes are built when they are wanted
//! (`compiled.rs` of chronoscope-runtimes), so that this tool depends on none of them.

use super::entry::{Code, DEADLINE, DURATION, Entry, Facts, Kind, Language, PLAIN, TimerSlack};

/// A sleep in a futex, or in nanosleep(2): the slack of the thread applies.
pub(super) const NS: Facts = DURATION;
const US: Facts = Facts { unit_ns: 1_000, ..DURATION };
const MS: Facts = Facts { unit_ns: 1_000_000, ..DURATION };
/// A sleep in select(2), poll(2) or epoll_wait(2), which have a slack of their own.
pub(super) const POLL: Facts = Facts { timer_slack: TimerSlack::Share, ..DURATION };
/// A timer that the kernel arms without the slack of the thread.
pub(super) const TIMERFD: Facts = Facts { timer_slack: TimerSlack::Unused, ..DURATION };
pub(super) const POLL_MS: Facts = Facts { timer_slack: TimerSlack::Share, ..MS };
/// A timer of JavaScript: the event loop reads its clock in whole milliseconds, once per turn.
pub(super) const TIMER: Facts = Facts { early_by_design_ns: 1_000_000, ..POLL_MS };

/// The waits of a runtime: `name: call, facts, kind;`.
macro_rules! waits {
    ($table:ident = $runtime:literal $language:ident, $home:literal, $reference:literal;
     $($name:literal: $call:literal, $facts:expr, $kind:ident;)*
    ) => {
        pub(super) const $table: &[Entry] = &[$(Entry {
            id: concat!($runtime, "/", $name),
            call: $call,
            language: Language::$language,
            kind: Kind::$kind,
            facts: $facts,
            slack: !matches!(Kind::$kind, Kind::Busy),
            home: $home,
            references: &[$reference],
            runtime: Some($runtime),
            code: Code::OnPage,
            ..PLAIN
        }),*];
    };
}

/// The waits of Python's standard library.
macro_rules! python {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime Python, $home, "docs.python.org/3/library/time.html#time.sleep";
            "sleep": "time.sleep(seconds)", NS, Sleep;
            "event-wait": "threading.Event().wait(seconds)", NS, Sleep;
            "lock-acquire": "lock.acquire(timeout=seconds)", NS, Sleep;
            "queue-get": "queue.SimpleQueue().get(timeout=seconds)", NS, Sleep;
            "condition-wait": "threading.Condition().wait(seconds)", NS, Sleep;
            "socket-recv": "socket.recv(size) # settimeout(seconds)", POLL_MS, Sleep;
            "select": "select.select([], [], [], seconds)", POLL, Sleep;
            "poll": "select.poll().poll(ms)", POLL_MS, Sleep;
            "epoll": "select.epoll().poll(seconds)", POLL_MS, Sleep;
            "asyncio-sleep": "await asyncio.sleep(seconds)", POLL_MS, Sleep;
            "call-at": "loop.call_at(when, callback)",
                Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000_000, ..DEADLINE }, Sleep;
            $($more)*
        }
    };
}

python! {
    PYTHON = "python", "systems with CPython 3.7 or later"
    "chronoscope": "chronoscope_clock.wait(seconds)", NS, Hybrid;
    "clock-sleep": "await chronoscope_clock.sleep(seconds)", TIMERFD, Hybrid;
    "uvloop-sleep": "await asyncio.sleep(seconds) # uvloop", TIMER, Sleep;
    "uvloop-call-at": "loop.call_at(when, callback) # uvloop",
        Facts { takes: DEADLINE.takes, ..TIMER }, Sleep;
    "uvloop-clock-sleep": "await chronoscope_clock.sleep(seconds) # uvloop", TIMERFD, Hybrid;
}
python! { PYPY = "pypy", "systems with PyPy 3.7 or later" }

/// The waits of runtimes with the interface of Node.js.
macro_rules! javascript {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime JavaScript, $home, "nodejs.org/api/timers.html";
            "settimeout": "setTimeout(callback, ms)", TIMER, Sleep;
            "settimeout-await": "await new Promise((done) => setTimeout(done, ms))", TIMER, Sleep;
            "timers-promises": "await setTimeout(ms) // node:timers/promises", TIMER, Sleep;
            "setinterval": "setInterval(callback, ms)", TIMER, Sleep;
            "setimmediate": "while (now() < deadline) await setImmediate()", DEADLINE, Busy;
            "atomics-wait": "Atomics.wait(cells, 0, 0, ms)", NS, Sleep;
            $($more)*
        }
    };
}

javascript! { NODE = "node", "systems with Node.js 16 or later" }
javascript! { DENO = "deno", "systems with Deno 2 or later" }
javascript! {
    BUN = "bun", "systems with Bun"
    "sleep": "await Bun.sleep(ms)", TIMER, Sleep;
    "sleep-sync": "Bun.sleepSync(ms)", MS, Sleep;
}

waits! {
    JAVA = "java" Java, "systems with Java 8 or later",
        "docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Thread.html";
    "sleep": "Thread.sleep(ms)", MS, Sleep;
    "sleep-nanos": "Thread.sleep(ms, ns)", NS, Sleep;
    "park-nanos": "LockSupport.parkNanos(ns)", NS, Sleep;
    "object-wait": "object.wait(ms)", MS, Sleep;
    "condition-await": "condition.awaitNanos(ns)", NS, Sleep;
    "queue-poll": "queue.poll(ns, TimeUnit.NANOSECONDS)", NS, Sleep;
    "scheduled-executor": "executor.schedule(task, ns, TimeUnit.NANOSECONDS)", NS, Sleep;
    "virtual-thread-sleep": "Thread.sleep(ms) // in a virtual thread", MS, Sleep;
}

waits! {
    GO = "go" Go, "systems with Go 1.17 or later", "pkg.go.dev/time";
    "sleep": "time.Sleep(d)", POLL, Sleep;
    "timer": "<-time.NewTimer(d).C", POLL, Sleep;
    "ticker": "<-ticker.C", POLL, Sleep;
    "select-after": "select { case <-time.After(d): case <-stop: }", POLL, Sleep;
    "context": "<-context.WithTimeout(parent, d).Done()", POLL, Sleep;
}

/// The waits of every .NET.
macro_rules! dotnet {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime CSharp, $home,
                "learn.microsoft.com/dotnet/api/system.threading.thread.sleep";
            "thread-sleep": "Thread.Sleep(ms)", MS, Sleep;
            "task-delay": "await Task.Delay(ms)", TIMER, Sleep;
            "timer": "new Timer(callback, null, ms, Timeout.Infinite)", TIMER, Sleep;
            "monitor-wait": "Monitor.Wait(lock, ms)", MS, Sleep;
            "event-wait": "new ManualResetEventSlim().Wait(ms)", MS, Hybrid;
            "spin-wait": "while (Stopwatch.GetTimestamp() < deadline) spin.SpinOnce()",
                DEADLINE, Hybrid;
            $($more)*
        }
    };
}

dotnet! {
    CORECLR = "dotnet-coreclr", "systems with .NET Core 3 or later"
    "periodic-timer": "await periodicTimer.WaitForNextTickAsync()", TIMER, Sleep;
}
dotnet! { MONO = "dotnet-mono", "systems with Mono" }

waits! {
    RUBY = "ruby" Ruby, "systems with Ruby 2.6 or later",
        "docs.ruby-lang.org/en/master/Kernel.html#method-i-sleep";
    "sleep": "sleep(seconds)", NS, Sleep;
    "condition-wait": "condition.wait(mutex, seconds)", NS, Sleep;
    "io-select": "IO.select(nil, nil, nil, seconds)", POLL, Sleep;
    "thread-join": "thread.join(seconds)", NS, Sleep;
    "queue-pop": "Queue.new.pop(timeout: seconds)", NS, Sleep;
}

waits! {
    PERL = "perl" Perl, "systems with Perl 5.14 or later", "perldoc.perl.org/Time::HiRes";
    "sleep": "Time::HiRes::sleep(seconds)", NS, Sleep;
    "usleep": "Time::HiRes::usleep(us)", US, Sleep;
    "nanosleep": "Time::HiRes::nanosleep(ns)", NS, Sleep;
    "clock-nanosleep": "Time::HiRes::clock_nanosleep(CLOCK_MONOTONIC, ns, TIMER_ABSTIME)",
        DEADLINE, Sleep;
    "select": "select(undef, undef, undef, seconds)", POLL, Sleep;
}

waits! {
    PHP = "php" Php, "systems with PHP 7.3 or later",
        "www.php.net/manual/en/function.time-nanosleep.php";
    "usleep": "usleep(us)", US, Sleep;
    "time-nanosleep": "time_nanosleep(s, ns)", NS, Sleep;
    "time-sleep-until": "time_sleep_until(timestamp)",
        Facts { early_by_design_ns: 1_000, ..NS }, Sleep;
    "stream-select": "stream_select($read, $write, $except, s, us)",
        Facts { timer_slack: TimerSlack::Share, ..US }, Sleep;
}

waits! {
    LUAJIT = "luajit" Lua, "systems with LuaJIT 2", "luajit.org/ext_ffi.html";
    "nanosleep": "ffi.C.nanosleep(time, nil)", NS, Sleep;
    "clock-nanosleep": "ffi.C.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, nil)",
        DEADLINE, Sleep;
    "poll": "ffi.C.poll(nil, 0, ms)", POLL_MS, Sleep;
}

waits! {
    ERLANG = "erlang" Erlang, "systems with Erlang/OTP 21 or later",
        "www.erlang.org/doc/apps/erts/time_correction.html";
    "receive-after": "receive after Ms -> ok end", POLL_MS, Sleep;
    "timer-sleep": "timer:sleep(Ms)", POLL_MS, Sleep;
    "send-after": "erlang:send_after(Ms, self(), go_on)", POLL_MS, Sleep;
    "start-timer": "erlang:start_timer(Ms, self(), go_on, [{abs, true}])",
        Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000_000, ..DEADLINE }, Sleep;
}

/// The waits of an engine of WebAssembly, made by the probe of Rust.
macro_rules! wasi {
    ($table:ident = $runtime:literal, $home:literal, $poll:expr $(; $($more:tt)*)?) => {
        waits! {
            $table = $runtime WebAssembly, $home,
                "github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#poll_oneoff";
            "thread-sleep": "std::thread::sleep(duration)", $poll, Sleep;
            "poll-oneoff": "poll_oneoff(&clock, &event, 1, &seen)", $poll, Sleep;
            $($($more)*)?
        }
    };
}

wasi! {
    WASMTIME = "wasmtime", "systems with Wasmtime", NS;
    "poll-oneoff-abstime": "poll_oneoff(&clock, &event, 1, &seen) // abstime", DEADLINE, Sleep;
}
wasi! { WAZERO = "wazero", "systems with wazero", POLL }
wasi! { NODE_WASI = "node-wasi", "systems with Node.js 20 or later", POLL_MS }

waits! {
    UV = "libuv" C, "systems with libuv", "docs.libuv.org/en/v1.x/timer.html";
    "timer": "uv_timer_start(&timer, callback, ms, 0)", TIMER, Sleep;
    "timer-repeat": "uv_timer_start(&timer, callback, ms, ms)", TIMER, Sleep;
}

/// libevent's own clock is CLOCK_MONOTONIC_COARSE, which steps with the kernel's tick of up to
/// 10 ms.
const COARSE: Facts = Facts { early_by_design_ns: 10_000_000, ..POLL_MS };

waits! {
    EVENT = "libevent" C, "systems with libevent 2.1 or later",
        "libevent.org/libevent-book/Ref2_eventbase.html";
    "timer": "evtimer_add(timer, &time)", COARSE, Sleep;
    "timer-precise": "evtimer_add(timer, &time) /* PRECISE_TIMER */",
        Facts { unit_ns: 1_000, ..TIMERFD }, Sleep;
    "timer-persist": "event_new(base, -1, EV_PERSIST, callback, NULL)", COARSE, Sleep;
}

waits! {
    ASIO = "asio" Cxx, "systems with Asio or Boost",
        "think-async.com/Asio/asio-1.30.2/doc/asio/reference/steady_timer.html";
    "expires-after": "timer.expires_after(duration), timer.async_wait(callback)", TIMERFD, Sleep;
    "expires-at": "timer.expires_at(deadline), timer.async_wait(callback)",
        Facts { takes: DEADLINE.takes, ..TIMERFD }, Sleep;
    "timer-wait": "timer.wait()",
        Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000, ..NS }, Sleep;
}

waits! {
    OWN_C = "libchronoscope" C, "systems with this project's library for C", "chronoscope.h";
    "sleep-ns": "chronoscope_sleep_ns(ns, NULL)", NS, Hybrid;
    "waiter-precise": "chronoscope_waiter_sleep_ns(waiter, ns, NULL) /* PRECISE */", NS, Hybrid;
    "waiter-economy": "chronoscope_waiter_sleep_ns(waiter, ns, NULL) /* ECONOMY */", NS, Hybrid;
    "ticker": "chronoscope_ticker_tick(ticker, NULL)", NS, Hybrid;
}

waits! {
    OWN_CXX = "libchronoscope-cxx" Cxx, "systems with this project's library for C++",
        "chronoscope.hpp";
    "sleep-for": "chronoscope::sleep_for(duration)", NS, Hybrid;
    "sleep-until": "chronoscope::sleep_until(deadline)", DEADLINE, Hybrid;
}

waits! {
    TOKIO = "tokio" Rust, "systems with cargo", "docs.rs/tokio/latest/tokio/time";
    "sleep": "tokio::time::sleep(duration).await", POLL_MS, Sleep;
    "sleep-until": "tokio::time::sleep_until(deadline).await",
        Facts { takes: DEADLINE.takes, ..POLL_MS }, Sleep;
    "timeout": "tokio::time::timeout(duration, future).await", POLL_MS, Sleep;
    "interval": "interval.tick().await", POLL_MS, Sleep;
    "sleep-one-thread": "tokio::time::sleep(duration).await // current_thread", POLL_MS, Sleep;
}

waits! {
    ASYNC_IO = "async-io" Rust, "systems with cargo",
        "docs.rs/async-io/latest/async_io/struct.Timer.html";
    "timer-after": "async_io::Timer::after(duration).await", TIMERFD, Sleep;
    "timer-at": "async_io::Timer::at(instant).await",
        Facts { takes: DEADLINE.takes, ..TIMERFD }, Sleep;
}

waits! {
    SMOL = "smol" Rust, "systems with cargo", "docs.rs/smol/latest/smol/struct.Timer.html";
    "timer-after": "smol::Timer::after(duration).await", TIMERFD, Sleep;
    "timer-at": "smol::Timer::at(instant).await", Facts { takes: DEADLINE.takes, ..TIMERFD }, Sleep;
    "timer-interval": "interval.next().await // smol::Timer::interval(period)", TIMERFD, Sleep;
}
