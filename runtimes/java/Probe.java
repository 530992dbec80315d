// The probe of Java (8 or later). See PROTOCOL.md.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

public final class Probe {
    private static final long SECOND = 1_000_000_000;
    private static final java.lang.management.ThreadMXBean THREADS =
            ManagementFactory.getThreadMXBean();

    /** Keeps values; volatile, so the compiler cannot know that nobody reads them. */
    private static volatile long sink;
    private static volatile Object kept;

    /** A zero that the compiler does not know. */
    private static volatile int unknownZero = 0;

    /** One clock. Each has loops of its own, which the JIT compiler specialises for it. */
    private abstract static class Clock {
        final String about;
        final LongSupplier[] readers;

        /** About: its id, call, kind, units per second, and the claimed resolution if any. */
        Clock(String id, String call, String kind, long hz, String claimed) {
            about = "{\"id\":\"" + id + "\",\"call\":\"" + call + "\",\"kind\":\"" + kind
                    + "\",\"hz\":" + hz + claimed + ",\"modes\":[\"throughput\",\"latency\"]}";
            readers = new LongSupplier[] {this::read, this::read};
        }

        abstract long read();

        abstract void throughput(long reads);

        abstract void latency(long reads);
    }

    private static final class Empty extends Clock {
        Empty() {
            super("empty", "", "", SECOND, "");
        }

        @Override
        long read() {
            return 1;
        }

        @Override
        void throughput(long reads) {
            // The compiler does not compute this sum without a loop.
            long sum = unknownZero;
            for (long at = 0; at < reads; at++) {
                sum ^= at;
            }
            sink = sum;
        }

        @Override
        void latency(long reads) {
            long[] values = {1, 1};
            int zero = unknownZero;
            long value = 0;
            for (long at = 0; at < reads; at++) {
                value = values[(int) value & zero];
            }
            sink = value;
        }
    }

    private static final class NanoTime extends Clock {
        NanoTime() {
            super("nano-time", "System.nanoTime()", "monotonic", SECOND, "");
        }

        @Override
        long read() {
            return System.nanoTime();
        }

        @Override
        void throughput(long reads) {
            long sum = 0;
            for (long at = 0; at < reads; at++) {
                sum += System.nanoTime();
            }
            sink = sum;
        }

        @Override
        void latency(long reads) {
            LongSupplier[] readers = {System::nanoTime, System::nanoTime};
            int zero = unknownZero;
            long value = 0;
            for (long at = 0; at < reads; at++) {
                value = readers[(int) value & zero].getAsLong();
            }
            sink = value;
        }
    }

    private static final class CurrentTimeMillis extends Clock {
        CurrentTimeMillis() {
            super("current-time-millis", "System.currentTimeMillis()", "wall", 1000,
                    ",\"claimed_ns\":1000000");
        }

        @Override
        long read() {
            return System.currentTimeMillis();
        }

        @Override
        void throughput(long reads) {
            long sum = 0;
            for (long at = 0; at < reads; at++) {
                sum += System.currentTimeMillis();
            }
            sink = sum;
        }

        @Override
        void latency(long reads) {
            LongSupplier[] readers = {System::currentTimeMillis, System::currentTimeMillis};
            int zero = unknownZero;
            long value = 0;
            for (long at = 0; at < reads; at++) {
                value = readers[(int) value & zero].getAsLong();
            }
            sink = value;
        }
    }

    /** The instants are kept as objects, as those of most programs are. */
    private static final class InstantNow extends Clock {
        private interface Reader {
            Instant read();
        }

        InstantNow() {
            super("instant-now", "Instant.now()", "wall", SECOND, "");
        }

        @Override
        long read() {
            Instant now = Instant.now();
            return now.getEpochSecond() * SECOND + now.getNano();
        }

        @Override
        void throughput(long reads) {
            Instant value = null;
            for (long at = 0; at < reads; at++) {
                value = Instant.now();
            }
            kept = value;
        }

        @Override
        void latency(long reads) {
            Reader[] readers = {Instant::now, Instant::now};
            int zero = unknownZero;
            Instant value = Instant.EPOCH;
            for (long at = 0; at < reads; at++) {
                value = readers[value.getNano() & zero].read();
            }
            kept = value;
        }
    }

