// SPDX-License-Identifier: Apache-2.0
package io.fathom.control.order;

import java.time.Duration;

/// How long an order is kept before things go on without it.
///
/// @param answer for proxies that are connected and do not answer
/// @param absence for proxies that should be there and are not connected: they may be about to reconnect, or be
///     connected to another replica
/// @param drain between the acknowledgement of node proxies and the end of what they do not use any more: connections
///     that they have just begun have to arrive
public record Patience(Duration answer, Duration absence, Duration drain) {
    public static final Patience DEFAULT =
            new Patience(Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(2));

    public Patience withDrain(Duration other) {
        return new Patience(answer, absence, other);
    }

    /// Longer or shorter for those who do not answer.
    public Patience withAnswer(Duration other) {
        return new Patience(other, absence, drain);
    }
}
