//! The waits of language runtimes. The probe of the runtime makes them in a process of its own
//! (`PROTOCOL.md` of chronoscope-runtimes) and knows each by the name behind its runtime's. The
//! code is what the probe does, for one wait.

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

/// The waits of a runtime: `name: call, facts, kind, about, code;`.
macro_rules! waits {
    ($table:ident = $runtime:literal $language:ident, $home:literal, $reference:literal;
     $($name:literal: $call:literal, $facts:expr, $kind:ident, $about:literal, $code:literal;)*
    ) => {
        pub(super) const $table: &[Entry] = &[$(Entry {
            id: concat!($runtime, "/", $name),
            call: $call,
            language: Language::$language,
            kind: Kind::$kind,
            facts: $facts,
            slack: !matches!(Kind::$kind, Kind::Busy),
            home: $home,
            about: $about,
            references: &[$reference],
            runtime: Some($runtime),
            code: Code::Text($code),
            ..PLAIN
        }),*];
    };
}

/// The waits of Python's standard library.
macro_rules! python {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime Python, $home, "docs.python.org/3/library/time.html#time.sleep";
            "sleep": "time.sleep(seconds)", NS, Sleep,
                "Since CPython 3.11 clock_nanosleep until a time of the monotonic clock, before \
                 that select(2). The interpreter takes its lock again before it goes on.",
                "import time\ntime.sleep({s})";
            "event-wait": "threading.Event().wait(seconds)", NS, Sleep,
                "The wait of a thread that another one may end. It makes a lock, and waits for it \
                 with a time-out.",
                "import threading\nstopped = threading.Event()\nstopped.wait({s})";
            "lock-acquire": "lock.acquire(timeout=seconds)", NS, Sleep,
                "Waits for a lock that is taken: sem_clockwait, or a condition variable.",
                "import threading\nlock = threading.Lock()\nlock.acquire()\n\
                 lock.acquire(timeout={s})";
            "queue-get": "queue.SimpleQueue().get(timeout=seconds)", NS, Sleep,
                "Waits for an entry of a queue that stays empty.",
                "import queue\nentries = queue.SimpleQueue()\ntry:\n    entries.get(timeout={s})\n\
                 except queue.Empty:\n    pass";
            "condition-wait": "threading.Condition().wait(seconds)", NS, Sleep,
                "Waits to be notified: a lock of its own for each wait, with a time-out.",
                "import threading\nchanged = threading.Condition()\nwith changed:\n    \
                 changed.wait({s})";
            "socket-recv": "socket.recv(size) # settimeout(seconds)", POLL_MS, Sleep,
                "Reads from a socket that stays silent: poll(2), in whole milliseconds, rounded \
                 up.",
                "import socket\nsilent, other = socket.socketpair()\nsilent.settimeout({s})\n\
                 try:\n    silent.recv(1)\nexcept TimeoutError:\n    pass";
            "select": "select.select([], [], [], seconds)", POLL, Sleep,
                "select(2) with a time-out in microseconds.",
                "import select\nselect.select([], [], [], {s})";
            "poll": "select.poll().poll(ms)", POLL_MS, Sleep,
                "poll(2), whose time-out is rounded up to whole milliseconds.",
                "import select\nready = select.poll()\nready.poll({ms})";
            "epoll": "select.epoll().poll(seconds)", POLL_MS, Sleep,
                "epoll_wait(2), whose time-out is rounded up to whole milliseconds.",
                "import select\nready = select.epoll()\nready.poll({s})";
            "asyncio-sleep": "await asyncio.sleep(seconds)", POLL_MS, Sleep,
                "A timer of the event loop, which sleeps in epoll_wait(2) for whole milliseconds, \
                 rounded up.",
                "import asyncio\n\nasync def main():\n    await asyncio.sleep({s})\n\n\
                 asyncio.run(main())";
            "call-at": "loop.call_at(when, callback)",
                Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000_000, ..DEADLINE }, Sleep,
                "A callback of the event loop at a time of its clock.",
                "import asyncio\n\nasync def main():\n    loop = asyncio.get_running_loop()\n    \
                 done = loop.create_future()\n    loop.call_at(loop.time() + {s}, \
                 done.set_result, None)\n    await done\n\nasyncio.run(main())";
            $($more)*
        }
    };
}

