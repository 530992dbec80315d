"""Compares the medians of waits of six languages with those of a program of the same language that
knows nothing of the tool, with nothing else started and next to one busy process on each CPU.

Arguments: the tool, and the number of rounds. In each, tool and program take turns on the same CPU.
The median of the differences of a round counts, within 10 % or 3 us: what else the machine does
then affects both sides of a difference. Each comparison is a line of JSON, in nanoseconds, and one
for people on standard error.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from snippets import LANGUAGES, split

WAIT_NS = 1_000_000
COUNT = 400
ROWS = {
    "python/sleep": ("python", "import time\ntime.sleep(0.001)"),
    "node/settimeout-await": ("javascript", "await new Promise((done) => setTimeout(done, 1));"),
    "java/sleep": ("java", "Thread.sleep(1);"),
    "go/sleep": ("go", "clock_.Sleep(clock_.Millisecond)"),
    "dotnet-mono/thread-sleep": ("c#", "System.Threading.Thread.Sleep(1);"),
    "cxx/sleep_for": (
        "c++", "#include <thread>\nstd::this_thread::sleep_for(std::chrono::milliseconds(1));"),
}
BUSY = "import time\nwhile True:\n    end = time.monotonic() + 0.02\n" \
    "    while time.monotonic() < end: pass\n    time.sleep(0.0001)"


def measured(tool, ident):
    """The tool's median in nanoseconds, and the CPU on which it waited."""
    line = [tool, "waits", ident, "--wait", "1ms", "--count", str(COUNT), "--load", "none",
            "--slack", "default", "--json"]
    out = subprocess.run(line, capture_output=True, text=True, check=True)
    (row,) = json.loads(out.stdout)["waits"]
    return row["overshoot"]["p50_ns"], row["cpu"]


def own(command, cpu, cwd):
    line = ["taskset", "-c", str(cpu), *command.split(), str(COUNT + COUNT // 10)]
    out = subprocess.run(line, capture_output=True, text=True, check=True, cwd=cwd)
    # The first load and compile what the others use.
    took = [int(one) for one in out.stdout.split()]
    return statistics.median(took[COUNT // 10:] if len(took) > COUNT else took) - WAIT_NS


def compared(tool, ident, rounds):
    language, code = ROWS[ident]
    name, build, command, frame = LANGUAGES[language]
    with tempfile.TemporaryDirectory() as cwd:
        with open(os.path.join(cwd, name), "w") as file:
            file.write(frame.format(**split(code)))
        subprocess.run(build.split(), check=True, cwd=cwd)
        pairs = []
        for turn in range(rounds):
            if turn % 2:
                theirs = own(command, cpu, cwd)
                ours, cpu = measured(tool, ident)
            else:
                ours, cpu = measured(tool, ident)
                theirs = own(command, cpu, cwd)
            pairs.append((ours, theirs))
    return pairs


def main():
    tool, rounds = sys.argv[1], int(sys.argv[2])
    for loaded in (False, True):
        line = [sys.executable, "-c", BUSY]
        busy = [subprocess.Popen(line) for _ in range(len(os.sched_getaffinity(0)) * loaded)]
        try:
            for ident in ROWS:
                try:
                    pairs = compared(tool, ident, rounds)
                except (OSError, subprocess.CalledProcessError) as error:
                    print(f"{ident}: not compared: {error}", file=sys.stderr)
                    continue
                ours, theirs = (statistics.median(side) for side in zip(*pairs))
                apart = statistics.median(one - other for one, other in pairs)
                good = abs(apart) <= max(0.1 * theirs, 3000)
                print(f"{'loaded' if loaded else 'idle':7} {ident:26} tool {ours / 1e3:8.1f} us"
                      f"  program {theirs / 1e3:8.1f} us  apart {apart / 1e3:+7.1f} us"
                      f"  {'agrees' if good else 'DIFFERS'}", file=sys.stderr)
                found = {"id": ident, "loaded": loaded, "ours": ours, "theirs": theirs,
                         "apart": apart, "good": good}
                print(json.dumps(found), flush=True)
        finally:
            for one in busy:
                one.kill()
                one.wait()


main()
