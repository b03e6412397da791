// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.gateway;

/// What is to be said about one aspect of a route or listener: a reason of the Gateway API, and our words.
public record Finding(FindingResult outcome, String reason, String message) {
    public enum FindingResult {
        GOOD,
        BAD
    }

    static Finding good(String reason, String message) {
        return new Finding(FindingResult.GOOD, reason, message);
    }

    public static Finding bad(String reason, String message) {
        return new Finding(FindingResult.BAD, reason, message);
    }

    public boolean isGood() {
        return outcome == FindingResult.GOOD;
    }
}
