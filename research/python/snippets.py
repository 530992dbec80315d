"""Runs the code of waits that `advise` prints, and compares it with the figures above it.

Arguments: the tool, and durations such as 1ms, or rates of a loop that works for 0.5 ms, such as 144Hz. Each snippet waits in a
loop of a program of its own, in which the language's monotonic clock times each wait; a printed loop stands alone, with the work
in its place. The CPU time is that of the process, less that of one with half as many waits, which has loaded and compiled as much.
Advice and program take turns three times. The middle counts; lateness agrees if the ranges of both do. Next to a tool for
Windows, MinGW builds the code, and Wine runs it. Each snippet is a line of JSON, and one for people on standard error.
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
int main(int n, char **a) {{ (void)n; {once} for (int i = 0; i < atoi(a[1]); i++) {{ long long t0_ = now();
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
int main(int, char **a) {{ {once} for (int i = 0; i < atoi(a[1]); i++) {{
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
    "c#": ("w.cs", "mcs -optimize+ -nowarn:105 w.cs", "mono w.exe", """using System;
using System.Diagnostics;
{head}
static class W {{
{members}
static async System.Threading.Tasks.Task Run(int n, long[] took_) {{
for (int i_ = 0; i_ < n; i_++) {{ long end_ = 0, t0_ = Stopwatch.GetTimestamp();
{{
{body}
}}
if (end_ == 0) end_ = Stopwatch.GetTimestamp();
took_[i_] = (end_ - t0_) * (1000000000 / Stopwatch.Frequency); }}
await System.Threading.Tasks.Task.CompletedTask; }}
static void Main(string[] a) {{ {setup}
var took = new long[int.Parse(a[0])];
Run(took.Length, took).Wait();
foreach (long one in took) Console.WriteLine(one); }} }}
"""),
}

# How each is built and run if the tool is that of Windows.
WINDOWS = {
    "c": ("x86_64-w64-mingw32-gcc-posix -O2 -static w.c -o w.exe -lwinmm", "wine w.exe"),
    "c++": ("x86_64-w64-mingw32-g++-posix -O2 -static w.cpp -o w.exe -lwinmm", "wine w.exe"),
}

# What stands for the work of a loop, and the program around it: each keeps how late the loop was, and ends it.
WORK_NS = 500_000
LOOPS = {
    "c": ("late_[n_] = now - next + period; t0_ = now_(); while (now_() < t0_ + WORK); "
          "if (n_++ == count_) break;",
          """#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
{head}
static long long now_(void) {{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec; }}
static long long late_[1 << 16];
int main(int argc, char **a) {{ (void)argc; int n_ = 0, count_ = atoi(a[1]); long long t0_, begin_ = now_();
{body}
printf("%lld\\n", now_() - begin_);
for (int i = 1; i <= count_; i++) printf("%lld\\n", late_[i]); return 0; }}
"""),
    "c++": ("late_[n_] = std::chrono::nanoseconds(now - next + period).count(); "
            "for (auto t0_ = clock_::now(); clock_::now() - t0_ < std::chrono::nanoseconds(WORK);) {} "
            "if (n_++ == count_) break;",
            """#include <chrono>
#include <cstdio>
#include <cstdlib>
{head}
typedef std::chrono::steady_clock clock_;
static long long late_[1 << 16];
int main(int, char **a) {{ int n_ = 0, count_ = std::atoi(a[1]); auto begin_ = clock_::now();
{body}
std::printf("%lld\\n", (long long)std::chrono::nanoseconds(clock_::now() - begin_).count());
for (int i = 1; i <= count_; i++) std::printf("%lld\\n", late_[i]); }}
"""),
    "python": ("_late.append(late); _t0 = _time.perf_counter_ns()\n"
               "while _time.perf_counter_ns() < _t0 + WORK: pass\n"
               "if len(_late) > _count: break",
               """import sys, time as _time
{head}
_count, _late, _begin = int(sys.argv[1]), [], _time.perf_counter_ns()
{body}
print(_time.perf_counter_ns() - _begin, *_late[1:])
"""),
    "javascript": ("late_.push(Math.round(late * 1e6)); { const t0_ = performance.now(); "
                   "while (performance.now() < t0_ + WORK / 1e6); } if (late_.length > count_) break;",
                   """(async () => {{
const count_ = Number(process.argv[2]), late_ = [], begin_ = performance.now();
{head}
{body}
console.log([Math.round((performance.now() - begin_) * 1e6), ...late_.slice(1)].join(" ")); }})();
"""),
    "java": ("late_[n_] = System.nanoTime() - next + period; "
             "for (long t0_ = System.nanoTime(); System.nanoTime() < t0_ + WORK;) {} "
             "if (n_++ == count_) break;",
             """{head}
