"""The module as it is installed: python -m unittest, in any CPython that it supports."""

import ast
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import chronoscope_clock as cc
from chronoscope_clock import _native, _tool

PATIENCE = 60

HERE = Path(__file__).resolve()
DOCUMENTS = HERE.parents[1] / "README.md", HERE.parents[3] / "docs/asyncio.md"

# What the page on asyncio shows for Node, next to waits that must not be early.
PUNCTUAL = """
(async () => {
  for (let left = 20; left; left--) {
    const begin = process.hrtime.bigint();
    await sleep(2);
    if (process.hrtime.bigint() - begin < 2_000_000n) throw new Error('early');
  }
  await worker.terminate();
  console.log('never early');
})();
"""

# A segment of a counter that does not count, with a bound of a minute.
BOUND = """
import struct, tempfile, time
from chronoscope_clock import Wall
with tempfile.NamedTemporaryFile() as file:
    def state(status):
        now = int(time.time())
        head = 0x414D5A4E, 0x43420200, 104, 0x20303
        words = 0, now, 0, now + 3600, 0, 0, 0, 60 * 10**9, 0, status << 32, 0
        file.seek(0)
        file.write(struct.pack("=4I11Q", *head, *words))
        file.flush()
    state(1)
    Wall.bound_by("clockbound", file.name)
    wall = Wall.now_bounded()
    print(wall.state)
    if wall.state != "unknown":
        assert wall.earliest <= time.time_ns() <= wall.latest, wall
    state(3)
    print(Wall.now_checked().state)
    try:
        Wall.bound_by("clockbound", file.name)
    except FileExistsError:
        pass
"""