python! {
    PYTHON = "python", "systems with CPython 3.7 or later"
    "chronoscope": "chronoscope_clock.wait(seconds)", NS, Hybrid,
        "The wait of this project's module for Python: a sleep, and a spin for the rest, whose \
         length is learnt.",
        "import chronoscope_clock\nchronoscope_clock.wait({s})";
    "clock-sleep": "await chronoscope_clock.sleep(seconds)", TIMERFD, Hybrid,
        "The same for tasks of asyncio: a timerfd that the event loop watches, and then turns of \
         the loop until the deadline, so other tasks run meanwhile. How early it wakes is learnt.",
        "import asyncio\nimport chronoscope_clock\n\nasync def main():\n    \
         await chronoscope_clock.sleep({s})\n\nasyncio.run(main())";
    "uvloop-sleep": "await asyncio.sleep(seconds) # uvloop", TIMER, Sleep,
        "A timer of libuv, in whole milliseconds of a clock that is read once per turn of the \
         loop, so it may end early.",
        "import asyncio\nimport uvloop\n\nasync def main():\n    await asyncio.sleep({s})\n\n\
         uvloop.run(main())";
    "uvloop-call-at": "loop.call_at(when, callback) # uvloop",
        Facts { early_by_design_ns: 1_000_000, timer_slack: TimerSlack::Share,
                unit_ns: 1_000_000, ..DEADLINE }, Sleep,
        "A callback of uvloop at a time of its clock, which counts whole milliseconds.",
        "import asyncio\nimport uvloop\n\nasync def main():\n    loop = \
         asyncio.get_running_loop()\n    done = loop.create_future()\n    \
         loop.call_at(loop.time() + {s}, done.set_result, None)\n    await done\n\n\
         uvloop.run(main())";
    "uvloop-clock-sleep": "await chronoscope_clock.sleep(seconds) # uvloop", TIMERFD, Hybrid,
        "The sleep of this project's module in uvloop.",
        "import chronoscope_clock\nimport uvloop\n\nasync def main():\n    \
         await chronoscope_clock.sleep({s})\n\nuvloop.run(main())";
}
python! { PYPY = "pypy", "systems with PyPy 3.7 or later" }

/// The waits of runtimes with the interface of Node.js.
macro_rules! javascript {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime JavaScript, $home, "nodejs.org/api/timers.html";
            "settimeout": "setTimeout(callback, ms)", TIMER, Sleep,
                "A timer of the event loop. Its time is at least 1 ms, in whole milliseconds.",
                "setTimeout(() => { /* go on here */ }, {ms});";
            "settimeout-await": "await new Promise((done) => setTimeout(done, ms))", TIMER, Sleep,
                "The same timer, and the turn of the queue of promises that follows.",
                "await new Promise((done) => setTimeout(done, {ms}));";
            "timers-promises": "await setTimeout(ms) // node:timers/promises", TIMER, Sleep,
                "The timer that returns a promise itself.",
                "const { setTimeout } = require('node:timers/promises');\nawait setTimeout({ms});";
            "setinterval": "setInterval(callback, ms)", TIMER, Sleep,
                "A timer that is set again when it fires, from then on: what one is late delays \
                 all that follow.",
                "const timer = setInterval(() => {\n  clearInterval(timer); // or go on\n}, {ms});";
            "setimmediate": "while (now() < deadline) await setImmediate()", DEADLINE, Busy,
                "Turns of the event loop until the deadline: exact, others go on meanwhile, and \
                 the CPU is busy.",
                "const deadline = performance.now() + {ns} / 1e6;\n\
                 while (performance.now() < deadline) {\n  \
                 await new Promise((done) => setImmediate(done));\n}";
            "atomics-wait": "Atomics.wait(cells, 0, 0, ms)", NS, Sleep,
                "Blocks the thread on a condition variable, so that its event loop stands. A \
                 fraction of a millisecond counts. Browsers allow it in workers only.",
                "const cells = new Int32Array(new SharedArrayBuffer(4));\n\
                 Atomics.wait(cells, 0, 0, {ns} / 1e6);";
            $($more)*
        }
    };
}

