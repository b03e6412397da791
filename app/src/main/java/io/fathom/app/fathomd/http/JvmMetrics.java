// SPDX-License-Identifier: Apache-2.0
package io.fathom.app.fathomd.http;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/// What the process itself costs, under the names that Prometheus clients share.
final class JvmMetrics {
    private static final double MILLIS = 1e3;
    private static final double NANOS = 1e9;

    private JvmMetrics() {}

    static void register(ControlMetrics metrics) {
        metrics.watch(
                "process_start_time_seconds",
                "When the process started, in seconds since 1970.",
                () -> ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS);
        metrics.watch(
                "istiod_uptime_seconds",
                "How long the process has run.",
                () -> ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS);
        metrics.watch("process_cpu_seconds_total", "CPU time used.", JvmMetrics::cpuSeconds);
        metrics.watch("process_open_fds", "Open file descriptors.", JvmMetrics::openFiles);
        metrics.watch("jvm_memory_heap_used_bytes", "Heap in use, garbage included.", () -> (double)
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        metrics.watch("jvm_memory_heap_committed_bytes", "Heap taken from the system.", () -> (double)
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted());
        metrics.watch(
                "jvm_gc_pause_seconds_total",
                "Time spent in garbage collections.",
                () -> ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                                .sum()
                        / MILLIS);
        metrics.watch(
                "jvm_threads_current",
                "Platform threads.",
                () -> ManagementFactory.getThreadMXBean().getThreadCount());
    }

    private static double cpuSeconds() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(duration -> duration.toNanos() / NANOS)
                .orElse(Double.NaN);
    }

    private static double openFiles() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.UnixOperatingSystemMXBean system
                ? (double) system.getOpenFileDescriptorCount()
                : Double.NaN;
    }
}
