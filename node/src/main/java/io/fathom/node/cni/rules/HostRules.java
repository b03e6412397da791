// SPDX-License-Identifier: Apache-2.0
package io.fathom.node.cni.rules;

import java.time.Duration;
import java.util.List;

/// The rules of the host that give probes of the node a source address that pods know. Needs the sets of [ProbeSet],
/// so those are prepared first and discarded last. Blocks; for any thread, one call at a time.
public interface HostRules {
    /// How often and how far apart to try [#install] at a start, before giving up: other programs hold the lock of the
    /// tables for seconds.
    Retries AT_START = new Retries(11, Duration.ofSeconds(2));

    record Retries(int attempts, Duration pause) {}

    /// Replaces what is there of ours.
    void install();

    /// Also if there is nothing to remove.
    void remove();

    /// How reality differs from what [#install] makes; empty if not at all.
    List<Difference> inspect();
}
