// Ten million reads of Stopwatch in a thousand batches: a loop that shares nothing with the probe.
using System;
using System.Diagnostics;
using System.Globalization;

static class Loop
{
    static long Reads(int count)
    {
        long last = 0;
        while (count-- > 0)
            last ^= Stopwatch.GetTimestamp();
        return last;
    }

    static void Main()
    {
        long kept = 0;
        for (int warm = 0; warm < 300; warm++)
            kept ^= Reads(10000);
        for (int batch = 0; batch < 1000; batch++)
        {
            Stopwatch watch = Stopwatch.StartNew();
            kept ^= Reads(10000);
            double ns = watch.ElapsedTicks * 1e9 / Stopwatch.Frequency / 10000;
            Console.WriteLine(ns.ToString(CultureInfo.InvariantCulture));
        }
        // Never so, but the compiler does not know it.
        if (kept == 42)
            Console.WriteLine();
    }
}
