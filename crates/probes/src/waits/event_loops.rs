//! The waits of libraries for C, C++ and Rust whose probes are built when they are wanted
//! (`libraries.rs` of chronoscope-runtimes), so that this tool depends on none of them.

use super::entry::{Code, DEADLINE, Entry, Facts, Kind, Language, PLAIN, TimerSlack};
use super::runtimes::{NS, POLL_MS, TIMER, TIMERFD};

waits! {
    UV = "libuv" C, "systems with libuv", "docs.libuv.org/en/v1.x/timer.html";
    "timer": "uv_timer_start(&timer, callback, ms, 0)", TIMER, Sleep,
        "A timer of the loop, in whole milliseconds of a clock that the loop reads once per turn, \
         so it may end early.",
        "uv_timer_t timer;\nuv_timer_init(uv_default_loop(), &timer);\n\
         uv_update_time(uv_default_loop());\nuv_timer_start(&timer, callback, {ms}, 0);\n\
         uv_run(uv_default_loop(), UV_RUN_DEFAULT);";
    "timer-repeat": "uv_timer_start(&timer, callback, ms, ms)", TIMER, Sleep,
        "A timer that is set again when it fires, from then on.",
        "uv_timer_t timer;\nuv_timer_init(uv_default_loop(), &timer);\n\
         uv_timer_start(&timer, callback, {ms}, {ms});\n\
         uv_run(uv_default_loop(), UV_RUN_DEFAULT);";
}

/// libevent's own clock is CLOCK_MONOTONIC_COARSE, which steps with the kernel's tick of up to
/// 10 ms.
const COARSE: Facts = Facts { early_by_design_ns: 10_000_000, ..POLL_MS };

waits! {
    EVENT = "libevent" C, "systems with libevent 2.1 or later",
        "libevent.org/libevent-book/Ref2_eventbase.html";
    "timer": "evtimer_add(timer, &time)", COARSE, Sleep,
        "A timer of the loop, which sleeps in epoll_wait(2). By default, the loop reads the coarse \
         clock, so a timer may end a tick of the kernel early.",
        "struct event_base *base = event_base_new();\n\
         struct event *timer = evtimer_new(base, callback, NULL);\n\
         struct timeval time = {{us} / 1000000, {us} % 1000000};\nevtimer_add(timer, &time);\n\
         event_base_dispatch(base);";
    "timer-precise": "evtimer_add(timer, &time) /* PRECISE_TIMER */",
        Facts { unit_ns: 1_000, ..TIMERFD }, Sleep,
        "The same with EVENT_BASE_FLAG_PRECISE_TIMER: by the monotonic clock, with a timerfd.",
        "struct event_config *config = event_config_new();\n\
         event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);\n\
         struct event_base *base = event_base_new_with_config(config);\n\
         struct event *timer = evtimer_new(base, callback, NULL);\n\
         struct timeval time = {{us} / 1000000, {us} % 1000000};\nevtimer_add(timer, &time);\n\
         event_base_dispatch(base);";
    "timer-persist": "event_new(base, -1, EV_PERSIST, callback, NULL)", COARSE, Sleep,
        "A timer with a period: its deadlines are a grid, as long as none is missed.",
        "struct event_base *base = event_base_new();\n\
         struct event *timer = event_new(base, -1, EV_PERSIST, callback, NULL);\n\
         struct timeval time = {{us} / 1000000, {us} % 1000000};\nevtimer_add(timer, &time);\n\
         event_base_dispatch(base);";
}

waits! {
    ASIO = "asio" Cxx, "systems with Asio or Boost",
        "think-async.com/Asio/asio-1.30.2/doc/asio/reference/steady_timer.html";
    "expires-after": "timer.expires_after(duration), timer.async_wait(callback)", TIMERFD, Sleep,
        "A timer of the loop, which sleeps until a timerfd expires.",
        "asio::io_context loop;\nasio::steady_timer timer(loop);\n\
         timer.expires_after(std::chrono::nanoseconds({ns}));\n\
         timer.async_wait([](auto) { /* go on here */ });\nloop.run();";
    "expires-at": "timer.expires_at(deadline), timer.async_wait(callback)",
        Facts { takes: DEADLINE.takes, ..TIMERFD }, Sleep,
        "The same until a time of steady_clock.",
        "asio::io_context loop;\nasio::steady_timer timer(loop);\n\
         timer.expires_at(std::chrono::steady_clock::now() + std::chrono::nanoseconds({ns}));\n\
         timer.async_wait([](auto) { /* go on here */ });\nloop.run();";
    "timer-wait": "timer.wait()", Facts { timer_slack: TimerSlack::Share, unit_ns: 1_000, ..NS },
        Sleep, "Blocks the thread in select(2), and its loop with it.",
        "asio::io_context loop;\nasio::steady_timer timer(loop);\n\
         timer.expires_after(std::chrono::nanoseconds({ns}));\ntimer.wait();";
}