javascript! { NODE = "node", "systems with Node.js 16 or later" }
javascript! { DENO = "deno", "systems with Deno 2 or later" }
javascript! {
    BUN = "bun", "systems with Bun"
    "sleep": "await Bun.sleep(ms)", TIMER, Sleep, "A timer of Bun's event loop.",
        "await Bun.sleep({ms});";
    "sleep-sync": "Bun.sleepSync(ms)", MS, Sleep, "Blocks the thread and its event loop.",
        "Bun.sleepSync({ms});";
}

waits! {
    JAVA = "java" Java, "systems with Java 8 or later",
        "docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Thread.html";
    "sleep": "Thread.sleep(ms)", MS, Sleep,
        "The sleep of a thread, a wait on a condition variable inside.",
        "Thread.sleep({ms});";
    "sleep-nanos": "Thread.sleep(ms, ns)", NS, Sleep,
        "Before Java 21 rounded to whole milliseconds, since then in nanoseconds.",
        "Thread.sleep({ns}L / 1_000_000, (int) ({ns}L % 1_000_000));";
    "park-nanos": "LockSupport.parkNanos(ns)", NS, Sleep,
        "Blocks the thread for nanoseconds, or until another one unparks it. It may end early.",
        "java.util.concurrent.locks.LockSupport.parkNanos({ns}L);";
    "object-wait": "object.wait(ms)", MS, Sleep,
        "Waits on the monitor of an object. It may end early, so a loop checks.",
        "Object lock = new Object();\nsynchronized (lock) {\n    lock.wait({ms});\n}";
    "condition-await": "condition.awaitNanos(ns)", NS, Sleep,
        "Waits on a condition of java.util.concurrent, which parks the thread.",
        "java.util.concurrent.locks.ReentrantLock lock = new \
         java.util.concurrent.locks.ReentrantLock();\nlock.lock();\ntry {\n    \
         lock.newCondition().awaitNanos({ns}L);\n} finally {\n    lock.unlock();\n}";
    "queue-poll": "queue.poll(ns, TimeUnit.NANOSECONDS)", NS, Sleep,
        "Waits for an entry of a queue that stays empty.",
        "new java.util.concurrent.LinkedBlockingQueue<Object>()\n    \
         .poll({ns}L, java.util.concurrent.TimeUnit.NANOSECONDS);";
    "scheduled-executor": "executor.schedule(task, ns, TimeUnit.NANOSECONDS)", NS, Sleep,
        "A task of a ScheduledThreadPoolExecutor. Its thread waits on a condition; the task says \
         when it began.",
        "var executor = java.util.concurrent.Executors.newSingleThreadScheduledExecutor();\n\
         executor.schedule(() -> { /* go on here */ }, {ns}L, \
         java.util.concurrent.TimeUnit.NANOSECONDS);";
    "virtual-thread-sleep": "Thread.sleep(ms) // in a virtual thread", MS, Sleep,
        "The sleep of a virtual thread (Java 21): a timer of one thread for all, and then a turn \
         of a carrier.",
        "Thread.ofVirtual().start(() -> {\n    try {\n        Thread.sleep({ms});\n    } \
         catch (InterruptedException ended) {\n    }\n}).join();";
}