class W {{ public static void main(String[] a) throws Exception {{
int n_ = 0, count_ = Integer.parseInt(a[0]); long[] late_ = new long[count_ + 1]; long begin_ = System.nanoTime();
{body}
System.out.println(System.nanoTime() - begin_);
for (int i = 1; i <= count_; i++) System.out.println(late_[i]); }} }}
"""),
    "go": ("late_ = append(late_, clock_.Since(next)+period); for t0_ := clock_.Now(); clock_.Since(t0_) < WORK; {}\n"
           "if len(late_) > count_ { break }",
           """package main
import ("fmt"; "os"; "strconv"; clock_ "time")
{head}
func main() {{ count_, _ := strconv.Atoi(os.Args[1])
late_, begin_ := make([]clock_.Duration, 0, count_+1), clock_.Now()
{body}
fmt.Println(clock_.Since(begin_).Nanoseconds())
for _, one := range late_[1:] {{ fmt.Println(one.Nanoseconds()) }} }}
"""),
    "rust": ("late_.push(period.as_nanos() as i64 - next.duration_since(Instant::now()).as_nanos() as i64); "
             "let t0_ = Instant::now(); while t0_.elapsed().as_nanos() < WORK {} "
             "if late_.len() > count_ { break; }",
             """fn main() {{ let count_: usize = std::env::args().nth(1).unwrap().parse().unwrap();
let mut late_ = Vec::with_capacity(count_ + 1); let begin_ = std::time::Instant::now();
{head}
{body}
println!("{{}}", begin_.elapsed().as_nanos());
for one in &late_[1..] {{ println!("{{one}}"); }} }}
"""),
    "c#": ("late_[n_] = (long)(late / hz * 1e9); for (long t0_ = Stopwatch.GetTimestamp(); "
           "(Stopwatch.GetTimestamp() - t0_) / hz < WORK / 1e9;) {} if (n_++ == count_) break;",
           """{head}