waits! {
    OWN_C = "libchronoscope" C, "systems with this project's library for C", "chronoscope.h";
    "sleep-ns": "chronoscope_sleep_ns(ns, NULL)", NS, Hybrid,
        "A sleep, and a spin for the rest, whose length is learnt.",
        "#include <chronoscope.h>\nchronoscope_sleep_ns({ns}, NULL);";
    "waiter-precise": "chronoscope_waiter_sleep_ns(waiter, ns, NULL) /* PRECISE */", NS, Hybrid,
        "As exact as the system allows, for more CPU time.",
        "#include <chronoscope.h>\nchronoscope_waiter *waiter;\n\
         chronoscope_waiter_new(CHRONOSCOPE_PRECISE, &waiter);\n\
         chronoscope_waiter_sleep_ns(waiter, {ns}, NULL);\nchronoscope_waiter_free(waiter);";
    "waiter-economy": "chronoscope_waiter_sleep_ns(waiter, ns, NULL) /* ECONOMY */", NS, Hybrid,
        "With as little CPU time as possible.",
        "#include <chronoscope.h>\nchronoscope_waiter *waiter;\n\
         chronoscope_waiter_new(CHRONOSCOPE_ECONOMY, &waiter);\n\
         chronoscope_waiter_sleep_ns(waiter, {ns}, NULL);\nchronoscope_waiter_free(waiter);";
    "ticker": "chronoscope_ticker_tick(ticker, NULL)", NS, Hybrid,
        "Waits for the points of a grid from its start.",
        "#include <chronoscope.h>\nchronoscope_ticker *ticker;\n\
         chronoscope_ticker_new({ns}, CHRONOSCOPE_BALANCED, &ticker);\n\
         chronoscope_ticker_tick(ticker, NULL);\nchronoscope_ticker_free(ticker);";
}

waits! {
    OWN_CXX = "libchronoscope-cxx" Cxx, "systems with this project's library for C++",
        "chronoscope.hpp";
    "sleep-for": "chronoscope::sleep_for(duration)", NS, Hybrid,
        "A sleep, and a spin for the rest, whose length is learnt.",
        "#include <chronoscope.hpp>\nchronoscope::sleep_for(std::chrono::nanoseconds({ns}));";
    "sleep-until": "chronoscope::sleep_until(deadline)", DEADLINE, Hybrid,
        "The same until a time of the library's clock.",
        "#include <chronoscope.hpp>\nchronoscope::sleep_until(chronoscope::clock::now() + \
         std::chrono::nanoseconds({ns}));";
}

waits! {
    TOKIO = "tokio" Rust, "systems with cargo", "docs.rs/tokio/latest/tokio/time";
    "sleep": "tokio::time::sleep(duration).await", POLL_MS, Sleep,
        "A timer of the runtime with its threads, in whole milliseconds, rounded up.",
        "tokio::time::sleep(std::time::Duration::from_nanos({ns})).await;";
    "sleep-until": "tokio::time::sleep_until(deadline).await",
        Facts { takes: DEADLINE.takes, ..POLL_MS }, Sleep,
        "The same until a moment, which is rounded up to whole milliseconds since the start of the \
         runtime.",
        "let deadline = tokio::time::Instant::now() + std::time::Duration::from_nanos({ns});\n\
         tokio::time::sleep_until(deadline).await;";
    "timeout": "tokio::time::timeout(duration, future).await", POLL_MS, Sleep,
        "Waits for something that does not happen.",
        "let nothing = std::future::pending::<()>();\n\
         let _ = tokio::time::timeout(std::time::Duration::from_nanos({ns}), nothing).await;";
    "interval": "interval.tick().await", POLL_MS, Sleep,
        "A timer with a period: its deadlines are a grid from its start.",
        "let period = std::time::Duration::from_nanos({ns});\n\
         let mut interval = tokio::time::interval(period);\n\
         interval.tick().await;  // at once\ninterval.tick().await;";
    "sleep-one-thread": "tokio::time::sleep(duration).await // current_thread", POLL_MS, Sleep,
        "The timer in a runtime without threads of its own, so no other thread wakes the task.",
        "let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;\n\
         runtime.block_on(tokio::time::sleep(std::time::Duration::from_nanos({ns})));";
}

waits! {
    ASYNC_IO = "async-io" Rust, "systems with cargo",
        "docs.rs/async-io/latest/async_io/struct.Timer.html";
    "timer-after": "async_io::Timer::after(duration).await", TIMERFD, Sleep,
        "A timer that the waiting thread handles itself: it sleeps until a timerfd expires.",
        "let timer = async_io::Timer::after(std::time::Duration::from_nanos({ns}));\n\
         async_io::block_on(timer);";
    "timer-at": "async_io::Timer::at(instant).await", Facts { takes: DEADLINE.takes, ..TIMERFD },
        Sleep, "The same until a moment.",
        "let at = std::time::Instant::now() + std::time::Duration::from_nanos({ns});\n\
         async_io::block_on(async_io::Timer::at(at));";
}

waits! {
    SMOL = "smol" Rust, "systems with cargo", "docs.rs/smol/latest/smol/struct.Timer.html";
    "timer-after": "smol::Timer::after(duration).await", TIMERFD, Sleep,
        "The timer of async-io in a task that a thread of smol runs.",
        "smol::block_on(smol::spawn(async {\n    \
         smol::Timer::after(std::time::Duration::from_nanos({ns})).await;\n}));";
    "timer-at": "smol::Timer::at(instant).await", Facts { takes: DEADLINE.takes, ..TIMERFD }, Sleep,
        "The same until a moment.",
        "let at = std::time::Instant::now() + std::time::Duration::from_nanos({ns});\n\
         smol::block_on(smol::spawn(async move { smol::Timer::at(at).await; }));";
    "timer-interval": "interval.next().await // smol::Timer::interval(period)", TIMERFD, Sleep,
        "A timer with a period: its deadlines are a grid from its start.",
        "use smol::stream::StreamExt;\n\
         let mut interval = smol::Timer::interval(std::time::Duration::from_nanos({ns}));\n\
         smol::block_on(interval.next());";
}