waits! {
    GO = "go" Go, "systems with Go 1.17 or later", "pkg.go.dev/time";
    "sleep": "time.Sleep(d)", POLL, Sleep,
        "A timer of the goroutine. The thread that has nothing else to do sleeps in epoll_wait(2), \
         for whole milliseconds if it waits for longer than one.",
        "time.Sleep({ns} * time.Nanosecond)";
    "timer": "<-time.NewTimer(d).C", POLL, Sleep, "A timer that sends the time to a channel.",
        "timer := time.NewTimer({ns} * time.Nanosecond)\n<-timer.C";
    "ticker": "<-ticker.C", POLL, Sleep,
        "A timer that sends the time again and again, at deadlines of a grid from its start. What \
         is not taken in time is dropped.",
        "ticker := time.NewTicker({ns} * time.Nanosecond)\ndefer ticker.Stop()\n<-ticker.C";
    "select-after": "select { case <-time.After(d): case <-stop: }", POLL, Sleep,
        "A wait that another goroutine may end.",
        "stop := make(chan struct{})\nselect {\ncase <-time.After({ns} * time.Nanosecond):\n\
         case <-stop:\n}";
    "context": "<-context.WithTimeout(parent, d).Done()", POLL, Sleep,
        "The end of a context: a timer that runs a function in a goroutine of its own, which \
         closes the channel.",
        "done, cancel := context.WithTimeout(context.Background(), {ns} * time.Nanosecond)\n\
         defer cancel()\n<-done.Done()";
}

/// The waits of every .NET.
macro_rules! dotnet {
    ($table:ident = $runtime:literal, $home:literal $($more:tt)*) => {
        waits! {
            $table = $runtime CSharp, $home,
                "learn.microsoft.com/dotnet/api/system.threading.thread.sleep";
            "thread-sleep": "Thread.Sleep(ms)", MS, Sleep, "The sleep of a thread.",
                "System.Threading.Thread.Sleep({ms});";
            "task-delay": "await Task.Delay(ms)", TIMER, Sleep,
                "A timer of the runtime's own thread, and then a turn of the thread pool. Its \
                 clock counts whole milliseconds, so it may end early.",
                "await System.Threading.Tasks.Task.Delay({ms});";
            "timer": "new Timer(callback, null, ms, Timeout.Infinite)", TIMER, Sleep,
                "A callback in the thread pool, on the runtime's timer.",
                "var timer = new System.Threading.Timer(_ => { /* go on here */ }, null, {ms}, \
                 System.Threading.Timeout.Infinite);";
            "monitor-wait": "Monitor.Wait(lock, ms)", MS, Sleep,
                "Waits on an object that nobody pulses.",
                "var gate = new object();\nlock (gate) System.Threading.Monitor.Wait(gate, {ms});";
            "event-wait": "new ManualResetEventSlim().Wait(ms)", MS, Hybrid,
                "Waits for an event that nobody sets: a short spin, then a monitor.",
                "var stopped = new System.Threading.ManualResetEventSlim();\nstopped.Wait({ms});";
            "spin-wait": "while (Stopwatch.GetTimestamp() < deadline) spin.SpinOnce()", DEADLINE,
                Hybrid,
                "SpinWait pauses for longer and longer, then yields and sleeps for a millisecond \
                 now and then.",
                "var spin = new System.Threading.SpinWait();\n\
                 long deadline = System.Diagnostics.Stopwatch.GetTimestamp()\n    + \
                 (long)({s} * System.Diagnostics.Stopwatch.Frequency);\n\
                 while (System.Diagnostics.Stopwatch.GetTimestamp() < deadline) spin.SpinOnce();";
            $($more)*
        }
    };
}

dotnet! {
    CORECLR = "dotnet-coreclr", "systems with .NET Core 3 or later"
    "periodic-timer": "await periodicTimer.WaitForNextTickAsync()", TIMER, Sleep,
        "A timer with a period (.NET 6). Its deadlines are a grid from its start.",
        "using var timer = new System.Threading.PeriodicTimer(TimeSpan.FromMilliseconds({ms}));\n\
         await timer.WaitForNextTickAsync();";
}
dotnet! { MONO = "dotnet-mono", "systems with Mono" }