    private static final class ThreadCpuTime extends Clock {
        ThreadCpuTime() {
            super("thread-cpu-time", "threadMXBean.getCurrentThreadCpuTime()", "cpu", SECOND, "");
        }

        @Override
        long read() {
            return THREADS.getCurrentThreadCpuTime();
        }

        @Override
        void throughput(long reads) {
            long sum = 0;
            for (long at = 0; at < reads; at++) {
                sum += THREADS.getCurrentThreadCpuTime();
            }
            sink = sum;
        }

        @Override
        void latency(long reads) {
            LongSupplier[] readers = {
                THREADS::getCurrentThreadCpuTime, THREADS::getCurrentThreadCpuTime
            };
            int zero = unknownZero;
            long value = 0;
            for (long at = 0; at < reads; at++) {
                value = readers[(int) value & zero].getAsLong();
            }
            sink = value;
        }
    }

    private static final Map<String, Clock> CLOCKS = new LinkedHashMap<>();

    static {
        CLOCKS.put("nano-time", new NanoTime());
        CLOCKS.put("current-time-millis", new CurrentTimeMillis());
        CLOCKS.put("instant-now", new InstantNow());
        if (THREADS.isCurrentThreadCpuTimeSupported()) {
            CLOCKS.put("thread-cpu-time", new ThreadCpuTime());
        }
    }

    private static final Clock EMPTY = new Empty();

    private static Clock clock(String id) {
        Clock found = id.equals("empty") ? EMPTY : CLOCKS.get(id);
        if (found == null) {
            throw new IllegalArgumentException("no such clock");
        }
        return found;
    }

    private static String quoted(String property) {
        String text = System.getProperty(property, "unknown");
        return "\"" + text.replaceAll("[^ -~]|[\"\\\\]", "") + "\"";
    }

    private static String hello() {
        StringBuilder clocks = new StringBuilder();
        for (Clock clock : CLOCKS.values()) {
            clocks.append(clocks.length() == 0 ? "" : ",").append(clock.about);
        }
        return "{\"protocol\":2,\"runtime\":" + quoted("java.vm.name")
                + ",\"version\":" + quoted("java.runtime.version")
                + ",\"build\":" + quoted("java.vm.info")
                + ",\"stopwatch\":{\"call\":\"System.nanoTime()\",\"hz\":" + SECOND
                + "},\"clocks\":[" + clocks
                + "],\"sleeps\":[{\"id\":\"thread-sleep\",\"call\":\"Thread.sleep(ms)\","
                + "\"unit_ns\":1000000},{\"id\":\"park-nanos\","
                + "\"call\":\"LockSupport.parkNanos(ns)\",\"unit_ns\":1}],\"allocations\":"
                + (THREADS instanceof com.sun.management.ThreadMXBean)
                + ",\"waits\":[\"" + String.join("\",\"", WAITS.keySet())
                + "\"],\"unavailable\":[" + (VIRTUAL == null ? NO_VIRTUAL : "")
                + "],\"monotonic\":" + System.getProperty("os.name").equals("Linux") + "}";
    }

    private static String batch(Clock clock, String mode, long reads, long warm) {
        boolean ordered = mode.equals("latency");
        if (!ordered && !mode.equals("throughput")) {
            throw new IllegalArgumentException("no such mode");
        }
        long start = 0;
        long stop = 0;
        for (long count : new long[] {warm, reads}) {
            start = System.nanoTime();
            if (ordered) {
                clock.latency(count);
            } else {
                clock.throughput(count);
            }
            stop = System.nanoTime();
        }
        return "{\"start\":" + start + ",\"ticks\":" + (stop - start) + "}";
    }

    private static long sums(long turns, long[] integers) {
        long all = 0;
        for (long turn = 0; turn < turns; turn++) {
            all += sumOf(integers);
        }
        return all;
    }

    private static long timedSums(long turns, long[] integers, Clock clock) {
        long all = 0;
        for (long turn = 0; turn < turns; turn++) {
            long start = clock.read();
            all += sumOf(integers);
            sink = clock.read() - start;
        }
        return all;
    }

