// Sequential reads of Stopwatch, and its latency and resolution as benchmarks of it define them.
// Prints a name and a number for each figure; times are in nanoseconds.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

static class Reads {
    const int N = 1000000;
    static long sink;

    static double Ns(double ticks) { return ticks * 1e9 / Stopwatch.Frequency; }

    static void Print(string name, double value) {
        Console.WriteLine(name + " " + value.ToString("0.######", CultureInfo.InvariantCulture));
    }

    static double Latency() {
        const int reads = N / 10;
        long start = Stopwatch.GetTimestamp(), last = 0;
        for (int i = 0; i < reads; i++) last = Stopwatch.GetTimestamp();
        sink = last;
        return Ns(Stopwatch.GetTimestamp() - start) / reads;
    }

    static double Resolution() {
        const int changes = N / 100;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < changes; i++) {
            long last = Stopwatch.GetTimestamp();
            while (Stopwatch.GetTimestamp() == last) { }
        }
        return Ns(Stopwatch.GetTimestamp() - start) / changes;
    }

    static long[] Deltas() {
        var values = new long[N];
        for (int i = 0; i < N; i++) values[i] = Stopwatch.GetTimestamp();
        var deltas = new long[N - 1];
        for (int i = 0; i < N - 1; i++) deltas[i] = values[i + 1] - values[i];
        return deltas;
    }

    static double Median(double[] values) {
        Array.Sort(values);
        return values[values.Length / 2];
    }

    static void Main() {
        // The first passes warm up the compiler.
        Latency(); Resolution(); Deltas();
        var deltas = Deltas();
        var changes = deltas.Where(d => d > 0).Select(d => Ns(d)).ToArray();
        Print("frequency", Stopwatch.Frequency);
        Print("zeros", deltas.Count(d => d == 0) / (double)deltas.Length);
        Print("negative", deltas.Count(d => d < 0));
        Print("changes.mean", changes.Average());
        Print("changes.median", Median(changes));
        Print("mean", deltas.Select(d => Ns(d)).Average());
        Print("latency", Enumerable.Range(0, 20).Select(_ => Latency()).Min());
        Print("resolution", Enumerable.Range(0, 20).Select(_ => Resolution()).Min());
        int none = 0;
        for (int i = 0; i < N; i++) {
            var sw = Stopwatch.StartNew();
            sw.Stop();
            if (sw.ElapsedTicks == 0) none++;
        }
        Print("pair.zeros", none / (double)N);
        GC.KeepAlive(sink);
    }
}
