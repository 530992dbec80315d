"""Runs the code of waits that `advise` prints, and compares it with the figures above it.

Arguments: the tool, and durations such as 1ms. Each snippet waits in a loop of a program of its own,
in which the language's monotonic clock times each wait; the CPU time is that of the process, less
that of one with fewer waits, which has loaded and compiled as much. Advice and program take turns, and the middle of three counts.
"""

import glob
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

GOALS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
ROUNDS = 3

# The file, the command that builds it, the command that runs it, and the program around the code.
LANGUAGES = {
    "c": ("w.c", "cc -O2 w.c -o w", "./w", """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
{head}
static long long now(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec; }}
static long long took_[1 << 16];
int main(int n, char **a) {{ (void)n; for (int i = 0; i < atoi(a[1]); i++) {{ long long t0_ = now();
{{
{body}
}}
    took_[i] = now() - t0_; }}
    for (int i = 0; i < atoi(a[1]); i++) printf("%lld\\n", took_[i]);
    return 0; }}
"""),
    "c++": ("w.cpp", "c++ -O2 w.cpp -o w", "./w", """#include <chrono>
#include <cstdio>
#include <cstdlib>
{head}
static long long took_[1 << 16];
int main(int, char **a) {{ for (int i = 0; i < atoi(a[1]); i++) {{
    auto t0_ = std::chrono::steady_clock::now();
{{
{body}
}}
    took_[i] = std::chrono::nanoseconds(std::chrono::steady_clock::now() - t0_).count(); }}
    for (int i = 0; i < atoi(a[1]); i++) std::printf("%lld\\n", took_[i]); }}
"""),
    "python": ("w.py", "true", "python3 w.py", """import sys, time as _time
{head}
_took = []
for _ in range(int(sys.argv[1])):
    _t0 = _time.perf_counter_ns()
{indented}
    _took.append(_time.perf_counter_ns() - _t0)
print(*_took)
"""),
    "javascript": ("w.js", "true", "node w.js", """(async () => {{
const took_ = [];
for (let i = Number(process.argv[2]); i > 0; i--) {{
const t0_ = process.hrtime.bigint();
{{
{body}
}}
took_.push(process.hrtime.bigint() - t0_); }}
console.log(took_.join(" ")); }})();
"""),
    "java": ("W.java", "javac W.java", "java -cp . W", """{head}
class W {{ public static void main(String[] a) throws Exception {{
long[] took_ = new long[Integer.parseInt(a[0])];
for (int i = Integer.parseInt(a[0]); i > 0; i--) {{ long t0_ = System.nanoTime();
{{
{body}
}}
took_[i - 1] = System.nanoTime() - t0_; }}
for (long one : took_) System.out.println(one); }} }}
"""),
    "go": ("w.go", "go build -o w w.go", "./w", """package main
import ("fmt"; "os"; "strconv"; clock_ "time")
{head}
func main() {{ n, _ := strconv.Atoi(os.Args[1])
took_ := make([]int64, 0, n)
for ; n > 0; n-- {{ t0_ := clock_.Now()
func() {{
{body}
}}()
took_ = append(took_, clock_.Since(t0_).Nanoseconds()) }}
for _, one := range took_ {{ fmt.Println(one) }} }}
"""),
    "rust": ("w.rs", "rustc -O --edition 2024 w.rs {rust}", "./w", """{head}
fn main() {{ let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
let mut took_ = Vec::with_capacity(n);
for _ in 0..n {{ let t0_ = std::time::Instant::now();
{{
{body}
}}
took_.push(t0_.elapsed().as_nanos()); }}
for one in took_ {{ println!("{{one}}"); }} }}
"""),
    "c#": ("w.cs", "mcs -optimize+ w.cs", "mono w.exe", """using System;
using System.Diagnostics;
{head}
static class W {{
{members}
static async System.Threading.Tasks.Task Run(int n, long[] took_) {{
for (int i_ = 0; i_ < n; i_++) {{ long t0_ = Stopwatch.GetTimestamp();
{{
{body}
}}
took_[i_] = (Stopwatch.GetTimestamp() - t0_) * (1000000000 / Stopwatch.Frequency); }}
await System.Threading.Tasks.Task.CompletedTask; }}
static void Main(string[] a) {{ {setup}
var took = new long[int.Parse(a[0])];
Run(took.Length, took).Wait();
foreach (long one in took) Console.WriteLine(one); }} }}
"""),
}


