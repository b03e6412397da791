// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca.vault;

/// How urgent it is that somebody looks after the intermediate.
public enum Alarm {
    NONE(0),
    /// Renewal should have happened long ago and the end is near.
    EXPIRING(1),
    /// There is nothing to sign with any more, or nothing yet.
    EXPIRED(2);

    private final int level;

    Alarm(int level) {
        this.level = level;
    }

    /// The value of the alarm metric.
    public int level() {
        return level;
    }
}
