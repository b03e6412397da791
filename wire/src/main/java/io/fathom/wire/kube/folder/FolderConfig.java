// SPDX-License-Identifier: Apache-2.0
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
/// @param addresses of Services that are written without one
/// @param memory where the last good version of what protects something is kept
public record FolderConfig(
        long maxFileBytes,
        Limits limits,
        Duration quiet,
        Duration grace,
        Duration rescan,
        Duration poll,
        AddressPlanning addresses,
        Memory memory) {
    /// What becomes of a Service without an address in a folder that others come after.
    public enum AddressPlanning {
        /// It counts as it is: headless.
        AS_WRITTEN,
        /// It waits until a later folder has it: the program that fills that one gives it an address. Taken for
        /// headless, its name would lead to its pods, around its waypoint.
        FROM_LATER_FOLDER
    }

    public static final FolderConfig DEFAULT = new FolderConfig(
            16L << 20,
            Limits.DEFAULT,
            Duration.ofMillis(5),
            Duration.ofMillis(100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            AddressPlanning.AS_WRITTEN,
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
        return new FolderConfig(bytes, limits, quiet, grace, rescan, poll, addresses, memory);
    }

    public FolderConfig withGrace(Duration other) {
        return new FolderConfig(maxFileBytes, limits, quiet, other, rescan, poll, addresses, memory);
    }

    public FolderConfig withRescan(Duration other) {
        return new FolderConfig(maxFileBytes, limits, quiet, grace, other, other, addresses, memory);
    }

    public FolderConfig withAddresses(AddressPlanning other) {
        return new FolderConfig(maxFileBytes, limits, quiet, grace, rescan, poll, other, memory);
    }

    public FolderConfig withMemory(Memory other) {
        return new FolderConfig(maxFileBytes, limits, quiet, grace, rescan, poll, addresses, other);
    }
}
