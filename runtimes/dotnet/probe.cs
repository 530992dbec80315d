// The probe of .NET: CoreCLR, Mono and the .NET Framework. It is C# 5, for the compiler that is
// part of Windows, and one assembly serves all three. See PROTOCOL.md.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

// Does this many reads, and returns something that depends on all of them.
delegate long Loop(long reads);

sealed class Clock
{
    public string Id, Call, Kind;
    public double Hz;
    // The largest error of Hz in parts per million, if it was measured; otherwise the runtime
    // states Hz, and claims its unit as the resolution.
    public double HzPpm;
    public string Extra = "";
    public Func<long> Read;
    public Loop Throughput, Latency;

    public string About()
    {
        return "{\"id\":\"" + Id + "\",\"call\":\"" + Call + "\",\"kind\":\"" + Kind
            + "\",\"hz\":" + Text.Of(Hz)
            + (HzPpm > 0
                ? ",\"hz_ppm\":" + Text.Of(HzPpm)
                : ",\"claimed_ns\":" + Text.Of(1e9 / Hz))
            + Extra + ",\"modes\":[\"throughput\",\"latency\"]}";
    }
}

static class Text
{
    public static string Of(double value)
    {
        return value.ToString("R", CultureInfo.InvariantCulture);
    }

    public static string Of(long value)
    {
        return value.ToString(CultureInfo.InvariantCulture);
    }

    public static string Of(IEnumerable<long> values)
    {
        return "[" + string.Join(",", values) + "]";
    }

    public static string Quoted(string text)
    {
        StringBuilder safe = new StringBuilder("\"");
        foreach (char one in text)
            if (one >= ' ' && one <= '~' && one != '"' && one != '\\' && safe.Length < 200)
                safe.Append(one);
        return safe.Append('"').ToString();
    }
}