waits! {
    RUBY = "ruby" Ruby, "systems with Ruby 2.6 or later",
        "docs.ruby-lang.org/en/master/Kernel.html#method-i-sleep";
    "sleep": "sleep(seconds)", NS, Sleep,
        "The sleep of a thread, which gives up the interpreter's lock.", "sleep({s})";
    "condition-wait": "condition.wait(mutex, seconds)", NS, Sleep,
        "Waits on a condition variable.",
        "mutex = Mutex.new\nmutex.synchronize { ConditionVariable.new.wait(mutex, {s}) }";
    "io-select": "IO.select(nil, nil, nil, seconds)", POLL, Sleep,
        "select(2) or poll(2) without descriptors.", "IO.select(nil, nil, nil, {s})";
    "thread-join": "thread.join(seconds)", NS, Sleep,
        "Waits for a thread that does not end.",
        "thread = Thread.new { Thread.stop }\nthread.join({s})";
    "queue-pop": "Queue.new.pop(timeout: seconds)", NS, Sleep,
        "Waits for an entry of a queue that stays empty (Ruby 3.2).",
        "Queue.new.pop(timeout: {s})";
}

waits! {
    PERL = "perl" Perl, "systems with Perl 5.14 or later", "perldoc.perl.org/Time::HiRes";
    "sleep": "Time::HiRes::sleep(seconds)", NS, Sleep, "The sleep of Time::HiRes, in fractions of a \
        second.", "use Time::HiRes;\nTime::HiRes::sleep({s});";
    "usleep": "Time::HiRes::usleep(us)", US, Sleep, "The same in microseconds.",
        "use Time::HiRes;\nTime::HiRes::usleep({us});";
    "nanosleep": "Time::HiRes::nanosleep(ns)", NS, Sleep, "nanosleep(2) in nanoseconds.",
        "use Time::HiRes;\nTime::HiRes::nanosleep({ns});";
    "clock-nanosleep": "Time::HiRes::clock_nanosleep(CLOCK_MONOTONIC, ns, TIMER_ABSTIME)", DEADLINE,
        Sleep, "clock_nanosleep(2) until a time of the monotonic clock.",
        "use Time::HiRes qw(clock_gettime clock_nanosleep CLOCK_MONOTONIC TIMER_ABSTIME);\n\
         my $deadline = 1e9 * clock_gettime(CLOCK_MONOTONIC) + {ns};\n\
         clock_nanosleep(CLOCK_MONOTONIC, $deadline, TIMER_ABSTIME);";
    "select": "select(undef, undef, undef, seconds)", POLL, Sleep,
        "select(2) without descriptors, which needs no module.",
        "select(undef, undef, undef, {s});";
}

waits! {
    PHP = "php" Php, "systems with PHP 7.3 or later",
        "www.php.net/manual/en/function.time-nanosleep.php";
    "usleep": "usleep(us)", US, Sleep, "usleep(3), in microseconds.", "usleep({us});";
    "time-nanosleep": "time_nanosleep(s, ns)", NS, Sleep, "nanosleep(2), in nanoseconds.",
        "time_nanosleep(intdiv({ns}, 1000000000), {ns} % 1000000000);";
    "time-sleep-until": "time_sleep_until(timestamp)", Facts { early_by_design_ns: 1_000, ..NS },
        Sleep, "nanosleep(2) for the rest until a time of day, which a float holds to 0.24 us.",
        "time_sleep_until(microtime(true) + {s});";
    "stream-select": "stream_select($read, $write, $except, s, us)",
        Facts { timer_slack: TimerSlack::Share, ..US }, Sleep,
        "select(2) on a stream that stays silent.",
        "[$stream] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);\n$read = \
         [$stream];\n$none = null;\nstream_select($read, $none, $none, 0, {us});";
}

waits! {
    LUAJIT = "luajit" Lua, "systems with LuaJIT 2", "luajit.org/ext_ffi.html";
    "nanosleep": "ffi.C.nanosleep(time, nil)", NS, Sleep, "nanosleep(2) through ffi.",
        "local ffi = require 'ffi'\nffi.cdef 'typedef struct { long s, ns; } span; int \
         nanosleep(const span *, span *);'\nffi.C.nanosleep(ffi.new('span', 0, {ns}), nil)";
    "clock-nanosleep": "ffi.C.clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, time, nil)", DEADLINE,
        Sleep, "clock_nanosleep(2) until a time of the monotonic clock, through ffi.",
        "local ffi = require 'ffi'\nffi.cdef 'typedef struct { long s, ns; } moment; int \
         clock_gettime(int, moment *); int clock_nanosleep(int, int, const moment *, moment *);'\n\
         local t = ffi.new 'moment[1]'\nffi.C.clock_gettime(1, t)\nlocal ns = \
         tonumber(t[0].ns) + {ns}\nt[0].s, t[0].ns = t[0].s + math.floor(ns / 1e9), ns % 1e9\n\
         ffi.C.clock_nanosleep(1, 1, t, nil)";
    "poll": "ffi.C.poll(nil, 0, ms)", POLL_MS, Sleep, "poll(2) without descriptors.",
        "local ffi = require 'ffi'\nffi.cdef 'int poll(void *, unsigned long, int);'\n\
         ffi.C.poll(nil, 0, {ms})";
}