class Waits(unittest.TestCase):
    def test_a_wait_is_never_early_and_says_what_happened(self):
        for seconds in (0, 0.0003, 0.002, 0.15):
            begin = time.monotonic()
            waited = cc.wait(seconds)
            self.assertGreaterEqual(time.monotonic() - begin, seconds)
            self.assertGreaterEqual(waited.late_ns, 0)
        deadline = cc.Instant.now() + 0.12
        cc.wait_until(deadline)
        self.assertGreaterEqual(cc.Instant.now(), deadline)
        cc.wait_until(deadline)

    def test_a_wait_counts_all_that_it_slept(self):
        for seconds in (0.05, 0.25, 0.6):
            begin = time.monotonic()
            waited = cc.wait(seconds)
            took = time.monotonic() - begin
            # What is missing is what other programs took between two parts of it.
            slept = (waited.slept_ns + waited.spun_ns) / 1e9
            self.assertTrue(seconds / 2 <= slept <= took, (seconds, waited, took))
            self.assertGreaterEqual(waited.wakes, 1)

    def test_what_is_read_and_seen_is_what_is_there(self):
        self.assertTrue(cc.source())
        told = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "CHRONOSCOPE_SOURCE": "os"}
        code = "import chronoscope_clock as cc; print(cc.source())"
        line = [sys.executable, "-c", code]
        seen = subprocess.check_output(line, env=told, text=True, timeout=PATIENCE).strip()
        self.assertNotIn(seen, ("rdtsc", "cntvct_el0", "cntvct"))
        # Each shows all that it has.
        ticker = cc.Ticker(0.001)
        with cc.timer(bounded=True) as timed:
            pass
        for it in (cc.wait(0.0001), timed.bounded, ticker.tick(), cc.Wall.now_bounded()):
            names = [name for name in dir(it) if not name.startswith("_")]
            shown = ", ".join(f"{name}={getattr(it, name)!r}" for name in names)
            parts = repr(it)[len(type(it).__name__) + 1 : -1].split(", ")
            self.assertEqual(sorted(parts), sorted(shown.split(", ")), it)
        self.assertEqual(repr(ticker), "Ticker(0.001)")
        self.assertIn(" ns>", repr(cc.Stopwatch()))

    def test_the_module_is_the_command(self):
        line = [sys.executable, "-m", "chronoscope_clock", "--version"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run(line, env=env, capture_output=True, text=True, timeout=PATIENCE)
        if ended.returncode == 0:
            self.assertIn("chronoscope", ended.stdout)
        else:
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (1, 1), ended)

    def test_what_is_no_duration_is_refused(self):
        for wrong in (-1, float("nan"), float("-inf")):
            with self.assertRaises(ValueError):
                cc.wait(wrong)
        for wrong in (1e15, 1e20, 1e300, float("inf"), 10**400):
            with self.assertRaises(OverflowError):
                cc.wait(wrong)
        with self.assertRaises(TypeError):
            cc.wait("1")
        for wrong in (0, -1):
            with self.assertRaises(ValueError):
                cc.Ticker(wrong)

    def test_other_threads_run_meanwhile(self):
        done = threading.Event()
        threading.Timer(0, done.set).start()
        waits = [threading.Thread(target=cc.wait, args=(0.02,)) for _ in range(8)]
        for wait in waits:
            wait.start()
        cc.wait(0.09)
        self.assertTrue(done.is_set() or done.wait(PATIENCE))
        for wait in waits:
            wait.join(PATIENCE)
            self.assertFalse(wait.is_alive())

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_ctrl_c_ends_a_long_wait(self):
        code = "import chronoscope_clock as cc; print(flush=True); cc.wait(3600)"
        child = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        child.stdout.read(1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=PATIENCE)
        self.assertIn(b"KeyboardInterrupt", errors)

    @unittest.skipUnless(hasattr(os, "fork"), "the system has no fork")
    def test_a_child_waits_and_reads_on(self):
        begin = cc.Instant.now()
        cc.wait(0.001)
        child = os.fork()
        if child == 0:
            cc.wait(0.001)
            os._exit(0 if begin.elapsed_ns() >= 2_000_000 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_ticks_stay_on_their_grid(self):
        begin = cc.Instant.now()
        ticks = []
        for tick in cc.Ticker(0.002):
            ticks.append(tick)
            if tick.number >= 5:
                break
        self.assertGreaterEqual(begin.elapsed(), 0.002 * ticks[-1].number)
        numbers = [tick.number for tick in ticks]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(numbers[-1], len(ticks) + sum(tick.missed for tick in ticks))


    def test_a_ticker_is_waited_for_once_at_a_time(self):
        ticker, errors = cc.Ticker(0.05), []

        def tick():
            while not errors:
                try:
                    ticker.tick()
                except RuntimeError as error:
                    errors.append(str(error))

        waits = [threading.Thread(target=tick) for _ in range(2)]
        for wait in waits:
            wait.start()
        for wait in waits:
            wait.join(PATIENCE)
        self.assertEqual(errors[:1], ["this Ticker is already being waited for"])
        for wrong in (0, -1, float("nan")):
            with self.assertRaises(ValueError):
                cc.Ticker(wrong)
        for wrong in (1e15, float("inf")):
            with self.assertRaises(OverflowError):
                cc.Ticker(wrong)

    def test_a_witness_of_another_thread_is_refused_in_one_line(self):
        witness = cc.Witness("entries")
        uses = (witness.begin, witness.end, witness.__enter__, witness.__exit__)
        told = []

        def elsewhere():
            for use in uses:
                try:
                    use()
                except RuntimeError as error:
                    told.append(str(error))
            told.append(repr(witness))
            mine = cc.Witness()
            mine.begin()
            told.append(mine.end().clean in (True, False, None))
            given.append(mine)

        given = []
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join(PATIENCE)
        refused = ["this Witness belongs to another thread"] * len(uses)
        self.assertEqual(told, [*refused, "Witness('entries')", True])
        # Its thread has ended, and whoever drops it last may do so.
        with mock.patch.object(sys, "unraisablehook") as unraisable:
            given.clear()
        unraisable.assert_not_called()
        with witness:
            pass
        self.assertIsNotNone(witness.verdict)


class Clock(unittest.TestCase):
    def test_moments_are_ordered_and_differ_by_seconds(self):
        first, before = cc.Instant.now(), time.monotonic()
        cc.wait(0.002)
        second = cc.Instant.now()
        self.assertGreater(second, first)
        self.assertEqual(len({first, second, first}), 2)
        self.assertEqual(second.ns_since(first), -first.ns_since(second))
        self.assertAlmostEqual(second - first, second.ns_since(first) / 1e9)
        self.assertGreaterEqual(second - first, 0.002)
        self.assertLessEqual(second - first, time.monotonic() - before + 0.001)
        self.assertEqual((first + 0.5).ns_since(first) // 1000, 500_000)
        for wrong in (-1, float("nan"), 1e15):
            with self.assertRaises((ValueError, OverflowError)):
                first + wrong

    def test_stopwatches_and_blocks(self):
        watch = cc.Stopwatch()
        cc.wait(0.002)
        self.assertGreaterEqual(watch.lap_ns(), 2_000_000)
        self.assertGreaterEqual(watch.elapsed(), 0)
        watch.start()
        with cc.timer(bounded=True) as block:
            self.assertIsNone(block.bounded)
            cc.wait(0.002)
        self.assertGreaterEqual(watch.elapsed_ns(), block.ns)
        self.assertEqual((block.ns, block.seconds), (block.bounded.ns, block.ns / 1e9))
        self.assertGreaterEqual(block.ns + block.bounded.bound_ns, 2_000_000)
        with self.assertRaises(KeyError), cc.timer() as block:
            raise KeyError
        self.assertIsNone(block.bounded)
        self.assertEqual(block.ns, block.ns)

    def test_the_wall_clock_is_inside_its_interval(self):
        before = time.time_ns()
        wall = cc.Wall.now_checked()
        after = time.time_ns()
        self.assertEqual(wall.age, 0)
        self.assertLessEqual(wall.earliest, after)
        self.assertGreaterEqual(wall.latest, before)
        bounded = cc.Wall.now_bounded()
        self.assertTrue(bounded.earliest <= bounded.now <= bounded.latest)
        self.assertLess(abs(cc.Wall.now_ns() - after), PATIENCE * 10**9)

    @unittest.skipUnless(sys.platform == "linux" and sys.maxsize > 2**32, "pages of 64-bit Linux")
    def test_the_bound_that_clockbound_states_is_taken(self):
        with self.assertRaises(ValueError):
            cc.Wall.bound_by("gps", "/dev/null")
        for none in ("/dev/null", Path("/nonexistent")):
            with self.assertRaises(FileNotFoundError):
                cc.Wall.bound_by("clockbound", none)
        # It holds for the whole process, so another one takes it.
        line = [sys.executable, "-c", BOUND]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        states = subprocess.check_output(line, env=env, text=True, timeout=PATIENCE).split()
        self.assertIn(states, (["synchronised", "disrupted"], ["unknown", "unknown"]))


class Tool(unittest.TestCase):
    def test_the_command_is_the_one_of_the_wheel(self):
        path = Path(cc.command())
        self.assertEqual(path.parent, Path(sys.executable).parent.resolve())
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(shown.stdout.split(), ["chronoscope", cc.__version__])

    def test_reports_are_dictionaries_and_their_entries_classes(self):
        report = cc.survey("clocks", "posix/monotonic", "--budget", "500ms", timeout=PATIENCE)
        [clock] = cc.Clock.all(report)
        self.assertEqual(clock.id, "posix/monotonic")
        self.assertGreater(clock.cost_ns, 0)
        checked = cc.doctor(quick=True, timeout=PATIENCE)
        self.assertTrue(checked["checks"])
        self.assertEqual(len(cc.Finding.all(checked)), len(checked["findings"]))
        [advice] = cc.Advice.all(cc.advise("interval", timeout=PATIENCE))
        self.assertEqual(advice.purpose, "interval")
        self.assertIn("Python", advice.code)

    def test_a_report_is_read_in_every_locale(self):
        writes = "import sys; sys.stdout.buffer.write(b'[\"\\xc3\\xa9\\xff\"]')"
        reads = (
            "import sys; from chronoscope_clock import _tool; "
            "_tool.command = lambda: sys.executable; "
            f"print(ascii(_tool._report(['-c', {writes!r}], None)))"
        )
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "LC_ALL": "C"}
        env.update(PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        line = [sys.executable, "-c", reads]
        ended = subprocess.run(line, env=env, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(ended.stdout.strip(), "['\\xe9\\ufffd']", ended.stderr)

    def test_what_fails_is_one_line(self):
        attempts = (
            lambda: cc.survey("clocks", "no/such-clock"),
            lambda: cc.survey("--no-such-option"),
            lambda: cc.survey(timeout=0.01),
        )
        for attempt in attempts:
            with self.assertRaises(cc.ToolError) as caught:
                attempt()
            self.assertEqual(str(caught.exception).count("\n"), 0)
        with mock.patch.object(_tool, "command", lambda: "/no/such/file"):
            with self.assertRaises(cc.ToolError):
                cc.survey()


def shown(language):
    """The code in a language that the documents show."""
    fence = re.compile(f"^```{language}\\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [code for page in DOCUMENTS for code in fence.findall(page.read_text("utf-8"))]


class Documents(unittest.TestCase):
    def test_the_python_that_they_show_runs(self):
        snippets = shown("python")
        self.assertGreaterEqual(len(snippets), 4)
        for code in snippets:
            with self.subTest(code):
                line = [sys.executable, "-W", "error", "-c", code]
                ended = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                self.assertTrue(ended.stdout)

    def test_the_javascript_that_they_show_is_never_early(self):
        node = shutil.which("node")
        if node is None:
            self.skipTest("Node is not here")
        [code] = shown("js")
        main, waker = code.split("// waker.js\n")
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "main.js").write_text(main + PUNCTUAL, "utf-8")
            Path(folder, "waker.js").write_text(waker, "utf-8")
            ended = subprocess.run(
                [node, "main.js"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
            )
        self.assertEqual((ended.stdout, ended.stderr), ("never early\n", ""))


class Stubs(unittest.TestCase):
    def test_the_stubs_name_what_there_is(self):
        stub = Path(_native.__file__).with_name("_native.pyi").read_text(encoding="utf-8")
        for item in ast.parse(stub).body:
            if isinstance(item, ast.ClassDef):
                named = {it.name for it in item.body if isinstance(it, ast.FunctionDef)}
                there = {it for it in vars(getattr(_native, item.name)) if not it.startswith("_")}
                self.assertEqual({it for it in named if not it.startswith("_")}, there, item.name)
            elif isinstance(item, ast.FunctionDef):
                self.assertTrue(callable(getattr(_native, item.name)), item.name)
        for name in cc.__all__:
            self.assertTrue(hasattr(cc, name), name)


if __name__ == "__main__":
    unittest.main()
