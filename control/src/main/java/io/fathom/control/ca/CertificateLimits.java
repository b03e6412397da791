// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.ca;

import java.time.Duration;

/// Lifetimes of workload certificates.
///
/// @param usual for clients that ask for none
/// @param longest more than this is refused
public record CertificateLimits(Duration usual, Duration longest) {
    public static final CertificateLimits DEFAULT = new CertificateLimits(Duration.ofHours(24), Duration.ofDays(90));

    public CertificateLimits {
        if (!usual.isPositive() || longest.compareTo(usual) < 0) {
            throw new IllegalArgumentException("the usual lifetime is positive and not above the longest");
        }
    }
}