    private static long sumOf(long[] integers) {
        long sum = 0;
        for (long one : integers) {
            sum += one;
        }
        return sum;
    }

    private static String around(Clock clock, long turns, long count) {
        long[] integers = new long[(int) Math.min(count, 1_000_000)];
        Arrays.setAll(integers, at -> at);
        long start = System.nanoTime();
        sink = clock == EMPTY ? sums(turns, integers) : timedSums(turns, integers, clock);
        return "{\"start\":" + start + ",\"ticks\":" + (System.nanoTime() - start) + "}";
    }

    /** The reads of the last `deltas`. */
    private static long[] values = {};

    private static void fill(Clock clock, long[] values) {
        for (int at = 0; at < values.length; at++) {
            values[at] = clock.read();
        }
    }

    private static String deltas(Clock clock, long count) {
        values = new long[(int) Math.min(count, 1_000_000)];
        // Also until this loop is compiled, as far as that is soon.
        long limit = System.nanoTime() + SECOND / 10;
        do {
            fill(clock, values);
        } while (System.nanoTime() < limit);
        return more(0);
    }

    private static String more(long from) {
        int start = (int) Math.min(from, values.length);
        long[] some =
                Arrays.copyOfRange(values, start, Math.min(start + 20_000, values.length));
        return "{\"values\":" + list(Arrays.stream(some).map(value -> value - values[0]).toArray())
                + "}";
    }

    private static String list(long[] values) {
        return Arrays.toString(values).replace(" ", "");
    }

    private static String spins(Clock clock, long count) {
        int most = (int) Math.min(count, 2000);
        long[] steps = new long[most];
        long[] reads = new long[most];
        long limit = System.nanoTime() + SECOND / 2;
        long last = clock.read();
        long tries = 0;
        // The first change does not count.
        for (int seen = -1; seen < most; ) {
            long now = clock.read();
            tries++;
            if (now != last) {
                if (seen >= 0) {
                    steps[seen] = now - last;
                    reads[seen] = tries;
                }
                seen++;
                last = now;
                tries = 0;
            }
            if (tries % 100 == 0 && System.nanoTime() > limit) {
                steps = Arrays.copyOf(steps, Math.max(seen, 0));
                reads = Arrays.copyOf(reads, Math.max(seen, 0));
                break;
            }
        }
        return "{\"steps\":" + list(steps) + ",\"reads\":" + list(reads) + "}";
    }

    private static String watch(Clock clock, long count) {
        long limit = System.nanoTime() + 2 * SECOND;
        long same = 0;
        long smallest = 0;
        long longest = 0;
        long backwards = 0;
        long worst = 0;
        long done = 0;
        long last = clock.read();
        while (done < count) {
            long now = clock.read();
            long step = now - last;
            last = now;
            done++;
            if (step > 0) {
                longest = Math.max(longest, step);
                smallest = smallest == 0 ? step : Math.min(smallest, step);
            } else if (step == 0) {
                same++;
            } else {
                backwards++;
                worst = Math.max(worst, -step);
            }
            if (done % 1000 == 0 && System.nanoTime() > limit) {
                break;
            }
        }
        return "{\"reads\":" + done + ",\"same\":" + same + ",\"smallest\":" + smallest
                + ",\"longest\":" + longest + ",\"backwards\":" + backwards + ",\"worst\":" + worst
                + "}";
    }

    private static String sleep(String id, long ns, long count) throws InterruptedException {
        boolean parks = id.equals("park-nanos");
        if (!parks && !id.equals("thread-sleep")) {
            throw new IllegalArgumentException("no such sleep");
        }
        long ms = (ns + 999_999) / 1_000_000;
        long[] slept = new long[(int) Math.min(count, 1000)];
        for (int at = 0; at < slept.length; at++) {
            long start = System.nanoTime();
            if (parks) {
                LockSupport.parkNanos(ns);
            } else {
                Thread.sleep(ms);
            }
            slept[at] = System.nanoTime() - start;
        }
        return "{\"slept\":" + list(slept) + "}";
    }

