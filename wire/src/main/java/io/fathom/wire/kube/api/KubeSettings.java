// SPDX-License-Identifier: Apache-2.0
package io.fathom.wire.kube.api;

import java.time.Duration;

/// How patient a client is.
///
/// @param connect for a connection, and for TLS on it
/// @param answer for an answer once asked, and between two parts of it
/// @param firstRetry and `longestRetry` bound the pauses of a watch that fails
/// @param page how many objects to ask for at once
/// @param watch how long a watch may last before it is asked for anew
public record KubeSettings(
        Duration connect, Duration answer, Duration firstRetry, Duration longestRetry, int page, Duration watch) {
    public static final KubeSettings DEFAULT = new KubeSettings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofMillis(200),
            Duration.ofSeconds(30),
            500,
            Duration.ofMinutes(5));
}