def advice(tool, duration, language):
    """The usual wait: its code, p50 in nanoseconds and share of a CPU."""
    out = subprocess.run(
        [tool, "advise", "--wait", duration, "--language", language, "--json"],
        capture_output=True, text=True, check=True)
    for one in json.loads(out.stdout)["advice"]:
        if (one.get("wait") or {}).get("goal") == "usual" and one.get("clock"):
            (code,) = one["code"].values()
            return one["clock"], code, one["wait"]["p50_ns"], one["wait"].get("cpu_share")
    return None


def library(tool):
    """What rustc needs to find the library that the tool was built with."""
    deps = os.path.join(os.path.dirname(os.path.abspath(tool)), "deps")
    built = glob.glob(os.path.join(deps, "libchronoscope-*.rlib"))
    newest = max(built, key=os.path.getmtime, default="none")
    return f"-L dependency={deps} --extern chronoscope={newest}"


def spent(command, count, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(
        command.split() + [str(count)], capture_output=True, text=True, check=True, cwd=cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, [int(line) for line in out.stdout.split()]


def split(code):
    """What stands at the top of the file, and what is timed, as the frames name them."""
    heads = ("#include", "#define _", "import ", "using ", "use ")
    here = "/* go on here */"
    if code.startswith("setTimeout(") and here in code:
        code = "await new Promise((done_) => { " + code.replace(here, "done_();") + " });"
    lines = code.split("\n")
    # What Python sets once stands before the loop, too.
    once = [line for line in lines if line.startswith(heads) or "# once" in line]
    # Declarations of C#, and what sets its thread up.
    members = [line for line in lines if line.startswith(("[", "static extern"))]
    setup = [line for line in lines if members and line.startswith("prctl(")]
    body = [line for line in lines if line not in once + members + setup]
    indented = "\n".join("    " + line for line in body)
    return {"head": "\n".join(once), "body": "\n".join(body), "indented": indented,
            "members": "\n".join(members), "setup": "\n".join(setup)}


def run(tool, language, code, seconds):
    name, build, command, frame = LANGUAGES[language]
    with tempfile.TemporaryDirectory() as cwd:
        with open(os.path.join(cwd, name), "w") as file:
            file.write(frame.format(**split(code)))
        build = build.replace("{rust}", library(tool))
        subprocess.run(build.split(), check=True, cwd=cwd)
        count = max(50, min(1000, int(1.5 / seconds)))
        less, fewer = spent(command, count // 4, cwd)
        cpu, took = spent(command, count + count // 4, cwd)
    late = statistics.median(took) - seconds * 1e9
    return late, (cpu - less) / ((sum(took) - sum(fewer)) / 1e9)


def main():
    tool, *durations = sys.argv[1:]
    wrong = 0
    for duration in durations:
        number = duration.rstrip("musn")
        seconds = float(number) * GOALS[duration[len(number):]]
        for language in LANGUAGES:
            rounds = []
            for _ in range(ROUNDS):
                said = advice(tool, duration, language)
                if said is None:
                    break
                rounds.append((said, run(tool, language, said[1], seconds)))
            if not rounds:
                print(f"{language:10} {duration:>6}  not measured")
                continue
            middle = lambda values: statistics.median(list(values))
            late = [middle(said[2] for said, _ in rounds), middle(own[0] for _, own in rounds)]
            cpu = [middle((said[3] or 0) * 100 for said, _ in rounds),
                   middle(own[1] * 100 for _, own in rounds)]
            near = abs(late[0] - late[1]) <= max(0.25 * late[0], 5000)
            good = near and abs(cpu[0] - cpu[1]) <= 1.5
            wrong += not good
            print(f"{language:10} {duration:>6}  {rounds[0][0][0]:28} said {late[0] / 1e3:7.1f} us"
                  f" {cpu[0]:5.1f} %  did {late[1] / 1e3:7.1f} us {cpu[1]:5.1f} %"
                  f"  {'agrees' if good else 'DIFFERS'}", flush=True)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