    /** The times of some waits, and the deadlines that they are for. */
    private static final class Series {
        private final long ns;
        private final long first;
        private final long work;
        private final long[] times;
        private long deadline;
        private int at;
        private long cpu;

        Series(long ns, long count, long first, long work) {
            this.ns = ns;
            this.first = first;
            this.work = work;
            times = new long[3 * (int) Math.min(count, 1000)];
        }

        /** Begins the next wait and returns its nanoseconds, or -1 if there is none. */
        long begin() {
            if (at == 0) {
                cpu = cpuTime();
                deadline = first > System.nanoTime() ? first : System.nanoTime() + ns;
            }
            for (; at < times.length; end()) {
                long now = System.nanoTime();
                if (first == 0) {
                    deadline = now + ns;
                }
                times[at] = now;
                times[at + 1] = deadline;
                if (deadline > now) {
                    return deadline - now;
                }
            }
            cpu = cpuTime() - cpu;
            return -1;
        }

        void end() {
            long now = System.nanoTime();
            times[at + 2] = now;
            at += 3;
            while (work > 0 && System.nanoTime() - now < work) {
                sink = at;
            }
            deadline += ns * (1 + Math.max(0, (now - deadline) / ns));
        }

        String answer(String thread) {
            long start = times.length == 0 ? System.nanoTime() : times[0];
            return "{\"start\":" + start + ",\"times\":"
                    + list(Arrays.stream(times).map(time -> time - start).toArray())
                    + (cpu > 0 ? ",\"cpu_ns\":" + cpu : "") + thread + "}";
        }
    }

    /** The CPU time of the calling thread in nanoseconds; 0 if it has none, as a virtual one. */
    private static long cpuTime() {
        try {
            return THREADS.getCurrentThreadCpuTime();
        } catch (UnsupportedOperationException error) {
            return 0;
        }
    }

    /** The id that the system has for the calling thread, as a key of an answer. */
    private static String thread() {
        try {
            byte[] stat = java.nio.file.Files.readAllBytes(
                    java.nio.file.Paths.get("/proc/thread-self/stat"));
            String text = new String(stat, StandardCharsets.US_ASCII);
            return ",\"thread\":" + text.substring(0, text.indexOf(' '));
        } catch (IOException | RuntimeException error) {
            return "";
        }
    }

    /** Makes one wait of this many nanoseconds on the calling thread. */
    private interface Wait {
        void make(long ns) throws InterruptedException;
    }

    private static final Map<String, Wait> WAITS = new LinkedHashMap<>();
    private static final Object MONITOR = new Object();
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final Condition CONDITION = LOCK.newCondition();
    private static final LinkedBlockingQueue<Object> QUEUE = new LinkedBlockingQueue<>();

    /** Thread.startVirtualThread (Java 21), or null. */
    private static final java.lang.reflect.Method VIRTUAL = virtual();
    private static final String NO_VIRTUAL =
            "{\"id\":\"virtual-thread-sleep\",\"reason\":\"Java has virtual threads since 21\"}";

    private static java.lang.reflect.Method virtual() {
        try {
            java.lang.reflect.Method start =
                    Thread.class.getMethod("startVirtualThread", Runnable.class);
            // Java 19 and 20 have it as a preview, which is off.
            ((Thread) start.invoke(null, (Runnable) () -> { })).join();
            return start;
        } catch (ReflectiveOperationException | RuntimeException | InterruptedException error) {
            return null;
        }
    }

    private static long ms(long ns) {
        return (ns + 999_999) / 1_000_000;
    }

    static {
        WAITS.put("sleep", ns -> Thread.sleep(ms(ns)));
        WAITS.put("sleep-nanos", ns -> Thread.sleep(ns / 1_000_000, (int) (ns % 1_000_000)));
        WAITS.put("park-nanos", LockSupport::parkNanos);
        WAITS.put("object-wait", ns -> {
            synchronized (MONITOR) {
                MONITOR.wait(ms(ns));
            }
        });
        WAITS.put("condition-await", ns -> {
            LOCK.lock();
            try {
                CONDITION.awaitNanos(ns);
            } finally {
                LOCK.unlock();
            }
        });
        WAITS.put("queue-poll", ns -> QUEUE.poll(ns, TimeUnit.NANOSECONDS));
        WAITS.put("scheduled-executor", null);
        WAITS.put("virtual-thread-sleep", ns -> Thread.sleep(ms(ns)));
    }