static class W {{
{members}
static async System.Threading.Tasks.Task Run(int count_) {{ int n_ = 0; var late_ = new long[count_ + 1];
long begin_ = Stopwatch.GetTimestamp();
{body}
Console.WriteLine((long)((Stopwatch.GetTimestamp() - begin_) / hz * 1e9));
for (int i = 1; i <= count_; i++) Console.WriteLine(late_[i]);
await System.Threading.Tasks.Task.CompletedTask; }}
static void Main(string[] a) {{ {setup} Run(int.Parse(a[0])).Wait(); }} }}
"""),
}


def advice(tool, duration, language):
    """The usual wait: its code, p50 in nanoseconds, share of a CPU, and frames per second."""
    asked = ["--wait", duration]
    if duration.endswith("Hz"):
        asked = ["--every", duration, "--work", f"{WORK_NS}ns"]
    start = ["wine", tool] if tool.endswith(".exe") else [tool]
    out = subprocess.run(
        [*start, "advise", *asked, "--language", language, "--json"],
        capture_output=True, text=True, check=True)
    for one in json.loads(out.stdout)["advice"]:
        wait = one.get("wait") or {}
        if wait.get("goal") == "usual" and one.get("clock"):
            (code,) = one["code"].values()
            frames = (wait.get("paced") or {}).get("frames_per_s")
            return one["clock"], code, wait["p50_ns"], wait.get("cpu_share"), frames
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
    heads = ("#include", "#define _", "import ", "using ", "use ", "static void ")
    here = "/* go on here */"
    if code.startswith("setTimeout(") and here in code:
        code = "await new Promise((done_) => { " + code.replace(here, "done_();") + " });"
    # A timer that repeats is cleared by its first turn, which ends the wait, too.
    again = "// or go on"
    if again in code:
        code = "await new Promise((done_) => { " + code.replace(again, "done_();") + " });"
    # A callback of C# says when it began, as in the probe.
    if "_ => { " + here in code:
        code = ("var done_ = new System.Threading.ManualResetEventSlim();\n"
                + code.replace(here, "end_ = Stopwatch.GetTimestamp(); done_.Set();")
                + "\ndone_.Wait();\ntimer.Dispose();")
    made, closed = "HANDLE timer = ", "\nCloseHandle(timer);"
    if made in code and closed in code:
        before, rest = code.replace(closed, "").split(made)
        rest, body = rest.split(");\n", 1)
        made, code = made + rest + ");", before + body
    else:
        made = ""
    lines = code.split("\n")
    # What Python sets once stands before the loop, too.
    once = [line for line in lines if line.startswith(heads) or "# once" in line]
    # Declarations of C#, and what sets its thread up.
    members = [line for line in lines if line.startswith(("[", "static extern"))]
    setup = [line for line in lines if members and line.startswith("prctl(")]
    body = [line for line in lines if line not in once + members + setup]
    indented = "\n".join("    " + line for line in body)
    return {"head": "\n".join(once), "body": "\n".join(body), "indented": indented, "once": made,
            "members": "\n".join(members), "setup": "\n".join(setup)}


def at_work(code, work):
    """The code with work in its place, at its indentation."""
    lines = []
    for line in code.split("\n"):
        indent = line[:len(line) - len(line.lstrip())]
        is_place = line.strip() in ("// work", "# work")
        lines += [indent + one for one in work.split("\n")] if is_place else [line]
    return "\n".join(lines)


def run(tool, language, code, seconds, paced):
    name, build, command, frame = LANGUAGES[language]
    if tool.endswith(".exe"):
        build, command = WINDOWS[language]
    parts = split(code)
    if paced:
        work, frame = LOOPS[language]
        parts["body"] = at_work(parts["body"], work.replace("WORK", str(WORK_NS)))
    with tempfile.TemporaryDirectory() as cwd:
        with open(os.path.join(cwd, name), "w") as file:
            file.write(frame.format(**parts))
        build = build.replace("{rust}", library(tool))
        # What a compiler prints is no line of JSON.
        subprocess.run(build.split(), check=True, cwd=cwd, stdout=sys.stderr)
        count = max(50, min(1000, int(1.5 / seconds)))
        less, fewer = spent(command, count, cwd)
        cpu, took = spent(command, 2 * count, cwd)
    if paced:
        whole = (took[0] - fewer[0]) / 1e9
        return statistics.median(took[1:]), (cpu - less) / whole, count / whole
    late = statistics.median(took) - seconds * 1e9
    return late, (cpu - less) / ((sum(took) - sum(fewer)) / 1e9), None


def span(values):
    return f"{min(values) / 1e3:.0f} to {max(values) / 1e3:.0f}"


def main():
    tool, *durations = sys.argv[1:]
    languages = LANGUAGES
    if tool.endswith(".exe"):
        # The work of its loops would need code of its own.
        languages, durations = WINDOWS, [it for it in durations if not it.endswith("Hz")]
    for duration in durations:
        paced = duration.endswith("Hz")
        number = duration.rstrip("musnHz")
        seconds = 1 / float(number) if paced else float(number) * GOALS[duration[len(number):]]
        for language in languages:
            rounds = []
            for _ in range(ROUNDS):
                said = advice(tool, duration, language)
                if said is None:
                    break
                rounds.append((said, run(tool, language, said[1], seconds, paced)))
            if not rounds:
                print(f"{language:10} {duration:>6}  not measured", file=sys.stderr)
                print(json.dumps({"language": language, "asked": duration}), flush=True)
                continue
            middle = lambda values: statistics.median(list(values))
            late = [middle(said[2] for said, _ in rounds), middle(own[0] for _, own in rounds)]
            cpu = [middle((said[3] or 0) * 100 for said, _ in rounds),
                   middle(own[1] * 100 for _, own in rounds)]
            # A virtual machine wakes sooner in one run than in the next.
            said, own = ([one[0][2] for one in rounds], [one[1][0] for one in rounds])
            apart = max(min(said) - max(own), min(own) - max(said), 0)
            near = apart <= max(0.25 * late[0], 5000)
            # Wine tells the tool no CPU times that are as fine.
            good = near and (languages is WINDOWS or abs(cpu[0] - cpu[1]) <= 1.5)
            frames, pace = "", None
            if paced:
                pace = [middle(said[4] for said, _ in rounds), middle(own[2] for _, own in rounds)]
                good = good and abs(pace[0] - pace[1]) <= 0.005 * pace[0]
                frames = f"  {pace[0]:.1f} and {pace[1]:.1f} frames/s"
            print(f"{language:10} {duration:>6}  {rounds[0][0][0]:28} said {late[0] / 1e3:7.1f} us"
                  f" ({span(said)}) {cpu[0]:5.1f} %  did {late[1] / 1e3:7.1f} us ({span(own)})"
                  f" {cpu[1]:5.1f} %"
                  f"{frames}  {'agrees' if good else 'DIFFERS'}", file=sys.stderr)
            found = {"id": rounds[0][0][0], "late_ns": late, "cpu": cpu, "frames": pace,
                     "agrees": good}
            print(json.dumps({"language": language, "asked": duration, "found": found}),
                  flush=True)


if __name__ == "__main__":
    main()
