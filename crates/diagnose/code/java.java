//: nano-time for interval, micro
long t0 = System.nanoTime();
long ns = System.nanoTime() - t0;
//: nano-time for coarse, trace
long ns = System.nanoTime();
//: nano-time for cross-process
long ns = System.nanoTime();  // HotSpot; not guaranteed
//: instant-now for timestamp
java.time.Instant t = java.time.Instant.now();
//: process-cpu-time for cpu
long ns = ((com.sun.management.OperatingSystemMXBean)
    java.lang.management.ManagementFactory
    .getOperatingSystemMXBean()).getProcessCpuTime();
//: proc-uptime for boot on Linux
double s = Double.parseDouble(new String(  // IOException
    java.nio.file.Files.readAllBytes(
    java.nio.file.Paths.get("/proc/uptime")))
    .split(" ")[0]);  // 10 ms steps