    private static void make(Series series, Wait wait) throws InterruptedException {
        for (long ns; (ns = series.begin()) >= 0; series.end()) {
            wait.make(ns);
        }
    }

    private static ScheduledThreadPoolExecutor executor;

    /** One executor for all requests, so that its thread stays the same. */
    private static ScheduledThreadPoolExecutor executor() {
        if (executor == null) {
            executor = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            });
        }
        return executor;
    }

    /** Each task sets the next one: it begins when the wait before it has ended. */
    private static String scheduled(Series series) throws InterruptedException {
        ScheduledThreadPoolExecutor executor = executor();
        String[] thread = {""};
        CountDownLatch done = new CountDownLatch(1);
        Runnable task = new Runnable() {
            @Override
            public void run() {
                series.end();
                next();
            }

            void next() {
                long ns = series.begin();
                if (ns >= 0) {
                    executor.schedule(this, ns, TimeUnit.NANOSECONDS);
                } else {
                    thread[0] = thread();
                    done.countDown();
                }
            }
        };
        // The first task is set by the thread of the executor as well, which exists then.
        executor.execute(() -> {
            long ns = series.begin();
            if (ns < 0) {
                done.countDown();
            } else {
                executor.schedule(task, ns, TimeUnit.NANOSECONDS);
            }
        });
        done.await();
        return thread[0];
    }

    private static String waits(String id, Series series) throws Exception {
        if (!WAITS.containsKey(id)) {
            throw new IllegalArgumentException("no such wait");
        }
        Wait wait = WAITS.get(id);
        if (wait == null) {
            return series.answer(scheduled(series));
        }
        if (!id.startsWith("virtual")) {
            make(series, wait);
            return series.answer(thread());
        }
        if (VIRTUAL == null) {
            throw new IllegalArgumentException("no virtual threads");
        }
        Runnable all = () -> {
            try {
                make(series, wait);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        };
        ((Thread) VIRTUAL.invoke(null, all)).join();
        return series.answer("");
    }

    private static String allocations(Clock clock, long reads) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) THREADS;
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        clock.throughput(reads);
        long bytes = threads.getThreadAllocatedBytes(thread) - before;
        return "{\"bytes\":" + bytes + "}";
    }

    private static String answer(String[] words) throws Exception {
        long last = words.length > 1 ? Long.parseLong(words[words.length - 1]) : 0;
        switch (words[0] + " " + (words.length - 1)) {
            case "hello 0":
                return hello();
            case "batch 4":
                return batch(clock(words[1]), words[2], Long.parseLong(words[3]), last);
            case "around 3":
                return around(clock(words[1]), Long.parseLong(words[2]), last);
            case "deltas 2":
                return deltas(clock(words[1]), last);
            case "more 1":
                return more(last);
            case "spins 2":
                return spins(clock(words[1]), last);
            case "watch 2":
                return watch(clock(words[1]), last);
            case "sleep 3":
                return sleep(words[1], Long.parseLong(words[2]), last);
            case "waits 5":
                return waits(words[1], new Series(Long.parseLong(words[2]),
                        Long.parseLong(words[3]), Long.parseLong(words[4]), last));
            case "allocations 2":
                return allocations(clock(words[1]), last);
            default:
                throw new IllegalArgumentException("no such request");
        }
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line; (line = in.readLine()) != null && !line.equals("quit"); ) {
            String answer;
            try {
                answer = answer(line.split(" "));
            } catch (Exception error) {
                String why = String.valueOf(error.getMessage()).replaceAll("[^ -~]|[\"\\\\]", "");
                answer = "{\"error\":\"" + why.substring(0, Math.min(why.length(), 200)) + "\"}";
            }
            out.print(answer + "\n");
            out.flush();
        }
    }
}
