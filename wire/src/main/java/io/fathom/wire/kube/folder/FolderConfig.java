package io.fathom.wire.kube.folder;

import io.fathom.wire.kube.tree.Limits;
import java.time.Duration;

/// How a folder is watched.
///
/// @param maxFileBytes larger files are refused
/// @param limits what one document may cost
/// @param quiet how long nothing must happen before changed files are read
/// @param grace how long a file must stay as it is before it is believed that it lost objects or became unreadable
/// @param rescan how often everything is compared again, in case the system lost a notification
/// @param poll the same where the system cannot notify at all
/// @param memory where the last good version of what protects something is kept
public record FolderConfig(
        long maxFileBytes,
        Limits limits,
        Duration quiet,
        Duration grace,
        Duration rescan,
        Duration poll,
        Memory memory) {
    public static final FolderConfig DEFAULT = new FolderConfig(
            16L << 20,
            Limits.DEFAULT,
            Duration.ofMillis(5),
            Duration.ofMillis(100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            new Memory.None());

    public FolderConfig {
        if (maxFileBytes < 1 || maxFileBytes > Integer.MAX_VALUE - 16) {
            throw new IllegalArgumentException("no limit for a file: " + maxFileBytes);
        }
        if (quiet.isNegative() || grace.isNegative() || !rescan.isPositive() || !poll.isPositive()) {
            throw new IllegalArgumentException("times must be positive");
        }
    }

    public FolderConfig withMaxFileBytes(long bytes) {
        return new FolderConfig(bytes, limits, quiet, grace, rescan, poll, memory);
    }

    public FolderConfig withGrace(Duration other) {
        return new FolderConfig(maxFileBytes, limits, quiet, other, rescan, poll, memory);
    }

    public FolderConfig withRescan(Duration other) {
        return new FolderConfig(maxFileBytes, limits, quiet, grace, other, other, memory);
    }

    public FolderConfig withMemory(Memory other) {
        return new FolderConfig(maxFileBytes, limits, quiet, grace, rescan, poll, other);
    }
}