waits! {
    ERLANG = "erlang" Erlang, "systems with Erlang/OTP 21 or later",
        "www.erlang.org/doc/apps/erts/time_correction.html";
    "receive-after": "receive after Ms -> ok end", POLL_MS, Sleep,
        "A receive that no message ends: a timer of the scheduler.",
        "receive after {ms} -> ok end";
    "timer-sleep": "timer:sleep(Ms)", POLL_MS, Sleep, "The same as a function.",
        "timer:sleep({ms})";
    "send-after": "erlang:send_after(Ms, self(), go_on)", POLL_MS, Sleep,
        "A message that the scheduler sends after a time.",
        "erlang:send_after({ms}, self(), go_on),\nreceive go_on -> ok end";
    "start-timer": "erlang:start_timer(Ms, self(), go_on, [{abs, true}])",
        Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000_000, ..DEADLINE }, Sleep,
        "A message at a time of the runtime's monotonic clock, in whole milliseconds.",
        "At = erlang:monotonic_time(millisecond) + {ms} + 1,\n\
         erlang:start_timer(At, self(), go_on, [{abs, true}]),\n\
         receive {timeout, _, go_on} -> ok end";
}

/// The waits of an engine of WebAssembly, made by the probe of Rust.
macro_rules! wasi {
    ($table:ident = $runtime:literal, $home:literal, $poll:expr $(; $($more:tt)*)?) => {
        waits! {
            $table = $runtime WebAssembly, $home,
                "github.com/WebAssembly/WASI/blob/wasi-0.1/preview1/docs.md#poll_oneoff";
            "thread-sleep": "std::thread::sleep(duration)", $poll, Sleep,
                "The sleep of Rust's standard library, which is poll_oneoff() for a duration.",
                "std::thread::sleep(std::time::Duration::from_nanos({ns}));";
            "poll-oneoff": "poll_oneoff(&clock, &event, 1, &seen)", $poll, Sleep,
                "WASI's wait for events, with a clock alone: a duration of the monotonic clock.",
                "// userdata, tag, clock, duration, precision, flags\n\
                 let clock: [u64; 6] = [0, 0, 1, {ns}, 1, 0];\n\
                 let (mut event, mut seen) = ([0_u64; 4], 0_u32);\n\
                 unsafe { poll_oneoff(&clock, &mut event, 1, &mut seen) };";
            $($($more)*)?
        }
    };
}

wasi! {
    WASMTIME = "wasmtime", "systems with Wasmtime", NS;
    "poll-oneoff-abstime": "poll_oneoff(&clock, &event, 1, &seen) // abstime", DEADLINE, Sleep,
        "The same until a time of the monotonic clock. wazero refuses that, and Node.js takes the \
         time as a duration.",
        "let mut now = 0_u64;\nunsafe { clock_time_get(1, 1, &mut now) };\n\
         // userdata, tag, clock, time, precision, flags\n\
         let clock: [u64; 6] = [0, 0, 1, now + {ns}, 1, 1];\n\
         let (mut event, mut seen) = ([0_u64; 4], 0_u32);\n\
         unsafe { poll_oneoff(&clock, &mut event, 1, &mut seen) };";
}
wasi! { WAZERO = "wazero", "systems with wazero", POLL }
wasi! { NODE_WASI = "node-wasi", "systems with Node.js 20 or later", POLL_MS }