// The timed loops. Each clock and mode has its own, which the JIT compiler specialises.
static class Loops
{
    // A zero that the compiler does not know.
    static volatile int unknownZero = 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long EmptyThroughput(long reads)
    {
        long sum = 0;
        for (long at = 0; at < reads; at++)
            sum += at;
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long EmptyLatency(long reads)
    {
        long[] values = { 1, 1 };
        long value = 0;
        int zero = unknownZero;
        for (long at = 0; at < reads; at++)
            value = values[(int)value & zero];
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long StopwatchThroughput(long reads)
    {
        long sum = 0;
        for (long at = 0; at < reads; at++)
            sum += Stopwatch.GetTimestamp();
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long StopwatchLatency(long reads)
    {
        Func<long>[] readers = { Stopwatch.GetTimestamp, Stopwatch.GetTimestamp };
        long value = 0;
        int zero = unknownZero;
        for (long at = 0; at < reads; at++)
            value = readers[(int)value & zero]();
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long UtcNowThroughput(long reads)
    {
        long sum = 0;
        for (long at = 0; at < reads; at++)
            sum += DateTime.UtcNow.Ticks;
        return sum;
    }

    static DateTime UtcNow()
    {
        return DateTime.UtcNow;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long UtcNowLatency(long reads)
    {
        Func<DateTime>[] readers = { UtcNow, UtcNow };
        DateTime value = DateTime.MinValue;
        int zero = unknownZero;
        for (long at = 0; at < reads; at++)
            value = readers[(int)value.Ticks & zero]();
        return value.Ticks;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long TickCountThroughput(long reads)
    {
        long sum = 0;
        for (long at = 0; at < reads; at++)
            sum += Environment.TickCount;
        return sum;
    }

    static int TickCount()
    {
        return Environment.TickCount;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long TickCountLatency(long reads)
    {
        Func<int>[] readers = { TickCount, TickCount };
        int value = 0;
        int zero = unknownZero;
        for (long at = 0; at < reads; at++)
            value = readers[value & zero]();
        return value;
    }

    // The loop of a call that not every runtime has, so that it cannot be written in C#.
    public static Loop ThroughputOf(MethodInfo read)
    {
        DynamicMethod made = new DynamicMethod("Throughput", typeof(long), new[] { typeof(long) });
        ILGenerator code = made.GetILGenerator();
        LocalBuilder sum = code.DeclareLocal(typeof(long));
        LocalBuilder at = code.DeclareLocal(typeof(long));
        Label body = code.DefineLabel(), check = code.DefineLabel();
        code.Emit(OpCodes.Br, check);
        code.MarkLabel(body);
        code.Emit(OpCodes.Ldloc, sum);
        code.EmitCall(OpCodes.Call, read, null);
        code.Emit(OpCodes.Add);
        code.Emit(OpCodes.Stloc, sum);
        code.Emit(OpCodes.Ldloc, at);
        code.Emit(OpCodes.Ldc_I4_1);
        code.Emit(OpCodes.Conv_I8);
        code.Emit(OpCodes.Add);
        code.Emit(OpCodes.Stloc, at);
        code.MarkLabel(check);
        code.Emit(OpCodes.Ldloc, at);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Blt, body);
        code.Emit(OpCodes.Ldloc, sum);
        code.Emit(OpCodes.Ret);
        return (Loop)made.CreateDelegate(typeof(Loop));
    }

    public static Loop LatencyOf(Func<long> read)
    {
        return delegate(long reads)
        {
            Func<long>[] readers = { read, read };
            long value = 0;
            int zero = unknownZero;
            for (long at = 0; at < reads; at++)
                value = readers[(int)value & zero]();
            return value;
        };
    }
}

// The time-stamp counter of x86-64, read by a few bytes of machine code in executable memory.
static class Tsc
{
    delegate long Reader();

    // RDTSC puts the counter's halves into EDX and EAX, and a call returns 64 bits in RAX. The
    // three bytes of `rdtsc; ret` return the low half only, which wraps every second or two. They
    // are enough for a 32-bit process, where a call returns EDX:EAX.
    static readonly byte[] Code =
    {
        0x0F, 0x31,             // rdtsc
        0x48, 0xC1, 0xE2, 0x20, // shl rdx, 32
        0x48, 0x09, 0xD0,       // or rax, rdx
        0xC3                    // ret
    };

    [DllImport("kernel32.dll", SetLastError = true)]
    static extern IntPtr VirtualAlloc(IntPtr address, UIntPtr size, uint type, uint protect);

    [DllImport("kernel32.dll", SetLastError = true)]
    static extern bool VirtualProtect(IntPtr address, UIntPtr size, uint protect, out uint before);

    [DllImport("libc", SetLastError = true)]
    static extern IntPtr mmap(
        IntPtr address, UIntPtr size, int protect, int flags, int file, IntPtr offset);

    [DllImport("libc", SetLastError = true)]
    static extern int mprotect(IntPtr address, UIntPtr size, int protect);

    [DllImport("libc")]
    static extern int prctl(int option, out int value, UIntPtr a, UIntPtr b, UIntPtr c);

    static readonly bool Windows = Environment.OSVersion.Platform == PlatformID.Win32NT;

    static Reader reader;

    public static long Read()
    {
        return reader();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Throughput(long reads)
    {
        Reader read = reader;
        long sum = 0;
        for (long at = 0; at < reads; at++)
            sum += read();
        return sum;
    }

    // Prepares to read. Throws an exception with the reason if the counter cannot be read.
    public static void Open()
    {
        if (IntPtr.Size != 8 || Architecture() != "X64")
            throw new NotSupportedException("only on x86-64");
        if (File.Exists("/proc/self/stat"))
        {
            // PR_GET_TSC; 2 is PR_TSC_SIGSEGV: a read would end this process.
            int permitted;
            if (prctl(25, out permitted, UIntPtr.Zero, UIntPtr.Zero, UIntPtr.Zero) == 0
                && permitted == 2)
                throw new NotSupportedException(
                    "this process may not read the TSC (PR_SET_TSC)");
        }
        reader = (Reader)Marshal.GetDelegateForFunctionPointer(Executable(), typeof(Reader));
        reader();
    }

    static string Architecture()
    {
        object found = About.Property("ProcessArchitecture");
        if (found != null)
            return found.ToString();
        bool amd64 = Environment.GetEnvironmentVariable("PROCESSOR_ARCHITECTURE") == "AMD64";
        return amd64 ? "X64" : "unknown";
    }

    // The memory is never writable and executable at once, which some systems forbid.
    static IntPtr Executable()
    {
        UIntPtr size = (UIntPtr)4096;
        IntPtr none = IntPtr.Zero, memory;
        uint before;
        // MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE; PROT_READ | PROT_WRITE, MAP_PRIVATE and the
        // MAP_ANONYMOUS of Linux or of macOS.
        int mapping = Directory.Exists("/System/Library") ? 0x1002 : 0x22;
        if (Windows)
            memory = VirtualAlloc(none, size, 0x3000, 0x04);
        else
            memory = mmap(none, size, 3, mapping, -1, none);
        if (memory == none || memory == (IntPtr)(-1))
            throw Refused(Windows ? "VirtualAlloc" : "mmap");
        Marshal.Copy(Code, 0, memory, Code.Length);
        // PAGE_EXECUTE_READ; PROT_READ | PROT_EXEC.
        bool executable = Windows
            ? VirtualProtect(memory, size, 0x20, out before)
            : mprotect(memory, size, 5) == 0;
        if (!executable)
            throw Refused(Windows ? "VirtualProtect" : "mprotect");
        return memory;
    }

    static Exception Refused(string call)
    {
        int error = Marshal.GetLastWin32Error();
        return new NotSupportedException("no executable memory: " + call + " failed with error "
            + error.ToString(CultureInfo.InvariantCulture));
    }

    // A value of the counter, the value of Stopwatch next to it, and how far apart they may be.
    struct Pair
    {
        public long Counter, Ticks, Width;

        public static Pair Closest()
        {
            Pair best = new Pair { Width = long.MaxValue };
            for (int tries = 0; tries < 200; tries++)
            {
                long before = Stopwatch.GetTimestamp();
                long counter = Read();
                long after = Stopwatch.GetTimestamp();
                if (after - before < best.Width)
                    best = new Pair { Counter = counter, Ticks = before, Width = after - before };
            }
            return best;
        }
    }

    // The runtime does not know the counter's rate: measures it against Stopwatch, in 20 ms.
    public static void FindRate(Clock clock)
    {
        Pair first = Pair.Closest();
        Thread.Sleep(20);
        Pair last = Pair.Closest();
        // In the middle of the two reads of Stopwatch, each up to a tick behind.
        double ticks = last.Ticks - first.Ticks + (last.Width - first.Width) / 2.0;
        clock.Hz = (last.Counter - first.Counter) * (double)Stopwatch.Frequency / ticks;
        clock.HzPpm = ((first.Width + last.Width) / 2.0 + 1) / ticks * 1e6;
    }
}

// What System.Runtime.InteropServices.RuntimeInformation knows; not every .NET Framework has it.
static class About
{
    public static object Property(string name)
    {
        const string full = "System.Runtime.InteropServices.RuntimeInformation";
        Type about = Type.GetType(full) ?? Type.GetType(full + ", " + full);
        PropertyInfo found = about == null ? null : about.GetProperty(name);
        return found == null ? null : found.GetValue(null, null);
    }
}

// The times of some waits, in nanoseconds, and the deadlines that they are for.
class Series
{
    readonly long ns, first, work;
    readonly long[] times;
    long deadline;
    int at;

    public Series(long ns, long count, long first, long work)
    {
        this.ns = ns;
        this.first = first;
        this.work = work;
        times = new long[3 * Math.Min(count, 1000)];
    }

    static readonly double NsPerTick = 1e9 / Stopwatch.Frequency;

    public static long Now()
    {
        long ticks = Stopwatch.GetTimestamp();
        return Stopwatch.Frequency == 1000000000 ? ticks : (long)(ticks * NsPerTick);
    }

    public long Ns { get { return ns; } }

    // Begins the next wait and returns its nanoseconds, or -1 if there is none.
    public long Begin()
    {
        if (at == 0)
            deadline = first > Now() ? first : Now() + ns;
        for (; at < times.Length; End())
        {
            long now = Now();
            if (first == 0)
                deadline = now + ns;
            times[at] = now;
            times[at + 1] = deadline;
            if (deadline > now)
                return deadline - now;
        }
        return -1;
    }

    // Begins the next wait for the next tick of a timer that began with this call, if it is the
    // first: the deadlines are a grid, whatever they are for.
    public bool Tick()
    {
        if (at == 0)
            deadline = Now() + ns;
        if (at == times.Length)
            return false;
        times[at] = Now();
        times[at + 1] = deadline;
        return true;
    }

    public void End()
    {
        long now = Now();
        times[at + 2] = now;
        at += 3;
        while (work > 0 && Now() - now < work)
        {
        }
        deadline += ns * (1 + Math.Max(0, (now - deadline) / ns));
    }

    public string Answer(string thread)
    {
        long start = times.Length == 0 ? Now() : times[0];
        for (int at = 0; at < times.Length; at++)
            times[at] -= start;
        return "{\"start\":" + Text.Of(start) + ",\"times\":" + Text.Of(times) + thread + "}";
    }
}

// What waits, by its name.
static class Waits
{
    static readonly object Gate = new object();
    static readonly ManualResetEventSlim Never = new ManualResetEventSlim();

    static int Ms(long ns)
    {
        return (int)((ns + 999999) / 1000000);
    }

    // The waits of the calling thread.
    static readonly Dictionary<string, Action<long>> Blocking =
        new Dictionary<string, Action<long>>
        {
            { "thread-sleep", ns => Thread.Sleep(Ms(ns)) },
            { "monitor-wait", ns => { lock (Gate) Monitor.Wait(Gate, Ms(ns)); } },
            { "event-wait", ns => Never.Wait(Ms(ns)) },
            { "spin-wait", Spin },
        };

    static void Spin(long ns)
    {
        SpinWait spin = new SpinWait();
        long deadline = Series.Now() + ns;
        while (Series.Now() < deadline)
            spin.SpinOnce();
    }

    // System.Threading.PeriodicTimer, which older versions lack.
    public static readonly Type PeriodicTimer = typeof(object).Assembly.GetType(
        "System.Threading.PeriodicTimer");

    public static List<string> Names()
    {
        List<string> names = new List<string>(Blocking.Keys);
        names.Add("task-delay");
        names.Add("timer");
        if (PeriodicTimer != null)
            names.Add("periodic-timer");
        return names;
    }

    // Whether Stopwatch is the monotonic clock, as it is where /proc tells of the processes.
    public static bool OnMonotonic()
    {
        return File.Exists("/proc/self/stat");
    }

    // The id that the system has for the calling thread, as a key of an answer.
    static string ThreadKey()
    {
        try
        {
            return ",\"thread\":" + File.ReadAllText("/proc/thread-self/stat").Split(' ')[0];
        }
        catch (Exception)
        {
            return "";
        }
    }

    static async Task Delays(Series series)
    {
        for (long ns; (ns = series.Begin()) >= 0; series.End())
            await Task.Delay(Ms(ns)).ConfigureAwait(false);
    }

    // Each callback sets the timer again: it begins when the wait before it has ended.
    static void Timers(Series series)
    {
        using (ManualResetEventSlim done = new ManualResetEventSlim())
        {
            Timer timer = null;
            timer = new Timer(_ =>
            {
                series.End();
                long more = series.Begin();
                if (more >= 0)
                    timer.Change(Ms(more), Timeout.Infinite);
                else
                    done.Set();
            }, null, Timeout.Infinite, Timeout.Infinite);
            long ns = series.Begin();
            if (ns >= 0)
            {
                timer.Change(Ms(ns), Timeout.Infinite);
                done.Wait();
            }
            timer.Dispose();
        }
    }

    static async Task Ticks(Series series)
    {
        if (PeriodicTimer == null)
            throw new NotSupportedException("no such timer");
        object period = TimeSpan.FromMilliseconds(Ms(series.Ns));
        using (IDisposable timer = (IDisposable)Activator.CreateInstance(PeriodicTimer, period))
        {
            MethodInfo next = PeriodicTimer.GetMethod("WaitForNextTickAsync");
            object[] arguments = { CancellationToken.None };
            for (; series.Tick(); series.End())
            {
                object tick = next.Invoke(timer, arguments);
                await ((Task)tick.GetType().GetMethod("AsTask").Invoke(tick, null))
                    .ConfigureAwait(false);
            }
        }
    }

    public static string Make(string id, Series series)
    {
        Action<long> wait;
        if (Blocking.TryGetValue(id, out wait))
        {
            for (long ns; (ns = series.Begin()) >= 0; series.End())
                wait(ns);
            return series.Answer(ThreadKey());
        }
        if (id == "task-delay")
            Delays(series).Wait();
        else if (id == "timer")
            Timers(series);
        else if (id == "periodic-timer")
            Ticks(series).Wait();
        else
            throw new ArgumentException("no such wait");
        return series.Answer("");
    }
}

static class Probe
{
    // Keeps values; volatile, so the compiler cannot know that nobody reads them.
#pragma warning disable 414
    static volatile object kept;
    static volatile int waited;
#pragma warning restore 414

    static readonly List<Clock> Clocks = new List<Clock>();
    static readonly Clock Empty = new Clock
    {
        Id = "empty",
        Read = () => 1,
        Throughput = Loops.EmptyThroughput,
        Latency = Loops.EmptyLatency
    };

    static readonly Func<long> AllocatedBytes =
        Found(typeof(GC), "GetAllocatedBytesForCurrentThread");

    // A static method of which not every runtime has all.
    static Func<long> Found(Type type, string name)
    {
        MethodInfo method = type.GetMethod(name, Type.EmptyTypes);
        if (method == null || method.ReturnType != typeof(long))
            return null;
        return (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), method);
    }

    static void AddClocks()
    {
        Clocks.Add(new Clock
        {
            Id = "stopwatch",
            Call = "Stopwatch.GetTimestamp()",
            Kind = "monotonic",
            Hz = Stopwatch.Frequency,
            Extra = ",\"high_resolution\":" + (Stopwatch.IsHighResolution ? "true" : "false"),
            Read = Stopwatch.GetTimestamp,
            Throughput = Loops.StopwatchThroughput,
            Latency = Loops.StopwatchLatency
        });
        Clocks.Add(new Clock
        {
            Id = "utc-now",
            Call = "DateTime.UtcNow",
            Kind = "wall",
            Hz = TimeSpan.TicksPerSecond,
            Read = () => DateTime.UtcNow.Ticks,
            Throughput = Loops.UtcNowThroughput,
            Latency = Loops.UtcNowLatency
        });
        Clocks.Add(new Clock
        {
            Id = "tick-count",
            Call = "Environment.TickCount",
            Kind = "monotonic",
            Hz = 1000,
            Read = () => Environment.TickCount,
            Throughput = Loops.TickCountThroughput,
            Latency = Loops.TickCountLatency
        });
        Func<long> longTicks = Found(typeof(Environment), "get_TickCount64");
        if (longTicks != null)
            Clocks.Add(new Clock
            {
                Id = "tick-count-64",
                Call = "Environment.TickCount64",
                Kind = "monotonic",
                Hz = 1000,
                Read = longTicks,
                Throughput = Loops.ThroughputOf(longTicks.Method),
                Latency = Loops.LatencyOf(longTicks)
            });
        AddCounter();
    }

    // Why there is no clock `rdtsc`; null if there is one.
    static string noCounter;

    static void AddCounter()
    {
        Clock counter = new Clock
        {
            Id = "rdtsc",
            Call = "rdtsc() // machine code",
            Kind = "counter",
            Extra = ",\"internal\":true",
            Read = Tsc.Read,
            Throughput = Tsc.Throughput,
            Latency = Loops.LatencyOf(Tsc.Read)
        };
        try
        {
            Tsc.Open();
            Tsc.FindRate(counter);
            Clocks.Add(counter);
        }
        catch (Exception error)
        {
            noCounter = error.Message;
        }
    }

    static string Hello()
    {
        object described = About.Property("FrameworkDescription");
        bool mono = Type.GetType("Mono.Runtime") != null;
        bool core = !mono && typeof(object).Assembly.GetName().Name != "mscorlib";
        // CoreCLR 3 and later have their own version there, Mono and the Framework that of the
        // Framework whose interface they have.
        string version = Environment.Version.ToString();
        if (described != null && !core)
            version = described.ToString().Replace(".NET Framework ", "").Replace("Mono ", "");
        StringBuilder clocks = new StringBuilder();
        foreach (Clock clock in Clocks)
            clocks.Append(clocks.Length == 0 ? "" : ",").Append(clock.About());
        string unavailable = noCounter == null
            ? ""
            : "{\"id\":\"rdtsc\",\"reason\":" + Text.Quoted(noCounter) + "}";
        if (!mono && Waits.PeriodicTimer == null)
            unavailable += (unavailable.Length == 0 ? "" : ",")
                + "{\"id\":\"periodic-timer\",\"reason\":\".NET has it since version 6\"}";
        return "{\"protocol\":2,\"runtime\":\""
            + (mono ? "Mono" : core ? "CoreCLR" : ".NET Framework")
            + "\",\"version\":" + Text.Quoted(version.Split(' ')[0])
            + ",\"build\":" + Text.Quoted(
                (described ?? version) + (IntPtr.Size == 8 ? ", 64-bit" : ", 32-bit"))
            + ",\"stopwatch\":{\"call\":\"Stopwatch.GetTimestamp()\",\"hz\":"
            + Text.Of(Stopwatch.Frequency) + "},\"clocks\":[" + clocks
            + "],\"unavailable\":[" + unavailable
            + "],\"sleeps\":[{\"id\":\"thread-sleep\",\"call\":\"Thread.Sleep(ms)\","
            + "\"unit_ns\":1000000},{\"id\":\"task-delay\",\"call\":\"Task.Delay(ms).Wait()\","
            + "\"unit_ns\":1000000}],\"allocations\":"
            + (AllocatedBytes == null ? "false" : "true") + ",\"waits\":[\""
            + string.Join("\",\"", Waits.Names()) + "\"],\"monotonic\":"
            + (Waits.OnMonotonic() ? "true" : "false") + "}";
    }

    static Clock Named(string id)
    {
        Clock found = id == "empty" ? Empty : Clocks.Find(clock => clock.Id == id);
        if (found == null)
            throw new ArgumentException("no such clock");
        return found;
    }

    static string Batch(Clock clock, string mode, long reads, long warm)
    {
        if (mode != "throughput" && mode != "latency")
            throw new ArgumentException("no such mode");
        Loop loop = mode == "latency" ? clock.Latency : clock.Throughput;
        kept = loop(warm);
        long start = Stopwatch.GetTimestamp();
        long value = loop(reads);
        long stop = Stopwatch.GetTimestamp();
        kept = value;
        return "{\"start\":" + Text.Of(start) + ",\"ticks\":" + Text.Of(stop - start) + "}";
    }

    static long SumOf(long[] integers)
    {
        long sum = 0;
        for (int at = 0; at < integers.Length; at++)
            sum += integers[at];
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Sums(long turns, long[] integers)
    {
        long all = 0;
        for (long turn = 0; turn < turns; turn++)
            all += SumOf(integers);
        return all;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long TimedSums(long turns, long[] integers, Func<long> read)
    {
        long all = 0;
        for (long turn = 0; turn < turns; turn++)
        {
            long start = read();
            all += SumOf(integers);
            kept = read() - start;
        }
        return all;
    }

    static string Around(Clock clock, long turns, long count)
    {
        long[] integers = new long[Math.Min(count, 1000000)];
        for (int at = 0; at < integers.Length; at++)
            integers[at] = at;
        long start = Stopwatch.GetTimestamp();
        long sum = clock == Empty ? Sums(turns, integers) : TimedSums(turns, integers, clock.Read);
        long stop = Stopwatch.GetTimestamp();
        kept = sum;
        return "{\"start\":" + Text.Of(start) + ",\"ticks\":" + Text.Of(stop - start) + "}";
    }

    // The reads of the last `deltas`.
    static long[] values = { };

    static string Deltas(Clock clock, long count)
    {
        values = new long[Math.Min(count, 1000000)];
        // Twice, so that the memory is touched and the loop compiled.
        for (int pass = 0; pass < 2; pass++)
            Fill(clock.Read, values);
        return More(0);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fill(Func<long> read, long[] values)
    {
        for (int at = 0; at < values.Length; at++)
            values[at] = read();
    }

    static string More(long from)
    {
        int first = (int)Math.Min(from, values.Length);
        long[] some = new long[Math.Min(values.Length - first, 20000)];
        for (int at = 0; at < some.Length; at++)
            some[at] = values[first + at] - values[0];
        return "{\"values\":" + Text.Of(some) + "}";
    }

    static string Spins(Clock clock, long count)
    {
        int most = (int)Math.Min(count, 2000);
        List<long> steps = new List<long>(most), reads = new List<long>(most);
        long limit = Stopwatch.GetTimestamp() + Stopwatch.Frequency / 2;
        long last = clock.Read(), tries = 0;
        bool first = true;
        while (steps.Count < most)
        {
            long now = clock.Read();
            tries++;
            if (now != last)
            {
                if (!first)
                {
                    steps.Add(now - last);
                    reads.Add(tries);
                }
                first = false;
                last = now;
                tries = 0;
            }
            if (tries % 100 == 0 && Stopwatch.GetTimestamp() > limit)
                break;
        }
        return "{\"steps\":" + Text.Of(steps) + ",\"reads\":" + Text.Of(reads) + "}";
    }

    static string Watch(Clock clock, long count)
    {
        long limit = Stopwatch.GetTimestamp() + 2 * Stopwatch.Frequency;
        long same = 0, smallest = 0, longest = 0, backwards = 0, worst = 0, done = 0;
        long last = clock.Read();
        while (done < count)
        {
            long now = clock.Read();
            long step = now - last;
            last = now;
            done++;
            if (step > longest)
                longest = step;
            if (step > 0 && (step < smallest || smallest == 0))
                smallest = step;
            if (step == 0)
                same++;
            if (step < 0)
            {
                backwards++;
                worst = Math.Max(worst, -step);
            }
            if (done % 1000 == 0 && Stopwatch.GetTimestamp() > limit)
                break;
        }
        return "{\"reads\":" + Text.Of(done) + ",\"same\":" + Text.Of(same) + ",\"smallest\":"
            + Text.Of(smallest) + ",\"longest\":" + Text.Of(longest) + ",\"backwards\":"
            + Text.Of(backwards) + ",\"worst\":" + Text.Of(worst) + "}";
    }

    // Starts and stops objects: what each of them shows although nothing was timed.
    static string Pairs(Clock clock, long count)
    {
        if (clock.Id != "stopwatch")
            throw new ArgumentException("no object times by this clock");
        long limit = Stopwatch.GetTimestamp() + 2 * Stopwatch.Frequency;
        long zero = 0, total = 0, longest = 0, done = 0;
        while (done < count)
        {
            Stopwatch watch = Stopwatch.StartNew();
            watch.Stop();
            long ticks = watch.ElapsedTicks;
            done++;
            total += ticks;
            if (ticks > longest)
                longest = ticks;
            if (ticks == 0)
                zero++;
            // Otherwise pairs whose period is about a tick all begin at the same place in one.
            for (long left = done * 7 % 32; left > 0; left--)
                waited = (int)left;
            if (done % 1000 == 0 && Stopwatch.GetTimestamp() > limit)
                break;
        }
        return "{\"call\":\"Stopwatch.StartNew(), Stop()\",\"pairs\":" + Text.Of(done)
            + ",\"zero\":" + Text.Of(zero) + ",\"total\":" + Text.Of(total) + ",\"longest\":"
            + Text.Of(longest) + "}";
    }

    static string Sleep(string id, long ns, long count)
    {
        if (id != "thread-sleep" && id != "task-delay")
            throw new ArgumentException("no such sleep");
        int ms = (int)((ns + 999999) / 1000000);
        long[] slept = new long[Math.Min(count, 1000)];
        for (int at = 0; at < slept.Length; at++)
        {
            long start = Stopwatch.GetTimestamp();
            if (id == "thread-sleep")
                Thread.Sleep(ms);
            else
                Task.Delay(ms).Wait();
            double ticks = Stopwatch.GetTimestamp() - start;
            slept[at] = (long)(ticks * 1e9 / Stopwatch.Frequency);
        }
        return "{\"slept\":" + Text.Of(slept) + "}";
    }

    static string Allocations(Clock clock, long reads)
    {
        if (AllocatedBytes == null)
            throw new NotSupportedException("this runtime does not count them");
        long before = AllocatedBytes();
        long value = clock.Throughput(reads);
        long bytes = AllocatedBytes() - before;
        kept = value;
        return "{\"bytes\":" + Text.Of(bytes) + "}";
    }

    static long Number(string word)
    {
        return long.Parse(word, NumberStyles.None, CultureInfo.InvariantCulture);
    }

    static string Answer(string[] words)
    {
        switch (words[0] + " " + (words.Length - 1))
        {
            case "hello 0":
                return Hello();
            case "batch 4":
                return Batch(Named(words[1]), words[2], Number(words[3]), Number(words[4]));
            case "around 3":
                return Around(Named(words[1]), Number(words[2]), Number(words[3]));
            case "deltas 2":
                return Deltas(Named(words[1]), Number(words[2]));
            case "more 1":
                return More(Number(words[1]));
            case "spins 2":
                return Spins(Named(words[1]), Number(words[2]));
            case "watch 2":
                return Watch(Named(words[1]), Number(words[2]));
            case "pairs 2":
                return Pairs(Named(words[1]), Number(words[2]));
            case "sleep 3":
                return Sleep(words[1], Number(words[2]), Number(words[3]));
            case "waits 5":
                return Waits.Make(words[1], new Series(
                    Number(words[2]), Number(words[3]), Number(words[4]), Number(words[5])));
            case "allocations 2":
                return Allocations(Named(words[1]), Number(words[2]));
            default:
                throw new ArgumentException("no such request");
        }
    }

    static void Main()
    {
        AddClocks();
        // Only ASCII is written, and without the mark that some encodings begin with.
        Encoding plain = new UTF8Encoding(false);
        StreamReader requests = new StreamReader(Console.OpenStandardInput(), plain);
        StreamWriter answers = new StreamWriter(Console.OpenStandardOutput(), plain);
        answers.NewLine = "\n";
        for (string line; (line = requests.ReadLine()) != null && line != "quit"; )
        {
            string answer;
            try
            {
                answer = Answer(line.Split(' '));
            }
            catch (Exception error)
            {
                answer = "{\"error\":" + Text.Quoted(error.Message) + "}";
            }
            answers.WriteLine(answer);
            answers.Flush();
        }
    }
}
