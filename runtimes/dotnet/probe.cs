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
using System.Text;
using System.Threading;
using System.Threading.Tasks;

// Does this many reads, and returns something that depends on all of them.
delegate long Loop(long reads);

sealed class Clock
{
    public string Id, Call, Kind;
    public double Hz;
    public string Extra = "";
    public Func<long> Read;
    public Loop Throughput, Latency;

    public string About()
    {
        return "{\"id\":\"" + Id + "\",\"call\":\"" + Call + "\",\"kind\":\"" + Kind
            + "\",\"hz\":" + Text.Of(Hz) + ",\"claimed_ns\":" + Text.Of(1e9 / Hz) + Extra
            + ",\"modes\":[\"throughput\",\"latency\"]}";
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

static class Probe
{
    // Keeps values; volatile, so the compiler cannot know that nobody reads them.
#pragma warning disable 414
    static volatile object kept;
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
        if (longTicks == null)
            return;
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
    }

    static string Hello()
    {
        // Not every .NET Framework has RuntimeInformation.
        Type about = Type.GetType("System.Runtime.InteropServices.RuntimeInformation")
            ?? Type.GetType("System.Runtime.InteropServices.RuntimeInformation, "
                + "System.Runtime.InteropServices.RuntimeInformation");
        object described = about == null
            ? null
            : about.GetProperty("FrameworkDescription").GetValue(null, null);
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
        return "{\"protocol\":1,\"runtime\":\""
            + (mono ? "Mono" : core ? "CoreCLR" : ".NET Framework")
            + "\",\"version\":" + Text.Quoted(version.Split(' ')[0])
            + ",\"build\":" + Text.Quoted(
                (described ?? version) + (IntPtr.Size == 8 ? ", 64-bit" : ", 32-bit"))
            + ",\"stopwatch\":{\"call\":\"Stopwatch.GetTimestamp()\",\"hz\":"
            + Text.Of(Stopwatch.Frequency) + "},\"clocks\":[" + clocks
            + "],\"sleeps\":[{\"id\":\"thread-sleep\",\"call\":\"Thread.Sleep(ms)\","
            + "\"unit_ns\":1000000},{\"id\":\"task-delay\",\"call\":\"Task.Delay(ms).Wait()\","
            + "\"unit_ns\":1000000}],\"allocations\":"
            + (AllocatedBytes == null ? "false" : "true") + "}";
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

    static string Deltas(Clock clock, long count)
    {
        long[] values = new long[Math.Min(count, 20000)];
        // Twice, so that the memory is touched and the loop compiled.
        for (int pass = 0; pass < 2; pass++)
            for (int at = 0; at < values.Length; at++)
                values[at] = clock.Read();
        for (int at = values.Length - 1; at >= 0; at--)
            values[at] -= values[0];
        return "{\"values\":" + Text.Of(values) + "}";
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
            case "deltas 2":
                return Deltas(Named(words[1]), Number(words[2]));
            case "spins 2":
                return Spins(Named(words[1]), Number(words[2]));
            case "watch 2":
                return Watch(Named(words[1]), Number(words[2]));
            case "sleep 3":
                return Sleep(words[1], Number(words[2]), Number(words[3]));
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
