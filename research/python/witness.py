"""The parts of `cargo research witness` that run other tools: witness.py harnesses|noise COUNT, with the paths of programs
in the environment. Prints the rows of a table."""

import json
import os
import random
import statistics
import subprocess
import sys
import time

CPU = max(os.sched_getaffinity(0))
# Spells of the load, in seconds, and how long bencher may measure.
SPELLS = (0.2, 0.5, 1)
SECONDS = 4
# The load takes the CPU away so often in a sample of 1 ms, that a spell moves the median of samples.
SLICE = 0.0005
# The most that it takes of each slice.
MOST = 0.8
# Medians before the tools and after them.
MEDIANS = 20


class Bursts:
    """A load that takes this share of the CPU in every other spell. Spells are of random length, those without it shorter by what it
    takes: as many samples fit into both, so that medians are as often those of either, whatever the share."""

    def __init__(self, share, spell):
        self.child = subprocess.Popen([sys.executable, __file__, "burn", str(share), str(spell)])

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        if self.child.poll() is not None:
            sys.exit("the load ended")
        self.child.kill()
        self.child.wait()


def burn(share, spell):
    # What preempts at once, as interrupts do: an ordinary process often waits its turn for longer than a sample. One that never
    # pauses stays an ordinary one.
    if share < 1:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    parent = os.getppid()
    while os.getppid() == parent:
        now, used = time.monotonic(), time.process_time()
        whole = spell * random.uniform(0.15, 0.85)
        end = now + whole
        while now < end:
            began, now = time.monotonic(), now + SLICE
            while time.monotonic() < began + share * SLICE:
                pass
            time.sleep(max(0, now - time.monotonic()))
        left = 1 - (time.process_time() - used) / whole if share < 1 else 1
        time.sleep(spell * random.uniform(0.15, 0.85) * max(0, left))


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, check=True, **more)
    return done.stdout.decode()


def spread(values):
    return statistics.stdev(values) / statistics.mean(values)


def criterion(runs):
    rows = run(os.environ["CRITERION"], "medians", runs).splitlines()
    for row in (json.loads(row) for row in rows if row.startswith("{")):
        yield row["name"], row["median_ns"]


def google(runs):
    for _ in range(runs):
        text = run(os.environ["GOOGLE"], "--benchmark_format=json", "--benchmark_min_time=0.4")
        for row in json.loads(text)["benchmarks"]:
            yield row["name"].split("/")[0], row["real_time"]


def pytest(runs):
    folder = os.environ["PYTEST"]
    file, tests = f"{folder}/run.json", f"{os.path.dirname(__file__)}/bursts.py"
    how = ["-p", "chronoscope_clock._pytest", "-p", "no:cacheprovider", "--benchmark-max-time=0.4"]
    for _ in range(runs):
        words = [sys.executable, "-B", "-m", "pytest", "-q", *how, f"--benchmark-json={file}", tests]
        run(*words, env={**os.environ, "PYTHONPATH": folder})
        with open(file) as text:
            for row in json.load(text)["benchmarks"]:
                yield row["name"].removeprefix("test_"), row["stats"]["mean"] * 1e9


def harnesses(runs):
    for name, harness in (
        ("criterion, `iter_undisturbed`", criterion),
        ("Google Benchmark, `time_undisturbed`", google),
        ("pytest-benchmark, `undisturbed`", pytest),
    ):
        figures = {"plain": [], "undisturbed": []}
        with Bursts(1, 0.4):
            for kind, ns in harness(runs):
                figures[kind].append(ns)
        us = [statistics.median(all) / 1e3 for all in figures.values()]
        wide, narrow = (spread(all) for all in figures.values())
        print(f"| {name} | {us[0]:.2f} us | {us[1]:.2f} us | {wide:.2%} | {narrow:.2%} | {narrow / wide:.2f} |")


def sample():
    start = time.perf_counter_ns()
    sum(number * number for number in range(15_000))
    return time.perf_counter_ns() - start


def median():
    return statistics.median(sample() for _ in range(100))


def own():
    try:
        text = run(os.environ["TOOL"], "noise", "--json", "-q")
    except subprocess.CalledProcessError:
        # In 10 s, a busy machine left it too few samples.
        text = run(os.environ["TOOL"], "noise", "--json", "-q", "--budget", "60s")
    return json.loads(text)["noise"]["good_to"]


def theirs():
    text = run(os.environ["BENCHER"], "noise", "--duration", SECONDS, "--quiet", "--format", "json")
    return json.loads(text)["bencher::noise::composite"]["noise-score"]["value"]


def correlation(a, b):
    """Spearman's rank correlation (Conover 1999, Practical Nonparametric Statistics, 5.4)."""

    def ranks(all):
        return [sum(x < y for x in all) + sum(x == y for x in all) / 2 for y in all]

    (a, b), middle = (ranks(a), ranks(b)), len(a) / 2

    def both(x, y):
        return sum((x - middle) * (y - middle) for x, y in zip(x, y))

    return both(a, b) / (both(a, a) * both(b, b)) ** 0.5


def noise(levels):
    tools = {"`noise`": own, **({"`bencher noise`": theirs} if os.environ.get("BENCHER") else {})}
    rows = []
    # In random order, so that whatever else runs does not grow with the level.
    for level in random.sample(range(levels), levels):
        share, spell = level / levels * MOST, random.choice(SPELLS)
        with Bursts(share, spell):
            medians = [median() for _ in range(MEDIANS)]
            found = {name: tools[name]() for name in random.sample(list(tools), len(tools))}
            medians += [median() for _ in range(MEDIANS)]
        truth = spread(medians)
        rows.append((share, spell, truth, [found[name] for name in tools]))
        print(rows[-1], file=sys.stderr, flush=True)
    for share, spell, truth, (good_to, *score) in sorted(rows):
        score = f"{score[0]:.0f}" if score else "-"
        print(f"| {share:.0%} | {spell * 1e3:.0f} ms | {truth:.2%} | ±{good_to:.2%} | {score} |")
    print("\nRank correlation with the spread:", end=" ")
    truth = [row[2] for row in rows]
    all = [[row[3][at] for row in rows] for at in range(len(tools))]
    print(", ".join(f"{name} {correlation(truth, one):.2f}" for name, one in zip(tools, all)) + ".")


if __name__ == "__main__":
    os.sched_setaffinity(0, {CPU})
    part, *rest = sys.argv[1:]
    {"burn": burn, "harnesses": harnesses, "noise": noise}[part](*(float(it) if part == "burn" else int(it) for it in rest))
